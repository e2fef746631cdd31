//! Names of transform files.

use arcuate_core::{Error, Result, is_present};
use std::path::{Path, PathBuf};

/// A transform file, or its inverse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransformFile {
    /// Path of the file.
    pub path: PathBuf,
    /// True if the inverse of the transform in the file is used. Only ITK matrices can be inverted.
    pub inverted: bool,
}

/// Text after a file name that selects the inverse of the transform.
const INVERSE: &str = ":inverse";

impl TransformFile {
    /// Parses `FILE` or `FILE:inverse`. If a file exists whose name is the whole text, the whole text is the
    /// path.
    ///
    /// Returns an error for ANTs' syntax `[FILE,1]`.
    pub fn of(written: &Path) -> Result<Self> {
        let whole = Self { path: written.to_owned(), inverted: false };
        let Some(text) = written.to_str().filter(|_| !is_present(written)) else { return Ok(whole) };
        if text.starts_with('[') {
            let problem = "the syntax `[FILE,1]` of ANTs is not supported";
            return Err(Error::usage(written.display(), problem, "write FILE:inverse"));
        }
        Ok(match text.strip_suffix(INVERSE) {
            Some(file) => Self { path: file.into(), inverted: true },
            None => whole,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_markers_are_parsed_after_the_name() {
        let of = |written: &str| TransformFile::of(Path::new(written)).map(|file| (file.path, file.inverted));
        assert_eq!(
            of("a/0GenericAffine.mat:inverse").unwrap(),
            (PathBuf::from("a/0GenericAffine.mat"), true)
        );
        assert_eq!(of("0GenericAffine.mat").unwrap(), (PathBuf::from("0GenericAffine.mat"), false));
        assert_eq!(of("C:/x.mat").unwrap(), (PathBuf::from("C:/x.mat"), false));
        assert!(of("[a.mat").unwrap_err().to_string().contains("write FILE:inverse"));
        // A file whose own name ends in `:inverse` is used as it is, and not as an inverse.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a:inverse");
        std::fs::write(&path, "").unwrap();
        assert!(!TransformFile::of(&path).unwrap().inverted);
    }
}
