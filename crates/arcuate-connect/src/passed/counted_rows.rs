//! The non-zero entries of matrix rows that a GPU has counted, copied to host memory.

use super::measures::Measures;
use super::seed_rows::RowEntry;
use std::ops::Range;

/// The non-zero entries of consecutive matrix rows. Within a row, the entries are sorted by column, in
/// ascending order.
#[derive(Default)]
pub(super) struct CountedRows {
    first: usize,
    /// For each row, the index of its first entry in `columns`, `counts` and `steps`. The last value is the
    /// number of entries.
    begins: Vec<usize>,
    // These vectors are never shortened. Their length is that of the largest set of rows so far.
    columns: Vec<u32>,
    counts: Vec<u32>,
    /// Total number of steps of each entry. Empty if no lengths are summed.
    steps: Vec<u64>,
}

/// A matrix row in the form that a [`MatrixRowSink`](arcuate_core::MatrixRowSink) receives: the columns of
/// its non-zero entries, and the values of each measure.
pub(super) type Values<'a> = (std::borrow::Cow<'a, [u32]>, Vec<Vec<f64>>);

impl CountedRows {
    /// Replaces all rows by new rows, whose entries are written later. `sizes` has the number of entries of
    /// each new row. `first` is the index in the matrix of the first of these rows.
    pub(super) fn begin(&mut self, first: usize, sizes: &[u32], with_steps: bool) {
        self.first = first;
        self.begins.clear();
        self.begins.push(0);
        let mut all = 0;
        self.begins.extend(sizes.iter().map(|&size| {
            all += size as usize;
            all
        }));
        if self.columns.len() < all {
            self.columns.resize(all, 0);
            self.counts.resize(all, 0);
            self.steps.resize(if with_steps { all } else { 0 }, 0);
        }
    }

    /// Returns three parts of the arrays, for the entries of the rows `rows`: columns, numbers of
    /// streamlines, and steps. In `rows`, the first stored row has the index 0.
    pub(super) fn room(&mut self, rows: Range<usize>) -> (&mut [u32], &mut [u32], &mut [u64]) {
        let entries = self.begins[rows.start]..self.begins[rows.end];
        let steps = if self.steps.is_empty() { 0..0 } else { entries.clone() };
        (&mut self.columns[entries.clone()], &mut self.counts[entries], &mut self.steps[steps])
    }

    pub(super) fn first(&self) -> usize {
        self.first
    }

    pub(super) fn end(&self) -> usize {
        self.first + self.begins.len().saturating_sub(1)
    }

    fn has(&self, row: usize) -> bool {
        (self.first..self.end()).contains(&row)
    }

    fn entries_of(&self, row: usize) -> Range<usize> {
        self.begins[row - self.first]..self.begins[row - self.first + 1]
    }

    fn row(&self, row: usize) -> impl Iterator<Item = RowEntry> + Clone + '_ {
        self.entries_of(row).map(|n| RowEntry {
            column: self.columns[n],
            count: u64::from(self.counts[n]),
            steps: self.steps.get(n).copied().unwrap_or(0),
        })
    }

    /// Returns the entries of a matrix row. If several GPUs have entries in the same column, the entries are
    /// added. The result is sorted by column, in ascending order.
    pub(super) fn entries(blocks: &[Self], row: usize) -> Vec<RowEntry> {
        let mut blocks = blocks.iter().filter(|block| block.has(row));
        let mut entries: Vec<RowEntry> = blocks.next().into_iter().flat_map(|block| block.row(row)).collect();
        let alone = entries.len();
        entries.extend(blocks.flat_map(|block| block.row(row)));
        if entries.len() > alone {
            entries.sort_by_key(|entry| entry.column);
            entries.dedup_by(|later, kept| {
                let is_same = later.column == kept.column;
                if is_same {
                    kept.count += later.count;
                    kept.steps += later.steps;
                }
                is_same
            });
        }
        entries
    }

    /// Returns the entries of a matrix row, in the form that a [`MatrixRowSink`](arcuate_core::MatrixRowSink)
    /// receives. If only one GPU has entries of the row, the list of columns is not copied.
    pub(super) fn values<'a>(blocks: &'a [Self], row: usize, measures: &Measures) -> Values<'a> {
        let mut with_it = blocks.iter().filter(|block| block.has(row) && !block.entries_of(row).is_empty());
        if let (Some(block), None) = (with_it.next(), with_it.next()) {
            let columns = &block.columns[block.entries_of(row)];
            return (columns.into(), measures.values(&block.row(row)));
        }
        let entries = Self::entries(blocks, row);
        let columns: Vec<u32> = entries.iter().map(|entry| entry.column).collect();
        (columns.into(), measures.values(&entries.iter().copied()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Measure;

    fn block(first: usize, rows: &[&[(u32, u32, u64)]]) -> CountedRows {
        let mut block = CountedRows::default();
        // The test first stores a long row, and then replaces it by a shorter row.
        block.begin(0, &[9], true);
        block.begin(first, &rows.iter().map(|row| row.len() as u32).collect::<Vec<_>>(), true);
        for (n, row) in rows.iter().enumerate() {
            let (columns, counts, steps) = block.room(n..n + 1);
            for (k, &entry) in row.iter().enumerate() {
                (columns[k], counts[k], steps[k]) = entry;
            }
        }
        block
    }

    #[test]
    fn rows_of_several_gpus_are_summed() {
        let blocks = [
            block(3, &[&[(1, 2, 20)], &[], &[(0, 1, 4), (7, 2, 6)]]),
            block(5, &[&[(7, 3, 9), (8, 1, 1)], &[(2, 5, 10)]]),
        ];
        assert_eq!((blocks[0].first(), blocks[0].end(), blocks[1].end()), (3, 6, 7));
        let measures = Measures::new(&[Measure::MeanLength], 0.5).unwrap();
        let values = |row: usize| CountedRows::values(&blocks, row, &measures);
        assert_eq!(values(3), (vec![1].into(), vec![vec![2.0], vec![5.0]]));
        assert!(matches!(values(3).0, std::borrow::Cow::Borrowed(_)));
        assert_eq!(values(4), (vec![].into(), vec![vec![], vec![]]));
        assert_eq!(values(5), (vec![0, 7, 8].into(), vec![vec![1.0, 5.0, 1.0], vec![2.0, 1.5, 0.5]]));
        assert_eq!(values(6), (vec![2].into(), vec![vec![5.0], vec![1.0]]));
        let entries = CountedRows::entries(&blocks, 5);
        assert_eq!(entries[1], RowEntry { column: 7, count: 5, steps: 15 });
        assert!(CountedRows::entries(&blocks, 9).is_empty());
    }
}
