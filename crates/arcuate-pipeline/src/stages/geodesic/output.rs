//! Output files of geodesic tracking, and the summary of its rays in the record.

use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::{Kind, OutputFile};
use crate::record::{Record, Table};
use crate::run::RAYS;
use crate::stages::tracking::{among_regions, note_lengths, table_of_counts};
use arcuate_core::statistics::total;
use arcuate_core::{
    Column, ColumnRows, Columns, Grid, Result, Scalars, StreamlineBatch, StreamlineLengths, StreamlineSink,
    Tractogram, cell,
};
use arcuate_io::{TractogramWriter, write_file, write_tractogram};
use arcuate_track::{CONNECTIVITY, Connections, DRIFT, Drift, LENGTH, Repairs, TrackSummary};
use std::fmt::Write;
use std::path::Path;

/// File of the FA map.
pub(super) const FA: &str = "fa.nii.gz";
const CONNECTIONS: &str = "connections.trx";
const TABLE: &str = "connections.tsv";

/// Returns the output files: all rays, or connections.
pub(super) fn output_files(all: bool) -> Vec<OutputFile> {
    let kind = Kind::Values {
        data: CONNECTIVITY.into(),
        name: "connectivity".into(),
        quantity: "Connectivity measure".into(),
    };
    let caption = "Length over geodesic length: how fast diffusion is along a way, relative to its mean. In the picture above \
                   streamlines have its colours.";
    let shown = |name, title| OutputFile::shown(name, title, kind.clone()).with_caption(caption);
    let fa = OutputFile::fractional_anisotropy(FA);
    if all {
        return vec![shown(RAYS, "Rays"), fa];
    }
    vec![
        shown(CONNECTIONS, "Connections, strongest first, a group for each target"),
        OutputFile::file(TABLE, "Rank, target, connectivity measure, length and drift of each connection"),
        fa,
    ]
}

/// Measures of all rays.
#[derive(Default)]
pub(super) struct Measures {
    connectivity: Vec<f32>,
    lengths: Vec<f32>,
    drift: Vec<f32>,
}

/// Writes rays as they are followed.
pub(super) struct RayWriter {
    writer: TractogramWriter,
    measures: Measures,
}

impl RayWriter {
    pub(super) fn create(path: &Path, grid: &Grid, job: &Job) -> Result<Self> {
        let writer = TractogramWriter::create(path, Some(grid), &job.tractogram_options())?;
        let mut rays = Self { writer, measures: Measures::default() };
        // An empty batch defines the names of the data, in case that no ray follows.
        let none = || Column::new(1, Scalars::F32(Vec::new()));
        let per_point = Columns::from([(CONNECTIVITY.to_owned(), none()?)]);
        let mut per_streamline = Columns::new();
        for name in [CONNECTIVITY, LENGTH, DRIFT] {
            per_streamline.insert(name.to_owned(), none()?);
        }
        let batch = StreamlineBatch::default();
        rays.take(batch.with_per_point(&per_point).with_per_streamline(&per_streamline))?;
        Ok(rays)
    }

    /// Completes the file.
    pub(super) fn finish(self) -> Result<Measures> {
        self.writer.finish()?;
        Ok(self.measures)
    }
}

impl StreamlineSink for RayWriter {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.writer.take(batch)?;
        for (name, column) in batch.per_streamline() {
            let measure = match name {
                CONNECTIVITY => &mut self.measures.connectivity,
                LENGTH => &mut self.measures.lengths,
                _ => &mut self.measures.drift,
            };
            measure.extend_from_slice(values(&column));
        }
        Ok(())
    }
}

/// Returns the values of rays, which have single precision.
fn values<'a>(of: &ColumnRows<'a>) -> &'a [f32] {
    match of.column.values() {
        Scalars::F32(values) => &values[of.rows.clone()],
        _ => &[],
    }
}

impl Measures {
    pub(super) fn note(&self, lengths: &StreamlineLengths, record: &mut Record) {
        note_lengths(lengths, record);
        record.figure("mean connectivity measure", mean(&self.connectivity)).key();
    }
}

fn mean(values: &[f32]) -> f64 {
    total(values.iter().map(|&value| f64::from(value))) / values.len().max(1) as f64
}

/// Writes the tractogram and the table of the connections.
pub(super) fn write_connections(
    folder: &OutputFolder,
    found: &Connections,
    grid: &Grid,
    job: &Job,
) -> Result<()> {
    let path = folder.file(CONNECTIONS);
    write_tractogram(&path, &found.tractogram, Some(grid), &job.tractogram_options())?;
    write_file(&folder.file(TABLE), table(&found.tractogram))
}

/// Returns a table with a row for each streamline, in their order, and its rank in its group.
fn table(connections: &Tractogram) -> String {
    let mut place: Vec<(usize, &str)> = vec![(0, ""); connections.len()];
    for (group, members) in &connections.groups.members {
        for (n, &member) in members.iter().enumerate() {
            place[member as usize] = (n + 1, group);
        }
    }
    let column = |name: &str| {
        connections.per_streamline.get(name).map_or_else(Vec::new, |column| column.values().to_f64())
    };
    let columns = [CONNECTIVITY, LENGTH, DRIFT].map(column);
    let mut text = String::from("rank\ttarget\tcm\tlength_mm\tdrift");
    for (n, (rank, group)) in place.into_iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{rank}\t{}", cell(group));
        for values in &columns {
            let _ = write!(text, "\t{}", values[n] as f32);
        }
    }
    text + "\n"
}

/// Adds the targets that were reached to the record.
pub(super) fn note_targets(found: &Connections, record: &mut Record) {
    let reached = found.targets.iter().filter(|target| target.reached > 0).count();
    record.figure("targets reached", format!("{reached} of {}", found.targets.len())).key();
    let strongest = found.targets.iter().filter_map(|target| target.strongest).reduce(f64::max);
    if let Some(strongest) = strongest {
        record.figure("largest connectivity measure", strongest).key();
    }
    let row = |target: &arcuate_track::TargetSummary| {
        vec![
            target.name.clone().into(),
            target.reached.into(),
            target.kept.into(),
            target.strongest.into(),
            target.nearest_mm.into(),
        ]
    };
    record.tables.push(Table {
        title: "Targets".into(),
        section: String::new(),
        text: "Rays that reach each target, and how many of them are kept. Where none does, how near they come; the nearest, as \
               far as there, is in the group of that name."
            .into(),
        columns: [
            "target",
            "rays that reach it",
            "kept",
            "largest connectivity measure",
            "nearest approach, mm",
        ]
        .map(String::from)
        .to_vec(),
        rows: found.targets.iter().map(row).collect(),
    });
}

/// Adds the outcome of the rays, and the repairs of the tensors, to the record.
pub(super) fn note(
    summary: &TrackSummary,
    not_followed: u64,
    drift: &Drift,
    repairs: &Repairs,
    record: &mut Record,
) {
    record.figure("seeds", summary.seeds);
    record.figure("rays followed", summary.terminated.total());
    record.figure("streamlines", summary.streamlines).key();
    record.figure("median drift of a ray's energy", drift.median);
    record.figure("largest drift of a ray's energy", drift.largest);
    record.measure("mean diffusivity that tensors are measured by", repairs.mean_diffusivity, "mm²/s");
    let ends = &summary.terminated;
    let mut counts = vec![
        ("not followed: seed outside the image, the mask or the anisotropy asked for", not_followed),
        ("edge of the image", ends.left_image),
        ("edge of the mask", ends.left_mask),
        ("too low anisotropy", ends.anisotropy),
        ("too sharp a turn", ends.angle),
        ("largest length", ends.max_length),
        ("most steps", ends.max_steps),
        ("back where it was", ends.loops),
        ("target reached", ends.target),
        ("stuck: no step leads on", ends.stuck),
    ];
    counts.extend(among_regions(summary));
    let text = "Why rays ended. Two from a seed in opposite directions count as two.";
    record.tables.push(table_of_counts("Why rays ended", text, &counts));
    let counts = [
        ("voxels looked at", repairs.voxels),
        ("zero, now isotropic", repairs.zero),
        ("an eigenvalue below 0.01 of the mean or far above, now the nearest without", repairs.indefinite),
        ("not a number, now isotropic", repairs.not_a_number),
    ];
    let text = "Tensors that make no metric were replaced before.";
    record.tables.push(table_of_counts("Repaired tensors", text, &counts));
}
