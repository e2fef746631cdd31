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
/// Writes symmetric matrices as CSV files without header, and as NumPy files; connectome_regions.csv lists
/// the regions of the rows. The matrices are connectome_counts (numbers of streamlines), connectome_weights
/// (sums of weights; without weights, counts) and connectome_lengths (mean lengths in mm), or the quantities
/// of --measure. Also writes the two regions of each streamline, with 0 for no region. With several
/// parcellations, file names begin with the name of the parcellation. If the labels are a CIFTI-2 file, also
/// writes .pconn.nii files. With --out NAME.npz, writes sparse matrices for SciPy instead: NAME_counts.npz,
/// NAME_weights.npz and NAME_lengths.npz. Then the regions of the rows are in NAME_regions.tsv, and the
/// regions of each streamline in NAME_assignments.txt.
#[derive(Debug, Args)]
pub(crate) struct Connectome {
    #[arg(help = meanings::TRACTOGRAM, value_name = "TRACKS")]
    tractogram: PathBuf,
    #[arg(
        long,
        help = meanings::LABELS,
        long_help = meanings::with(
            meanings::LABELS,
            "Files with labels of the vertices of --surfaces (.annot, .label.gii) and CIFTI-2 labels \
             (.dlabel.nii) are also accepted. Several files, separated by commas, are separate \
             parcellations. But two files of the left and the right hemisphere, such as \
             lh.aparc.annot,rh.aparc.annot, are one parcellation."
        ),
        value_name = "FILE",
        value_delimiter = ',',
        required = true
    )]
    labels: Vec<PathBuf>,
    /// Surface files whose vertices have the labels of --labels, one per hemisphere
    #[arg(long, value_name = "FILE,…", value_delimiter = ',')]
    surfaces: Vec<PathBuf>,
    #[arg(
        long,
        help = meanings::REFERENCE,
        long_help = meanings::with(
            meanings::REFERENCE,
            "The image is needed only for surfaces in FreeSurfer's coordinates whose file does not state the \
             position of the volume (c_ras)."
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
            "An entry describes the streamlines between two regions. `count` is their number, which is \
             always written. `weight` is the sum of their weights, and `length` their mean length in mm. \
             NAME=FILE is the mean of their values in FILE, and sum:NAME=FILE the sum of these values. FILE \
             is a text file with one value per streamline, or an image whose mean along a streamline is its \
             value."
        ),
        value_name = "MEASURE,…",
        value_delimiter = ',',
        default_value = "count,weight,length"
    )]
    measure: Vec<MeasureRequest>,
    /// Output: folder for the matrices, or a file name NAME.npz
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
            "[default: 4; with --assignment reverse, up to the middle of the streamline]"
        ),
        value_name = "MM"
    )]
    assignment_radius: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum AssignmentArg {
    /// Each end of a streamline belongs to the region of the nearest labelled voxel or vertex within
    /// --assignment-radius
    Radial,
    /// Each end of a streamline belongs to the region of the voxel that contains it
    EndVoxel,
    /// From each end, search back along the streamline for at most --assignment-radius. The end belongs to the
    /// first region found
    Reverse,
    /// Each end of a streamline belongs to the first region that the streamline would reach if it continued,
    /// within --assignment-radius
    Forward,
    /// A streamline connects all pairs of regions that contain one of its points
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
