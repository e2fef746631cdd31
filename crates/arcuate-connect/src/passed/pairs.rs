//! Matrices that count, for each pair of elements (voxels, vertices or regions), the streamlines that pass
//! both. The position of the seeds does not matter.

use super::elements::{Passed, PassedElements, Prepared, Rules};
use super::measures::Measures;
use super::seed_rows::RowEntry;
use super::sorted_pairs::{PairSum, SortedPairs};
use crate::sums::{EntrySum, MatrixSums, SumsMemory, no_entry};
use arcuate_core::{Axis, Error, MatrixRowSink, Measure, Result, StreamlineBatch, StreamlineSink};
use rayon::prelude::*;
use std::fmt;
use std::path::Path;

/// The memory that the sums of all pairs of elements may use.
#[derive(Debug, Clone, Copy)]
pub struct PairMemory<'a> {
    /// Maximum number of bytes in memory for the sums. If the sums of all pairs need at most this number of
    /// bytes, all pairs have a sum (dense sums). If not, only connected pairs have a sum, and at most this
    /// number of bytes of these sums is in memory.
    pub most_bytes: u64,
    /// Folder for a temporary file without a name, which stores the sums that do not fit in `most_bytes`. If
    /// no folder is given, all sums are in memory.
    pub folder: Option<&'a Path>,
}

/// Counts the streamlines that pass both elements of a pair. Also adds up the lengths of their paths between
/// the two elements.
///
/// The sums are integers. They do not depend on the order of the streamlines, the number of threads or the
/// [available memory](PairMemory).
pub struct PairCounter<'a> {
    rows: Prepared<'a>,
    /// The elements of the matrix columns. `None` if columns and rows have the same elements. The matrix is
    /// then symmetric, with an empty diagonal.
    columns: Option<Prepared<'a>>,
    measures: Measures,
    sums: Sums,
    memory: SumsMemory,
    most_bytes: u64,
    taken: u64,
}

enum Sums {
    /// The sums of all pairs of elements, including unconnected pairs.
    Dense(MatrixSums<u64>),
    /// The sums of the connected pairs only. If the matrix is symmetric, each pair is stored in both orders,
    /// so that each matrix row is complete.
    Sorted(SortedPairs),
}

impl<'a> PairCounter<'a> {
    /// Creates an empty counter. The seed point of a streamline does not count. If `columns` is `None`, the
    /// matrix is symmetric. `measures` lists the measures in addition to the number of streamlines: the mean
    /// or the sum of path lengths, for streamlines with steps of `step_mm`.
    ///
    /// Returns an error if a measure is not a mean or a sum of path lengths, or if there is no memory for the
    /// sums. Also returns an error if the length of an axis of the matrix is not the number of its elements.
    pub fn new(
        rows: (&'a PassedElements, Axis),
        columns: Option<(&'a PassedElements, Axis)>,
        measures: &[Measure],
        step_mm: f64,
        memory: PairMemory<'_>,
    ) -> Result<Self> {
        for (elements, axis) in std::iter::once(&rows).chain(&columns) {
            if elements.len() != axis.len() {
                let problem = format!(
                    "there are {} voxels and vertices, but the axis of the matrix has {}",
                    elements.len(),
                    axis.len()
                );
                return Err(Error::invalid(
                    "matrix",
                    problem,
                    "give the matrix axis that describes these voxels and vertices",
                ));
            }
        }
        let measures = Measures::new(measures, step_mm)?;
        let PairMemory { most_bytes, folder } = memory;
        let (columns, of_columns) = columns.unzip();
        let width = of_columns.as_ref().map(Axis::len);
        let memory = SumsMemory::of(rows.1.len(), width, measures.len(), most_bytes);
        let sums = match memory {
            SumsMemory::Dense { .. } => {
                Sums::Dense(MatrixSums::new(rows.1, of_columns, measures.all.clone(), most_bytes)?)
            }
            SumsMemory::Sparse { .. } => Sums::Sorted(SortedPairs::new(most_bytes, folder)?),
        };
        let prepare = |elements| Prepared::new(elements, step_mm);
        let (rows, columns) = (prepare(rows.0)?, columns.map(prepare).transpose()?);
        Ok(Self { rows, columns, measures, sums, memory, most_bytes, taken: 0 })
    }

    /// Returns the number of received streamlines.
    pub fn streamlines(&self) -> u64 {
        self.taken
    }

    /// Returns a text that describes the host memory of the sums.
    pub fn memory(&self) -> impl fmt::Display {
        match &self.sums {
            Sums::Dense(_) => self.memory.to_string(),
            Sums::Sorted(sums) if sums.can_spill() => format!(
                "sums of pairs that are joined take up to {} bytes of the host's memory; what is more waits on the disk, 24 bytes each",
                self.most_bytes
            ),
            Sums::Sorted(_) => {
                "sums take 24 bytes of the host's memory for each pair that is joined".to_owned()
            }
        }
    }

    /// Calls `take` once for each connected pair, with the sums of this pair. Another counter with the same
    /// elements can [add](Self::add) them. If the matrix is symmetric, each pair occurs once.
    pub fn for_each_entry_sum(self, mut take: impl FnMut(EntrySum) -> Result<()>) -> Result<()> {
        let is_symmetric = self.columns.is_none();
        match self.sums {
            Sums::Dense(sums) => sums.entries().into_iter().try_for_each(take),
            Sums::Sorted(sums) => sums.tell(|sum| {
                let (row, column) = (sum.row(), sum.column());
                if is_symmetric && row > column {
                    return Ok(());
                }
                take(EntrySum { row, column, count: sum.count, length: sum.steps })
            }),
        }
    }

    /// Adds the sums of one pair from another counter with the same elements.
    ///
    /// Returns an error if an element of the pair is unknown, or if there is no memory for the sums.
    pub fn add(&mut self, entry: EntrySum) -> Result<()> {
        let EntrySum { row, column, count, length } = entry;
        let columns = self.columns.as_ref().unwrap_or(&self.rows);
        if row as usize >= self.rows.elements.len() || column as usize >= columns.elements.len() {
            return Err(no_entry(entry));
        }
        let is_symmetric = self.columns.is_none();
        match &mut self.sums {
            Sums::Dense(sums) => sums.add_entry(entry),
            Sums::Sorted(sums) => {
                sums.add(PairSum::of(row, column, count, length))?;
                if is_symmetric {
                    sums.add(PairSum::of(column, row, count, length))?;
                }
                Ok(())
            }
        }
    }

    /// Passes all matrix rows that are not empty to a [`MatrixRowSink`]. The rows have the number of
    /// streamlines and the other measures. If the matrix is symmetric, a row contains its entries on both
    /// sides of the diagonal.
    pub fn pass_rows(self, sink: &mut dyn MatrixRowSink) -> Result<()> {
        let measures = self.measures;
        match self.sums {
            Sums::Dense(sums) => sums.finish(|_, steps| measures.length(steps))?.pass_rows(sink),
            Sums::Sorted(sums) => {
                let mut row = Row { number: 0, entries: Vec::new(), measures, sink };
                sums.tell(|sum| {
                    let entry = RowEntry { column: sum.column(), count: sum.count, steps: sum.steps };
                    row.add(sum.row(), entry)
                })?;
                row.pass()
            }
        }
    }
}

/// A matrix row whose entries are still being collected.
struct Row<'a> {
    number: u32,
    entries: Vec<RowEntry>,
    measures: Measures,
    sink: &'a mut dyn MatrixRowSink,
}

impl Row<'_> {
    fn add(&mut self, row: u32, entry: RowEntry) -> Result<()> {
        if row != self.number {
            self.pass()?;
            self.number = row;
        }
        self.entries.push(entry);
        Ok(())
    }

    fn pass(&mut self) -> Result<()> {
        if self.entries.is_empty() {
            return Ok(());
        }
        let columns: Vec<u32> = self.entries.iter().map(|entry| entry.column).collect();
        let values = self.measures.values(&self.entries.iter().copied());
        self.entries.clear();
        self.sink.take_row(self.number as usize, &columns, &values)
    }
}

impl StreamlineSink for PairCounter<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        if batch.seeds.len() != batch.len() {
            let problem = "the streamlines have no seed numbers";
            return Err(Error::invalid(
                "streamlines",
                problem,
                "give the streamlines together with the number of the seed of each streamline",
            ));
        }
        let met = |n: usize| {
            let (line, seed) = (batch.streamline(n), batch.seeds[n].point as usize);
            let of = |elements: &Prepared<'_>| elements.met_by(line, seed, Rules::default());
            (of(&self.rows), self.columns.as_ref().map(of))
        };
        let found: Vec<(Vec<Passed>, Option<Vec<Passed>>)> =
            (0..batch.len()).into_par_iter().with_min_len(16).map(met).collect();
        let is_symmetric = self.columns.is_none();
        let mut steps = vec![0; self.measures.len()];
        for (rows, columns) in found {
            for (n, a) in rows.iter().enumerate() {
                for b in columns.as_deref().unwrap_or(&rows[n + 1..]) {
                    let (row, column, distance) = (a.element, b.element, a.steps.abs_diff(b.steps));
                    match &mut self.sums {
                        Sums::Dense(sums) => {
                            steps.fill(u64::from(distance));
                            sums.add(row as usize, column as usize, 1, &steps)?;
                        }
                        Sums::Sorted(sums) => {
                            sums.add(PairSum::new(row, column, distance))?;
                            if is_symmetric {
                                sums.add(PairSum::new(column, row, distance))?;
                            }
                        }
                    }
                }
            }
        }
        self.taken += batch.len() as u64;
        Ok(())
    }
}
