use crate::references;
use crate::stage_command::Typed;
use crate::surface_conversion::MeshSpaceArg;
use arcuate_connect::Assignment;
use arcuate_core::Result;
use arcuate_pipeline::connectomes::{MeasureRequest, REFERENCES};
use arcuate_pipeline::stages::MakeConnectome;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Count the streamlines between the regions of parcellations
///
/// Writes symmetric matrices as CSV (no header, rows as in connectome_regions.csv) and NumPy: connectome_counts,
/// connectome_weights (sum of weights; counts where none are given), connectome_lengths (mean, mm), or what --measure asks for;
/// and the two regions of each streamline (0 0 where it joins none). Of several parcellations, which one pass over the
/// tractogram serves, names of files begin with that of the parcellation instead of connectome; of CIFTI-2 labels each measure
/// is written as .pconn.nii too. With --out NAME.npz it writes sparse matrices for SciPy instead: NAME_counts.npz,
/// NAME_weights.npz, NAME_lengths.npz, their rows in NAME_regions.tsv, and NAME_assignments.txt.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct Connectome {
    /// Tractogram
    #[arg(value_name = "TRACKS")]
    tractogram: PathBuf,
    /// Image of region numbers, 0 for none; or labels at the vertices of --surfaces (.annot, .label.gii) or CIFTI-2
    /// (.dlabel.nii). Each of several, parted by commas, is a parcellation of its own, but the two of
    /// lh.aparc.annot,rh.aparc.annot are one
    #[arg(long, value_name = "FILE", value_delimiter = ',', required = true)]
    labels: Vec<PathBuf>,
    /// Surfaces whose vertices have the labels, one for each hemisphere
    #[arg(long, value_name = "FILE,…", value_delimiter = ',')]
    surfaces: Vec<PathBuf>,
    /// Image whose space the file refers to; that of surfaces in FreeSurfer's coordinates that do not say it
    #[arg(long, value_name = "IMAGE", requires = "surfaces")]
    reference: Option<PathBuf>,
    /// What the coordinates of a surface are, whatever its file says of them
    #[arg(long, value_enum, value_name = "SPACE", requires = "surfaces")]
    mesh_space: Option<MeshSpaceArg>,
    /// Weights, one number per streamline
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// What is measured of the streamlines of each entry; count (always there), weight, length, and NAME=FILE, the mean
    /// of an image along them or of a text file's number for each, or sum:NAME=FILE, their sum
    #[arg(long, value_name = "MEASURE,…", value_delimiter = ',', default_value = "count,weight,length")]
    measure: Vec<MeasureRequest>,
    /// Where the result goes; a folder for the matrices, or a name that ends in .npz for sparse ones
    #[arg(long, value_name = "FOLDER|FILE")]
    out: PathBuf,
    /// Names of the regions: FreeSurfer's colour table or MRtrix's labelconvert table. The matrices then have a row for
    /// each region of the table, in the order of numbers, whether it occurs in the labels or not
    #[arg(long, value_name = "FILE")]
    label_names: Option<PathBuf>,
    /// How a streamline finds its regions
    #[arg(long, value_enum, default_value_t = AssignmentArg::Radial)]
    assignment: AssignmentArg,
    /// How far the search for a region looks, in mm; 4 by default, but to the middle of the streamline with --assignment
    /// reverse
    #[arg(long, value_name = "MM")]
    assignment_radius: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum AssignmentArg {
    /// Each end the nearest labelled voxel or vertex within --assignment-radius
    Radial,
    /// Each end its voxel
    EndVoxel,
    /// Each end the last region that the streamline was in, up to --assignment-radius along it
    Reverse,
    /// Each end the first region ahead of it, up to --assignment-radius
    Forward,
    /// All regions that a point of the streamline lies in; it joins any two of them
    AllVoxels,
}

impl AssignmentArg {
    fn assignment(self) -> Assignment {
        match self {
            Self::Radial => Assignment::RadialSearch,
            Self::EndVoxel => Assignment::EndVoxel,
            Self::Reverse => Assignment::ReverseSearch,
            Self::Forward => Assignment::ForwardSearch,
            Self::AllVoxels => Assignment::AllVoxels,
        }
    }
}

impl Typed for Connectome {
    type Work = MakeConnectome;

    fn typed(&self) -> Result<MakeConnectome> {
        Ok(MakeConnectome {
            tracts: self.tractogram.clone(),
            labels: self.labels.clone(),
            surfaces: self.surfaces.clone(),
            reference: self.reference.clone(),
            mesh_space: self.mesh_space.map(MeshSpaceArg::space),
            weights: self.weights.clone(),
            measures: self.measure.clone(),
            label_names: self.label_names.clone(),
            assignment: self.assignment.assignment(),
            search_radius_mm: self.assignment_radius,
            out: self.out.clone(),
        })
    }
}
