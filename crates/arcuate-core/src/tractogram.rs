use crate::{Error, Point, Result, StreamlineBatch, StreamlineSink};
use half::f16;
use std::collections::BTreeMap;

/// Streamlines with what is known about them.
///
/// Points are RAS mm in single precision. Streamline `n` has the points `offsets[n] .. offsets[n + 1]`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tractogram {
    positions: Vec<Point>,
    offsets: Vec<u64>,
    /// Values at each point, by name (TRX `dpv`): as many rows as points.
    pub per_point: BTreeMap<String, Column>,
    /// Values of each streamline, by name (TRX `dps`): as many rows as streamlines.
    pub per_streamline: BTreeMap<String, Column>,
    /// Streamline numbers of each named group, counted from 0.
    pub groups: BTreeMap<String, Vec<u32>>,
    /// Values of each group, by group and name (TRX `dpg`): one row each.
    pub per_group: BTreeMap<String, BTreeMap<String, Column>>,
}

/// A table of numbers: `rows × width`, row after row, in the type of the file they came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    width: usize,
    values: Scalars,
}

/// Numbers of one of the types that tractogram files hold.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum Scalars {
    I8(Vec<i8>),
    U8(Vec<u8>),
    I16(Vec<i16>),
    U16(Vec<u16>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    I64(Vec<i64>),
    U64(Vec<u64>),
    F16(Vec<f16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Does the same with the vector inside, whatever its type.
macro_rules! each_scalars {
    ($scalars:expr, $v:ident => $body:expr, $wrap:ident) => {
        match $scalars {
            Scalars::I8($v) => $wrap!(I8, $body),
            Scalars::U8($v) => $wrap!(U8, $body),
            Scalars::I16($v) => $wrap!(I16, $body),
            Scalars::U16($v) => $wrap!(U16, $body),
            Scalars::I32($v) => $wrap!(I32, $body),
            Scalars::U32($v) => $wrap!(U32, $body),
            Scalars::I64($v) => $wrap!(I64, $body),
            Scalars::U64($v) => $wrap!(U64, $body),
            Scalars::F16($v) => $wrap!(F16, $body),
            Scalars::F32($v) => $wrap!(F32, $body),
            Scalars::F64($v) => $wrap!(F64, $body),
        }
    };
}
macro_rules! plain {
    ($variant:ident, $body:expr) => {
        $body
    };
}
macro_rules! rewrap {
    ($variant:ident, $body:expr) => {
        Scalars::$variant($body)
    };
}

impl Scalars {
    /// How many numbers.
    pub fn len(&self) -> usize {
        each_scalars!(self, v => v.len(), plain)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of the given places, in order; each place must exist.
    fn gather(&self, places: impl Iterator<Item = usize> + Clone) -> Self {
        each_scalars!(self, v => places.map(|place| v[place]).collect(), rewrap)
    }

    /// Adds numbers of the same type at the end; says whether they were.
    fn append(&mut self, other: Self) -> bool {
        match (self, other) {
            (Self::I8(a), Self::I8(b)) => a.extend(b),
            (Self::U8(a), Self::U8(b)) => a.extend(b),
            (Self::I16(a), Self::I16(b)) => a.extend(b),
            (Self::U16(a), Self::U16(b)) => a.extend(b),
            (Self::I32(a), Self::I32(b)) => a.extend(b),
            (Self::U32(a), Self::U32(b)) => a.extend(b),
            (Self::I64(a), Self::I64(b)) => a.extend(b),
            (Self::U64(a), Self::U64(b)) => a.extend(b),
            (Self::F16(a), Self::F16(b)) => a.extend(b),
            (Self::F32(a), Self::F32(b)) => a.extend(b),
            (Self::F64(a), Self::F64(b)) => a.extend(b),
            _ => return false,
        }
        true
    }

    /// All numbers in double precision.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::I8(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Self::U8(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Self::I16(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Self::U16(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Self::I32(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Self::U32(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Self::I64(v) => v.iter().map(|&x| x as f64).collect(),
            Self::U64(v) => v.iter().map(|&x| x as f64).collect(),
            Self::F16(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Self::F32(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Self::F64(v) => v.clone(),
        }
    }
}

impl Column {
    /// A table of `width` numbers a row; fails where the numbers do not fill whole rows.
    pub fn new(width: usize, values: Scalars) -> Result<Self> {
        if width == 0 || !values.len().is_multiple_of(width) {
            let problem = format!("{} numbers do not fill rows of {width}", values.len());
            return Err(Error::invalid("streamline data", problem, "give whole rows"));
        }
        Ok(Self { width, values })
    }

    /// Numbers in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.width
    }

    /// All numbers, row after row.
    pub fn values(&self) -> &Scalars {
        &self.values
    }

    /// Adds the rows of a table of the same width and type at the end; says whether they were.
    pub(crate) fn append(&mut self, other: Self) -> bool {
        self.width == other.width && self.values.append(other.values)
    }

    fn select(&self, rows: impl Iterator<Item = usize> + Clone) -> Self {
        let width = self.width;
        let values = self.values.gather(rows.flat_map(move |row| row * width..(row + 1) * width));
        Self { width, values }
    }
}

impl Tractogram {
    /// No streamline yet.
    pub fn new() -> Self {
        Self { offsets: vec![0], ..Self::default() }
    }

    /// From all points and where each streamline begins (with the total last). Fails where the offsets do not start
    /// at 0, ascend and end at the number of points.
    pub fn from_parts(positions: Vec<Point>, offsets: Vec<u64>) -> Result<Self> {
        let bounds = offsets.first() == Some(&0) && offsets.last() == Some(&(positions.len() as u64));
        if !bounds || offsets.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(Error::invalid(
                "tractogram",
                "its streamlines do not follow each other through its points",
                "the file is damaged: make it again",
            ));
        }
        Ok(Self { positions, offsets, ..Self::default() })
    }

    /// Adds one streamline (RAS mm) at the end. Only for tractograms without per-point or per-streamline data.
    pub fn push(&mut self, streamline: &[Point]) {
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        self.positions.extend_from_slice(streamline);
        self.offsets.push(self.positions.len() as u64);
    }

    /// Number of streamlines.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there is no streamline.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All points, in RAS mm.
    pub fn positions(&self) -> &[Point] {
        &self.positions
    }

    /// Where each streamline begins in [`positions`](Self::positions), and, last, where the last one ends.
    pub fn offsets(&self) -> &[u64] {
        if self.offsets.is_empty() { &[0] } else { &self.offsets }
    }

    /// The points of one streamline.
    pub fn streamline(&self, n: usize) -> &[Point] {
        &self.positions[self.offsets[n] as usize..self.offsets[n + 1] as usize]
    }

    /// Each streamline in turn.
    pub fn iter(&self) -> impl Iterator<Item = &[Point]> {
        self.as_batch().iter()
    }

    /// Length of a streamline in mm.
    pub fn length(&self, n: usize) -> f64 {
        length(self.streamline(n))
    }

    /// The whole tractogram as one batch.
    pub fn as_batch(&self) -> StreamlineBatch<'_> {
        StreamlineBatch::new(self.offsets(), &self.positions)
    }

    /// Fails where per-point, per-streamline or group data do not fit the streamlines.
    pub fn check(&self) -> Result<()> {
        let wrong = |what: &str, name: &str, rows: usize, expected: usize| {
            let problem = format!("{what} data `{name}` have {rows} rows for {expected}");
            Err(Error::invalid("tractogram", problem, "the file is damaged: make it again"))
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
        for (name, members) in &self.groups {
            if let Some(member) = members.iter().find(|&&member| member as usize >= self.len()) {
                let problem = format!("group `{name}` names streamline {member} of {}", self.len());
                return Err(Error::invalid("tractogram", problem, "the file is damaged: make it again"));
            }
        }
        Ok(())
    }

    /// The given streamlines (ascending), with their data and their places in groups.
    pub fn select(&self, keep: &[usize]) -> Self {
        let mut out = Self::new();
        for &n in keep {
            out.push(self.streamline(n));
        }
        let points = keep.iter().flat_map(|&n| self.offsets[n] as usize..self.offsets[n + 1] as usize);
        for (name, column) in &self.per_point {
            out.per_point.insert(name.clone(), column.select(points.clone()));
        }
        for (name, column) in &self.per_streamline {
            out.per_streamline.insert(name.clone(), column.select(keep.iter().copied()));
        }
        let mut new_number = vec![None; self.len()];
        for (new, &old) in keep.iter().enumerate() {
            new_number[old] = Some(new as u32);
        }
        for (name, members) in &self.groups {
            let kept = members.iter().filter_map(|&member| new_number[member as usize]).collect();
            out.groups.insert(name.clone(), kept);
        }
        out.per_group.clone_from(&self.per_group);
        out
    }
}

impl StreamlineSink for Tractogram {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        for streamline in batch.iter() {
            self.push(streamline);
        }
        Ok(())
    }
}

/// Length in mm of the line through `points`.
pub fn length(points: &[Point]) -> f64 {
    points
        .windows(2)
        .map(|pair| (0..3).map(|axis| f64::from(pair[1][axis] - pair[0][axis]).powi(2)).sum::<f64>().sqrt())
        .sum()
}

/// What the rounding of coordinates may take from a length: 50 steps of 0.2 mm are 10 mm.
const ROUNDING: f64 = 1e-6;

/// The length in mm below which a streamline is shorter than `least_mm`: that, less the rounding of coordinates.
pub fn shortest_of(least_mm: f64) -> f64 {
    least_mm * (1.0 - ROUNDING)
}

/// The length in mm above which a streamline is longer than `most_mm`: that, and the rounding of coordinates.
pub fn longest_of(most_mm: f64) -> f64 {
    most_mm * (1.0 + ROUNDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Tractogram {
        let mut t = Tractogram::new();
        t.push(&[[0.0; 3], [3.0, 4.0, 0.0]]);
        t.push(&[]);
        t.push(&[[1.0; 3], [1.0, 1.0, 2.0], [1.0, 1.0, 5.0]]);
        let ids = Scalars::U16(vec![7, 8, 9, 10, 11]);
        t.per_point.insert("id".into(), Column::new(1, ids).unwrap());
        let pairs = Scalars::F32(vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        t.per_streamline.insert("pair".into(), Column::new(2, pairs).unwrap());
        t.groups.insert("ends".into(), vec![0, 2]);
        t
    }

    #[test]
    fn selection_takes_data_and_groups_along() {
        let t = three();
        t.check().unwrap();
        assert_eq!(t.length(0), 5.0);
        let kept = t.select(&[1, 2]);
        kept.check().unwrap();
        assert_eq!(kept.len(), 2);
        assert_eq!(kept.streamline(1).len(), 3);
        assert_eq!(kept.per_point["id"].values(), &Scalars::U16(vec![9, 10, 11]));
        assert_eq!(kept.per_streamline["pair"].values().to_f64(), [2.0, 3.0, 4.0, 5.0]);
        assert_eq!(kept.groups["ends"], [1]);
    }

    #[test]
    fn damaged_offsets_and_data_are_found() {
        assert!(Tractogram::from_parts(vec![[0.0; 3]; 3], vec![0, 2, 1, 3]).is_err());
        assert!(Tractogram::from_parts(vec![[0.0; 3]; 3], vec![0, 2]).is_err());
        assert!(Tractogram::from_parts(vec![[0.0; 3]; 3], vec![]).is_err());
        let mut t = three();
        t.groups.insert("beyond".into(), vec![3]);
        assert!(t.check().is_err());
        let mut t = three();
        t.per_point.insert("short".into(), Column::new(1, Scalars::F32(vec![0.0; 4])).unwrap());
        assert!(t.check().is_err());
    }
}
