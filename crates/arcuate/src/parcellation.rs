//! The regions that connectomes have rows for, and the files of their matrices: what all commands share that make some.

use crate::output::OutputFolder;
use crate::products::{Kind, Product};
use crate::record::Record;
use arcuate_connect::{Assignment, ConnectomeOptions, Measure, regions_to_csv, to_csv};
use arcuate_core::{Connectome, Error, Labels, Result};
use arcuate_io::{write_file, write_npy};
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
    /// How the ends of a streamline find their region
    #[arg(long, value_enum, default_value_t = AssignmentArg::Radial, requires = "labels")]
    assignment: AssignmentArg,
    /// How far the radial search looks, in mm; 4 by default
    #[arg(long, value_name = "MM", requires = "labels")]
    radius: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum AssignmentArg {
    /// The nearest labelled voxel within --radius
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
        if self.radius.is_some() && assignment == Assignment::EndVoxel {
            let problem = "end-voxel searches nothing";
            return Err(Error::usage("--radius", problem, "leave it out, or choose --assignment radial"));
        }
        let default = ConnectomeOptions::default().search_radius_mm;
        let named = labels.names().keys().copied().filter(|&region| region != 0);
        Ok(ConnectomeOptions {
            assignment,
            search_radius_mm: self.radius.unwrap_or(default),
            regions: self.label_names.is_some().then(|| named.collect()),
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
            ("labels", _) => error.about(labels.display()),
            ("search radius", _) => error.about("--radius"),
            _ => error,
        }
    }
}

/// What a matrix is of, for the report.
pub(crate) fn matrix(quantity: &'static str, circle: bool) -> Kind {
    Kind::Matrix { quantity: quantity.into(), regions: REGIONS.into(), circle }
}

/// The products of counts and lengths.
///
/// The matrix that `as_circle` is drawn as a circle too: that of weights, where there are any, is instead.
pub(crate) fn products(as_circle: bool) -> Vec<Product> {
    let counts = matrix("streamlines", as_circle);
    vec![
        Product::shown("connectome_counts.csv", "Streamlines between regions", counts)
            .with_caption("Number of streamlines between two regions."),
        Product::file("connectome_counts.npy", "Number of streamlines between two regions, NumPy"),
        Product::shown("connectome_lengths.csv", "Length of connections", matrix("mean length, mm", false))
            .with_caption("Mean length of the streamlines between two regions."),
        Product::file("connectome_lengths.npy", "Their mean length, mm, NumPy"),
        Product::file(REGIONS, "Which region each row is"),
    ]
}

/// Notes how many of all streamlines are connections and how many only touch one region, and says so.
pub(crate) fn note(matrices: &Connectome, streamlines: u64, record: &mut Record) -> String {
    let (between, within) = (matrices.between_regions(), matrices.within_regions());
    record.figure("streamlines that join two regions", between).key();
    record.figure("streamlines with both ends in one region", within);
    record.figure("regions", matrices.regions.len()).key();
    format!(
        "{between} of {streamlines} streamlines join two of {} regions; {within} have both ends in one",
        matrices.regions.len()
    )
}

/// Writes counts and lengths, and which region each row is.
pub(crate) fn write(folder: &OutputFolder, matrices: &Connectome) -> Result<()> {
    write_matrix(folder, matrices, "counts", Measure::Count)?;
    write_matrix(folder, matrices, "lengths", Measure::MeanLength)?;
    write_file(&folder.file(REGIONS), regions_to_csv(matrices))
}

/// Writes a matrix as CSV and NumPy.
pub(crate) fn write_matrix(
    folder: &OutputFolder,
    matrices: &Connectome,
    name: &str,
    measure: Measure,
) -> Result<()> {
    let n = matrices.regions.len();
    write_file(&folder.file(&format!("connectome_{name}.csv")), to_csv(matrices, measure))?;
    write_npy(&folder.file(&format!("connectome_{name}.npy")), &[n, n], measure.of(matrices))
}
