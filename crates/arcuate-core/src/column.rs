//! Tables of values that belong to the points, streamlines or groups of a tractogram.

use crate::{Error, Result};
use half::f16;
use std::collections::{BTreeMap, TryReserveError};
use std::ops::Range;

/// Columns of values, by name.
pub type Columns = BTreeMap<String, Column>;

/// A table of `rows × width` values, stored row by row. The values have the number type of the file from
/// which they were read.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    width: usize,
    values: Scalars,
}

/// Values of one of the number types that tractogram files store.
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

/// Evaluates an expression for the vector inside [`Scalars`], whatever the number type of the vector.
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

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Creates an empty vector with the number type of this vector.
    fn none_of_the_type(&self) -> Self {
        each_scalars!(self, _v => Vec::new(), rewrap)
    }

    /// Appends a range of values of another vector if both vectors have the same number type. Returns true if
    /// the values were appended.
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

    /// Reserves memory for `numbers` more values. Returns an error if there is not enough memory.
    fn reserve(&mut self, numbers: usize) -> std::result::Result<(), TryReserveError> {
        each_scalars!(self, v => v.try_reserve_exact(numbers), plain)
    }

    fn clear(&mut self) {
        each_scalars!(self, v => v.clear(), plain);
    }

    /// Converts all values to double precision.
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
    /// Creates a table with `width` values in each row. Returns an error if the values do not fill whole
    /// rows.
    pub fn new(width: usize, values: Scalars) -> Result<Self> {
        if width == 0 || !values.len().is_multiple_of(width) {
            let problem =
                format!("the {} numbers cannot be divided into rows of {width} numbers", values.len());
            return Err(Error::invalid("streamline data", problem, "give all numbers of each row"));
        }
        Ok(Self { width, values })
    }

    /// Number of values in each row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows of the table.
    pub fn rows(&self) -> usize {
        self.values.len() / self.width
    }

    /// All values, row after row.
    pub fn values(&self) -> &Scalars {
        &self.values
    }

    /// Creates an empty table with the width and number type of this table.
    #[must_use]
    pub fn without_rows(&self) -> Self {
        Self { width: self.width, values: self.values.none_of_the_type() }
    }

    /// Returns whether rows of another table can be appended to this table. Both tables must have the same
    /// width and number type.
    pub fn is_like(&self, other: &Self) -> bool {
        self.width == other.width
            && std::mem::discriminant(&self.values) == std::mem::discriminant(&other.values)
    }

    /// Appends rows of a table that has the same width and number type.
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
                "give all data columns with the same name the same number of values per row and the same \
                 number type",
            ));
        }
        Ok(())
    }

    /// Reserves memory for `rows` more rows. Returns an error if there is not enough memory.
    pub fn reserve(&mut self, rows: usize) -> std::result::Result<(), TryReserveError> {
        self.values.reserve(rows.saturating_mul(self.width))
    }

    /// Removes all rows of the table.
    pub fn clear(&mut self) {
        self.values.clear();
    }
}

/// A range of rows of a [`Column`].
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnRows<'a> {
    /// The column. It may have rows outside this range.
    pub column: &'a Column,
    /// The range of rows.
    pub rows: Range<usize>,
}

impl ColumnRows<'_> {
    /// Copies the rows in `range` to a new table.
    pub fn to_column(&self) -> Column {
        let mut column = self.column.without_rows();
        // Appending cannot fail, because both tables have the same width and number type.
        let _ = column.extend_from(self);
        column
    }

    /// Converts the values of the rows in `range` to double precision.
    pub fn to_f64(&self) -> Vec<f64> {
        self.to_column().values.to_f64()
    }
}
