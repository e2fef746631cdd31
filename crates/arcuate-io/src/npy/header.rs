//! The header of a NumPy array.

use arcuate_core::narrow;

/// Maximum size of a header in bytes.
pub(crate) const MAX_HEADER: u64 = 1 << 16;

/// The content of the header of a NumPy array.
#[derive(Debug)]
pub(crate) struct Header {
    /// Number of bytes of the file before the values of the array.
    pub(crate) length: u64,
    /// NumPy's name for the type of the values, which includes the byte order, such as `<f8`, `>i4`, `|S3`.
    pub(crate) descr: String,
    pub(crate) fortran_order: bool,
    /// The lengths of the array's dimensions, as the text that the header contains.
    pub(crate) shape: String,
}

impl Header {
    /// Returns NumPy's name for the type of the values without the byte order, such as `f8`, `i4`, `c16`,
    /// `S3`.
    pub(crate) fn kind(&self) -> &str {
        self.descr.trim_start_matches(['<', '>', '|', '='])
    }

    /// Returns true if the numbers of the array are stored in big-endian byte order.
    pub(crate) fn is_big_endian(&self) -> bool {
        self.descr.starts_with('>')
    }

    /// Returns the lengths of the array's dimensions, each as a text.
    pub(crate) fn shape(&self) -> impl Iterator<Item = &str> {
        self.shape.split(',').map(str::trim).filter(|word| !word.is_empty())
    }

    /// Parses the header of a NumPy array from the first bytes of the array. If the header is invalid, the
    /// error describes the problem.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let number =
            |bytes: &[u8]| bytes.iter().rev().fold(0usize, |number, &byte| number << 8 | usize::from(byte));
        let begins = match bytes {
            [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, low, high, ..] => Some((10, number(&[*low, *high]))),
            [0x93, b'N', b'U', b'M', b'P', b'Y', 2 | 3, _, a, b, c, d, ..] => {
                Some((12, number(&[*a, *b, *c, *d])))
            }
            _ => None,
        };
        let (first, length) = begins.ok_or_else(|| "it is not an array of NumPy".to_owned())?;
        let text = bytes.get(first..).and_then(|rest| rest.get(..length));
        let text = text.ok_or_else(|| format!("its header of {length} bytes is not there"))?;
        let text = String::from_utf8_lossy(text);
        let after = |key: &str| text.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
        let missing = |key: &str| format!("its header says no `{key}`");
        let kind = after("descr").and_then(|rest| rest.split('\'').nth(1)).ok_or_else(|| missing("descr"))?;
        let fortran_order = match after("fortran_order") {
            Some(rest) if rest.starts_with("True") => true,
            Some(rest) if rest.starts_with("False") => false,
            _ => return Err(missing("fortran_order")),
        };
        let shape =
            after("shape").and_then(|rest| rest.strip_prefix('(')).and_then(|rest| rest.split_once(')'));
        let (shape, _) = shape.ok_or_else(|| missing("shape"))?;
        Ok(Self {
            length: (first + length) as u64,
            descr: kind.to_owned(),
            fortran_order,
            shape: shape.to_owned(),
        })
    }
}

/// Creates a NumPy header of format version 1.0 for an array of little-endian numbers whose last axis is
/// fastest. `kind` is NumPy's name for the number type without the byte order.
pub(crate) fn write(kind: &str, bytes_of_a_number: usize, shape: &[usize]) -> Vec<u8> {
    use std::fmt::Write as _;
    let order = if bytes_of_a_number == 1 { '|' } else { '<' };
    let mut sizes = String::new();
    for size in shape {
        // A Python tuple with one number needs a comma after the number.
        let _ = write!(sizes, "{size}, ");
    }
    let mut text =
        format!("{{'descr': '{order}{kind}', 'fortran_order': False, 'shape': ({}), }}", sizes.trim_end());
    // The header begins with 10 bytes: the magic number, the version and the length. It ends with a line end,
    // so that the values begin at a multiple of 64 bytes.
    let padding = 64 - (10 + text.len() + 1) % 64;
    text.extend(std::iter::repeat_n(' ', padding % 64));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(narrow::<u16>(text.len()).to_le_bytes());
    header.extend(text.as_bytes());
    header
}
