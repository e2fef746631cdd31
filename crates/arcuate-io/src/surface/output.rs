//! The content of a surface file that is written.

use super::file::{SurfaceFile, SurfaceReading};
use super::kind::SurfaceKind;
use arcuate_core::{Error, Surface};
use std::path::Path;

/// A surface file that is written.
pub(crate) struct SurfaceOutput<'a> {
    pub(super) path: &'a Path,
    /// The file from which the content comes.
    pub(super) from: &'a Path,
    pub(super) file: &'a SurfaceFile,
    /// The mesh in scanner coordinates.
    pub(super) surface: Option<Surface>,
    pub(super) reading: SurfaceReading<'a>,
}

impl SurfaceOutput<'_> {
    /// Returns the error that the format cannot store the content.
    pub(crate) fn refuse(&self, problem: &str) -> Error {
        Error::usage(
            self.path.display(),
            format!("{problem}, of {}", self.from.display()),
            "write GIFTI (.gii)",
        )
    }

    /// Returns the anatomical type of the surface, if the content or the file name states it.
    pub(super) fn kind(&self) -> Option<SurfaceKind> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        self.file.kind.or_else(|| SurfaceKind::of_name(&name))
    }
}
