//! Connectome of a parcellation: the number and the mean length of the accepted streamlines between each pair
//! of regions.

use crate::connectomes::{self, SYMMETRIC};
use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::{Kind, OutputFile};
use crate::record::{Record, name_of};
use crate::stages::tracking::form::Form;
use crate::stages::tracking::options::Tracking;
use crate::stages::tracking::part_file::{each_entry, write_entries};
use crate::stages::tracking::part_folder::{CONNECTIONS, SavedPart};
use crate::stages::tracking::part_head::Head;
use crate::stages::tracking::product::{Open, Opening, Product, Report};
use crate::stages::tracking::receiver::{Receiver, ReceiverResult, Sink};
use crate::stages::tracking::regions::RegionsToJoin;
use arcuate_connect::{ConnectionCounter, between_and_within};
use arcuate_core::{ConnectivityMatrix, ElementKind, Labels, Measure, Result};
use arcuate_io::{npz_files, write_axis_csv, write_matrix_csv, write_matrix_npy, write_matrix_npz};
use arcuate_track::SampleTracks;
use std::path::{Path, PathBuf};

const REGIONS: &str = "connectome_regions.csv";

/// Measures of the sparse matrices.
const MEASURES: [Measure; 2] = [Measure::Count, Measure::MeanLength];

/// A connectome as a product of tracking.
pub(super) struct Connectome<'a> {
    pub(super) regions: &'a RegionsToJoin,
    pub(super) tracking: &'a Tracking,
}

impl Product for Connectome<'_> {
    fn files(&self) -> Vec<OutputFile> {
        let matrix = |quantity: &'static str, circle| Kind::Matrix {
            quantity: quantity.into(),
            regions: REGIONS.into(),
            circle,
        };
        vec![
            OutputFile::shown(
                "connectome_counts.csv",
                "Streamlines between regions",
                matrix("streamlines", true),
            )
            .with_caption("Number of streamlines between two regions.")
            .with_content(format!("Number of accepted streamlines between two regions. {SYMMETRIC}")),
            OutputFile::file("connectome_counts.npy", "Number of streamlines between two regions, NumPy"),
            OutputFile::shown(
                "connectome_lengths.csv",
                "Length of connections",
                matrix("mean length, mm", false),
            )
            .with_caption("Mean length of the streamlines between two regions.")
            .with_content(format!("Mean length of the streamlines between two regions, mm. {SYMMETRIC}")),
            OutputFile::file("connectome_lengths.npy", "Their mean length, mm, NumPy"),
            OutputFile::file(REGIONS, "Region of each row"),
        ]
    }

    fn check(&self, job: &Job) -> Result<()> {
        self.regions.counter(&self.regions.read(job)?).map(|_| ())
    }

    fn file_of_part(&self) -> Option<&'static str> {
        Some(CONNECTIONS)
    }

    fn open<'a>(&'a self, opening: &'a Opening<'a>) -> Result<Box<dyn Open + 'a>> {
        let labels = self.regions.read(opening.job)?;
        let dense = if opening.folder.is_some() { 2 } else { 0 };
        Ok(Box::new(OpenConnectome { of: self, labels, dense: (!opening.is_part).then_some(dense) }))
    }
}

struct OpenConnectome<'a> {
    of: &'a Connectome<'a>,
    labels: Labels,
    /// Number of dense matrices to write; `None` for a part of a run.
    dense: Option<u64>,
}

impl Open for OpenConnectome<'_> {
    fn receiver(&mut self) -> Result<Option<Box<dyn Receiver + '_>>> {
        let counter = self.of.regions.counter(&self.labels)?;
        if let Some(dense) = self.dense {
            connectomes::say_memory(counter.regions(), counter.memory(), dense);
        }
        Ok(Some(Box::new(Counting(counter))))
    }

    fn finish(self: Box<Self>, received: ReceiverResult, report: &mut Report<'_>) -> Result<()> {
        let ReceiverResult::Connectome(matrix, streamlines) = received else { return Ok(()) };
        report.record.cite(connectomes::REFERENCES);
        report.lines.push(note(&matrix, streamlines, report.record));
        match report.opening.folder {
            Some(folder) => write(folder, &matrix),
            None if self.of.tracking.form() == Form::Matrices => {
                write_matrix_npz(&self.of.tracking.out, &matrix)
            }
            None => Ok(()),
        }
    }
}

/// Counts streamlines between regions.
struct Counting<'l>(ConnectionCounter<'l>);

impl Receiver for Counting<'_> {
    fn sink(&mut self) -> Sink<'_> {
        Sink::Device(&mut self.0)
    }

    fn add_part(&mut self, part: &SavedPart) -> Result<()> {
        each_entry(&part.file(CONNECTIONS), |entry| self.0.add(&[entry], 0))?;
        self.0.add(&[], part.head.counted)
    }

    fn keep_part(self: Box<Self>, folder: &OutputFolder, head: &mut Head) -> Result<()> {
        head.counted = self.0.streamlines();
        write_entries(&folder.file(CONNECTIONS), |take| self.0.entries().into_iter().try_for_each(take))
    }

    fn finish(self: Box<Self>, _: &SampleTracks) -> Result<ReceiverResult> {
        let streamlines = self.0.streamlines();
        Ok(ReceiverResult::Connectome(self.0.finish()?, streamlines))
    }
}

/// Returns the paths of the sparse matrices and of the file of regions. Their names begin with the name of
/// `out`.
#[expect(clippy::expect_used, reason = "the words of `MEASURES` can be part of a file name")]
pub(in crate::stages::tracking) fn sparse_files(out: &Path) -> Vec<PathBuf> {
    npz_files(out, &MEASURES, ElementKind::Region, None).expect("names of files")
}

/// Describes the files of the sparse matrices, with their titles.
pub(in crate::stages::tracking) fn sparse_output_files(out: &Path) -> Vec<OutputFile> {
    let title = |measure: &Measure| match measure {
        Measure::Count => "Number of streamlines between two regions, SciPy",
        Measure::Weight => "Sum of their weights, SciPy",
        _ => "Their mean length, mm, SciPy",
    };
    let titles = MEASURES.iter().map(title).chain(["Region of each row"]);
    let names = sparse_files(out).into_iter().map(|file| name_of(&file));
    names.zip(titles).map(|(name, title)| OutputFile::file(name, title)).collect()
}

/// Adds two numbers to the record: the number of streamlines that join two regions, and the number of
/// streamlines with both ends in the same region. Returns a message for the user with these numbers.
fn note(matrix: &ConnectivityMatrix, streamlines: u64, record: &mut Record) -> String {
    let (between, within) = between_and_within(matrix);
    let regions = matrix.rows().len();
    record.figure("streamlines that join two regions", between).key();
    record.figure("streamlines with both ends in one region", within);
    record.figure("regions", regions).key();
    format!(
        "{between} of {streamlines} streamlines join two of {regions} regions; {within} have both ends in one"
    )
}

/// Writes the matrices of the numbers and of the mean lengths of streamlines, and the region of each matrix
/// row.
fn write(folder: &OutputFolder, matrix: &ConnectivityMatrix) -> Result<()> {
    for measure in &MEASURES {
        let name = measure.word();
        write_matrix_csv(&folder.file(&format!("connectome_{name}.csv")), matrix, measure)?;
        write_matrix_npy(&folder.file(&format!("connectome_{name}.npy")), matrix, measure)?;
    }
    write_axis_csv(&folder.file(REGIONS), matrix.rows())
}
