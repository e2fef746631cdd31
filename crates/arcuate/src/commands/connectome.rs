use crate::meanings;
use crate::stage_command::Typed;
use crate::surface_conversion::MeshSpaceArg;
use arcuate_connect::Assignment;
use arcuate_core::Result;
use arcuate_pipeline::connectomes::MeasureRequest;
use arcuate_pipeline::stages::MakeConnectome;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Count and measure the streamlines between regions
///
/// Writes symmetric matrices as CSV (no header, rows as in connectome_regions.csv) and NumPy: connectome_counts,
/// connectome_weights (sum of weights, or counts), connectome_lengths (mean, mm), or those of --measure. Writes the two
/// regions of each streamline, 0 0 for none. With several parcellations, file names begin with the parcellation.
/// CIFTI-2 labels add .pconn.nii files. --out NAME.npz writes sparse matrices for SciPy instead: NAME_counts.npz,
/// NAME_weights.npz, NAME_lengths.npz, the rows in NAME_regions.tsv, and NAME_assignments.txt.
#[derive(Debug, Args)]
pub(crate) struct Connectome {
    #[arg(help = meanings::TRACTOGRAM, value_name = "TRACKS")]
    tractogram: PathBuf,
    #[arg(
        long,
        help = meanings::LABELS,
        long_help = meanings::with(
            meanings::LABELS,
            "Labels of the vertices of --surfaces (.annot, .label.gii) and CIFTI-2 labels (.dlabel.nii) are \
             also accepted. Several files, separated by commas, are separate parcellations. The files of the \
             left and right hemisphere, such as lh.aparc.annot,rh.aparc.annot, are one parcellation."
        ),
        value_name = "FILE",
        value_delimiter = ',',
        required = true
    )]
    labels: Vec<PathBuf>,
    /// Surfaces whose vertices are labelled, one per hemisphere
    #[arg(long, value_name = "FILE,…", value_delimiter = ',')]
    surfaces: Vec<PathBuf>,
    #[arg(
        long,
        help = meanings::REFERENCE,
        long_help = meanings::with(
            meanings::REFERENCE,
            "Needed only for surfaces in FreeSurfer's coordinates whose file does not state the position of \
             the volume (c_ras)."
        ),
        value_name = "IMAGE",
        requires = "surfaces"
    )]
    reference: Option<PathBuf>,
    #[arg(long, help = meanings::MESH_SPACE, value_enum, value_name = "SPACE", requires = "surfaces")]
    mesh_space: Option<MeshSpaceArg>,
    #[arg(long, help = meanings::WEIGHTS, value_name = "FILE")]
    weights: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::MEASURE,
        long_help = meanings::with(
            meanings::MEASURE,
            "`count` is always written. `weight` is the sum of weights, and `length` the mean length. \
             NAME=FILE gives the mean of the values in FILE, and sum:NAME=FILE their sum. FILE is an image \
             that is sampled along streamlines, or a text file with one number per streamline."
        ),
        value_name = "MEASURE,…",
        value_delimiter = ',',
        default_value = "count,weight,length"
    )]
    measure: Vec<MeasureRequest>,
    /// Output: folder for the matrices, or a file name that ends in .npz
    #[arg(long, value_name = "FOLDER|FILE")]
    out: PathBuf,
    #[arg(
        long,
        help = meanings::LABEL_NAMES,
        long_help = meanings::with(
            meanings::LABEL_NAMES,
            "A matrix has one row per region of this file, in the order of region numbers, even for regions \
             without voxels."
        ),
        value_name = "FILE"
    )]
    label_names: Option<PathBuf>,
    #[arg(long, help = meanings::ASSIGNMENT, value_enum, default_value_t = AssignmentArg::Radial)]
    assignment: AssignmentArg,
    #[arg(
        long,
        help = meanings::ASSIGNMENT_RADIUS,
        long_help = meanings::with(
            meanings::ASSIGNMENT_RADIUS,
            "[default: 4; to the middle of the streamline for --assignment reverse]"
        ),
        value_name = "MM"
    )]
    assignment_radius: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum AssignmentArg {
    /// Nearest labelled voxel or vertex within --assignment-radius of each streamline end
    Radial,
    /// Voxel of each end
    EndVoxel,
    /// Last region that the streamline passes before each of its ends, within --assignment-radius
    Reverse,
    /// First region ahead of each end of the streamline, within --assignment-radius
    Forward,
    /// All regions that contain a point of the streamline; each pair of them is connected
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
