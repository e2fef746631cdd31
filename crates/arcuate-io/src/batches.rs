//! Passes streamlines from the decoder of a tractogram file to their consumer in batches. A consumer in this
//! module collects the batches into one tractogram.

use crate::memory;
use arcuate_core::{
    ColumnRows, Columns, Error, Point, Result, StreamlineBatch, StreamlineSink, Tractogram, problem_of_point,
};
use std::path::Path;

/// Number of streamline points after which a batch is passed to the consumer. The positions of these points
/// take 768 KiB, which fit into the cache of a processor core.
pub(crate) const BATCH_POINTS: usize = 1 << 16;

/// Creates the error about a tractogram file whose content violates the rules of its format.
pub(crate) fn damaged(path: &Path, problem: impl Into<String>) -> Error {
    Error::invalid(path.display(), problem, "the file is damaged; copy it again or create it again")
}

/// Decodes the three coordinates of a streamline point, which are numbers of `N` bytes each.
#[inline]
pub(crate) fn three<const N: usize>(bytes: &[u8], value: impl Fn([u8; N]) -> f32) -> Point {
    std::array::from_fn(|axis| value(std::array::from_fn(|byte| bytes[axis * N + byte])))
}

/// A number of streamlines and a number of points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) streamlines: u64,
    pub(crate) points: u64,
}

/// Reads the values that a tractogram file has for points and streamlines in addition to the positions.
pub(crate) trait BatchData {
    /// Reads the values of the next points and streamlines, and returns them as new columns. Every call
    /// returns columns with the same names and types.
    fn next(&mut self, rows: Counts) -> Result<BatchColumns>;
}

/// The columns of values of a batch: values per point and values per streamline.
#[derive(Debug, Default)]
pub(crate) struct BatchColumns {
    pub(crate) per_point: Columns,
    pub(crate) per_streamline: Columns,
}

/// For a decoder that reads only positions, without further values.
pub(crate) struct NoData;

impl BatchData for NoData {
    fn next(&mut self, _rows: Counts) -> Result<BatchColumns> {
        Ok(BatchColumns::default())
    }
}

/// Collects decoded points into streamlines, and streamlines into batches of about [`BATCH_POINTS`] points. A
/// streamline with more points than this is not divided.
pub(crate) struct Batches<'a, D> {
    path: &'a Path,
    sink: &'a mut dyn StreamlineSink,
    /// The source of the batches' data columns.
    pub(crate) data: D,
    positions: Vec<Point>,
    offsets: Vec<u64>,
    passed_on: Counts,
}

impl<'a, D: BatchData> Batches<'a, D> {
    pub(crate) fn new(path: &'a Path, sink: &'a mut dyn StreamlineSink, data: D) -> Self {
        let positions = Vec::with_capacity(BATCH_POINTS + BATCH_POINTS / 8);
        Self { path, sink, data, positions, offsets: vec![0], passed_on: Counts::default() }
    }

    /// Adds a point (RAS coordinates in mm) to the streamline that is being decoded.
    #[inline]
    pub(crate) fn point(&mut self, point: Point) -> Result<()> {
        let Some(problem) = problem_of_point(&point, self.streamlines()) else {
            self.positions.push(point);
            return Ok(());
        };
        Err(damaged(self.path, problem))
    }

    /// Returns true if the streamline that is being decoded has at least one point.
    pub(crate) fn has_open_streamline(&self) -> bool {
        self.offsets.last() != Some(&(self.positions.len() as u64))
    }

    /// Ends the streamline that is being decoded. It may have no points.
    #[inline]
    pub(crate) fn end_streamline(&mut self) -> Result<()> {
        self.offsets.push(self.positions.len() as u64);
        // The number of streamlines is limited, too, because streamlines without points also take memory.
        if self.positions.len() >= BATCH_POINTS || self.offsets.len() > BATCH_POINTS {
            self.pass_on()?;
        }
        Ok(())
    }

    /// Number of streamlines that are decoded completely. It is also the index of the streamline that is
    /// being decoded.
    pub(crate) fn streamlines(&self) -> u64 {
        self.passed_on.streamlines + self.offsets.len() as u64 - 1
    }

    /// Passes the remaining streamlines to the consumer. If the file has no streamlines, the consumer gets an
    /// empty batch, which has the names of the file's values.
    pub(crate) fn finish(mut self) -> Result<(Counts, D)> {
        if self.offsets.len() > 1 || self.passed_on.streamlines == 0 {
            self.pass_on()?;
        }
        Ok((self.passed_on, self.data))
    }

    fn pass_on(&mut self) -> Result<()> {
        let rows = Counts { streamlines: self.offsets.len() as u64 - 1, points: self.positions.len() as u64 };
        let BatchColumns { per_point, per_streamline } = self.data.next(rows)?;
        let points = StreamlineBatch::new(&self.offsets, &self.positions);
        let batch = points.with_per_point(&per_point).with_per_streamline(&per_streamline);
        self.sink.take(batch.from_number(self.passed_on.streamlines))?;
        self.passed_on.streamlines += rows.streamlines;
        self.passed_on.points += rows.points;
        self.positions.clear();
        self.offsets.truncate(1);
        Ok(())
    }
}

/// Collects batches of streamlines into a tractogram. The memory for the positions is allocated once.
pub(crate) struct Collector<'a> {
    path: &'a Path,
    capacity: Counts,
    positions: Vec<Point>,
    offsets: Vec<u64>,
    columns: BatchColumns,
}

impl<'a> Collector<'a> {
    /// Creates a collector with memory for `capacity` streamlines and points. The caller has checked that the
    /// file is large enough for these numbers.
    pub(crate) fn new(path: &'a Path, capacity: Counts) -> Result<Self> {
        let too_large = |_| too_large(path, capacity, 12.0, 8.0);
        let (mut positions, mut offsets) = (Vec::new(), Vec::new());
        memory::reserve(&mut positions, capacity.points as usize).map_err(too_large)?;
        memory::reserve(&mut offsets, capacity.streamlines as usize + 1).map_err(too_large)?;
        offsets.push(0);
        Ok(Self { path, capacity, positions, offsets, columns: BatchColumns::default() })
    }

    /// Creates columns of values with the names and types of the first batch, and with memory for the values
    /// of the whole file.
    fn begin_columns(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let Self { path, capacity, columns, .. } = self;
        let begin = |rows: &ColumnRows<'_>, count: u64| {
            let mut column = rows.column.without_rows();
            let numbers = 8.0 * column.width() as f64;
            memory::tried(|| column.reserve(count as usize))
                .map_err(|_| too_large(path, *capacity, numbers, numbers))?;
            Ok(column)
        };
        for (name, rows) in batch.per_point() {
            columns.per_point.insert(name.to_owned(), begin(&rows, capacity.points)?);
        }
        for (name, rows) in batch.per_streamline() {
            columns.per_streamline.insert(name.to_owned(), begin(&rows, capacity.streamlines)?);
        }
        Ok(())
    }

    /// The numbers of streamlines and points collected so far, plus `more`.
    fn rows_with(&self, more: Counts) -> Counts {
        Counts {
            streamlines: self.offsets.len() as u64 + more.streamlines,
            points: self.positions.len() as u64 + more.points,
        }
    }

    pub(crate) fn into_tractogram(mut self) -> Result<Tractogram> {
        self.positions.shrink_to_fit();
        self.offsets.shrink_to_fit();
        let points = Tractogram::from_parts(self.positions, self.offsets);
        let mut tractogram = points.map_err(|e| e.about(self.path.display()))?;
        tractogram.per_point = self.columns.per_point;
        tractogram.per_streamline = self.columns.per_streamline;
        Ok(tractogram)
    }
}

fn too_large(path: &Path, capacity: Counts, of_point: f64, of_streamline: f64) -> Error {
    let bytes = capacity.points as f64 * of_point + capacity.streamlines as f64 * of_streamline;
    let problem = format!(
        "the streamlines of the file need {:.1} GiB of memory, more than is available",
        bytes / f64::from(1 << 30)
    );
    Error::invalid(path.display(), problem, "use a machine with more memory or a smaller tractogram")
}

impl StreamlineSink for Collector<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let before = self.positions.len() as u64;
        if self.offsets.len() == 1 {
            self.begin_columns(batch)?;
        }
        // All batches from one decoder have columns of values with the same names and types.
        let of_points = self.columns.per_point.values_mut().zip(batch.per_point());
        let of_streamlines = self.columns.per_streamline.values_mut().zip(batch.per_streamline());
        for (column, (_, rows)) in of_points.chain(of_streamlines) {
            column.extend_from(&rows)?;
        }
        // The collector has allocated the memory already. Only for a compressed file, whose size does not
        // limit the number of points, memory is allocated now.
        let (path, capacity) =
            (self.path, Counts { streamlines: batch.len() as u64, points: batch.points().len() as u64 });
        memory::tried(|| {
            self.positions.try_reserve(batch.points().len())?;
            self.offsets.try_reserve(batch.len())
        })
        .map_err(|_| too_large(path, self.rows_with(capacity), 12.0, 8.0))?;
        self.positions.extend_from_slice(batch.points());
        self.offsets.extend(batch.ends_from(before));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Sizes(Vec<(usize, usize)>);
    impl StreamlineSink for Sizes {
        fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
            self.0.push((batch.len(), batch.points().len()));
            Ok(())
        }
    }

    #[test]
    fn batches_are_bounded_and_long_streamlines_are_not_split() {
        let mut sizes = Sizes::default();
        let mut batches = Batches::new(Path::new("x.tck"), &mut sizes, NoData);
        for points in [10, 0, 3 * BATCH_POINTS, 5, BATCH_POINTS - 6, 1, 7] {
            for _ in 0..points {
                batches.point([1.0; 3]).unwrap();
            }
            batches.end_streamline().unwrap();
        }
        let counts = batches.finish().unwrap().0;
        assert_eq!(counts, Counts { streamlines: 7, points: 4 * BATCH_POINTS as u64 + 17 });
        assert_eq!(sizes.0, [(3, 3 * BATCH_POINTS + 10), (3, BATCH_POINTS), (1, 7)]);
    }

    #[test]
    fn sub_batches_are_collected_into_the_whole() {
        let positions: Vec<Point> = (0..7u8).map(|n| [f32::from(n); 3]).collect();
        let whole = Tractogram::from_parts(positions, vec![0, 3, 3, 4, 7]).unwrap();
        let mut collector = Collector::new(Path::new("x.tck"), Counts { streamlines: 4, points: 7 }).unwrap();
        for n in 0..4 {
            collector.take(whole.as_batch().part(n..n + 1)).unwrap();
        }
        assert_eq!(collector.into_tractogram().unwrap(), whole);
    }

    #[test]
    fn many_empty_streamlines_are_split_into_batches() {
        let mut sizes = Sizes::default();
        let mut batches = Batches::new(Path::new("x.tck"), &mut sizes, NoData);
        for _ in 0..3 * BATCH_POINTS {
            batches.end_streamline().unwrap();
        }
        batches.finish().unwrap();
        assert_eq!(sizes.0, [(BATCH_POINTS, 0); 3]);
    }
}
