//! Reads and writes the NIfTI-2 header of a CIFTI-2 file and the header extension, which contains the XML
//! document.

use crate::element::Stored;
use crate::plain_file::PlainFile;
use crate::xml::damaged;
use arcuate_core::{Error, Result};
use std::path::Path;

/// Number of bytes of a NIfTI-2 header, including the four bytes that state whether an extension follows.
pub(super) const HEADER: usize = 544;
/// The NIfTI code of header extensions that contain a CIFTI XML document.
pub(super) const EXTENSION: i32 = 32;
/// Byte position of the dimension sizes in the header, and the index of the size of the matrix in the list of
/// these sizes. The first size of the matrix is the length of a row, the second the number of rows.
pub(super) const SIZES: usize = 16;
const ALONG_ROW: usize = 5;
const ROWS: usize = 6;

/// The number type in which the file stores its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    F64,
}

impl ValueType {
    fn of_code(code: i16) -> Option<Self> {
        Some(match code {
            2 => Self::U8,
            4 => Self::I16,
            8 => Self::I32,
            16 => Self::F32,
            64 => Self::F64,
            256 => Self::I8,
            512 => Self::U16,
            768 => Self::U32,
            _ => return None,
        })
    }

    pub(super) fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The name of the number type, for messages to the user.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::U8 => "8-bit unsigned integer",
            Self::I8 => "8-bit signed integer",
            Self::U16 => "16-bit unsigned integer",
            Self::I16 => "16-bit signed integer",
            Self::U32 => "32-bit unsigned integer",
            Self::I32 => "32-bit signed integer",
            Self::F32 => "32-bit floating point",
            Self::F64 => "64-bit floating point",
        }
    }

    /// Decodes the numbers of one row.
    pub(super) fn decode(self, bytes: &[u8], big_endian: bool, values: &mut [f64]) {
        fn all<T: Stored>(bytes: &[u8], big_endian: bool, values: &mut [f64]) {
            for (value, stored) in values.iter_mut().zip(bytes.chunks_exact(T::SIZE)) {
                let number =
                    if big_endian { T::from_bytes::<true>(stored) } else { T::from_bytes::<false>(stored) };
                *value = number.into_f64();
            }
        }
        match self {
            Self::U8 => all::<u8>(bytes, big_endian, values),
            Self::I8 => all::<i8>(bytes, big_endian, values),
            Self::U16 => all::<u16>(bytes, big_endian, values),
            Self::I16 => all::<i16>(bytes, big_endian, values),
            Self::U32 => all::<u32>(bytes, big_endian, values),
            Self::I32 => all::<i32>(bytes, big_endian, values),
            Self::F32 => all::<f32>(bytes, big_endian, values),
            Self::F64 => all::<f64>(bytes, big_endian, values),
        }
    }
}

/// The content of the header of a CIFTI-2 file.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) big_endian: bool,
    pub(super) value_type: ValueType,
    /// Number of rows and number of columns of the CIFTI-2 matrix.
    pub(super) shape: [usize; 2],
    /// Byte position in the file of the first value of the matrix.
    pub(super) offset: u64,
    /// Slope and intercept of the stored values.
    pub(super) scaling: (f64, f64),
    /// Text of the XML document.
    pub(super) text: String,
}

/// Reads the header of a CIFTI-2 file, and checks that the file is large enough for the matrix that the
/// header describes.
pub(super) fn read(file: &PlainFile) -> Result<Header> {
    let path = file.path();
    let not_cifti = |problem: &str| {
        Error::invalid(
            path.display(),
            problem,
            "check the file; if it is a CIFTI-1 file, convert it to CIFTI-2 with `wb_command -file-convert`",
        )
    };
    if file.is_gzip() {
        let problem = "it is compressed, which CIFTI-2 is not: rows are read where they lie";
        return Err(Error::invalid(path.display(), problem, "uncompress it (gunzip)"));
    }
    let bytes = file.start(HEADER as u64)?;
    if bytes.len() < HEADER || bytes[4..12] != *b"n+2\0\r\n\x1a\n" {
        return Err(not_cifti("it does not begin with a NIfTI-2 header, as CIFTI-2 does"));
    }
    let big_endian = match i32::from_le_bytes(array(&bytes, 0)) {
        540 => false,
        _ if i32::from_be_bytes(array(&bytes, 0)) == 540 => true,
        _ => return Err(not_cifti("its NIfTI-2 header is damaged")),
    };
    let ordered = |mut word: [u8; 8]| {
        if big_endian {
            word.reverse();
        }
        word
    };
    let integer = |at: usize| i64::from_le_bytes(ordered(array(&bytes, at)));
    let real = |at: usize| f64::from_le_bytes(ordered(array(&bytes, at)));
    let code: [u8; 2] = array(&bytes, 12);
    let code = if big_endian { i16::from_be_bytes(code) } else { i16::from_le_bytes(code) };
    let value_type = ValueType::of_code(code).ok_or_else(|| {
        Error::invalid(
            path.display(),
            format!("the values have the NIfTI data type {code}, which is not read from CIFTI files"),
            "convert the file to 32-bit floating point",
        )
    })?;
    let sizes: [i64; 8] = std::array::from_fn(|n| integer(SIZES + 8 * n));
    if sizes[0] != 6 || sizes[1..ALONG_ROW].iter().any(|n| *n != 1) {
        return Err(damaged(path, format!("its sizes {sizes:?} are not those of a matrix")));
    }
    let size = |n: usize| usize::try_from(sizes[n]).ok().filter(|n| *n > 0);
    let shape = size(ROWS).zip(size(ALONG_ROW));
    let count = shape.and_then(|(rows, columns)| rows.checked_mul(columns)?.checked_mul(8));
    let (Some((rows, columns)), Some(_)) = (shape, count) else {
        let problem = format!("{} × {} is not a possible size of a matrix", sizes[ROWS], sizes[ALONG_ROW]);
        return Err(damaged(path, problem));
    };
    let offset = u64::try_from(integer(168)).unwrap_or(0);
    let total = (rows * columns * value_type.size()) as u64;
    if offset < HEADER as u64 || file.size().saturating_sub(offset) < total {
        let problem = format!(
            "its {} bytes are too few for {rows} × {columns} values that begin at byte {offset}",
            file.size()
        );
        return Err(damaged(path, problem));
    }
    let (slope, intercept) = (real(176), real(184));
    let scaling = if slope == 0.0 || !slope.is_finite() || !intercept.is_finite() {
        (1.0, 0.0)
    } else {
        (slope, intercept)
    };
    let text = document(file, offset, big_endian)?;
    Ok(Header { big_endian, value_type, shape: [rows, columns], offset, scaling, text })
}

/// Reads the XML document from the header extensions. The last extension ends at the first value of the
/// matrix.
fn document(file: &PlainFile, end: u64, big_endian: bool) -> Result<String> {
    let path = file.path();
    let mut at = HEADER as u64;
    while at + 8 <= end {
        let mut head = [0; 8];
        file.read(at, &mut head)?;
        let word =
            |bytes: [u8; 4]| if big_endian { i32::from_be_bytes(bytes) } else { i32::from_le_bytes(bytes) };
        let (size, code) = (word(array(&head, 0)), word(array(&head, 4)));
        let size = u64::try_from(size).ok().filter(|size| *size >= 8 && at + size <= end);
        let size =
            size.ok_or_else(|| damaged(path, format!("an extension at byte {at} has no possible size")))?;
        if code == EXTENSION {
            let bytes = file.bytes(at + 8, (size - 8) as usize)?;
            let length = bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
            return String::from_utf8(bytes[..length].to_vec())
                .map_err(|_| damaged(path, "its XML is not text in UTF-8".to_owned()));
        }
        at += size;
    }
    let problem = "it is a NIfTI-2 image without the XML that makes a CIFTI-2 file";
    Err(Error::invalid(
        path.display(),
        problem,
        "if the file is an image, give it a name that ends only in .nii",
    ))
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|n| bytes[at + n])
}

/// Creates the header and the header extension for a matrix of 32-bit floating-point numbers. These are all
/// bytes of the file before the values of the matrix.
pub(super) fn bytes_of(path: &Path, shape: [usize; 2], intent: (i32, &str), text: &str) -> Result<Vec<u8>> {
    // NIfTI requires that the length of a header extension is a multiple of 16 bytes.
    let size = (text.len() + 8).next_multiple_of(16);
    let stated = i32::try_from(size).map_err(|_| {
        Error::invalid(
            path.display(),
            "the description of the matrix rows and columns takes more than 2 GB",
            "write fewer rows and columns",
        )
    })?;
    let mut bytes = vec![0; HEADER];
    let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    put(0, &540i32.to_le_bytes());
    put(4, b"n+2\0\r\n\x1a\n");
    put(12, &16i16.to_le_bytes());
    put(14, &32i16.to_le_bytes());
    for (n, size) in [6, 1, 1, 1, 1, shape[1], shape[0], 1].into_iter().enumerate() {
        put(SIZES + 8 * n, &(size as i64).to_le_bytes());
        put(104 + 8 * n, &1f64.to_le_bytes());
    }
    put(168, &((HEADER + size) as i64).to_le_bytes());
    put(176, &1f64.to_le_bytes());
    // The units are millimetres and seconds.
    put(500, &10i32.to_le_bytes());
    put(504, &intent.0.to_le_bytes());
    put(508, intent.1.as_bytes());
    put(540, &[1]);
    bytes.extend(stated.to_le_bytes());
    bytes.extend(EXTENSION.to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.resize(HEADER + size, 0);
    Ok(bytes)
}
