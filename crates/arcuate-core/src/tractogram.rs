use crate::statistics::total;
use crate::{
    Column, ColumnRows, Columns, Error, KeptStreamlines, Point, Result, StreamlineBatch, StreamlineGroups,
    StreamlineSink, StreamlineSource,
};

/// Largest valid coordinate of a point, in mm. Computations with much larger coordinates could overflow. A
/// thousand kilometres are enough even if the coordinates of a file are in a wrong unit.
pub const FARTHEST_MM: f32 = 1e9;

/// Describes what is wrong with the coordinates of a point, with the number of its streamline. Returns `None`
/// if the point is valid.
#[inline]
pub fn problem_of_point(point: &Point, streamline: u64) -> Option<String> {
    // The comparison is false for NaN.
    if point.iter().all(|value| value.abs() <= FARTHEST_MM) {
        return None;
    }
    Some(match point.iter().find(|value| value.is_finite() && value.abs() > FARTHEST_MM) {
        Some(value) => format!("streamline {streamline} reaches {value:e} mm, where no scanner does"),
        None => format!("streamline {streamline} has a position that is not a number"),
    })
}

/// Streamlines, tables of values of their points, tables of values of the streamlines, and groups.
///
/// Points are RAS mm in single precision. Streamline `n` has the points `offsets[n] .. offsets[n + 1]`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tractogram {
    positions: Vec<Point>,
    offsets: Vec<u64>,
    /// Tables of values of the points, by name (TRX `dpv`). Each table has one row per point.
    pub per_point: Columns,
    /// Tables of values of the streamlines, by name (TRX `dps`). Each table has one row per streamline.
    pub per_streamline: Columns,
    /// Named groups of streamlines.
    pub groups: StreamlineGroups,
}

impl Tractogram {
    /// Creates an empty tractogram.
    pub fn new() -> Self {
        Self { offsets: vec![0], ..Self::default() }
    }

    /// Creates a tractogram from the points of all streamlines, and the index of the first point of each
    /// streamline (offset). The last offset is the total number of points. Returns an error if the offsets do
    /// not start at 0, ascend, and end at the number of points.
    pub fn from_parts(positions: Vec<Point>, offsets: Vec<u64>) -> Result<Self> {
        let bounds = offsets.first() == Some(&0) && offsets.last() == Some(&(positions.len() as u64));
        if !bounds || offsets.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(Error::invalid(
                "tractogram",
                "the offsets of streamlines in the tractogram are not increasing, or exceed the number of \
                 points",
                "the file is damaged; create the file again",
            ));
        }
        Ok(Self { positions, offsets, ..Self::default() })
    }

    /// Appends one streamline (points in RAS mm). The tractogram must not have tables of values of points or
    /// streamlines.
    pub fn push(&mut self, streamline: &[Point]) {
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        self.positions.extend_from_slice(streamline);
        self.offsets.push(self.positions.len() as u64);
    }

    /// Number of streamlines in the tractogram.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Returns whether the tractogram has no streamlines.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Points of all streamlines, in RAS mm.
    pub fn positions(&self) -> &[Point] {
        &self.positions
    }

    /// Index of the first point of each streamline in [`positions`](Self::positions). One more element at the
    /// end is the number of points.
    pub fn offsets(&self) -> &[u64] {
        if self.offsets.is_empty() { &[0] } else { &self.offsets }
    }

    /// The points of the streamline with index `n`, in RAS mm.
    pub fn streamline(&self, n: usize) -> &[Point] {
        &self.positions[self.offsets[n] as usize..self.offsets[n + 1] as usize]
    }

    /// Iterates over the points of each streamline.
    pub fn iter(&self) -> impl Iterator<Item = &[Point]> {
        self.as_batch().iter()
    }

    /// Length of a streamline in mm.
    pub fn length(&self, n: usize) -> f64 {
        length(self.streamline(n))
    }

    /// Returns all streamlines of the tractogram as one batch.
    ///
    /// # Panics
    /// Panics if a table of values does not have one row for each point or each streamline
    /// ([`check`](Self::check)).
    pub fn as_batch(&self) -> StreamlineBatch<'_> {
        let points = StreamlineBatch::new(self.offsets(), &self.positions);
        points.with_per_point(&self.per_point).with_per_streamline(&self.per_streamline)
    }

    /// Returns an error if a table of values does not have one row for each point or each streamline. An
    /// error is also returned if a group contains a streamline number that does not exist.
    pub fn check(&self) -> Result<()> {
        let wrong = |what: &str, name: &str, rows: usize, expected: usize| {
            let problem = format!(
                "{what} data `{name}` have {rows} rows, but {expected} are \
                                   expected"
            );
            Err(Error::invalid("tractogram", problem, "the file is damaged; create the file again"))
        };
        for (name, column) in &self.per_point {
            if column.rows() != self.positions.len() {
                return wrong("per-point", name, column.rows(), self.positions.len());
            }
        }
        for (name, column) in &self.per_streamline {
            if column.rows() != self.len() {
                return wrong("per-streamline", name, column.rows(), self.len());
            }
        }
        self.groups.check(self.len() as u64)?;
        Ok(())
    }

    /// Returns an error if a coordinate of a point is not finite or exceeds [`FARTHEST_MM`].
    pub fn check_positions(&self) -> Result<()> {
        for (number, streamline) in (0u64..).zip(self.iter()) {
            if let Some(problem) = streamline.iter().find_map(|point| problem_of_point(point, number)) {
                return Err(Error::invalid(
                    "positions",
                    problem,
                    "remove the streamline or the point that has this position",
                ));
            }
        }
        Ok(())
    }

    /// Creates a tractogram of selected streamlines, with the values of their points, their own values and
    /// their groups. The indices of the selected streamlines must ascend.
    ///
    /// # Panics
    /// Panics if an index is out of range, or if a table of values does not fit the points or streamlines.
    #[must_use]
    pub fn select(&self, keep: &[usize]) -> Self {
        let mut out = Self::new();
        let mut kept = KeptStreamlines::default();
        for &n in keep {
            // Adding a batch cannot fail, because the batch has the same tables of values as the tractogram.
            let _ = out.take(self.as_batch().part(n..n + 1));
            kept.insert(n as u64);
        }
        out.take_columns_of(self.as_batch());
        out.groups = self.groups.of(&kept);
        out
    }

    /// Removes all streamlines and the rows of all tables of values, but keeps the memory for reuse.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.offsets.truncate(1);
        self.per_point.values_mut().chain(self.per_streamline.values_mut()).for_each(Column::clear);
        self.groups = StreamlineGroups::default();
    }

    /// Creates empty tables of values, with the names, widths and number types of the tables of a batch.
    fn take_columns_of(&mut self, batch: StreamlineBatch<'_>) {
        for (name, rows) in batch.per_point() {
            self.per_point.entry(name.to_owned()).or_insert_with(|| rows.column.without_rows());
        }
        for (name, rows) in batch.per_streamline() {
            self.per_streamline.entry(name.to_owned()).or_insert_with(|| rows.column.without_rows());
        }
    }
}

/// Appends the streamlines of each batch and their tables of values. Returns an error if the names, widths or
/// number types of the tables differ from those of previous batches.
impl StreamlineSink for Tractogram {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        if self.is_empty() {
            self.take_columns_of(batch);
        }
        append("point", &mut self.per_point, batch.per_point())?;
        append("streamline", &mut self.per_streamline, batch.per_streamline())?;
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        let before = self.positions.len() as u64;
        self.positions.extend_from_slice(batch.points());
        self.offsets.extend(batch.ends_from(before));
        Ok(())
    }
}

impl StreamlineSource for Tractogram {
    fn stream(&self, sink: &mut dyn StreamlineSink) -> Result<()> {
        sink.take(self.as_batch())
    }
}

/// Appends the rows of a batch's tables of values to the tables of the same names.
fn append<'a>(
    what: &str,
    columns: &mut Columns,
    rows: impl ExactSizeIterator<Item = (&'a str, ColumnRows<'a>)>,
) -> Result<()> {
    if rows.len() != columns.len() {
        let problem = format!(
            "these streamlines do not have the same number of data columns per {what} as the earlier \
             streamlines"
        );
        return Err(Error::invalid("streamlines", problem, "give all streamlines the same data columns"));
    }
    // The tables of values of the tractogram and those of the batch are both sorted by name.
    for ((name, column), (other, rows)) in columns.iter_mut().zip(rows) {
        if name != other {
            let problem = format!(
                "these streamlines have the data column `{other}` per {what}, but the earlier streamlines \
                 have `{name}` instead"
            );
            return Err(Error::invalid("streamlines", problem, "give all streamlines the same data columns"));
        }
        column.extend_from(&rows).map_err(|e| e.about(format!("data `{name}` of each {what}")))?;
    }
    Ok(())
}

/// Length in mm of the line through `points`, in the order of the points.
pub fn length(points: &[Point]) -> f64 {
    let segment =
        |pair: &[Point]| total((0..3).map(|axis| f64::from(pair[1][axis] - pair[0][axis]).powi(2))).sqrt();
    total(points.windows(2).map(segment))
}

/// Relative tolerance of streamline lengths, since coordinates are rounded: the length of 50 steps of 0.2 mm
/// counts as 10 mm.
const ROUNDING: f64 = 1e-6;

/// The length in mm below which a streamline is shorter than the limit `least_mm`, with the tolerance for
/// rounding.
pub fn shortest_of(least_mm: f64) -> f64 {
    least_mm * (1.0 - ROUNDING)
}

/// The length in mm above which a streamline is longer than the limit `most_mm`, with the tolerance for
/// rounding.
pub fn longest_of(most_mm: f64) -> f64 {
    most_mm * (1.0 + ROUNDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implausible_points_are_rejected_with_their_streamline() {
        let message = |point: Point| {
            let mut tracks = Tractogram::new();
            tracks.push(&[[0.0; 3], [1.0; 3]]);
            tracks.push(&[[2.0; 3], point]);
            tracks.check_positions().map_err(|error| error.to_string())
        };
        assert_eq!(message([1e9, -1e9, 0.0]), Ok(()));
        let advice = "remove the streamline or the point that has this position";
        for (point, problem) in [
            ([f32::NAN, 0.0, 0.0], "streamline 1 has a position that is not a number"),
            ([0.0, f32::INFINITY, 0.0], "streamline 1 has a position that is not a number"),
            ([0.0, 0.0, -2e9], "streamline 1 reaches -2e9 mm, where no scanner does"),
        ] {
            assert_eq!(message(point).unwrap_err(), format!("positions: {problem}; {advice}"));
        }
    }
    use crate::Scalars;

    fn three() -> Tractogram {
        let mut t = Tractogram::new();
        t.push(&[[0.0; 3], [3.0, 4.0, 0.0]]);
        t.push(&[]);
        t.push(&[[1.0; 3], [1.0, 1.0, 2.0], [1.0, 1.0, 5.0]]);
        let ids = Scalars::U16(vec![7, 8, 9, 10, 11]);
        t.per_point.insert("id".into(), Column::new(1, ids).unwrap());
        let pairs = Scalars::F32(vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        t.per_streamline.insert("pair".into(), Column::new(2, pairs).unwrap());
        t.groups.members.insert("ends".into(), vec![0, 2]);
        t
    }

    #[test]
    fn lines_of_one_point_have_length_positive_zero() {
        for points in [&[][..], &[[1.0; 3]]] {
            assert_eq!(length(points).to_string(), "0");
        }
    }

    #[test]
    fn selections_keep_data_and_groups() {
        let t = three();
        t.check().unwrap();
        assert_eq!(t.length(0), 5.0);
        let kept = t.select(&[1, 2]);
        kept.check().unwrap();
        assert_eq!(kept.len(), 2);
        assert_eq!(kept.streamline(1).len(), 3);
        assert_eq!(kept.per_point["id"].values(), &Scalars::U16(vec![9, 10, 11]));
        assert_eq!(kept.per_streamline["pair"].values().to_f64(), [2.0, 3.0, 4.0, 5.0]);
        assert_eq!(kept.groups.members["ends"], [1]);
    }

    #[test]
    fn damaged_offsets_and_data_are_detected() {
        assert!(Tractogram::from_parts(vec![[0.0; 3]; 3], vec![0, 2, 1, 3]).is_err());
        assert!(Tractogram::from_parts(vec![[0.0; 3]; 3], vec![0, 2]).is_err());
        assert!(Tractogram::from_parts(vec![[0.0; 3]; 3], vec![]).is_err());
        let mut t = three();
        t.groups.members.insert("beyond".into(), vec![3]);
        assert!(t.check().is_err());
        let mut t = three();
        t.per_point.insert("short".into(), Column::new(1, Scalars::F32(vec![0.0; 4])).unwrap());
        assert!(t.check().is_err());
    }
}
