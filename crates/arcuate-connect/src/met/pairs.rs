//! Matrices of what streamlines meet both of, wherever they begin.

use super::elements::{Met, MetElements, Prepared, Rules};
use super::measures::Measures;
use crate::sums::{MatrixSums, SumsMemory};
use arcuate_core::{Axis, ConnectivityMatrix, Error, Measure, Result, StreamlineBatch, StreamlineSink};
use rayon::prelude::*;

/// Counts the streamlines that meet both of two elements, and how long their ways between these are.
///
/// It holds [its sums](Self::memory), which are whole numbers: neither the order of the streamlines nor threads change them.
pub struct PairCounter<'a> {
    rows: Prepared<'a>,
    /// Nothing where they are the rows: then the matrix is symmetric and has nothing on its diagonal.
    columns: Option<Prepared<'a>>,
    measures: Measures,
    sums: MatrixSums<u64>,
    taken: u64,
}

impl<'a> PairCounter<'a> {
    /// No streamline yet; that a seed lies in an element does not count. Of a symmetric matrix there are no columns. `measures` are
    /// what is measured beside the count: mean lengths, or the sums of lengths, of ways of so many steps of `step_mm`. Sums have
    /// a place for each pair from the beginning where they take at most `most_dense_bytes`.
    ///
    /// Fails on other measures, on axes of another length, and where there is no memory for dense sums.
    pub fn new(
        rows: (&'a MetElements, Axis),
        columns: Option<(&'a MetElements, Axis)>,
        measures: &[Measure],
        step_mm: f64,
        most_dense_bytes: u64,
    ) -> Result<Self> {
        for (elements, axis) in std::iter::once(&rows).chain(&columns) {
            if elements.len() != axis.len() {
                let problem = format!("{} elements are not the {} of its axis", elements.len(), axis.len());
                return Err(Error::invalid("matrix", problem, "give the axis of the elements"));
            }
        }
        let measures = Measures::new(measures, step_mm)?;
        let (columns, of_columns) = columns.unzip();
        let sums = MatrixSums::new(rows.1, of_columns, measures.all.clone(), most_dense_bytes)?;
        let prepare = |elements| Prepared::new(elements, step_mm);
        let (rows, columns) = (prepare(rows.0)?, columns.map(prepare).transpose()?);
        Ok(Self { rows, columns, measures, sums, taken: 0 })
    }

    /// Streamlines that came.
    pub fn streamlines(&self) -> u64 {
        self.taken
    }

    /// What its sums take in the memory of the host.
    pub fn memory(&self) -> SumsMemory {
        self.sums.memory()
    }

    /// The matrix of counts and of what else is measured.
    pub fn finish(self) -> Result<ConnectivityMatrix> {
        let measures = self.measures;
        self.sums.finish(|_, steps| measures.length(steps))
    }
}

impl StreamlineSink for PairCounter<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        if batch.seeds.len() != batch.len() {
            let problem = "nothing says which seeds they come from";
            return Err(Error::invalid("streamlines", problem, "give some that were followed from seeds"));
        }
        let met = |n: usize| {
            let (line, seed) = (batch.streamline(n), batch.seeds[n].point as usize);
            let of = |elements: &Prepared<'_>| elements.met_by(line, seed, Rules::default());
            (of(&self.rows), self.columns.as_ref().map(of))
        };
        let found: Vec<(Vec<Met>, Option<Vec<Met>>)> =
            (0..batch.len()).into_par_iter().with_min_len(16).map(met).collect();
        let mut steps = vec![0; self.measures.len()];
        for (rows, columns) in found {
            for (n, a) in rows.iter().enumerate() {
                for b in columns.as_deref().unwrap_or(&rows[n + 1..]) {
                    steps.fill(u64::from(a.steps.abs_diff(b.steps)));
                    self.sums.add(a.element as usize, b.element as usize, 1, &steps)?;
                }
            }
        }
        self.taken += batch.len() as u64;
        Ok(())
    }
}
