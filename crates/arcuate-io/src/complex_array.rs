use crate::formats::{ARRAYS, find};
use crate::raw_data::refused_format;
use crate::read_cfl;
use arcuate_core::{ComplexArray, Result};
use std::path::Path;

/// Reads an array of complex numbers. The ending of the file name selects the format; a name without a known
/// ending is that of a BART array. If the file contains raw scanner data, the error names their format.
pub fn read_complex_array(path: &Path) -> Result<ComplexArray> {
    if let Some(error) = refused_format(path) {
        return Err(error);
    }
    find(ARRAYS, path).map_or(read_cfl as fn(&Path) -> _, |(_, read)| *read)(path)
}
