//! Rows of a matrix that are done, kept in a file until the whole is: what was interrupted need not count them again.

use arcuate_core::{Error, MatrixRowSink, Result};
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The file. Clones write into the same.
///
/// A row is its number and how many entries it has (8 bytes each, like all numbers little-endian), their columns (4 bytes each)
/// and of each measure their values (8 bytes each).
#[derive(Debug, Clone)]
pub(crate) struct RowJournal {
    path: PathBuf,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    file: BufWriter<File>,
    bytes: u64,
    entries: u64,
}

/// The shape of the matrix, and how many measures it has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowShape {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) measures: usize,
}

impl RowJournal {
    /// The file `path`, of which the first `bytes` are kept; their rows go to `sink`.
    ///
    /// Fails where it cannot be written, and where it has fewer bytes or something else than rows of this shape.
    pub(crate) fn open(
        path: &Path,
        bytes: u64,
        shape: RowShape,
        sink: &mut dyn MatrixRowSink,
    ) -> Result<Self> {
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = options.map_err(|e| Error::write(path, e))?;
        let length = file.metadata().map_err(|e| Error::read(path, e))?.len();
        if length < bytes {
            return Err(damaged(path));
        }
        let entries = Replay { path, left: bytes, reader: BufReader::new((&mut file).take(bytes)) }
            .pass(shape, sink)?;
        file.set_len(bytes).map_err(|e| Error::write(path, e))?;
        file.seek(SeekFrom::Start(bytes)).map_err(|e| Error::write(path, e))?;
        let state = State { file: BufWriter::new(file), bytes, entries };
        Ok(Self { path: path.to_owned(), state: Arc::new(Mutex::new(state)) })
    }

    /// Brings all that was written to the disk; answers how many bytes there are.
    pub(crate) fn sync(&self) -> Result<u64> {
        let mut state = self.lock();
        let written = state.file.flush().and_then(|()| state.file.get_ref().sync_data());
        written.map_err(|e| Error::write(&self.path, e))?;
        Ok(state.bytes)
    }

    /// Entries that were there when it was opened.
    pub(crate) fn entries(&self) -> u64 {
        self.lock().entries
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MatrixRowSink for RowJournal {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        let mut state = self.lock();
        let mut bytes = Vec::with_capacity(16 + columns.len() * (4 + 8 * values.len()));
        for number in [row, columns.len()] {
            bytes.extend((number as u64).to_le_bytes());
        }
        bytes.extend(columns.iter().flat_map(|column| column.to_le_bytes()));
        bytes.extend(values.iter().flatten().flat_map(|value| value.to_le_bytes()));
        state.file.write_all(&bytes).map_err(|e| Error::write(&self.path, e))?;
        state.bytes += bytes.len() as u64;
        Ok(())
    }
}

fn damaged(path: &Path) -> Error {
    let problem = "it does not hold the rows that were counted";
    Error::invalid(
        path.display(),
        problem,
        "remove the files in its folder whose names end in .part, and begin again",
    )
}

/// Passes on all rows that a file has; answers how many entries these have.
///
/// Fails where it has something else than rows of this shape.
pub(crate) fn replay(path: &Path, shape: RowShape, sink: &mut dyn MatrixRowSink) -> Result<u64> {
    let file = File::open(path).map_err(|e| Error::read(path, e))?;
    let left = file.metadata().map_err(|e| Error::read(path, e))?.len();
    Replay { path, left, reader: BufReader::new(file) }.pass(shape, sink)
}

/// Rows on their way back.
struct Replay<'a, R> {
    path: &'a Path,
    left: u64,
    reader: R,
}

impl<R: Read> Replay<'_, R> {
    /// Answers how many entries there are.
    fn pass(mut self, shape: RowShape, sink: &mut dyn MatrixRowSink) -> Result<u64> {
        let (mut next, mut entries) = (0, 0);
        while self.left > 0 {
            let [row, count] = [self.number()?, self.number()?];
            let fits = row >= next && row < shape.rows as u64 && count <= shape.columns as u64;
            if !fits {
                return Err(damaged(self.path));
            }
            let count = count as usize;
            let columns: Vec<u32> =
                self.bytes(count, 4)?.as_chunks().0.iter().map(|&b| u32::from_le_bytes(b)).collect();
            let ascends = columns.is_sorted_by(|a, b| a < b);
            if !ascends || columns.last().is_some_and(|&last| last as usize >= shape.columns) {
                return Err(damaged(self.path));
            }
            let mut values = Vec::with_capacity(shape.measures);
            for _ in 0..shape.measures {
                let bytes = self.bytes(count, 8)?;
                values.push(bytes.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b)).collect());
            }
            sink.take_row(row as usize, &columns, &values)?;
            next = row + 1;
            entries += count as u64;
        }
        Ok(entries)
    }

    fn number(&mut self) -> Result<u64> {
        let bytes = self.bytes(1, 8)?;
        Ok(bytes.as_chunks().0.first().map_or(0, |&bytes| u64::from_le_bytes(bytes)))
    }

    /// So many numbers of so many bytes.
    fn bytes(&mut self, count: usize, size: usize) -> Result<Vec<u8>> {
        let wanted = (count as u64).saturating_mul(size as u64);
        if wanted > self.left {
            return Err(damaged(self.path));
        }
        self.left -= wanted;
        let mut bytes = vec![0; wanted as usize];
        self.reader.read_exact(&mut bytes).map_err(|e| Error::read(self.path, e))?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default, PartialEq, Debug)]
    struct Rows(Vec<(usize, Vec<u32>, Vec<Vec<f64>>)>);

    impl MatrixRowSink for Rows {
        fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
            self.0.push((row, columns.to_vec(), values.to_vec()));
            Ok(())
        }
    }

    const SHAPE: RowShape = RowShape { rows: 9, columns: 7, measures: 2 };

    #[test]
    fn rows_come_back_as_far_as_they_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("matrix.part");
        let mut journal = RowJournal::open(&path, 0, SHAPE, &mut Rows::default()).unwrap();
        journal.take_row(1, &[0, 6], &[vec![1.0, 2.0], vec![0.5, 0.25]]).unwrap();
        journal.take_row(4, &[3], &[vec![7.0], vec![9.0]]).unwrap();
        let kept = journal.sync().unwrap();
        journal.take_row(5, &[1], &[vec![1.0], vec![1.0]]).unwrap();
        journal.sync().unwrap();
        drop(journal);
        let mut rows = Rows::default();
        let mut again = RowJournal::open(&path, kept, SHAPE, &mut rows).unwrap();
        assert_eq!(rows.0.len(), 2);
        assert_eq!(rows.0[0], (1, vec![0, 6], vec![vec![1.0, 2.0], vec![0.5, 0.25]]));
        assert_eq!((again.entries(), path.metadata().unwrap().len()), (3, kept));
        again.take_row(8, &[2], &[vec![3.0], vec![4.0]]).unwrap();
        let kept = again.sync().unwrap();
        drop(again);
        let mut rows = Rows::default();
        assert_eq!(replay(&path, SHAPE, &mut rows).unwrap(), 4);
        assert_eq!(rows.0.iter().map(|row| row.0).collect::<Vec<_>>(), [1, 4, 8]);
        assert!(replay(&path, RowShape { rows: 8, ..SHAPE }, &mut rows).is_err());
        let mut rows = Rows::default();
        RowJournal::open(&path, kept, SHAPE, &mut rows).unwrap();
        assert_eq!(rows.0.iter().map(|row| row.0).collect::<Vec<_>>(), [1, 4, 8]);
        // What cannot be rows of this matrix is refused.
        for (bytes, shape) in [
            (kept + 1, SHAPE),
            (kept - 1, SHAPE),
            (kept, RowShape { columns: 6, ..SHAPE }),
            (kept, RowShape { rows: 8, ..SHAPE }),
            (kept, RowShape { measures: 1, ..SHAPE }),
        ] {
            assert!(
                RowJournal::open(&path, bytes, shape, &mut Rows::default()).is_err(),
                "{bytes} {shape:?}"
            );
        }
    }
}
