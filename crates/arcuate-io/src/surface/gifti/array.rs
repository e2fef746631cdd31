//! Reads the numbers of one array (`DataArray`) of a GIFTI file.

use crate::header_checks::file_next_to;
use crate::image_errors::too_large;
use crate::memory::reserve;
use crate::plain_file::PlainFile;
use crate::xml::{XmlElement, damaged};
use arcuate_core::{Error, Result, printable};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

/// Maximum number of decompressed bytes per byte of deflate data (RFC 1951).
const LARGEST_RATIO: usize = 1032;

/// The number type in which the file stores the numbers of an array.
#[derive(Clone, Copy)]
enum Number {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl Number {
    fn of(path: &Path, word: &str) -> Result<Self> {
        Ok(match word.strip_prefix("NIFTI_TYPE_").unwrap_or(word) {
            "UINT8" => Self::U8,
            "INT8" => Self::I8,
            "UINT16" => Self::U16,
            "INT16" => Self::I16,
            "UINT32" => Self::U32,
            "INT32" => Self::I32,
            "UINT64" => Self::U64,
            "INT64" => Self::I64,
            "FLOAT32" => Self::F32,
            "FLOAT64" => Self::F64,
            other => {
                let problem = format!("an array has values of type `{}`", printable(other, 40));
                let advice = "convert it to 32-bit integers or floating-point numbers";
                return Err(Error::invalid(path.display(), problem, advice));
            }
        })
    }

    fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Decodes a number from its little-endian bytes.
    fn of_bytes(self, bytes: [u8; 8]) -> f64 {
        let word = u64::from_le_bytes(bytes);
        match self {
            Self::U8 => f64::from(word as u8),
            Self::I8 => f64::from(word as i8),
            Self::U16 => f64::from(word as u16),
            Self::I16 => f64::from(word as i16),
            Self::U32 => f64::from(word as u32),
            Self::I32 => f64::from(word as i32),
            Self::U64 => word as f64,
            Self::I64 => word as i64 as f64,
            Self::F32 => f64::from(f32::from_bits(word as u32)),
            Self::F64 => f64::from_bits(word),
        }
    }
}

/// An array of numbers in memory.
pub(super) struct Array {
    /// Numbers of rows and columns. A one-dimensional array has one column.
    pub(super) shape: [usize; 2],
    /// The numbers of the array row by row, in double precision, which represents every 32-bit number
    /// exactly.
    pub(super) values: Vec<f64>,
}

/// Reads the numbers of an array from the XML element that describes the array.
pub(super) fn read(path: &Path, element: &XmlElement) -> Result<Array> {
    let shape = shape(path, element)?;
    // If the numbers are stored as text, each takes at least one character, so the length of the text limits
    // their number. If the numbers are compressed or in a separate file, their actual size is checked below.
    let count = shape[0].checked_mul(shape[1]).filter(|count| *count <= isize::MAX as usize / 8);
    let count = count
        .ok_or_else(|| damaged(path, format!("an array of {} × {} is too large", shape[0], shape[1])))?;
    let number = Number::of(path, element.required(path, "DataType")?)?;
    let text: &str = element.child("Data").map_or("", |data| &data.text);
    let bytes = match element.required(path, "Encoding")? {
        "ASCII" => {
            let values = of_text(path, text, count)?;
            return Ok(Array { shape, values: by_rows(path, element, shape, values)? });
        }
        "Base64Binary" => decoded(path, text)?,
        "GZipBase64Binary" => inflated(path, &decoded(path, text)?, count * number.size())?,
        "ExternalFileBinary" => external(path, element, count * number.size())?,
        other => {
            return Err(damaged(path, format!("an array has the encoding `{}`", printable(other, 40))));
        }
    };
    if bytes.len() != count * number.size() {
        let problem =
            format!("an array of {count} values has {} bytes, not {}", bytes.len(), count * number.size());
        return Err(damaged(path, problem));
    }
    let is_big = match element.attribute("Endian") {
        Some("BigEndian") => true,
        Some("LittleEndian") | None => false,
        Some(other) => {
            return Err(damaged(path, format!("an array has the byte order `{}`", printable(other, 40))));
        }
    };
    let mut values = Vec::new();
    reserve(&mut values, count).map_err(|_| too_large(path, count * 8))?;
    values.extend(bytes.chunks_exact(number.size()).map(|stored| {
        let mut word = [0; 8];
        word[..stored.len()].copy_from_slice(stored);
        if is_big {
            word[..stored.len()].reverse();
        }
        number.of_bytes(word)
    }));
    Ok(Array { shape, values: by_rows(path, element, shape, values)? })
}

fn shape(path: &Path, element: &XmlElement) -> Result<[usize; 2]> {
    let dimensions: usize = element.number(path, "Dimensionality")?;
    let size = |n: usize| element.number::<usize>(path, &format!("Dim{n}"));
    match dimensions {
        1 => Ok([size(0)?, 1]),
        2 => Ok([size(0)?, size(1)?]),
        // An array may have more than two dimensions if the size of each further dimension is 1.
        3..=6 if (2..dimensions).all(|n| size(n).is_ok_and(|size| size == 1)) => Ok([size(0)?, size(1)?]),
        _ => {
            let problem = format!("an array has {dimensions} dimensions");
            Err(Error::invalid(path.display(), problem, "give arrays of one or two dimensions"))
        }
    }
}

fn of_text(path: &Path, text: &str, count: usize) -> Result<Vec<f64>> {
    let mut values = Vec::new();
    for word in text.split_ascii_whitespace() {
        let value: f64 = word.parse().map_err(|_| {
            damaged(path, format!("an array holds `{}`, which is not a number", printable(word, 40)))
        })?;
        values.push(value);
    }
    if values.len() == count {
        return Ok(values);
    }
    Err(damaged(path, format!("an array of {count} values has {}", values.len())))
}

/// Decodes base64 text, which may contain white space anywhere.
fn decoded(path: &Path, text: &str) -> Result<Vec<u8>> {
    let text = text.trim();
    let text = if text.bytes().any(|c| c.is_ascii_whitespace()) {
        Cow::Owned(text.split_ascii_whitespace().collect::<String>())
    } else {
        Cow::Borrowed(text)
    };
    STANDARD
        .decode(text.as_bytes())
        .map_err(|e| damaged(path, format!("the base64 of an array is damaged ({e})")))
}

/// Decompresses the bytes of an array. GIFTI calls the compression "gzip" but means zlib. Some programs write
/// gzip data nevertheless, which are accepted, too.
fn inflated(path: &Path, compressed: &[u8], size: usize) -> Result<Vec<u8>> {
    if size > compressed.len().saturating_mul(LARGEST_RATIO) {
        let problem =
            format!("an array claims {size} bytes, more than {} compressed ones can hold", compressed.len());
        return Err(damaged(path, problem));
    }
    let mut bytes = Vec::new();
    // One byte more than expected is decompressed, to detect whether there are too many bytes.
    let maximum = size as u64 + 1;
    let read = if crate::is_gzip(compressed) {
        flate2::bufread::GzDecoder::new(compressed).take(maximum).read_to_end(&mut bytes)
    } else {
        flate2::bufread::ZlibDecoder::new(compressed).take(maximum).read_to_end(&mut bytes)
    };
    read.map_err(|e| damaged(path, format!("the compressed data of an array are damaged ({e})")))?;
    Ok(bytes)
}

/// Reads the bytes of an array from a separate file in the folder of the GIFTI file.
fn external(path: &Path, element: &XmlElement, size: usize) -> Result<Vec<u8>> {
    let there = file_next_to(path, element.required(path, "ExternalFileName")?)?;
    let offset: u64 = match element.attribute("ExternalFileOffset") {
        None | Some("") => 0,
        Some(_) => element.number(path, "ExternalFileOffset")?,
    };
    let file = PlainFile::open(&there)?;
    let left = file.size().saturating_sub(offset);
    if left < size as u64 {
        let problem =
            format!("{size} bytes of an array of {} are not there from byte {offset} on", path.display());
        return Err(damaged(&there, problem));
    }
    let mut bytes = Vec::new();
    reserve(&mut bytes, size).map_err(|_| too_large(path, size))?;
    bytes.resize(size, 0);
    file.read(offset, &mut bytes)?;
    Ok(bytes)
}

/// Returns the numbers of an array row by row, whether the file stores them by rows or by columns.
fn by_rows(
    path: &Path,
    element: &XmlElement,
    [rows, columns]: [usize; 2],
    values: Vec<f64>,
) -> Result<Vec<f64>> {
    match element.attribute("ArrayIndexingOrder") {
        Some("ColumnMajorOrder") if columns > 1 => {
            let mut turned = Vec::new();
            reserve(&mut turned, values.len()).map_err(|_| too_large(path, values.len() * 8))?;
            turned.extend((0..rows * columns).map(|n| values[n / columns + n % columns * rows]));
            Ok(turned)
        }
        Some("RowMajorOrder" | "ColumnMajorOrder") | None => Ok(values),
        Some(other) => Err(damaged(path, format!("an array has the order `{}`", printable(other, 40)))),
    }
}
