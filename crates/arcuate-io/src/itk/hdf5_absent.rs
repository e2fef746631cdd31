//! Replaces the reader of HDF5 files if the crate is compiled without the feature `itk`.

use super::transform::ItkTransform;
use arcuate_core::{Error, Result};
use std::path::Path;

/// The type has no values, because HDF5 files cannot be opened.
pub(super) enum Hdf5Transforms {}

impl Hdf5Transforms {
    /// Returns an error that names the feature.
    pub(super) fn open(path: &Path) -> Result<Self> {
        Err(Error::without_feature(path.display(), "itk"))
    }

    pub(super) fn kinds(&self) -> Result<Vec<String>> {
        match *self {}
    }

    pub(super) fn read(&self) -> Result<Vec<ItkTransform>> {
        match *self {}
    }
}
