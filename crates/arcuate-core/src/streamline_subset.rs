//! Subsets of a stream of streamlines.

use crate::{KeptStreamlines, Result, StreamlineBatch, StreamlineSink, Tractogram};

/// Passes selected streamlines from a sequence of batches to a receiver (sink), with the values of their
/// points and streamlines. Also records which streamlines were selected.
#[derive(Debug)]
pub struct StreamlineSubset<S> {
    sink: S,
    /// The selected streamlines of the present batch.
    chosen: Tractogram,
    kept: KeptStreamlines,
    seen: u64,
}

impl<S: StreamlineSink> StreamlineSubset<S> {
    /// Creates a selection that has no streamlines yet, and that passes the selected streamlines to `sink`.
    pub fn new(sink: S) -> Self {
        Self { sink, chosen: Tractogram::new(), kept: KeptStreamlines::default(), seen: 0 }
    }

    /// Passes the selected streamlines of the next batch to the sink. The indices of the selected streamlines
    /// count from 0 at the start of this batch, and ascend.
    ///
    /// # Panics
    /// Panics if an index is out of range.
    pub fn take(&mut self, batch: StreamlineBatch<'_>, places: &[usize]) -> Result<()> {
        for &place in places {
            self.kept.insert(self.seen + place as u64);
        }
        self.seen += batch.len() as u64;
        if places.len() == batch.len() {
            return self.sink.take(batch.from_number(self.kept.len() - places.len() as u64));
        }
        if places.is_empty() {
            // If no streamline is selected, the sink gets an empty batch, since it still needs the names of
            // the tables of values.
            return self.sink.take(batch.part(0..0));
        }
        self.chosen.clear();
        for &place in places {
            self.chosen.take(batch.part(place..place + 1))?;
        }
        self.sink.take(self.chosen.as_batch().from_number(self.kept.len() - places.len() as u64))
    }

    /// Returns the set of kept streamlines and the sink.
    pub fn into_parts(self) -> (KeptStreamlines, S) {
        (self.kept, self.sink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Scalars};

    #[test]
    fn the_subset_does_not_depend_on_batches() {
        let mut whole = Tractogram::new();
        for n in 0..7u8 {
            whole.push(&vec![[f32::from(n); 3]; usize::from(n)]);
        }
        whole.per_streamline.insert("n".into(), Column::new(1, Scalars::U8((0..7).collect())).unwrap());
        let points = Scalars::U8((0..21).collect());
        whole.per_point.insert("p".into(), Column::new(1, points).unwrap());
        let wanted = [1, 2, 4, 6];
        let all = 0..7;
        for parts in [vec![all], vec![0..1, 1..3, 3..3, 3..4, 4..7], vec![0..5, 5..6, 6..7]] {
            let mut subset = StreamlineSubset::new(Tractogram::new());
            for part in parts {
                let places: Vec<usize> =
                    wanted.iter().filter(|n| part.contains(*n)).map(|n| n - part.start).collect();
                subset.take(whole.as_batch().part(part), &places).unwrap();
            }
            let (kept, found) = subset.into_parts();
            assert_eq!(found, whole.select(&wanted));
            assert_eq!(kept.len(), 4);
        }
        let mut none = StreamlineSubset::new(Tractogram::new());
        none.take(whole.as_batch(), &[]).unwrap();
        assert_eq!(none.into_parts().1, whole.select(&[]));
    }
}
