//! The regions that connectomes have rows for, and the files of their matrices: what all commands share that make some.

use crate::output::OutputFolder;
use crate::output_files::{Kind, OutputFile};
use crate::record::{Record, name_of};
use arcuate_connect::{Assignment, ConnectomeOptions, SumsMemory, between_and_within};
use arcuate_core::{ConnectivityMatrix, ElementKind, Error, Labels, Measure, Result};
use arcuate_io::{npz_files, write_axis_csv, write_matrix_csv, write_matrix_npy};
use arcuate_pipeline::parcellation::read_parcellation;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// For the record.
pub(crate) const REFERENCES: &[&str] =
    &["Smith RE et al. (2015) The effects of SIFT on the reproducibility and \
     biological accuracy of the structural connectome (radial search). doi:10.1016/j.neuroimage.2014.10.004"];

const REGIONS: &str = "connectome_regions.csv";

/// How the image of regions is read and how streamlines find theirs.
#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct ParcellationArgs {
    /// Names of the regions: FreeSurfer's colour table or MRtrix's labelconvert table. The matrices then have a row for
    /// each region of the table, in the order of numbers, whether it occurs in the image or not
    #[arg(long, value_name = "FILE", requires = "labels")]
    pub(crate) label_names: Option<PathBuf>,
    /// How a streamline finds its regions
    #[arg(long, value_enum, default_value_t = AssignmentArg::Radial, requires = "labels")]
    assignment: AssignmentArg,
    /// How far the search for a region looks, in mm; 4 by default
    #[arg(long, value_name = "MM", requires = "labels")]
    assignment_radius: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum AssignmentArg {
    /// The nearest labelled voxel within --assignment-radius
    Radial,
    /// The voxel of the end point
    EndVoxel,
}

impl ParcellationArgs {
    /// The options of the library, for the regions of the table of names, where there is one.
    pub(crate) fn options(&self, labels: &Labels) -> Result<ConnectomeOptions> {
        let assignment = match self.assignment {
            AssignmentArg::Radial => Assignment::RadialSearch,
            AssignmentArg::EndVoxel => Assignment::EndVoxel,
        };
        if self.assignment_radius.is_some() && assignment == Assignment::EndVoxel {
            let problem = "end-voxel searches nothing";
            return Err(Error::usage(
                "--assignment-radius",
                problem,
                "leave it out, or choose --assignment radial",
            ));
        }
        let default = ConnectomeOptions::default().search_radius_mm;
        let named = labels.names().keys().copied().filter(|&region| region != 0);
        Ok(ConnectomeOptions {
            assignment,
            search_radius_mm: self.assignment_radius.unwrap_or(default),
            regions: self.label_names.is_some().then(|| named.collect()),
            ..ConnectomeOptions::default()
        })
    }

    /// The parcellation with its names.
    pub(crate) fn labels(&self, path: &Path) -> Result<Labels> {
        read_parcellation(path, self.label_names.as_deref())
    }

    /// The errors of a connectome name what they are about: the image of regions, or the table of names.
    pub(crate) fn about(&self, error: Error, labels: &Path) -> Error {
        match (error.subject(), &self.label_names) {
            ("regions of the connectome", Some(names)) => error.about(names.display()),
            ("labels" | "connectome", _) => error.about(labels.display()),
            ("search radius", _) => error.about("--assignment-radius"),
            _ => error,
        }
    }
}

/// What a matrix is of, for the report.
pub(crate) fn matrix(quantity: &'static str, circle: bool) -> Kind {
    Kind::Matrix { quantity: quantity.into(), regions: REGIONS.into(), circle }
}

/// The output files of counts and lengths.
///
/// The matrix that `as_circle` is drawn as a circle too: that of weights, where there are any, is instead.
pub(crate) fn output_files(as_circle: bool) -> Vec<OutputFile> {
    let counts = matrix("streamlines", as_circle);
    vec![
        OutputFile::shown("connectome_counts.csv", "Streamlines between regions", counts)
            .with_caption("Number of streamlines between two regions."),
        OutputFile::file("connectome_counts.npy", "Number of streamlines between two regions, NumPy"),
        OutputFile::shown(
            "connectome_lengths.csv",
            "Length of connections",
            matrix("mean length, mm", false),
        )
        .with_caption("Mean length of the streamlines between two regions."),
        OutputFile::file("connectome_lengths.npy", "Their mean length, mm, NumPy"),
        OutputFile::file(REGIONS, "Which region each row is"),
    ]
}

/// The files of these measures in SciPy's format, of which `out` is the common beginning of the names, and of the regions.
pub(crate) fn sparse_files(out: &Path, measures: &[Measure]) -> Vec<PathBuf> {
    npz_files(out, measures, ElementKind::Region, None).expect("words that are names of files")
}

/// What these files are.
pub(crate) fn sparse_output_files(out: &Path, measures: &[Measure]) -> Vec<OutputFile> {
    let title = |measure: &Measure| match measure {
        Measure::Count => "Number of streamlines between two regions, SciPy",
        Measure::Weight => "Sum of their weights, SciPy",
        _ => "Their mean length, mm, SciPy",
    };
    let titles = measures.iter().map(title).chain(["Which region each row is"]);
    let names = sparse_files(out, measures).into_iter().map(|file| name_of(&file));
    names.zip(titles).map(|(name, title)| OutputFile::file(name, title)).collect()
}

/// What of the disk matrices with every entry may take without a word, in bytes.
const DENSE_ON_DISK: u64 = 1 << 30;

/// Says, before the work, what sums take of the memory; and, of so many matrices that are written with every entry, what these
/// take of the disk, where that is much.
pub(crate) fn say_memory(regions: usize, memory: SumsMemory, dense: u64) {
    tracing::info!("connectome: {memory}");
    // In `.npy` 8 bytes an entry, in `.csv` a digit and what separates it from the next.
    let bytes = (regions as u64).saturating_mul(regions as u64).saturating_mul(10 * dense);
    if bytes > DENSE_ON_DISK {
        tracing::warn!(
            "matrices with every entry of {regions} regions take {:.1} GB of the disk and more; an --out that ends in .npz \
             has only what is joined",
            bytes as f64 / 1e9
        );
    }
}

/// Notes how many of all streamlines are connections and how many only touch one region, and says so.
pub(crate) fn note(matrix: &ConnectivityMatrix, streamlines: u64, record: &mut Record) -> String {
    let (between, within) = between_and_within(matrix);
    let regions = matrix.rows().len();
    record.figure("streamlines that join two regions", between).key();
    record.figure("streamlines with both ends in one region", within);
    record.figure("regions", regions).key();
    format!(
        "{between} of {streamlines} streamlines join two of {regions} regions; {within} have both ends in one"
    )
}

/// Writes counts and lengths, and which region each row is.
pub(crate) fn write(folder: &OutputFolder, matrix: &ConnectivityMatrix) -> Result<()> {
    write_measure(folder, matrix, &Measure::Count)?;
    write_measure(folder, matrix, &Measure::MeanLength)?;
    write_axis_csv(&folder.file(REGIONS), matrix.rows())
}

/// Writes a measure as CSV and NumPy.
pub(crate) fn write_measure(
    folder: &OutputFolder,
    matrix: &ConnectivityMatrix,
    measure: &Measure,
) -> Result<()> {
    let name = measure.word();
    write_matrix_csv(&folder.file(&format!("connectome_{name}.csv")), matrix, measure)?;
    write_matrix_npy(&folder.file(&format!("connectome_{name}.npy")), matrix, measure)
}
