//! Errors of images in any format.

use crate::image_types::RequestedValues;
use crate::{DataType, Element};
use arcuate_core::{Error, Result};
use std::path::Path;

/// Returns an error if an image has complex values and the caller did not request their real and imaginary
/// parts.
pub(crate) fn require_real(path: &Path, data_type: DataType, requested: RequestedValues) -> Result<()> {
    if requested == RequestedValues::Components
        || !matches!(data_type, DataType::Complex64 | DataType::Complex128)
    {
        return Ok(());
    }
    Err(Error::invalid(
        path.display(),
        "the image has complex values, but real values are needed",
        "first create an image of the magnitude of the values",
    ))
}

/// Creates the error about a file that ends before the end of its image data.
pub(crate) fn ends_early(path: &Path, available: u64, size: u64) -> Error {
    let problem = format!("the image data end early ({available} of {size} bytes)");
    Error::invalid(path.display(), problem, "copy or download the file again")
}

/// Creates the error about a compressed file whose header states more bytes than the file can contain.
pub(crate) fn claims_too_much(path: &Path, size: u64, compressed: u64) -> Error {
    let problem = format!(
        "the header states {size} bytes of image data, more than {compressed} compressed bytes can contain"
    );
    Error::invalid(path.display(), problem, "copy or download the file again")
}

/// Creates the error about an image that does not fit into memory.
pub(crate) fn too_large(path: &Path, bytes: usize) -> Error {
    let problem = format!("the image needs {:.1} GB of memory, more than is available", bytes as f64 / 1e9);
    Error::invalid(path.display(), problem, "crop the image, or use a computer with more memory")
}

/// Creates the error about a stored value that the number type `T` cannot represent.
pub(crate) fn unrepresentable<T: Element>(path: &Path, stored: f64, scaling: Option<(f64, f64)>) -> Error {
    let (slope, intercept) = scaling.unwrap_or((1.0, 0.0));
    let value = stored * slope + intercept;
    let problem =
        format!("the value {value} in the image is not a whole number in the range of a {}", T::DATA_TYPE);
    Error::invalid(path.display(), problem, "give an image of whole numbers")
}
