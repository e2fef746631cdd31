use crate::{ColumnRows, Columns, Point, Result};
use std::ops::Range;

static NO_COLUMNS: Columns = Columns::new();

/// A batch of whole streamlines. Tracking or a file reader passes batches to a tractogram, a file, a density
/// map or another receiver. So no code has to hold all streamlines of a run in memory.
///
/// The offset of a streamline is the index of its first point in `positions`. Offsets ascend, but need not
/// start at 0 or end at the length of `positions`. A batch may be a [`part`](Self::part) of a larger batch,
/// and the other points then belong to streamlines outside this batch. [`points`](Self::points) gives all
/// points of the batch; [`iter`](Self::iter) gives the points of each streamline.
///
/// A batch may have named tables of values for its points and its streamlines
/// ([`per_point`](Self::per_point), [`per_streamline`](Self::per_streamline)). All batches of a sequence have
/// tables of the same names, widths and number types. Groups of streamlines are not part of a batch, since a
/// group refers to the streamlines of all batches by number.
#[derive(Debug, Clone, Copy)]
pub struct StreamlineBatch<'a> {
    /// Index of the first point of each streamline in `positions`. One more element is the end of the last
    /// streamline.
    pub offsets: &'a [u64],
    /// Points in RAS mm: the points of the batch's streamlines, and possibly other points before and after.
    pub positions: &'a [Point],
    /// Number of the batch's first streamline among the streamlines of all batches. The following streamlines
    /// have consecutive numbers.
    pub first: u64,
    /// The seed of each streamline. The slice is empty if the streamlines were not tracked from seeds.
    pub seeds: &'a [SeedOf],
    /// Tables with values of the points. Each table has one row for each element of `positions`, from row
    /// `first_point` on.
    point_columns: &'a Columns,
    first_point: u64,
    /// Tables with values of the streamlines. Each table has one row for each streamline of the batch, from
    /// row `first_row` on.
    streamline_columns: &'a Columns,
    first_row: usize,
}

/// The seed from which a streamline was tracked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeedOf {
    /// Number of the seed in the tracking run.
    pub number: u64,
    /// Index of the seed among the points of the streamline, counted from 0.
    pub point: u32,
}

impl Default for StreamlineBatch<'_> {
    fn default() -> Self {
        Self::new(&[], &[])
    }
}

impl<'a> StreamlineBatch<'a> {
    /// Creates a batch without tables of values, whose first streamline has the number 0.
    pub fn new(offsets: &'a [u64], positions: &'a [Point]) -> Self {
        let (point_columns, streamline_columns) = (&NO_COLUMNS, &NO_COLUMNS);
        Self {
            offsets,
            positions,
            first: 0,
            seeds: &[],
            point_columns,
            first_point: 0,
            streamline_columns,
            first_row: 0,
        }
    }

    /// Renumbers the streamlines of the batch; the first streamline gets the number `first`.
    #[must_use]
    pub fn from_number(self, first: u64) -> Self {
        Self { first, ..self }
    }

    /// Adds the seed of each streamline to the batch.
    ///
    /// # Panics
    /// Panics if the number of seeds is not the number of streamlines.
    #[must_use]
    pub fn with_seeds(self, seeds: &'a [SeedOf]) -> Self {
        assert_eq!(seeds.len(), self.len(), "seeds of other streamlines");
        Self { seeds, ..self }
    }

    /// Replaces the data of the batch's [`points`](Self::points).
    ///
    /// # Panics
    /// Panics if a table of values does not have one row for each point.
    #[must_use]
    pub fn with_per_point(self, columns: &'a Columns) -> Self {
        let fit = columns.values().all(|column| column.rows() == self.points().len());
        assert!(fit, "values at other points");
        Self { point_columns: columns, first_point: self.offsets.first().copied().unwrap_or(0), ..self }
    }

    /// Replaces the data of the batch's streamlines.
    ///
    /// # Panics
    /// Panics if a table of values does not have one row for each streamline.
    #[must_use]
    pub fn with_per_streamline(self, columns: &'a Columns) -> Self {
        let fit = columns.values().all(|column| column.rows() == self.len());
        assert!(fit, "values of other streamlines");
        Self { streamline_columns: columns, first_row: 0, ..self }
    }

    /// Removes the tables of values of points and streamlines from the batch.
    #[must_use]
    pub fn without_data(self) -> Self {
        Self { point_columns: &NO_COLUMNS, streamline_columns: &NO_COLUMNS, first_row: 0, ..self }
    }

    /// Data of the batch's [`points`](Self::points), by name.
    pub fn per_point(&self) -> impl ExactSizeIterator<Item = (&'a str, ColumnRows<'a>)> + use<'a> {
        let span = self.span();
        // A batch without streamlines has no first point.
        let begin = if span.is_empty() { 0 } else { span.start - self.first_point as usize };
        let rows = begin..begin + span.len();
        self.point_columns
            .iter()
            .map(move |(name, column)| (name.as_str(), ColumnRows { column, rows: rows.clone() }))
    }

    /// Data of the batch's streamlines, by name.
    pub fn per_streamline(&self) -> impl ExactSizeIterator<Item = (&'a str, ColumnRows<'a>)> + use<'a> {
        let rows = self.first_row..self.first_row + self.len();
        self.streamline_columns
            .iter()
            .map(move |(name, column)| (name.as_str(), ColumnRows { column, rows: rows.clone() }))
    }

    /// Copies the values of the batch's points to new tables.
    pub fn copied_per_point(&self) -> Columns {
        self.per_point().map(|(name, rows)| (name.to_owned(), rows.to_column())).collect()
    }

    /// Copies the values of the batch's streamlines to new tables.
    pub fn copied_per_streamline(&self) -> Columns {
        self.per_streamline().map(|(name, rows)| (name.to_owned(), rows.to_column())).collect()
    }

    /// Number of streamlines in the batch.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Returns whether the batch has no streamlines.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The points of the `n`-th streamline of the batch, counted from 0.
    ///
    /// # Panics
    /// Panics if `n` is out of range.
    pub fn streamline(&self, n: usize) -> &'a [Point] {
        &self.positions[self.offsets[n] as usize..self.offsets[n + 1] as usize]
    }

    /// Iterates over the points of each streamline.
    pub fn iter(&self) -> impl Iterator<Item = &'a [Point]> + use<'a> {
        let all = *self;
        (0..all.len()).map(move |n| all.streamline(n))
    }

    /// The points of all streamlines of the batch, without the other points of `positions`.
    pub fn points(&self) -> &'a [Point] {
        &self.positions[self.span()]
    }

    /// The range of `positions` that belongs to the streamlines of the batch.
    fn span(&self) -> Range<usize> {
        match self.offsets {
            [first, .., last] => *first as usize..*last as usize,
            _ => 0..0,
        }
    }

    /// For each streamline, the index that follows its last point, if the first point of this batch has the
    /// index `begin`. Code that joins batches appends these offsets to the offsets of earlier batches.
    pub fn ends_from(&self, begin: u64) -> impl Iterator<Item = u64> + use<'a> {
        let first = self.offsets.first().copied().unwrap_or(0);
        self.offsets.iter().skip(1).map(move |offset| begin + (offset - first))
    }

    /// Returns the streamlines in `range` as a batch. The indices in `range` count from 0 at the first
    /// streamline of this batch.
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len(), "a part of other streamlines");
        let first = self.first + range.start as u64;
        let first_row = self.first_row + range.start;
        let seeds = self.seeds.get(range.clone()).unwrap_or_default();
        let offsets = if range.is_empty() { &[] } else { &self.offsets[range.start..=range.end] };
        Self { offsets, first, seeds, first_row, ..*self }
    }
}

/// Receives batches of streamlines, in order. The result must not depend on how the streamlines are divided
/// into batches, or on whether a batch is a part of a larger batch.
pub trait StreamlineSink {
    /// Receives one batch of streamlines. An error stops the run.
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()>;
}

/// A source of streamlines that can be read several times, such as a tractogram in memory or a file.
pub trait StreamlineSource {
    /// Passes all streamlines to `sink`, in order, with or without the values of points and streamlines. An
    /// error of the sink stops the transfer.
    fn stream(&self, sink: &mut dyn StreamlineSink) -> Result<()>;
}

/// Discards all streamlines. This sink is used to check whether a file is valid.
impl StreamlineSink for () {
    fn take(&mut self, _batch: StreamlineBatch<'_>) -> Result<()> {
        Ok(())
    }
}

/// Passes the same streamlines to two sinks.
impl<A: StreamlineSink, B: StreamlineSink> StreamlineSink for (A, B) {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.0.take(batch)?;
        self.1.take(batch)
    }
}

impl<S: StreamlineSink + ?Sized> StreamlineSink for &mut S {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        (**self).take(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Scalars, Tractogram};

    fn point(n: u16) -> Point {
        [f32::from(n), 0.0, 0.0]
    }

    #[test]
    fn sub_batches_contain_only_their_streamlines_and_points() {
        let positions: Vec<Point> = (0..9).map(point).collect();
        // In `positions`, one point is before the first streamline and two points are after the last
        // streamline.
        let batch = StreamlineBatch::new(&[1, 3, 3, 7], &positions);
        assert_eq!((batch.len(), batch.points()), (3, &positions[1..7]));
        assert_eq!(batch.ends_from(100).collect::<Vec<_>>(), [102, 102, 106]);

        let last = batch.part(1..3);
        assert_eq!((last.len(), last.points()), (2, &positions[3..7]));
        assert_eq!(last.iter().collect::<Vec<_>>(), [last.streamline(0), last.streamline(1)]);
        assert_eq!((last.streamline(0), last.streamline(1)), (&positions[3..3], &positions[3..7]));
        assert_eq!(last.ends_from(0).collect::<Vec<_>>(), [0, 4]);

        for none in [batch.part(1..1), StreamlineBatch::new(&[4], &positions)] {
            assert!(none.is_empty() && none.points().is_empty() && none.iter().next().is_none());
            assert_eq!(none.ends_from(5).next(), None);
        }
    }

    #[test]
    fn sub_batches_have_their_own_data_and_numbers() {
        let mut whole = Tractogram::new();
        for count in [3, 0, 1, 4] {
            whole.push(&(0..count).map(point).collect::<Vec<_>>());
        }
        let column = |numbers: &[u16]| Column::new(1, Scalars::U16(numbers.to_vec())).unwrap();
        whole.per_point.insert("id".into(), column(&[0, 1, 2, 30, 40, 41, 42, 43]));
        whole.per_streamline.insert("pair".into(), Column::new(2, Scalars::U8((0..8).collect())).unwrap());
        let seeds: Vec<SeedOf> = (0..4).map(|n| SeedOf { number: 7 * n, point: 0 }).collect();
        let batch = whole.as_batch().from_number(100).with_seeds(&seeds);

        let part = batch.part(2..4);
        assert_eq!((part.first, part.seeds[0].number), (102, 14));
        let values = |rows: ColumnRows<'_>| rows.to_f64();
        let of_points: Vec<_> = part.per_point().map(|(name, rows)| (name, values(rows))).collect();
        assert_eq!(of_points, [("id", vec![30.0, 40.0, 41.0, 42.0, 43.0])]);
        let of_streamlines: Vec<_> = part.per_streamline().map(|(_, rows)| values(rows)).collect();
        assert_eq!(of_streamlines, [[4.0, 5.0, 6.0, 7.0]]);
        let last = part.part(1..2);
        assert_eq!((last.first, last.per_point().next().unwrap().1.rows), (103, 4..8));
        assert!(part.part(0..0).per_point().next().unwrap().1.rows.is_empty());

        // The new table has rows only for the points of the smaller batch.
        let others = Columns::from([("other".to_owned(), column(&[5, 6, 7, 8]))]);
        let replaced = last.with_per_point(&others);
        assert_eq!(replaced.per_point().next().unwrap().1.rows, 0..4);
        assert!(replaced.without_data().per_point().next().is_none());
    }

    #[test]
    fn batches_with_different_data_are_rejected() {
        let mut sink = Tractogram::new();
        let mut with = Tractogram::new();
        with.push(&[point(1)]);
        with.per_streamline.insert("w".into(), Column::new(1, Scalars::F32(vec![1.0])).unwrap());
        sink.take(with.as_batch()).unwrap();
        sink.take(with.as_batch()).unwrap();
        assert_eq!(sink.per_streamline["w"].rows(), 2);
        assert!(sink.take(with.as_batch().without_data()).is_err());
        let double = Column::new(1, Scalars::F64(vec![1.0])).unwrap();
        let others = Columns::from([("w".to_owned(), double)]);
        assert!(sink.take(with.as_batch().with_per_streamline(&others)).is_err());
        sink.clear();
        assert_eq!((sink.len(), sink.per_streamline["w"].rows()), (0, 0));
    }

    #[test]
    fn sinks_treat_sub_batches_like_whole_batches() {
        let mut whole = Tractogram::new();
        for count in [3, 0, 1, 4] {
            whole.push(&(0..count).map(|n| point(10 * count + n)).collect::<Vec<_>>());
        }
        let mut sinks = (Tractogram::new(), Tractogram::new());
        let mut borrowed = &mut sinks;
        for range in [0..1, 1..1, 1..3, 3..4] {
            StreamlineSink::take(&mut borrowed, whole.as_batch().part(range)).unwrap();
        }
        assert_eq!(sinks, (whole.clone(), whole));
    }
}
