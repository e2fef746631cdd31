use super::header::write as write_header;
use crate::{AtomicFile, Element};
use arcuate_core::{Error, Result};
use std::io::Write as _;
use std::path::Path;

/// Writes an array for NumPy (`numpy.load`) in format 1.0, with little-endian numbers and the last axis
/// fastest.
///
/// `values` must have as many numbers as the product of the lengths in `shape`. An empty `shape` means a
/// single number.
pub fn write_npy<T: Element>(path: &Path, shape: &[usize], values: &[T]) -> Result<()> {
    if shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n)) != Some(values.len()) {
        let problem = format!("the shape {shape:?} of the array does not have {} values", values.len());
        return Err(Error::invalid(path.display(), problem, "give one value per array element"));
    }
    let mut file = NpyWriter::create(path, shape)?;
    file.write(values)?;
    file.finish()
}

/// Writes a NumPy array in several calls, with the same result as [`write_npy`]. The numbers of all calls
/// together must fill the array.
#[derive(Debug)]
pub(crate) struct NpyWriter<T> {
    file: AtomicFile,
    block: Vec<T>,
}

impl<T: Element> NpyWriter<T> {
    pub(crate) fn create(path: &Path, shape: &[usize]) -> Result<Self> {
        let mut file = AtomicFile::create(path)?;
        let header = write_header(&kind::<T>(), size_of::<T>(), shape);
        file.write_all(&header).map_err(|e| Error::write(path, e))?;
        Ok(Self { file, block: Vec::new() })
    }

    pub(crate) fn write(&mut self, values: &[T]) -> Result<()> {
        for chunk in values.chunks(1 << 16) {
            self.block.clear();
            self.block.extend(chunk.iter().map(|value| value.to_little_endian()));
            let bytes = bytemuck::cast_slice(&self.block);
            let written = self.file.write_all(bytes);
            written.map_err(|e| Error::write(self.file.path(), e))?;
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.file.finish()
    }
}

/// Returns NumPy's name for the number type `T`, without the byte order.
pub(crate) fn kind<T: Element>() -> String {
    use crate::DataType as D;
    let kind = match T::DATA_TYPE {
        D::Float32 | D::Float64 => 'f',
        D::UInt8 | D::UInt16 | D::UInt32 | D::UInt64 => 'u',
        _ => 'i',
    };
    format!("{kind}{}", size_of::<T>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses the bytes of a NumPy array for tests. Returns the name of its number type, its shape as text,
    /// and the bytes of its values.
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
    fn arrays_survive_a_round_trip() {
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
    fn shapes_that_do_not_match_are_rejected() {
        let error = write_npy(Path::new("a.npy"), &[2, 2], &[1.0f32; 3]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a.npy: the shape [2, 2] of the array does not have 3 values; give one value per array element"
        );
    }
}
