//! Writing a `.trk` file.

use super::NamedValues;
use super::header::{COUNT_AT, encode, fits};
use crate::AtomicFile;
use arcuate_core::{
    Affine, Column, Error, Grid, Point, Result, Scalars, StreamlineBatch, StreamlineSink, Tractogram,
    printable,
};
use std::collections::BTreeMap;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// Writes a `.trk` file batch by batch.
#[derive(Debug)]
pub(crate) struct TrkWriter {
    file: AtomicFile,
    from_ras_mm: Affine,
    streamlines: u64,
    bytes: Vec<u8>,
}

impl TrkWriter {
    /// A file of positions alone.
    pub(crate) fn create(path: &Path, grid: &Grid) -> Result<Self> {
        Self::with_values(path, grid, &[], &[])
    }

    fn with_values(
        path: &Path,
        grid: &Grid,
        scalars: &[NamedValues],
        properties: &[NamedValues],
    ) -> Result<Self> {
        let (header, from_ras_mm) = encode(path, grid, scalars, properties)?;
        let mut file = AtomicFile::create(path)?;
        file.write_all(&header).map_err(|e| Error::write(path, e))?;
        Ok(Self { file, from_ras_mm, streamlines: 0, bytes: Vec::new() })
    }

    /// Writes a whole tractogram with the values that the format has room for, and warns of the others.
    pub(crate) fn write(path: &Path, tractogram: &Tractogram, grid: &Grid) -> Result<()> {
        let mut dropped = Vec::new();
        let scalars = choose("per-point data", &tractogram.per_point, &mut dropped);
        let properties = choose("per-streamline data", &tractogram.per_streamline, &mut dropped);
        dropped.extend(tractogram.groups.keys().map(|name| format!("group `{name}`")));
        if !dropped.is_empty() {
            warn_of_dropped(path, &dropped);
        }
        let named = |columns: &[(&String, &Column)]| -> Vec<NamedValues> {
            columns.iter().map(|(name, column)| named_values(name, column)).collect()
        };
        let mut writer = Self::with_values(path, grid, &named(&scalars), &named(&properties))?;
        for (n, bounds) in tractogram.offsets().windows(2).enumerate() {
            writer.begin(bounds[1] - bounds[0])?;
            for row in bounds[0] as usize..bounds[1] as usize {
                writer.point(tractogram.positions()[row]);
                writer.values(&scalars, row);
            }
            writer.values(&properties, n);
            writer.end()?;
        }
        writer.finish()
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        let path = self.file.path().to_owned();
        let count = i32::try_from(self.streamlines).map_err(|_| {
            let problem = format!("{} streamlines are more than .trk can count", self.streamlines);
            Error::usage(path.display(), problem, "write .tck or .trx")
        })?;
        self.file
            .seek(SeekFrom::Start(COUNT_AT))
            .and_then(|_| self.file.write_all(&count.to_le_bytes()))
            .map_err(|e| Error::write(&path, e))?;
        self.file.finish()
    }

    fn begin(&mut self, points: u64) -> Result<()> {
        let count = i32::try_from(points).map_err(|_| {
            let problem = format!("streamline {} has too many points for .trk", self.streamlines);
            Error::usage(self.file.path().display(), problem, "write .tck or .trx")
        })?;
        self.bytes.clear();
        self.bytes.extend_from_slice(&count.to_le_bytes());
        Ok(())
    }

    fn point(&mut self, point: Point) {
        for value in self.from_ras_mm.apply(point.map(f64::from)) {
            self.bytes.extend_from_slice(&(value as f32).to_le_bytes());
        }
    }

    fn values(&mut self, columns: &[(&String, &Column)], row: usize) {
        for (_, column) in columns {
            for place in row * column.width()..(row + 1) * column.width() {
                self.bytes.extend_from_slice(&single(column.values(), place).to_le_bytes());
            }
        }
    }

    fn end(&mut self) -> Result<()> {
        self.streamlines += 1;
        self.file.write_all(&self.bytes).map_err(|e| Error::write(self.file.path(), e))
    }
}

impl StreamlineSink for TrkWriter {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        for streamline in batch.iter() {
            self.begin(streamline.len() as u64)?;
            for &point in streamline {
                self.point(point);
            }
            self.end()?;
        }
        Ok(())
    }
}

/// Warns of data that do not fit a `.trk` file.
pub(crate) fn warn_of_dropped(path: &Path, names: &[String]) {
    tracing::warn!(
        "{}: .trk has no room for {}; dropped (write .trx to keep everything)",
        path.display(),
        printable(&names.join(", "), 500)
    );
}

fn named_values(name: &str, column: &Column) -> NamedValues {
    NamedValues { name: name.to_owned(), width: column.width() }
}

/// The columns for which the header has room; the names of the others go to `dropped`.
fn choose<'a>(
    what: &str,
    columns: &'a BTreeMap<String, Column>,
    dropped: &mut Vec<String>,
) -> Vec<(&'a String, &'a Column)> {
    let (mut kept, mut names) = (Vec::new(), Vec::new());
    for (name, column) in columns {
        let named = named_values(name, column);
        if fits(&named, &names) {
            names.push(named);
            kept.push((name, column));
        } else {
            dropped.push(format!("{what} `{name}`"));
        }
    }
    kept
}

/// One number in single precision.
fn single(scalars: &Scalars, place: usize) -> f32 {
    match scalars {
        Scalars::I8(v) => f32::from(v[place]),
        Scalars::U8(v) => f32::from(v[place]),
        Scalars::I16(v) => f32::from(v[place]),
        Scalars::U16(v) => f32::from(v[place]),
        Scalars::I32(v) => v[place] as f32,
        Scalars::U32(v) => v[place] as f32,
        Scalars::I64(v) => v[place] as f32,
        Scalars::U64(v) => v[place] as f32,
        Scalars::F16(v) => v[place].to_f32(),
        Scalars::F32(v) => v[place],
        Scalars::F64(v) => v[place] as f32,
    }
}
