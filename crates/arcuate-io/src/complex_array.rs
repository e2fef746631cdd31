use crate::{read_cfl, read_npy_complex};
use arcuate_core::{ComplexArray, Result};
use std::path::Path;

/// Reads an array of complex numbers: NumPy's where the name ends in `.npy`, else BART's.
pub fn read_complex_array(path: &Path) -> Result<ComplexArray> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy")) {
        read_npy_complex(path)
    } else {
        read_cfl(path)
    }
}
