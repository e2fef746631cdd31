use crate::{AtomicFile, Element};
use arcuate_core::{Error, Result};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Writes an array for NumPy (`numpy.load`): format 1.0, little-endian, last axis fastest.
///
/// `values` must fill `shape`; an empty `shape` is a single number.
pub fn write_npy<T: Element>(path: &Path, shape: &[usize], values: &[T]) -> Result<()> {
    if shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n)) != Some(values.len()) {
        let problem = format!("{} values do not fill an array of {shape:?}", values.len());
        return Err(Error::invalid(path.display(), problem, "give as many values as the shape has room for"));
    }
    let mut file = AtomicFile::create(path)?;
    let mut write = |bytes: &[u8]| file.write_all(bytes).map_err(|e| Error::write(path, e));
    write(&header::<T>(shape))?;
    let mut block: Vec<T> = Vec::new();
    for chunk in values.chunks(1 << 16) {
        block.clear();
        block.extend(chunk.iter().map(|value| value.to_little_endian()));
        write(bytemuck::cast_slice(&block))?;
    }
    file.finish()
}

fn header<T: Element>(shape: &[usize]) -> Vec<u8> {
    use crate::DataType as D;
    let kind = match T::DATA_TYPE {
        D::Float32 | D::Float64 => 'f',
        D::UInt8 | D::UInt16 | D::UInt32 | D::UInt64 => 'u',
        _ => 'i',
    };
    let order = if size_of::<T>() == 1 { '|' } else { '<' };
    let mut sizes = String::new();
    for size in shape {
        // A tuple of one needs its comma.
        write!(sizes, "{size}, ").expect("a string takes any text");
    }
    let mut text = format!(
        "{{'descr': '{order}{kind}{}', 'fortran_order': False, 'shape': ({}), }}",
        size_of::<T>(),
        sizes.trim_end()
    );
    // Magic, version and length take 10 bytes; data begin at a multiple of 64 after a line end.
    let padding = 64 - (10 + text.len() + 1) % 64;
    text.extend(std::iter::repeat_n(' ', padding % 64));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As much of a reader as a test needs: type, shape and bytes.
    fn parse(bytes: &[u8]) -> (String, String, Vec<u8>) {
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!((10 + length) % 64, 0);
        let text = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
        assert!(text.ends_with('\n') && text.contains("'fortran_order': False"));
        let between = |a: &str, b: &str| text.split_once(a).unwrap().1.split_once(b).unwrap().0.to_owned();
        (between("'descr': '", "'"), between("'shape': (", ")"), bytes[10 + length..].to_vec())
    }

    #[test]
    fn arrays_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let values = [1.5f64, -2.0, f64::NAN, 4.0, 5.0, 1e300];
        write_npy(&path, &[2, 3], &values).unwrap();
        let (descr, shape, data) = parse(&std::fs::read(&path).unwrap());
        assert_eq!((descr.as_str(), shape.as_str()), ("<f8", "2, 3,"));
        let back: Vec<f64> = data.chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
        assert!(back.iter().zip(values).all(|(a, b)| a.to_bits() == b.to_bits()));
        write_npy(&path, &[3], &[1u8, 2, 255]).unwrap();
        let (descr, shape, data) = parse(&std::fs::read(&path).unwrap());
        assert_eq!((descr.as_str(), shape.as_str(), &data[..]), ("|u1", "3,", &[1u8, 2, 255][..]));
        write_npy(&path, &[], &[7i32]).unwrap();
        let (descr, shape, data) = parse(&std::fs::read(&path).unwrap());
        assert_eq!((descr.as_str(), shape.as_str(), &data[..]), ("<i4", "", &[7u8, 0, 0, 0][..]));
    }

    #[test]
    fn a_shape_that_does_not_fit_is_refused() {
        let error = write_npy(Path::new("a.npy"), &[2, 2], &[1.0f32; 3]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a.npy: 3 values do not fill an array of [2, 2]; give as many values as the shape has room for"
        );
    }
}
