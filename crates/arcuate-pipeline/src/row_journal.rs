//! Journal: a file of the finished rows of a connectivity matrix. The file exists until the whole matrix is
//! finished. A command that continues after an interruption reads these rows and does not count them again.

use arcuate_core::{Error, MatrixRowSink, Result};
use arcuate_io::{JournalPosition, JournalReader, JournalWriter, SavedState, StateKind, open_file};
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Kind and version of the journal file.
const KIND: StateKind = StateKind { name: "matrix rows", version: 1 };

/// File of the finished rows of a matrix. All clones of this object write into the same file.
///
/// Each record of the file is a matrix row. It consists of little-endian numbers:
/// - the row number and the number of stored entries of the row (8 bytes each),
/// - the column number of each entry (4 bytes each),
/// - for each measure of the matrix, the value of each entry (8 bytes each).
#[derive(Debug, Clone)]
pub(crate) struct RowJournal {
    path: PathBuf,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    journal: JournalWriter<BufWriter<File>>,
    entries: u64,
}

/// Number of rows, of columns, and of measures (such as count and length) of the matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowShape {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) measures: usize,
}

impl RowJournal {
    /// Opens the file of finished rows at `path`. The rows before the file position `saved` are kept and
    /// passed to `sink`. If there is no saved position, the file starts empty. `remedy` is the advice to the
    /// user if the file is damaged.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written, was changed, or contains rows of a matrix of another
    /// shape.
    pub(crate) fn open(
        path: &Path,
        saved: Option<JournalPosition>,
        shape: RowShape,
        sink: &mut dyn MatrixRowSink,
        remedy: &str,
    ) -> Result<Self> {
        let write = |e| Error::write(path, e);
        let (journal, entries) = match saved {
            None => {
                let file = File::create(path).map_err(write)?;
                (JournalWriter::begin(BufWriter::new(file), KIND).map_err(write)?, 0)
            }
            Some(saved) => {
                let entries = Replay::of(path, Some(saved), remedy)?.pass(shape, sink)?;
                let mut file = OpenOptions::new().write(true).open(path).map_err(write)?;
                file.set_len(saved.bytes).map_err(write)?;
                file.seek(SeekFrom::Start(saved.bytes)).map_err(write)?;
                (JournalWriter::resume(BufWriter::new(file), saved), entries)
            }
        };
        let state = State { journal, entries };
        Ok(Self { path: path.to_owned(), state: Arc::new(Mutex::new(state)) })
    }

    /// Writes all rows to disk. Returns the position in the file after the last row.
    pub(crate) fn sync(&self) -> Result<JournalPosition> {
        let mut state = self.lock();
        let file = state.journal.writer();
        file.flush().and_then(|()| file.get_ref().sync_data()).map_err(|e| Error::write(&self.path, e))?;
        Ok(state.journal.position())
    }

    /// Marks the file as complete (it contains all rows of the matrix), and writes it to disk.
    pub(crate) fn finish(&self) -> Result<()> {
        self.lock().journal.finish().map_err(|e| Error::write(&self.path, e))?;
        self.sync().map(|_| ())
    }

    /// Returns the number of matrix entries that the file contained when it was opened.
    pub(crate) fn entries(&self) -> u64 {
        self.lock().entries
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MatrixRowSink for RowJournal {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        let mut bytes = Vec::with_capacity(16 + columns.len() * (4 + 8 * values.len()));
        for number in [row, columns.len()] {
            bytes.extend((number as u64).to_le_bytes());
        }
        bytes.extend(columns.iter().flat_map(|column| column.to_le_bytes()));
        bytes.extend(values.iter().flatten().flat_map(|value| value.to_le_bytes()));
        self.lock().journal.append(&bytes).map_err(|e| Error::write(&self.path, e))
    }
}

/// Passes all matrix rows of a complete file to `sink`. Returns the number of entries of these rows. `remedy`
/// is the advice to the user if the file is damaged.
///
/// # Errors
/// Returns an error if the file was changed, is not complete, or contains rows of a matrix of another shape.
pub(crate) fn replay(
    path: &Path,
    shape: RowShape,
    sink: &mut dyn MatrixRowSink,
    remedy: &str,
) -> Result<u64> {
    Replay::of(path, None, remedy)?.pass(shape, sink)
}

/// Reader of a file of finished matrix rows.
struct Replay<'a, R> {
    file: SavedState<'a>,
    reader: JournalReader<'a, R>,
}

impl<'a> Replay<'a, BufReader<File>> {
    fn of(path: &'a Path, until: Option<JournalPosition>, remedy: &'a str) -> Result<Self> {
        let file = SavedState { path, kind: KIND, remedy };
        let open = open_file(path).map_err(|error| file.damaged(error.problem()))?;
        let size = open.metadata().map_err(|e| Error::read(path, e))?.len();
        let reader = JournalReader::begin(file, BufReader::new(open), size, until)?;
        Ok(Self { file, reader })
    }
}

impl<R: Read> Replay<'_, R> {
    /// Passes all matrix rows of the file to `sink`. Returns the number of entries of these rows.
    fn pass(mut self, shape: RowShape, sink: &mut dyn MatrixRowSink) -> Result<u64> {
        let (mut next, mut entries, mut record) = (0, 0, Vec::new());
        while self.reader.next_into(&mut record)? {
            let Some((row, columns, values)) = row_of(&record, shape).filter(|(row, ..)| *row >= next) else {
                return Err(self.file.damaged("it holds rows of another matrix"));
            };
            sink.take_row(row, &columns, &values)?;
            next = row + 1;
            entries += columns.len() as u64;
        }
        Ok(entries)
    }
}

/// Converts a record of the file to a matrix row: its number, the column numbers of its entries, and the
/// values of each measure. Returns `None` if the record is not a row of a matrix of this shape.
fn row_of(record: &[u8], shape: RowShape) -> Option<(usize, Vec<u32>, Vec<Vec<f64>>)> {
    let (numbers, rest) = record.split_at_checked(16)?;
    let number = |at: usize| Some(u64::from_le_bytes(numbers[at..at + 8].try_into().ok()?));
    let (row, count) = (usize::try_from(number(0)?).ok()?, usize::try_from(number(8)?).ok()?);
    if row >= shape.rows || count > shape.columns || rest.len() != count * (4 + 8 * shape.measures) {
        return None;
    }
    let (columns, values) = rest.split_at(4 * count);
    let columns: Vec<u32> = columns.as_chunks().0.iter().map(|&b| u32::from_le_bytes(b)).collect();
    let ascends = columns.is_sorted_by(|a, b| a < b);
    if !ascends || columns.last().is_some_and(|&last| last as usize >= shape.columns) {
        return None;
    }
    let of_measure = |measure: usize| {
        let bytes = &values[8 * count * measure..][..8 * count];
        bytes.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b)).collect()
    };
    Some((row, columns, (0..shape.measures).map(of_measure).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default, PartialEq, Debug)]
    struct Rows(Vec<(usize, Vec<u32>, Vec<Vec<f64>>)>);

    impl Rows {
        fn numbers(&self) -> Vec<usize> {
            self.0.iter().map(|row| row.0).collect()
        }
    }

    impl MatrixRowSink for Rows {
        fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
            self.0.push((row, columns.to_vec(), values.to_vec()));
            Ok(())
        }
    }

    const SHAPE: RowShape = RowShape { rows: 9, columns: 7, measures: 2 };

    #[test]
    fn saved_rows_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("matrix.part");
        let open = |saved, shape, rows: &mut Rows| RowJournal::open(&path, saved, shape, rows, "delete it");
        let mut journal = open(None, SHAPE, &mut Rows::default()).unwrap();
        journal.take_row(1, &[0, 6], &[vec![1.0, 2.0], vec![0.5, 0.25]]).unwrap();
        journal.take_row(4, &[3], &[vec![7.0], vec![9.0]]).unwrap();
        let saved = journal.sync().unwrap();
        journal.take_row(5, &[1], &[vec![1.0], vec![1.0]]).unwrap();
        journal.sync().unwrap();
        drop(journal);
        let mut rows = Rows::default();
        let mut again = open(Some(saved), SHAPE, &mut rows).unwrap();
        assert_eq!(rows.0[0], (1, vec![0, 6], vec![vec![1.0, 2.0], vec![0.5, 0.25]]));
        assert_eq!((rows.0.len(), again.entries(), path.metadata().unwrap().len()), (2, 3, saved.bytes));
        again.take_row(8, &[2], &[vec![3.0], vec![4.0]]).unwrap();
        let saved = again.sync().unwrap();
        for shape in [
            RowShape { columns: 6, ..SHAPE },
            RowShape { rows: 8, ..SHAPE },
            RowShape { measures: 1, ..SHAPE },
        ] {
            let error = open(Some(saved), shape, &mut Rows::default()).unwrap_err().to_string();
            assert!(error.contains("matrix.part: it holds rows of another matrix; delete it"), "{error}");
        }
        let replayed = |rows: &mut Rows| replay(&path, SHAPE, rows, "delete it");
        assert!(replayed(&mut Rows::default()).is_err(), "it is not marked as complete");
        again.finish().unwrap();
        let mut rows = Rows::default();
        assert_eq!(replayed(&mut rows).unwrap(), 4);
        assert_eq!(rows.numbers(), [1, 4, 8]);
        let mut rows = Rows::default();
        open(Some(saved), SHAPE, &mut rows).unwrap();
        assert_eq!(rows.numbers(), [1, 4, 8]);
        std::fs::remove_file(&path).unwrap();
        let error = open(Some(saved), SHAPE, &mut rows).unwrap_err().to_string();
        assert!(error.contains("matrix.part: no such file; delete it") && !path.exists(), "{error}");
    }

    #[test]
    fn bit_changes_of_saved_rows_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("matrix.part");
        let mut journal = RowJournal::open(&path, None, SHAPE, &mut Rows::default(), "").unwrap();
        journal.take_row(1, &[0, 6], &[vec![1.0, 2.0], vec![0.5, 0.25]]).unwrap();
        journal.take_row(4, &[3], &[vec![7.0], vec![9.0]]).unwrap();
        let saved = journal.sync().unwrap();
        let whole = std::fs::read(&path).unwrap();
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, bytes).unwrap();
            let opened = RowJournal::open(&path, Some(saved), SHAPE, &mut Rows::default(), "delete it");
            assert!(opened.unwrap_err().to_string().ends_with("; delete it"), "bit {bit}");
        }
    }
}
