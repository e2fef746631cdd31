//! Parses the names of the entries of a TRX file: `<what>/<name>.<numbers per row>.<type>`. If the array has
//! one number per row, the name omits this number.

use crate::memory;
use arcuate_core::{Column, Result, Scalars, disturbs_terminal};
use half::f16;
use std::fmt;
use std::io::Read;
use std::ops::Range;

/// A number type of the TRX format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScalarType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
    /// Truth values (true or false), one byte each as in trx-python. In memory, they have the type `uint8`.
    Bit,
}

const TYPES: [(&str, ScalarType); 12] = [
    ("int8", ScalarType::I8),
    ("uint8", ScalarType::U8),
    ("int16", ScalarType::I16),
    ("uint16", ScalarType::U16),
    ("int32", ScalarType::I32),
    ("uint32", ScalarType::U32),
    ("int64", ScalarType::I64),
    ("uint64", ScalarType::U64),
    ("float16", ScalarType::F16),
    ("float32", ScalarType::F32),
    ("float64", ScalarType::F64),
    ("bit", ScalarType::Bit),
];

/// Number of values of an entry that are read at a time.
const PART: usize = 1 << 13;

impl ScalarType {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        TYPES.iter().find(|(known, _)| *known == name).map(|&(_, kind)| kind)
    }

    pub(crate) fn name(self) -> &'static str {
        TYPES.iter().find(|&&(_, kind)| kind == self).map_or("", |&(name, _)| name)
    }

    pub(crate) fn of(scalars: &Scalars) -> Self {
        match scalars {
            Scalars::I8(_) => Self::I8,
            Scalars::U8(_) => Self::U8,
            Scalars::I16(_) => Self::I16,
            Scalars::U16(_) => Self::U16,
            Scalars::I32(_) => Self::I32,
            Scalars::U32(_) => Self::U32,
            Scalars::I64(_) => Self::I64,
            Scalars::U64(_) => Self::U64,
            Scalars::F16(_) => Self::F16,
            Scalars::F32(_) => Self::F32,
            Scalars::F64(_) => Self::F64,
        }
    }

    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::I8 | Self::U8 | Self::Bit => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Reads `count` numbers of this type. The caller has checked that the entry contains enough bytes for
    /// `count` numbers.
    pub(crate) fn read(self, reader: &mut dyn Read, count: usize) -> std::io::Result<Scalars> {
        Ok(match self {
            Self::I8 => Scalars::I8(read_numbers(reader, count, i8::from_le_bytes)?),
            Self::U8 | Self::Bit => Scalars::U8(read_numbers(reader, count, u8::from_le_bytes)?),
            Self::I16 => Scalars::I16(read_numbers(reader, count, i16::from_le_bytes)?),
            Self::U16 => Scalars::U16(read_numbers(reader, count, u16::from_le_bytes)?),
            Self::I32 => Scalars::I32(read_numbers(reader, count, i32::from_le_bytes)?),
            Self::U32 => Scalars::U32(read_numbers(reader, count, u32::from_le_bytes)?),
            Self::I64 => Scalars::I64(read_numbers(reader, count, i64::from_le_bytes)?),
            Self::U64 => Scalars::U64(read_numbers(reader, count, u64::from_le_bytes)?),
            Self::F16 => Scalars::F16(read_numbers(reader, count, f16::from_le_bytes)?),
            Self::F32 => Scalars::F32(read_numbers(reader, count, f32::from_le_bytes)?),
            Self::F64 => Scalars::F64(read_numbers(reader, count, f64::from_le_bytes)?),
        })
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads `count` little-endian numbers of `N` bytes each.
pub(crate) fn read_numbers<T, const N: usize>(
    reader: &mut dyn Read,
    count: usize,
    number: fn([u8; N]) -> T,
) -> std::io::Result<Vec<T>> {
    let mut numbers = Vec::new();
    memory::reserve(&mut numbers, count)
        .map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
    let mut buffer = vec![0; N * PART.min(count)];
    while numbers.len() < count {
        let part = &mut buffer[..N * PART.min(count - numbers.len())];
        reader.read_exact(part)?;
        let values = part.chunks_exact(N).map(|bytes| number(std::array::from_fn(|byte| bytes[byte])));
        numbers.extend(values);
    }
    Ok(numbers)
}

/// Converts numbers to little-endian bytes and passes them to the function `write`, in several pieces.
pub(crate) fn write_numbers(
    scalars: &Scalars,
    places: Range<usize>,
    write: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    match scalars {
        Scalars::I8(v) => in_parts(&v[places], i8::to_le_bytes, write),
        Scalars::U8(v) => in_parts(&v[places], u8::to_le_bytes, write),
        Scalars::I16(v) => in_parts(&v[places], i16::to_le_bytes, write),
        Scalars::U16(v) => in_parts(&v[places], u16::to_le_bytes, write),
        Scalars::I32(v) => in_parts(&v[places], i32::to_le_bytes, write),
        Scalars::U32(v) => in_parts(&v[places], u32::to_le_bytes, write),
        Scalars::I64(v) => in_parts(&v[places], i64::to_le_bytes, write),
        Scalars::U64(v) => in_parts(&v[places], u64::to_le_bytes, write),
        Scalars::F16(v) => in_parts(&v[places], f16::to_le_bytes, write),
        Scalars::F32(v) => in_parts(&v[places], f32::to_le_bytes, write),
        Scalars::F64(v) => in_parts(&v[places], f64::to_le_bytes, write),
    }
}

pub(crate) fn in_parts<T: Copy, const N: usize>(
    numbers: &[T],
    bytes: fn(T) -> [u8; N],
    mut write: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut buffer = Vec::with_capacity(N * PART.min(numbers.len()));
    for part in numbers.chunks(PART) {
        buffer.clear();
        for &number in part {
            buffer.extend_from_slice(&bytes(number));
        }
        write(&buffer)?;
    }
    Ok(())
}

/// The last component of an entry's name, divided into the name of the values, the numbers per row, and the
/// number type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DataName {
    pub(crate) name: String,
    /// Number of values per row of the array, if the name of the entry contains this number.
    pub(crate) width: Option<usize>,
    pub(crate) kind: ScalarType,
}

impl DataName {
    /// Parses the last component of an entry's name, `name.type` or `name.width.type`. If it is invalid, the
    /// error describes the problem.
    pub(crate) fn parse(file_name: &str) -> std::result::Result<Self, String> {
        let parts: Vec<&str> = file_name.split('.').collect();
        let (name, width, kind) = match parts[..] {
            [name, kind] => (name, None, kind),
            [name, width, kind] => (name, Some(width), kind),
            _ => return Err("its name is not like `name.type` or `name.3.type`".to_owned()),
        };
        let Some(kind) = ScalarType::parse(kind) else {
            return Err(format!("its type `{kind}` is not known"));
        };
        let width = match width.map(str::parse) {
            None => None,
            Some(Ok(width)) if width > 0 => Some(width),
            Some(_) => return Err("the number of columns in its name is impossible".to_owned()),
        };
        if name.is_empty() {
            return Err("it has no name".to_owned());
        }
        Ok(Self { name: name.to_owned(), width, kind })
    }

    /// Returns the name of the entry in which a column of values is written.
    pub(crate) fn of(name: &str, column: &Column) -> String {
        let kind = ScalarType::of(column.values());
        match column.width() {
            1 => format!("{}.{kind}", safe(name)),
            width => format!("{}.{width}.{kind}", safe(name)),
        }
    }
}

/// Returns a name of values in a form that is valid in the name of an entry, where dots and slashes have a
/// meaning.
pub(crate) fn safe(name: &str) -> String {
    let allowed = |c: char| !(disturbs_terminal(c) || matches!(c, '.' | '/' | '\\' | ':'));
    let safe: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    if safe.is_empty() { "_".to_owned() } else { safe }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_names_are_parsed() {
        let parse = |name| DataName::parse(name).map(|d| (d.name, d.width, d.kind));
        assert_eq!(parse("fa.float16"), Ok(("fa".into(), None, ScalarType::F16)));
        assert_eq!(parse("colours.3.uint8"), Ok(("colours".into(), Some(3), ScalarType::U8)));
        assert_eq!(parse("fa.float8").unwrap_err(), "its type `float8` is not known");
        assert_eq!(parse("fa").unwrap_err(), "its name is not like `name.type` or `name.3.type`");
        assert_eq!(parse("fa.0.int8").unwrap_err(), "the number of columns in its name is impossible");
        assert_eq!(parse("fa.-1.int8").unwrap_err(), "the number of columns in its name is impossible");
        assert_eq!(parse(".int8").unwrap_err(), "it has no name");
    }

    #[test]
    fn written_names_contain_no_path() {
        let column = Column::new(2, Scalars::F64(vec![0.0; 4])).unwrap();
        assert_eq!(DataName::of("../a.b", &column), "___a_b.2.float64");
    }
}
