//! Errors of images in any format.

use crate::image_types::RequestedValues;
use crate::{DataType, Element};
use arcuate_core::{Error, Result};
use std::path::Path;

/// Returns an error for complex values, unless components are requested.
pub(crate) fn require_real(path: &Path, data_type: DataType, wanted: RequestedValues) -> Result<()> {
    if wanted == RequestedValues::Components
        || !matches!(data_type, DataType::Complex64 | DataType::Complex128)
    {
        return Ok(());
    }
    Err(Error::invalid(
        path.display(),
        "its values are complex numbers, but real numbers are needed",
        "first create an image of their magnitude",
    ))
}

/// The file ends before its image does.
pub(crate) fn ends_early(path: &Path, available: u64, size: u64) -> Error {
    let problem = format!("the image data end early ({available} of {size} bytes)");
    Error::invalid(path.display(), problem, "copy or download the file again")
}

/// The header of a compressed file claims more than the file can contain.
pub(crate) fn claims_too_much(path: &Path, size: u64, compressed: u64) -> Error {
    let problem = format!(
        "its header states {size} bytes of image data, more than {compressed} compressed bytes can contain"
    );
    Error::invalid(path.display(), problem, "copy or download the file again")
}

/// The result does not fit into memory.
pub(crate) fn too_large(path: &Path, bytes: usize) -> Error {
    let problem = format!("it needs {:.1} GB of memory, more than is available", bytes as f64 / 1e9);
    Error::invalid(path.display(), problem, "crop the image, or use a computer with more memory")
}

/// A value of the file cannot be represented by `T`.
pub(crate) fn unrepresentable<T: Element>(path: &Path, stored: f64, scaling: Option<(f64, f64)>) -> Error {
    let (slope, intercept) = scaling.unwrap_or((1.0, 0.0));
    let value = stored * slope + intercept;
    let problem = format!("its value {value} is not a whole number that fits a {}", T::DATA_TYPE);
    Error::invalid(path.display(), problem, "give an image of whole numbers")
}
