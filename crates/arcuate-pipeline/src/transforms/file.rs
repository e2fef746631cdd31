//! Transforms as they are named.

use arcuate_core::{Error, Result, is_present};
use std::path::{Path, PathBuf};

/// A file of a transform, or the inverse of what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransformFile {
    /// The file.
    pub path: PathBuf,
    /// Whether its inverse is meant: of matrices of ITK alone.
    pub inverted: bool,
}

/// What follows the name of a file whose inverse is meant.
const INVERSE: &str = ":inverse";

impl TransformFile {
    /// As it is written: `FILE`, or `FILE:inverse`. A file that is called so is taken as it is.
    ///
    /// Fails for ANTs' `[FILE,1]`, which commas take apart.
    pub fn of(written: &Path) -> Result<Self> {
        let whole = Self { path: written.to_owned(), inverted: false };
        let Some(text) = written.to_str().filter(|_| !is_present(written)) else { return Ok(whole) };
        if text.starts_with('[') {
            let problem = "what ANTs writes as `[FILE,1]` is written `FILE:inverse` here";
            return Err(Error::usage(written.display(), problem, "write it so"));
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
    fn inverses_follow_the_name() {
        let of = |written: &str| TransformFile::of(Path::new(written)).map(|file| (file.path, file.inverted));
        assert_eq!(
            of("a/0GenericAffine.mat:inverse").unwrap(),
            (PathBuf::from("a/0GenericAffine.mat"), true)
        );
        assert_eq!(of("0GenericAffine.mat").unwrap(), (PathBuf::from("0GenericAffine.mat"), false));
        assert_eq!(of("C:/x.mat").unwrap(), (PathBuf::from("C:/x.mat"), false));
        assert!(of("[a.mat").unwrap_err().problem().contains("`FILE:inverse`"));
        // What is called so is no inverse.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a:inverse");
        std::fs::write(&path, "").unwrap();
        assert!(!TransformFile::of(&path).unwrap().inverted);
    }
}
