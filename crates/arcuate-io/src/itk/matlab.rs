//! Reads spatial transforms that ITK wrote to MATLAB files of level 4. Each transform is stored as two
//! vectors of numbers. The first vector has the parameters, and its name is the kind of the transform. The
//! second vector, `fixed`, has the fixed parameters. A header of five numbers precedes the name of a vector.
//! The numbers are the type, the numbers of rows and columns, whether values are complex, and the length of
//! the name in bytes.

use super::transform::{ItkTransform, kind_of};
use crate::plain_file::PlainFile;
use arcuate_core::{Error, Result};
use std::path::Path;

/// Number of bytes of a vector's header.
const HEADER: usize = 20;
/// Maximum number of bytes of the name of a vector in the file.
const LONGEST_NAME: usize = 200;
/// Maximum size of a file in bytes. Matrices and angles need far less.
const LARGEST: u64 = 1 << 20;

/// The first bytes of MATLAB files of level 5 and later levels.
const LATER: &[u8] = b"MATLAB 5.0";

/// Returns true if these bytes can be the beginning of a MATLAB file.
pub(super) fn is_matlab(bytes: &[u8]) -> bool {
    bytes.starts_with(LATER) || Header::of(bytes).is_some()
}

/// Number of bytes that [`is_matlab`] requires.
pub(super) const ENOUGH: u64 = HEADER as u64;

struct Header {
    big_endian: bool,
    is_single: bool,
    count: usize,
    name: usize,
}

impl Header {
    /// Parses the header of a vector of the file. Returns `None` if the bytes are not such a header, or if
    /// the vector has complex numbers.
    fn of(bytes: &[u8]) -> Option<Self> {
        let at = |n: usize| bytes.get(4 * n..4 * n + 4)?.try_into().ok();
        let kind: [u8; 4] = at(0)?;
        // The type is a decimal number whose digits have a meaning: a thousands digit means big-endian byte
        // order, and the tens digit means single precision. The hundreds digit does not matter for vectors.
        let (big_endian, kind) = match (u32::from_le_bytes(kind), u32::from_be_bytes(kind)) {
            (kind @ (0 | 10 | 100 | 110), _) => (false, kind),
            (_, kind @ (1000 | 1010 | 1100 | 1110)) => (true, kind - 1000),
            _ => return None,
        };
        let number = |n: usize| {
            let bytes = at(n)?;
            Some(if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) } as usize)
        };
        let [rows, columns, complex, name] = [number(1)?, number(2)?, number(3)?, number(4)?];
        let is_vector = rows.min(columns) <= 1 && complex == 0 && (2..=LONGEST_NAME).contains(&name);
        is_vector.then(|| Self {
            big_endian,
            is_single: kind % 100 == 10,
            count: rows.saturating_mul(columns),
            name,
        })
    }
}

/// Reads all transforms of the file, in the order in which the file stores them.
pub(super) fn read(path: &Path) -> Result<Vec<ItkTransform>> {
    let file = PlainFile::open(path)?;
    if file.start(LATER.len() as u64)? == LATER {
        let problem = "it is a MATLAB file of level 5, and ITK's transforms are of level 4";
        return Err(Error::invalid(
            path.display(),
            problem,
            "give the transform file (.mat) as ANTs wrote it",
        ));
    }
    if file.size() > LARGEST {
        let problem = format!(
            "the file has {} bytes, too many for a transform without a displacement field",
            file.size()
        );
        return Err(Error::invalid(path.display(), problem, "check that this is the right file"));
    }
    let bytes = file.start(LARGEST)?;
    let mut rest = bytes.as_slice();
    let mut vectors = Vec::new();
    while !rest.is_empty() {
        let (vector, after) = vector(rest).ok_or_else(|| {
            let problem =
                format!("the variable at byte {} is damaged or ends early", bytes.len() - rest.len());
            Error::invalid(path.display(), problem, "copy or download the file again")
        })?;
        vectors.push(vector);
        rest = after;
    }
    let mut transforms: Vec<ItkTransform> = Vec::new();
    for (name, values) in vectors {
        match (name.as_str(), transforms.last_mut()) {
            ("fixed", Some(last)) if last.fixed.is_empty() => last.fixed = values,
            _ => {
                let kind = kind_of(path, &name)?;
                transforms.push(ItkTransform { kind, parameters: values, fixed: Vec::new() });
            }
        }
    }
    Ok(transforms)
}

/// A vector: its name and its numbers.
type Vector = (String, Vec<f64>);

/// Parses the vector at the beginning of the bytes. Returns the vector and the bytes after it.
fn vector(bytes: &[u8]) -> Option<(Vector, &[u8])> {
    let header = Header::of(bytes)?;
    let (name, rest) = bytes.get(HEADER..)?.split_at_checked(header.name)?;
    let name = std::str::from_utf8(name.strip_suffix(&[0])?).ok()?;
    let size = if header.is_single { 4 } else { 8 };
    let (numbers, rest) = rest.split_at_checked(header.count.checked_mul(size)?)?;
    let number = |bytes: &[u8]| {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        if header.big_endian {
            eight[..bytes.len()].reverse();
        }
        let [a, b, c, d, ..] = eight;
        if header.is_single { f32::from_le_bytes([a, b, c, d]).into() } else { f64::from_le_bytes(eight) }
    };
    Some(((name.to_owned(), numbers.chunks_exact(size).map(number).collect()), rest))
}
