//! Functions that all tests of tractogram files share.

use arcuate_core::{Affine, Grid, Result, StreamlineBatch, StreamlineSink, Tractogram};
use arcuate_io::{read_tractogram, stream_tractogram};
use std::path::{Path, PathBuf};

pub(crate) fn grid() -> Grid {
    Grid::new([10, 12, 14], Affine::scaling([2.0, 3.0, 4.0], [-9.0, -15.0, -20.0])).unwrap()
}

pub(crate) fn two() -> Tractogram {
    let mut t = Tractogram::new();
    t.push(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    t.push(&[[7.0, 8.0, 9.0], [1.5, 2.5, 3.5], [0.0, 1.0, 2.0]]);
    t
}

pub(crate) struct Nowhere;
impl StreamlineSink for Nowhere {
    fn take(&mut self, _: StreamlineBatch<'_>) -> Result<()> {
        Ok(())
    }
}

/// A temporary folder for the files of one test.
pub(crate) struct Folder(pub(crate) tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Returns the error of reading a tractogram, without the folder. The error must have one line, and must be
/// the same if the file is streamed. Streaming does not read groups, so their errors are not compared.
pub(crate) fn message(path: &Path) -> String {
    let message = read_tractogram(path).expect_err("reading should fail").to_string();
    if !message.contains("group") {
        assert_eq!(stream_tractogram(path, &mut Nowhere).unwrap_err().to_string(), message);
    }
    assert_eq!(message.lines().count(), 1);
    message.replace(&format!("{}/", path.parent().unwrap().display()), "")
}
