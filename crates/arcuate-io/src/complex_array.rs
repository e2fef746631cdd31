use crate::raw_data::refused_format;
use crate::{read_cfl, read_npy_complex};
use arcuate_core::{ComplexArray, Result};
use std::path::Path;

/// Reads an array of complex numbers. If the file name ends in `.npy`, the file is read as a NumPy array. If
/// not, it is read as a BART array. If the file contains raw scanner data, the error names their format.
pub fn read_complex_array(path: &Path) -> Result<ComplexArray> {
    if let Some(error) = refused_format(path) {
        return Err(error);
    }
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy")) {
        read_npy_complex(path)
    } else {
        read_cfl(path)
    }
}
