//! FSL's matrix 4. Its rows are voxels of the orientation samples; its columns are seeds or other elements.
//! An entry counts the streamlines of a column that pass the voxel of a row. It also has their mean path
//! length, and the number of them along each fibre of the voxel. The matrix is written as three files, which
//! Connectome Workbench can convert.

use super::lines::{LookupGrid, stations};
use arcuate_connect::{ElementFinder, PassedElements};
use arcuate_core::{
    Axis, CollectedRows, Grid, MatrixRowSink, Measure, Point, Result, SeedOf, StreamlineBatch,
    StreamlineSink, Volume, narrow,
};
use arcuate_io::write_oxford_sparse;
use std::collections::BTreeMap;
use std::path::Path;

/// Number of fibres that are counted separately. The last one includes all further fibres.
const FIBRES: usize = 3;

/// An entry of matrix 4: the number of streamlines, the number along each fibre, and the sum of their path
/// lengths in steps.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Entry {
    count: u32,
    fibres: [u32; FIBRES],
    steps: u64,
}

/// The matrix during counting.
pub(super) struct FibreMatrix<'a> {
    look: LookupGrid,
    /// For each voxel of the orientation samples, its row in the matrix. If the voxel has no row, the value
    /// is [`NO_ROW`].
    rows: Vec<u32>,
    /// Mean direction of each fibre in each voxel, as peaks in scanner axes (three values per fibre).
    peaks: Volume<f32>,
    columns: Columns<'a>,
    /// Entries of each row, by column.
    entries: Vec<BTreeMap<u32, Entry>>,
    step_mm: f64,
}

/// Elements of the columns.
pub(super) enum Columns<'a> {
    /// The columns are the seeds, in the order of tracking, with `each` streamlines per seed.
    Seeds { count: usize, each: u64 },
    /// Columns are elements that streamlines pass.
    Passed { count: usize, finder: ElementFinder<'a> },
}

impl<'a> Columns<'a> {
    /// Creates columns for elements (voxels or vertices) that streamlines pass. `step_mm` is the step length
    /// of the streamlines.
    pub(super) fn met(elements: &'a PassedElements, step_mm: f64) -> Result<Self> {
        Ok(Self::Passed { count: elements.len(), finder: ElementFinder::new(elements, step_mm)? })
    }

    fn count(&self) -> usize {
        match self {
            Self::Seeds { count, .. } | Self::Passed { count, .. } => *count,
        }
    }

    /// Returns the columns of the matrix in which a streamline counts.
    fn of(&self, line: &[Point], seed: SeedOf) -> Vec<u32> {
        match self {
            Self::Seeds { each, .. } => vec![narrow::<u32>(seed.number / each)],
            Self::Passed { finder, .. } => {
                finder.met_by(line, seed.point as usize).into_iter().map(|(column, _)| column).collect()
            }
        }
    }
}

const NO_ROW: u32 = u32::MAX;

impl<'a> FibreMatrix<'a> {
    /// Creates a matrix without entries. `rows` are the indices of the voxels that are rows, on the grid
    /// `grid` of the orientation samples.
    pub(super) fn new(
        grid: &Grid,
        rows: &[usize],
        peaks: Volume<f32>,
        columns: Columns<'a>,
        step_mm: f64,
    ) -> Result<Self> {
        let mut of_voxels = vec![NO_ROW; grid.len()];
        for (row, &voxel) in rows.iter().enumerate() {
            of_voxels[voxel] = narrow::<u32>(row);
        }
        let entries = vec![BTreeMap::new(); rows.len()];
        let look = LookupGrid::new(grid, None)?;
        Ok(Self { look, rows: of_voxels, peaks, columns, entries, step_mm })
    }

    /// Returns the index of the fibre whose mean direction is nearest to `along`, the step vector of a
    /// streamline. All fibres after the first two have the index 2.
    fn fibre(&self, voxel: usize, along: Point) -> usize {
        let cosine = |peak: &[f32]| {
            let length = peak.iter().map(|c| c * c).sum::<f32>().sqrt();
            let dot: f32 = peak.iter().zip(along).map(|(a, b)| a * b).sum();
            if length > 0.0 { (dot / length).abs() } else { -1.0 }
        };
        let (mut best, mut largest) = (0, -1.0);
        for (n, peak) in self.peaks.voxel(voxel).chunks_exact(3).enumerate() {
            if cosine(peak) > largest {
                (best, largest) = (n.min(FIBRES - 1), cosine(peak));
            }
        }
        best
    }

    fn add(&mut self, columns: &[u32], line: &[Point], seed: usize) {
        self.look.begin();
        for station in stations(line, seed) {
            let Some(voxel) = self.look.first_in(station.at) else { continue };
            let row = self.rows[voxel];
            if row == NO_ROW {
                continue;
            }
            let fibre = self.fibre(voxel, station.along);
            for &column in columns {
                let entry = self.entries[row as usize].entry(column).or_default();
                entry.count = entry.count.saturating_add(1);
                entry.fibres[fibre] += 1;
                entry.steps += u64::from(station.steps);
            }
        }
    }

    /// Writes the three files of the matrix. `path` is the path of the first file.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let axes = (Axis::unknown(self.entries.len())?, Axis::unknown(self.columns.count())?);
        let fibre = |n: usize| Measure::Mean(format!("fibre_{n}"));
        let measures = vec![Measure::Count, Measure::MeanLength, fibre(1), fibre(2)];
        let mut rows = CollectedRows::new(axes.0, axes.1, measures);
        for (row, entries) in self.entries.iter().enumerate() {
            let columns: Vec<u32> = entries.keys().copied().collect();
            let of = |value: &dyn Fn(&Entry) -> f64| entries.values().map(value).collect::<Vec<f64>>();
            let part = |fibre: usize| of(&|entry| f64::from(entry.fibres[fibre]) / f64::from(entry.count));
            let counts = of(&|entry| f64::from(entry.count));
            let lengths = of(&|entry| entry.steps as f64 * self.step_mm / f64::from(entry.count));
            rows.take_row(row, &columns, &[counts, lengths, part(0), part(1)])?;
        }
        write_oxford_sparse(path, &rows.finish()?)
    }
}

impl StreamlineSink for FibreMatrix<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        for (line, &seed) in batch.iter().zip(batch.seeds) {
            let columns = self.columns.of(line, seed);
            self.add(&columns, line, seed.point as usize);
        }
        Ok(())
    }
}
