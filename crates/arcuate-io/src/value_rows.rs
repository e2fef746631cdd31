//! Writes the values of streamlines as text with one line per streamline, as MRtrix's `tcksample` does.

use crate::AtomicFile;
use crate::endings::has_ending;
use arcuate_core::{Error, Result};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes rows of numbers to a text file, one line per row; a row may be empty. Each number has the fewest
/// digits from which the same `f32` is read. NaN is written as `NaN`.
///
/// The file appears under its name when [`finish`](Self::finish) returns. If the writer is dropped before
/// that, no file remains.
#[derive(Debug)]
pub struct ValueRows {
    path: PathBuf,
    file: AtomicFile,
    separator: char,
}

impl ValueRows {
    /// Creates a text file. If its name ends in `.csv`, commas separate the numbers of a row. If not, spaces
    /// separate them.
    pub fn create(path: &Path) -> Result<Self> {
        let separator = if has_ending(path, &[".csv"]) { ',' } else { ' ' };
        Ok(Self { path: path.to_owned(), file: AtomicFile::create(path)?, separator })
    }

    /// Writes one row of numbers.
    pub fn row(&mut self, values: &[f32]) -> Result<()> {
        let mut write = || -> std::io::Result<()> {
            for (n, value) in values.iter().enumerate() {
                if n > 0 {
                    write!(self.file, "{}", self.separator)?;
                }
                write!(self.file, "{value}")?;
            }
            writeln!(self.file)
        };
        write().map_err(|e| Error::write(&self.path, e))
    }

    /// Completes the file and renames it to its final name.
    pub fn finish(self) -> Result<()> {
        self.file.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_a_line_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        for (name, expected) in [("v.txt", "0.1 -3 NaN\n\n1e-20\n"), ("v.CSV", "0.1,-3,NaN\n\n1e-20\n")] {
            let path = folder.path().join(name);
            let mut rows = ValueRows::create(&path).unwrap();
            for row in [&[0.1, -3.0, f32::NAN][..], &[], &[1e-20]] {
                rows.row(row).unwrap();
            }
            assert!(!path.exists());
            rows.finish().unwrap();
            let text = std::fs::read_to_string(&path).unwrap().replace("0.00000000000000000001", "1e-20");
            assert_eq!(text, expected);
        }
    }
}
