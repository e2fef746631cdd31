use super::header::{Header, MAX_HEADER};
use crate::array_shape;
use crate::element::Stored;
use crate::image_errors::{ends_early, too_large};
use crate::plain_file::PlainFile;
use arcuate_core::{ComplexArray, Error, Result};
use std::path::Path;

/// The values of a NumPy array whose number type is supported.
struct Numbers {
    header: Header,
    /// Number of components of each value (2 for complex numbers, else 1), and number of bytes of a
    /// component.
    parts: usize,
    part: usize,
    shape: Vec<usize>,
}

/// Reads an array of complex or real floating-point numbers (`complex64`, `complex128`, `float32`,
/// `float64`), rounded to single precision. The axes are in NumPy's order, whatever the storage order of the
/// file. In the result, the element `array[i, j]` has index `i` in the first dimension and `j` in the second.
///
/// Returns an error if the header is invalid or states an unsupported number type. An error is also returned
/// if the data of the array are shorter or longer than the header states.
pub fn read_npy_complex(path: &Path) -> Result<ComplexArray> {
    let file = PlainFile::open(path)?;
    let array = numbers(path, &file.start(MAX_HEADER.min(file.size()))?)?;
    let header = &array.header;
    let size = array.parts * array.part;
    let invalid = |problem: String| Error::invalid(path.display(), problem, "repair the header");
    let bytes = array_shape::bytes(&array.shape, size, invalid)?;
    let total = bytes.saturating_add(header.length);
    if file.size() < total {
        return Err(ends_early(path, file.size(), total));
    }
    if file.size() > total {
        let problem = format!("the file has {} bytes, but its header states {total}", file.size());
        return Err(Error::invalid(path.display(), problem, "save the array again"));
    }
    let mut raw = bytemuck::allocation::try_zeroed_vec::<u8>(bytes as usize)
        .map_err(|()| too_large(path, bytes as usize))?;
    file.read(header.length, &mut raw)?;
    let count = raw.len() / size;
    let mut values = bytemuck::allocation::try_zeroed_vec::<[f32; 2]>(count)
        .map_err(|()| too_large(path, count * size_of::<[f32; 2]>()))?;
    let places = Places::new(&array);
    for (n, value) in raw.chunks_exact(size).enumerate() {
        let mut numbers = value.chunks_exact(array.part).map(|bytes| number(bytes, &array));
        values[places.of(n)] = [numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default()];
    }
    ComplexArray::new(array.shape, values).map_err(|e| e.about(path.display()))
}

fn number(bytes: &[u8], array: &Numbers) -> f32 {
    match (array.part, array.header.is_big_endian()) {
        (4, false) => f32::from_bytes::<false>(bytes),
        (4, true) => f32::from_bytes::<true>(bytes),
        (_, false) => f64::from_bytes::<false>(bytes) as f32,
        (_, true) => f64::from_bytes::<true>(bytes) as f32,
    }
}

/// Computes the index of each value of the file in the resulting array, whose first dimension is fastest.
struct Places<'a> {
    shape: &'a [usize],
    fortran_order: bool,
}

impl<'a> Places<'a> {
    fn new(array: &'a Numbers) -> Self {
        Self { shape: &array.shape, fortran_order: array.header.fortran_order }
    }

    fn of(&self, n: usize) -> usize {
        if self.fortran_order {
            return n;
        }
        // In this file, the last dimension of the array is fastest.
        let (mut rest, mut place, mut step) = (n, 0, self.shape.iter().product::<usize>());
        for &length in self.shape.iter().rev() {
            step /= length;
            place += rest % length * step;
            rest /= length;
        }
        place
    }
}

fn numbers(path: &Path, bytes: &[u8]) -> Result<Numbers> {
    let invalid = |problem: String| {
        Error::invalid(
            path.display(),
            problem,
            "save the array with numpy.save as complex64, complex128, float32 or float64",
        )
    };
    let header = Header::parse(bytes).map_err(invalid)?;
    let (parts, part) = match header.kind() {
        "c8" => (2, 4),
        "c16" => (2, 8),
        "f4" => (1, 4),
        "f8" => (1, 8),
        _ => return Err(invalid(format!("its numbers are of type `{}`", header.descr.escape_debug()))),
    };
    let shape = array_shape::lengths(header.shape(), invalid)?;
    Ok(Numbers { header, parts, part, shape })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write_npy;

    fn file(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn read(bytes: &[u8]) -> std::result::Result<ComplexArray, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        std::fs::write(&path, bytes).unwrap();
        read_npy_complex(&path)
            .map_err(|error| error.to_string().replace(&format!("{}/", folder.path().display()), ""))
    }

    #[test]
    fn arrays_in_c_and_fortran_order_have_the_axes_of_numpy() {
        // The array of this test has shape (2, 3), and its element array[i, j] is i + 10 j.
        let c_order: Vec<u8> = [0.0f32, 10.0, 20.0, 1.0, 11.0, 21.0]
            .iter()
            .flat_map(|x| [x.to_le_bytes(), (-x).to_le_bytes()].concat())
            .collect();
        let fortran: Vec<u8> = [0.0f64, 1.0, 10.0, 11.0, 20.0, 21.0]
            .iter()
            .flat_map(|x| [x.to_be_bytes(), (-x).to_be_bytes()].concat())
            .collect();
        let expected = [0.0, 1.0, 10.0, 11.0, 20.0, 21.0].map(|x: f32| [x, -x]);
        for bytes in [file("<c8", "False", "(2, 3)", &c_order), file(">c16", "True", "(2, 3)", &fortran)] {
            let array = read(&bytes).unwrap();
            assert_eq!((array.shape(), array.values()), (&[2, 3][..], &expected[..]));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let values: Vec<f64> = (0..24).map(f64::from).collect();
        write_npy(&path, &[2, 3, 4], &values).unwrap();
        let array = read_npy_complex(&path).unwrap();
        // In the result, the element array[1, 2, 3] is the last value, and array[0, 1, 2] is the value 6.
        assert_eq!(array.shape(), [2, 3, 4]);
        assert_eq!((array.values()[23], array.values()[2 * (1 + 3 * 2)]), ([23.0, 0.0], [6.0, 0.0]));
    }

    #[test]
    fn invalid_arrays_give_one_line_errors() {
        let advice = "; save the array with numpy.save as complex64, complex128, float32 or float64";
        for (bytes, problem) in [
            (b"# Dimensions".to_vec(), "it is not an array of NumPy"),
            (b"\x93NUMPY\x01\x00\xff\xff{}".to_vec(), "its header of 65535 bytes is not there"),
            (file("<i4", "False", "(2,)", &[0; 8]), "its numbers are of type `<i4`"),
            (file("<c8", "Maybe", "(2,)", &[0; 16]), "its header says no `fortran_order`"),
            (file("<c8", "False", "2", &[0; 16]), "its header says no `shape`"),
            (file("<c8", "False", "(2, x)", &[0; 16]), "`x` is not a length of a dimension"),
            (file("<c8", "False", "(0,)", &[]), "`0` is not a length of a dimension"),
        ] {
            assert_eq!(read(&bytes).unwrap_err(), format!("a.npy: {problem}{advice}"));
        }
        let large = read(&file("<c8", "False", "(9999999999, 9999999999)", &[])).unwrap_err();
        assert!(large.starts_with("a.npy: no memory holds an array of"), "{large}");
        // Memory is allocated only for data that have been read, not for the size that a damaged header
        // claims.
        let claims = read(&file("<c8", "False", "(1000000, 100000)", &[0; 16])).unwrap_err();
        assert!(claims.starts_with("a.npy: "), "{claims}");
        let longer = read(&file("<f4", "True", "(2,)", &[0; 12])).unwrap_err();
        assert!(longer.contains("but its header states"), "{longer}");
    }
}
