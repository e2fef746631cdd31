//! Writes connectivity matrices row by row while they are computed. Data that must wait until the matrix is
//! complete are kept in temporary files instead of memory.

use super::axis::axis_tsv;
use super::dot::dot_coordinates;
use super::sparse::{npz_files, symmetry};
use crate::cifti::{CiftiAxis, CiftiWriter};
use crate::npy::NpzWriter;
use crate::spool::Spool;
use crate::{AtomicFile, finish_together};
use arcuate_core::{Axis, BrainModels, Error, MatrixRowSink, Measure, Result, narrow};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The files of a matrix that is written row by row. The files appear under their names when the matrix is
/// complete.
pub trait MatrixRowFiles: MatrixRowSink {
    /// Completes the files and renames them to their final names.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Writes a matrix as SciPy's compressed sparse rows, row by row. The files have the same bytes as those of
/// [`write_matrix_npz`](crate::write_matrix_npz). Until the matrix is complete, column indices and values are
/// kept in temporary files in the folder of the result. Each entry takes 4 bytes for its column index and 8
/// bytes for each measure. Memory holds 8 bytes for each row.
#[derive(Debug)]
pub struct NpzRows {
    files: Vec<PathBuf>,
    rows: Axis,
    columns: Option<Axis>,
    offsets: Vec<u64>,
    entries: Spool,
    values: Vec<Spool>,
}

impl NpzRows {
    /// Starts to write a matrix. `columns` is `None` for a symmetric matrix, whose rows must include the
    /// entries below the diagonal. Returns an error if the name of a measure cannot be a part of a file name.
    pub fn create(out: &Path, rows: Axis, columns: Option<Axis>, measures: &[Measure]) -> Result<Self> {
        let files = npz_files(out, measures, rows.kind(), columns.as_ref().map(Axis::kind))?;
        let values = measures.iter().map(|_| Spool::new(out)).collect();
        Ok(Self { files, rows, columns, offsets: vec![0], entries: Spool::new(out), values })
    }

    /// Writes the file of one measure under a temporary name. The caller renames it.
    fn write_one(&mut self, measure: usize) -> Result<AtomicFile> {
        let Self { files, rows, columns, offsets, entries, values } = self;
        let shape = [rows.len(), columns.as_ref().unwrap_or(rows).len()];
        let count = offsets.last().map_or(0, |&count| count as usize);
        let mut archive = NpzWriter::create(&files[measure])?;
        if i32::try_from(count.max(shape[0]).max(shape[1])).is_ok() {
            archive.begin_numbers::<i32>("indices", count)?;
            // Column indices are below 2³¹, so their bytes are the same as signed and as unsigned integers.
            entries.pass(|bytes| archive.write(bytes))?;
            archive.numbers("indptr", offsets.iter().map(|&offset| narrow::<i32>(offset)))?;
        } else {
            archive.begin_numbers::<i64>("indices", count)?;
            let mut wide = Vec::new();
            entries.pass(|bytes| {
                wide.clear();
                for &column in bytes.as_chunks::<4>().0 {
                    wide.extend(i64::from(u32::from_le_bytes(column)).to_le_bytes());
                }
                archive.write(&wide)
            })?;
            archive.numbers("indptr", offsets.iter().map(|&offset| offset as i64))?;
        }
        archive.word("format", "csr")?;
        archive.numbers("shape", shape.into_iter().map(|n| n as i64))?;
        archive.begin_numbers::<f64>("data", count)?;
        values[measure].pass(|bytes| archive.write(bytes))?;
        archive.word("symmetry", symmetry(columns.is_none()))?;
        archive.complete()
    }
}

impl MatrixRowSink for NpzRows {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        let before = self.offsets.last().copied().unwrap_or(0);
        self.offsets.resize(row + 1, before);
        self.offsets.push(before + columns.len() as u64);
        let bytes: Vec<u8> = columns.iter().flat_map(|column| column.to_le_bytes()).collect();
        self.entries.write(&bytes)?;
        for (spool, values) in self.values.iter_mut().zip(values) {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            spool.write(&bytes)?;
        }
        Ok(())
    }
}

impl MatrixRowFiles for NpzRows {
    fn finish(mut self: Box<Self>) -> Result<()> {
        let end = self.offsets.last().copied().unwrap_or(0);
        self.offsets.resize(self.rows.len() + 1, end);
        let mut complete = Vec::new();
        for measure in 0..self.values.len() {
            complete.push(self.write_one(measure)?);
        }
        let axes = std::iter::once(&self.rows).chain(&self.columns);
        for (path, axis) in self.files[self.values.len()..].iter().zip(axes) {
            complete.push(axis_tsv(path, axis)?);
        }
        finish_together(complete)
    }
}

/// Writes a matrix in FSL's text format, row by row. The files are like those of
/// [`write_dot`](crate::write_dot), but their lines are ordered by row, as in FSL's tracking program for
/// GPUs. Each measure has one file, and files in the same folder have the coordinates of rows and columns.
#[derive(Debug)]
pub struct DotRows {
    paths: Vec<PathBuf>,
    rows: Axis,
    columns: Option<Axis>,
    files: Vec<AtomicFile>,
}

impl DotRows {
    /// Starts to write a matrix; `paths` has one file path for each measure. `columns` is `None` if the
    /// columns represent the same elements as the rows. The rows of a symmetric matrix must include the
    /// entries below the diagonal.
    pub fn create(paths: Vec<PathBuf>, rows: Axis, columns: Option<Axis>) -> Result<Self> {
        let files = paths.iter().map(|path| AtomicFile::create(path)).collect::<Result<_>>()?;
        Ok(Self { paths, rows, columns, files })
    }
}

impl MatrixRowSink for DotRows {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        for (file, values) in self.files.iter_mut().zip(values) {
            for (column, value) in columns.iter().zip(values).filter(|(_, value)| **value != 0.0) {
                let written = writeln!(file, "{}  {}  {value}", row + 1, u64::from(*column) + 1);
                written.map_err(|e| Error::write(file.path(), e))?;
            }
        }
        Ok(())
    }
}

impl MatrixRowFiles for DotRows {
    fn finish(self: Box<Self>) -> Result<()> {
        let Self { paths, rows, columns, files } = *self;
        let mut complete = Vec::new();
        let width = columns.as_ref().unwrap_or(&rows).len();
        for (path, mut file) in paths.iter().zip(files) {
            writeln!(file, "{}  {width}  0", rows.len()).map_err(|e| Error::write(path, e))?;
            complete.push(file);
            complete.extend(dot_coordinates(path, &rows, columns.as_ref())?);
        }
        finish_together(complete)
    }
}

/// Writes a dense CIFTI-2 matrix row by row, with 4 bytes for every element. Each measure has one file.
#[derive(Debug)]
pub struct DconnRows {
    files: Vec<CiftiWriter>,
    rows: usize,
    /// Number of rows that have been written.
    written: usize,
    row: Vec<f32>,
}

impl DconnRows {
    /// Starts to write a matrix; `paths` has one file path for each measure. Returns an error if a name does
    /// not end in `.dconn.nii`.
    pub fn create(paths: &[PathBuf], rows: &BrainModels, columns: &BrainModels) -> Result<Self> {
        let [height, width] = [rows, columns].map(BrainModels::len);
        let [rows, columns] = [rows, columns].map(|models| CiftiAxis::BrainModels(models.clone()));
        let create = |path: &PathBuf| CiftiWriter::create(path, &rows, &columns);
        let files = paths.iter().map(create).collect::<Result<_>>()?;
        Ok(Self { files, rows: height, written: 0, row: vec![0.0; width] })
    }

    /// Writes empty rows up to row `row`.
    fn skip_to(&mut self, row: usize) -> Result<()> {
        self.row.fill(0.0);
        while self.written < row {
            self.files.iter_mut().try_for_each(|file| file.write_row(&self.row))?;
            self.written += 1;
        }
        Ok(())
    }
}

impl MatrixRowSink for DconnRows {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        self.skip_to(row)?;
        for (file, values) in self.files.iter_mut().zip(values) {
            self.row.fill(0.0);
            for (&column, &value) in columns.iter().zip(values) {
                self.row[column as usize] = value as f32;
            }
            file.write_row(&self.row)?;
        }
        self.written += 1;
        Ok(())
    }
}

impl MatrixRowFiles for DconnRows {
    fn finish(mut self: Box<Self>) -> Result<()> {
        self.skip_to(self.rows)?;
        self.files.into_iter().try_for_each(CiftiWriter::finish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{read_dot, read_matrix, write_matrix_npz};
    use arcuate_core::{
        BrainElements, BrainModel, ConnectivityMatrix, ElementKind, SparsePattern, Structure,
    };

    fn axis(kind: ElementKind, n: u64, names: bool) -> Axis {
        let names = if names { (0..n).map(|n| format!("{n} 2 3 0 {n}")).collect() } else { Vec::new() };
        Axis::new(kind, (0..n).map(|n| 3 * n).collect(), names).unwrap()
    }

    /// Creates a matrix that has rows without entries at its beginning, inside and at its end. It has more
    /// entries than the writer keeps in memory.
    fn matrix(columns: Option<Axis>) -> ConnectivityMatrix {
        let (rows, width) = (axis(ElementKind::Voxel, 600, true), 600);
        let (mut offsets, mut entries) = (vec![0], Vec::new());
        for row in 0..600 {
            let first = if columns.is_some() { 0 } else { row };
            if row % 7 != 0 && row < 590 {
                entries.extend((first..width).filter(|column| (row * 31 + column * 17) % 5 < 3));
            }
            offsets.push(entries.len());
        }
        let counts: Vec<f64> = (0..entries.len()).map(|n| (n % 1000) as f64 + 1.0).collect();
        let lengths = counts.iter().map(|count| count / 3.0).collect();
        let values = vec![(Measure::Count, counts), (Measure::MeanLength, lengths)];
        let pattern = SparsePattern { offsets, columns: entries.into_iter().map(|c| c as u32).collect() };
        ConnectivityMatrix::sparse(rows, columns, pattern, values).unwrap()
    }

    #[test]
    fn writing_by_rows_gives_the_same_files() {
        for columns in [None, Some(axis(ElementKind::Vertex, 600, true))] {
            let matrix = matrix(columns.clone());
            let measures: Vec<Measure> = matrix.measures().cloned().collect();
            let [whole, rows] = [(); 2].map(|()| tempfile::tempdir().unwrap());
            write_matrix_npz(&whole.path().join("a.npz"), &matrix).unwrap();
            let of_rows = matrix.rows().clone();
            let out = rows.path().join("a.npz");
            let mut npz = NpzRows::create(&out, of_rows.clone(), columns.clone(), &measures).unwrap();
            matrix.pass_rows(&mut npz).unwrap();
            assert_eq!(std::fs::read_dir(rows.path()).unwrap().count(), 0);
            Box::new(npz).finish().unwrap();
            let files = npz_files(&out, &measures, ElementKind::Voxel, columns.as_ref().map(Axis::kind));
            for file in files.unwrap() {
                let name = file.file_name().unwrap();
                assert_eq!(std::fs::read(&file).unwrap(), std::fs::read(whole.path().join(name)).unwrap());
            }
            let paths = vec![rows.path().join("a_counts.dot"), rows.path().join("a_lengths.dot")];
            let mut dot = DotRows::create(paths.clone(), of_rows, columns).unwrap();
            matrix.pass_rows(&mut dot).unwrap();
            Box::new(dot).finish().unwrap();
            for (path, measure) in paths.iter().zip(&measures) {
                let read = read_dot(path, measure.clone()).unwrap();
                assert_eq!(read.shape(), [600, 600]);
                assert_eq!(
                    (read.rows().name(4), read.columns().name(5)),
                    (Some("4 2 3 0 4"), Some("5 2 3 0 5"))
                );
                for (row, column) in [(0, 0), (1, 2), (2, 1), (300, 299), (589, 588), (599, 0)] {
                    assert_eq!(read.get(measure, row, column), matrix.get(measure, row, column));
                }
            }
        }
    }

    #[test]
    fn cifti_files_contain_every_entry() {
        let folder = tempfile::tempdir().unwrap();
        let elements = BrainElements::Vertices { surface: 9, numbers: vec![1, 2, 5, 8] };
        let model = BrainModel { structure: Structure::CORTEX_LEFT, elements };
        let models = BrainModels::new(vec![model], None).unwrap();
        let path = folder.path().join("a_counts.dconn.nii");
        let mut rows = DconnRows::create(std::slice::from_ref(&path), &models, &models).unwrap();
        rows.take_row(1, &[0, 3], &[vec![5.0, 7.0]]).unwrap();
        Box::new(rows).finish().unwrap();
        let read = read_matrix(&path).unwrap();
        let row = |row| [0, 1, 2, 3].map(|column| read.get(&Measure::Count, row, column).unwrap());
        assert_eq!([0, 1, 2, 3].map(row), [[0.0; 4], [5.0, 0.0, 0.0, 7.0], [0.0; 4], [0.0; 4]]);
        assert!(DconnRows::create(&[folder.path().join("a.npz")], &models, &models).is_err());
    }
}
