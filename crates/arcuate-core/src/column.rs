//! Numbers that belong to points, streamlines and groups.

use crate::{Error, Result};
use half::f16;
use std::collections::{BTreeMap, TryReserveError};
use std::ops::Range;

/// Named columns of numbers.
pub type Columns = BTreeMap<String, Column>;

/// A table of `rows × width` numbers, row by row, in the type of the file that they come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    width: usize,
    values: Scalars,
}

/// Numbers of one of the types that tractogram files store.
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

/// Evaluates an expression for the vector inside, whatever its type.
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
    /// Number of values.
    pub fn len(&self) -> usize {
        each_scalars!(self, v => v.len(), plain)
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An empty vector of the same type.
    fn none_of_the_type(&self) -> Self {
        each_scalars!(self, _v => Vec::new(), rewrap)
    }

    /// Appends a range of numbers of the same type. Returns whether the types match.
    fn extend_from(&mut self, other: &Self, places: Range<usize>) -> bool {
        match (self, other) {
            (Self::I8(a), Self::I8(b)) => a.extend_from_slice(&b[places]),
            (Self::U8(a), Self::U8(b)) => a.extend_from_slice(&b[places]),
            (Self::I16(a), Self::I16(b)) => a.extend_from_slice(&b[places]),
            (Self::U16(a), Self::U16(b)) => a.extend_from_slice(&b[places]),
            (Self::I32(a), Self::I32(b)) => a.extend_from_slice(&b[places]),
            (Self::U32(a), Self::U32(b)) => a.extend_from_slice(&b[places]),
            (Self::I64(a), Self::I64(b)) => a.extend_from_slice(&b[places]),
            (Self::U64(a), Self::U64(b)) => a.extend_from_slice(&b[places]),
            (Self::F16(a), Self::F16(b)) => a.extend_from_slice(&b[places]),
            (Self::F32(a), Self::F32(b)) => a.extend_from_slice(&b[places]),
            (Self::F64(a), Self::F64(b)) => a.extend_from_slice(&b[places]),
            _ => return false,
        }
        true
    }

    /// Reserves memory for more numbers. Returns an error if there is not enough memory.
    fn reserve(&mut self, numbers: usize) -> std::result::Result<(), TryReserveError> {
        each_scalars!(self, v => v.try_reserve_exact(numbers), plain)
    }

    fn clear(&mut self) {
        each_scalars!(self, v => v.clear(), plain);
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
    /// Creates a table with `width` numbers in a row. Returns an error if the numbers do not fill whole rows.
    pub fn new(width: usize, values: Scalars) -> Result<Self> {
        if width == 0 || !values.len().is_multiple_of(width) {
            let problem = format!("the {} numbers cannot be divided into rows of {width}", values.len());
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

    /// An empty table of the same width and type.
    #[must_use]
    pub fn without_rows(&self) -> Self {
        Self { width: self.width, values: self.values.none_of_the_type() }
    }

    /// Returns whether rows of another table can be appended: width and type must agree.
    pub fn is_like(&self, other: &Self) -> bool {
        self.width == other.width
            && std::mem::discriminant(&self.values) == std::mem::discriminant(&other.values)
    }

    /// Appends rows of a table of the same width and type.
    ///
    /// # Panics
    /// Panics if the range exceeds the table's rows.
    pub fn extend_from(&mut self, rows: &ColumnRows<'_>) -> Result<()> {
        let ColumnRows { column, rows } = rows;
        let numbers = rows.start * self.width..rows.end * self.width;
        if self.width != column.width || !self.values.extend_from(&column.values, numbers) {
            let problem = "rows of another width or type cannot follow";
            return Err(Error::invalid(
                "streamline data",
                problem,
                "give all columns of one name the same \
                width and type",
            ));
        }
        Ok(())
    }

    /// Reserves memory for more rows. Returns an error if there is not enough memory.
    pub fn reserve(&mut self, rows: usize) -> std::result::Result<(), TryReserveError> {
        self.values.reserve(rows.saturating_mul(self.width))
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.values.clear();
    }
}

/// A range of rows of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnRows<'a> {
    /// The column, which may have further rows.
    pub column: &'a Column,
    /// The range of rows.
    pub rows: Range<usize>,
}

impl ColumnRows<'_> {
    /// Copies these rows to a new column.
    pub fn to_column(&self) -> Column {
        let mut column = self.column.without_rows();
        // Cannot fail: both have the same type.
        let _ = column.extend_from(self);
        column
    }

    /// The numbers in double precision.
    pub fn to_f64(&self) -> Vec<f64> {
        self.to_column().values.to_f64()
    }
}
