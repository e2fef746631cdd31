//! Table of connections (streamlines of geodesic tracking to target regions). It contains the rank, target,
//! connectivity, length and drift of each streamline.

use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::stages::tracking::connections::numbers_of_targets;
use crate::stages::tracking::part_folder::SavedPart;
use crate::stages::tracking::part_head::Head;
use crate::stages::tracking::product::{Open, Opening, Product, Report};
use crate::stages::tracking::receiver::{Receiver, ReceiverResult, Sink};
use arcuate_core::{Error, Result, StreamlineBatch, StreamlineSink, cell};
use arcuate_io::write_file;
use arcuate_track::{CONNECTIVITY, DRIFT, LENGTH, SampleTracks};
use std::fmt::Write;

const TABLE: &str = "connections.tsv";

/// Names of the data of streamlines (one value per streamline), and names of their columns in the table.
const COLUMNS: [(&str, &str); 3] = [(CONNECTIVITY, "cm"), (LENGTH, "length_mm"), (DRIFT, "drift")];

/// The table of connections, as a kind of result that tracking writes.
pub(super) struct ConnectionTable;

impl Product for ConnectionTable {
    fn files(&self) -> Vec<OutputFile> {
        vec![OutputFile::file(
            TABLE,
            "Rank, target, connectivity measure, length and drift of each connection",
        )
        .with_content(
            "For each streamline, in their order: rank in its group, group, connectivity measure, length in mm, drift",
        )]
    }

    fn open<'a>(&'a self, _: &'a Opening<'a>) -> Result<Box<dyn Open + 'a>> {
        Ok(Box::new(OpenTable { rows: Rows::default() }))
    }
}

struct OpenTable {
    rows: Rows,
}

/// Connectivity, length and drift of each streamline.
#[derive(Default)]
struct Rows(Vec<[f32; COLUMNS.len()]>);

impl Open for OpenTable {
    fn receiver(&mut self) -> Result<Option<Box<dyn Receiver + '_>>> {
        Ok(Some(Box::new(Collecting(&mut self.rows))))
    }

    fn finish(self: Box<Self>, _: ReceiverResult, report: &mut Report<'_>) -> Result<()> {
        let Some(folder) = report.opening.folder else { return Ok(()) };
        write_file(&folder.file(TABLE), self.rows.text(report.tracks))
    }
}

impl Rows {
    /// Returns the text of the table, with a row for each streamline in the order of the streamlines. The
    /// rank of a streamline is its position among the streamlines to the same target region.
    fn text(&self, tracks: &SampleTracks) -> String {
        let mut text = ["rank", "target"]
            .into_iter()
            .chain(COLUMNS.map(|(_, name)| name))
            .collect::<Vec<_>>()
            .join("\t");
        let ranks = numbers_of_targets(tracks.rays.as_ref())
            .flat_map(|(target, count)| (1..=count).map(move |rank| (rank, target.clone())));
        for ((rank, target), figures) in ranks.zip(&self.0) {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{rank}\t{}", cell(&target));
            for figure in figures {
                let _ = write!(text, "\t{figure}");
            }
        }
        text + "\n"
    }
}

struct Collecting<'a>(&'a mut Rows);

impl StreamlineSink for Collecting<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let mut rows = vec![[0.0; COLUMNS.len()]; batch.len()];
        for (name, column) in batch.per_streamline() {
            let Some(at) = COLUMNS.iter().position(|(of, _)| *of == name) else { continue };
            let values = column.column.values().to_f64();
            rows.iter_mut()
                .zip(&values[column.rows.clone()])
                .for_each(|(row, &value)| row[at] = value as f32);
        }
        self.0.0.extend(rows);
        Ok(())
    }
}

impl Receiver for Collecting<'_> {
    fn sink(&mut self) -> Sink<'_> {
        Sink::Host(self)
    }

    fn add_part(&mut self, _: &SavedPart) -> Result<()> {
        Err(no_parts())
    }

    fn keep_part(self: Box<Self>, _: &OutputFolder, _: &mut Head) -> Result<()> {
        Err(no_parts())
    }

    fn finish(self: Box<Self>, _: &SampleTracks) -> Result<ReceiverResult> {
        Ok(ReceiverResult::Nothing)
    }
}

/// Returns the error for a divided run with connections. Connections are ranked among all rays (paths from a
/// seed in one direction) of a run, so such a run cannot be divided.
fn no_parts() -> Error {
    Error::usage(
        "‘part’",
        "connections are ranked among all rays (paths from a seed in one direction) of a run, so the run \
         cannot be divided",
        "leave out this option, or keep every ray instead of the connections to targets",
    )
}
