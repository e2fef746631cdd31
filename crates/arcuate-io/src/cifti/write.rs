use super::axis::CiftiAxis;
use super::read::CiftiFile;
use super::{WRITTEN_ENDINGS, header, text};
use crate::AtomicFile;
use crate::endings::has_ending;
use arcuate_core::{Error, Result};
use std::io::Write;
use std::path::Path;

/// For each of the [`WRITTEN_ENDINGS`]: the NIfTI intent of the file, the kind of its rows, and the kind of its
/// columns.
const KINDS: [((i32, &str), &str, &str); WRITTEN_ENDINGS.len()] = [
    ((3006, "ConnDenseScalar"), "BRAIN_MODELS", "SCALARS"),
    ((3007, "ConnDenseLabel"), "BRAIN_MODELS", "LABELS"),
    ((3001, "ConnDense"), "BRAIN_MODELS", "BRAIN_MODELS"),
    ((3003, "ConnParcels"), "PARCELS", "PARCELS"),
    ((3002, "ConnDenseSeries"), "BRAIN_MODELS", "SERIES"),
    ((3008, "ConnParcelScalr"), "PARCELS", "SCALARS"),
];

/// Writes a CIFTI-2 file of 32-bit floating-point numbers, row by row and in order. The file appears under
/// its name only when it is complete.
#[derive(Debug)]
pub struct CiftiWriter {
    file: AtomicFile,
    rows: usize,
    columns: usize,
    written: usize,
    bytes: Vec<u8>,
}

impl CiftiWriter {
    /// Creates a CIFTI-2 file. Returns an error if these kinds of rows and columns do not agree with the
    /// ending of the file name.
    pub fn create(path: &Path, rows: &CiftiAxis, columns: &CiftiAxis) -> Result<Self> {
        let words = (rows.word(), columns.word());
        let mut kinds = WRITTEN_ENDINGS.iter().zip(&KINDS);
        let kind = kinds.find(|(_, (_, rows, columns))| (*rows, *columns) == words);
        let Some((_, (intent, ..))) = kind.filter(|(ending, _)| has_ending(path, &[ending])) else {
            let problem = format!(
                "the ending of this file name does not fit a matrix with {} as rows and {} as columns",
                rows.describe(),
                columns.describe()
            );
            let fitting =
                kind.map_or(".dconn.nii, .pconn.nii, .dscalar.nii or .dlabel.nii", |(ending, _)| ending);
            return Err(Error::usage(
                path.display(),
                problem,
                format!("use a file name that ends in {fitting}"),
            ));
        };
        let (height, width) = (rows.len(), columns.len());
        if height == 0 || width == 0 {
            return Err(Error::invalid(path.display(), "the matrix has no values", "give rows and columns"));
        }
        let header = header::bytes_of(path, [height, width], *intent, &text::document(rows, columns))?;
        let mut file = AtomicFile::create(path)?;
        file.write_all(&header).map_err(|e| Error::write(path, e))?;
        Ok(Self { file, rows: height, columns: width, written: 0, bytes: Vec::new() })
    }

    /// Writes the next row.
    ///
    /// # Panics
    /// Panics if all rows have already been written, or if the length of `values` is not the number of
    /// columns.
    pub fn write_row(&mut self, values: &[f32]) -> Result<()> {
        assert!(
            self.written < self.rows && values.len() == self.columns,
            "a value for each column of each row"
        );
        self.bytes.clear();
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self.file.write_all(&self.bytes).map_err(|e| Error::write(self.file.path(), e))?;
        self.written += 1;
        Ok(())
    }

    /// Completes the file and renames it to its final name.
    ///
    /// # Panics
    /// Panics if not all rows of the matrix have been written.
    pub fn finish(self) -> Result<()> {
        assert_eq!(self.written, self.rows, "all rows");
        self.file.finish()
    }
}

/// Copies a CIFTI-2 file row by row, and converts its values to 32-bit little-endian floating-point numbers.
/// Returns an error for label numbers that this number type cannot represent.
pub fn convert_cifti(from: &Path, to: &Path) -> Result<()> {
    let source = CiftiFile::open(from)?;
    let mut target = CiftiWriter::create(to, source.rows(), source.columns())?;
    let width = source.columns().len();
    let (mut row, mut rounded) = (vec![0.0; width], vec![0.0; width]);
    let is_labels = matches!(source.columns(), CiftiAxis::Labels(_));
    for n in 0..source.rows().len() {
        source.read_row(n, &mut row)?;
        for (rounded, value) in rounded.iter_mut().zip(&row) {
            *rounded = *value as f32;
            if is_labels && f64::from(*rounded) != *value {
                let problem = format!(
                    "label {value} cannot be stored exactly as a 32-bit floating-point \
                                       number"
                );
                return Err(Error::invalid(from.display(), problem, "give labels below 2²⁴"));
            }
        }
        target.write_row(&rounded)?;
    }
    target.finish()
}
