//! Reads spatial transforms from the files of ITK and ANTs: text files, MATLAB files of level 4, and HDF5
//! files. Displacement fields in separate NIfTI images are not read here. This module returns the parameters
//! of each transform without interpreting them.

#[cfg_attr(not(feature = "itk"), path = "hdf5_absent.rs")]
mod hdf5;
mod matlab;
mod text;
mod transform;

#[cfg(all(test, feature = "itk"))]
mod tests;

use crate::plain_file::PlainFile;
use arcuate_core::{Error, Result};
use hdf5::Hdf5Transforms;
use std::path::Path;

pub use transform::ItkTransform;

/// The first bytes of HDF5 files.
const HDF5_BEGINNING: &[u8] = b"\x89HDF\r\n\x1a\n";

enum Format {
    Text,
    Matlab,
    Hdf5,
}

fn format_of(path: &Path) -> Result<Option<Format>> {
    let enough = matlab::ENOUGH.max(text::BEGINNING.len() as u64);
    let start = PlainFile::open(path)?.start(enough)?;
    Ok(if start.starts_with(text::BEGINNING) {
        Some(Format::Text)
    } else if start.starts_with(HDF5_BEGINNING) {
        Some(Format::Hdf5)
    } else {
        matlab::is_matlab(&start).then_some(Format::Matlab)
    })
}

fn known_format_of(path: &Path) -> Result<Format> {
    format_of(path)?.ok_or_else(|| {
        let problem = "it is not a transform of ITK (text, MATLAB level 4, HDF5)";
        Error::invalid(path.display(), problem, "give a transform file that ITK or ANTs wrote")
    })
}

/// Returns true if a file begins like a file of ITK's transforms in one of the formats (text, MATLAB, HDF5).
/// This includes MATLAB files of later levels, although reading these returns an error.
pub fn is_itk_transform(path: &Path) -> Result<bool> {
    format_of(path).map(|format| format.is_some())
}

/// Returns the kinds of the transforms in a file, such as `AffineTransform`, in the order of
/// [`read_itk_transforms`]. Does not read the parameters of large transforms.
pub fn itk_transform_kinds(path: &Path) -> Result<Vec<String>> {
    match known_format_of(path)? {
        Format::Hdf5 => transform::in_order(path, Hdf5Transforms::open(path)?.kinds()?, |kind| kind),
        Format::Text | Format::Matlab => {
            Ok(read_itk_transforms(path)?.into_iter().map(|transform| transform.kind).collect())
        }
    }
}

/// Reads the transforms of a file. Returns them in the order in which they are applied to points. Instead of
/// a composite transform, the transforms of which it consists are returned.
///
/// Returns an error if the file is damaged, if a transform is two-dimensional, or if a parameter is not a
/// finite number.
pub fn read_itk_transforms(path: &Path) -> Result<Vec<ItkTransform>> {
    let written = match known_format_of(path)? {
        Format::Text => text::read(path)?,
        Format::Matlab => matlab::read(path)?,
        Format::Hdf5 => Hdf5Transforms::open(path)?.read()?,
    };
    let transforms = transform::in_order(path, written, |transform| &transform.kind)?;
    for ItkTransform { kind, parameters, fixed } in &transforms {
        if parameters.iter().chain(fixed).any(|value| !value.is_finite()) {
            let problem = format!("the transform of type {kind} has values that are not numbers");
            return Err(Error::invalid(path.display(), problem, "write the transform again"));
        }
    }
    Ok(transforms)
}
