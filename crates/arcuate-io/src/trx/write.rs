//! Writes TRX files (`.trx`).

use super::header::{Header, check_grid};
use super::names::{DataName, ScalarType, in_parts, safe, write_numbers};
use crate::atomic_folder::AtomicFolder;
use crate::spool::Spool;
use crate::tractogram_types::{PositionType, TractogramOptions, TractogramOutput, TrxLayout, required_grid};
use crate::zip_target::{ZipFile, failed};
use arcuate_core::{
    Column, ColumnRows, Error, Grid, Result, StreamlineBatch, StreamlineGroups, StreamlineSink, narrow,
};
use half::f16;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use zip::{CompressionMethod, ZipArchive, write::SimpleFileOptions};

/// Size in bytes above which an entry is written with the 64-bit fields of the zip format. It is somewhat
/// below 4 GiB, so that headers and names still fit.
const LARGE_ENTRY: u64 = (1 << 32) - (1 << 26);

/// Writes a `.trx` tractogram batch by batch. The positions of points are written directly to their entry.
/// All other data are kept in temporary files until the end.
#[derive(Debug)]
pub(crate) struct TrxWriter {
    store: Store,
    path: PathBuf,
    grid: Grid,
    positions: PositionType,
    streamlines: u64,
    points: u64,
    /// Offsets of the streamlines: the index of the first point of each streamline, 8 bytes each. The total
    /// number of points is not included.
    offsets: Spool,
    /// The data columns. The first batch determines them.
    data: Option<Data>,
    bytes: Vec<u8>,
}

/// Columns of data that are being written.
#[derive(Debug)]
struct Data {
    per_point: Vec<SpooledColumn>,
    per_streamline: Vec<SpooledColumn>,
}

#[derive(Debug)]
struct SpooledColumn {
    name: String,
    /// Name of the column's entry.
    file_name: String,
    /// An empty column of values that has the number of values per row and the number type of the whole
    /// column.
    like: Column,
    numbers: Spool,
}

impl SpooledColumn {
    fn begin(path: &Path, (name, rows): (&str, ColumnRows<'_>)) -> Self {
        if safe(name) != *name {
            tracing::warn!(
                "{}: the name of the data `{name}` cannot be a file name in a .trx, so these data get the \
                 name `{}`",
                path.display(),
                safe(name)
            );
        }
        let (file_name, like) = (DataName::of(name, rows.column), rows.column.without_rows());
        Self { name: name.to_owned(), file_name, like, numbers: Spool::new(path) }
    }

    fn take(&mut self, path: &Path, (name, rows): (&str, ColumnRows<'_>)) -> Result<()> {
        if name != self.name || !self.like.is_like(rows.column) {
            let problem = format!(
                "these streamlines have the data column `{name}`, but the earlier streamlines have `{}` \
                 instead",
                self.name
            );
            return Err(Error::invalid(
                path.display(),
                problem,
                "give all streamlines the same data columns",
            ));
        }
        let ColumnRows { column, rows } = rows;
        let numbers = rows.start * column.width()..rows.end * column.width();
        write_numbers(column.values(), numbers, |bytes| self.numbers.write(bytes))
    }
}

/// Creates a `.trx` file. The format requires the voxel grid of the image to which the streamlines belong.
pub(crate) fn create(
    path: &Path,
    grid: Option<&Grid>,
    options: &TractogramOptions,
) -> Result<Box<dyn TractogramOutput>> {
    let grid = required_grid(path, grid)?;
    Ok(Box::new(TrxWriter::create(path, grid, options.positions, options.layout)?))
}

impl TrxWriter {
    fn create(path: &Path, grid: &Grid, positions: PositionType, layout: TrxLayout) -> Result<Self> {
        check_grid(path, grid)?;
        let mut store = Store::create(path, layout)?;
        store.begin(&format!("positions.3.{positions}"))?;
        Ok(Self {
            store,
            path: path.to_owned(),
            grid: *grid,
            positions,
            streamlines: 0,
            points: 0,
            offsets: Spool::new(path),
            data: None,
            bytes: Vec::new(),
        })
    }
}

impl TractogramOutput for TrxWriter {
    fn finish(self: Box<Self>, groups: &StreamlineGroups) -> Result<()> {
        let Self { mut store, path, streamlines, points, .. } = *self;
        groups.check(streamlines).map_err(|e| e.about(path.display()))?;
        let small = u32::try_from(points).is_ok();
        store.begin(if small { "offsets.uint32" } else { "offsets.uint64" })?;
        let mut offsets = |bytes: &[u8]| {
            if !small {
                return store.write(bytes);
            }
            let small =
                bytes.as_chunks::<8>().0.iter().map(|&offset| narrow::<u32>(u64::from_le_bytes(offset)));
            store.write(&small.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
        };
        self.offsets.read(&mut offsets)?;
        offsets(&points.to_le_bytes())?;
        let Data { per_point, per_streamline } =
            self.data.unwrap_or(Data { per_point: Vec::new(), per_streamline: Vec::new() });
        for (folder, columns) in [("dpv", per_point), ("dps", per_streamline)] {
            for column in columns {
                store.begin(&format!("{folder}/{}", column.file_name))?;
                column.numbers.read(|bytes| store.write(bytes))?;
            }
        }
        for (name, members) in &groups.members {
            store.begin(&format!("groups/{}.{}", safe(name), ScalarType::U32))?;
            in_parts(members, u32::to_le_bytes, |bytes| store.write(bytes))?;
        }
        for (group, columns) in &groups.values {
            for (name, column) in columns {
                if column.rows() != 1 {
                    let problem = format!(
                        "the data `{group}/{name}` have {} rows, but data of a group have one row",
                        column.rows()
                    );
                    return Err(Error::invalid(
                        path.display(),
                        problem,
                        "give one row of data for each group",
                    ));
                }
                if safe(name) != *name {
                    tracing::warn!(
                        "{}: the name of the data `{name}` cannot be a file name in a .trx, so these data \
                         get the name `{}`",
                        path.display(),
                        safe(name)
                    );
                }
                store.begin(&format!("dpg/{}/{}", safe(group), DataName::of(name, column)))?;
                write_numbers(column.values(), 0..column.values().len(), |bytes| store.write(bytes))?;
            }
        }
        let header = Header::encode(&path, &self.grid, streamlines, points)?;
        store.begin("header.json")?;
        store.write(&header)?;
        store.finish()
    }
}

impl StreamlineSink for TrxWriter {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        // A batch may contain a whole tractogram, so its positions are converted to bytes in several pieces.
        for part in batch.points().chunks(1 << 14) {
            self.bytes.clear();
            let numbers = part.as_flattened().iter();
            match self.positions {
                PositionType::F16 => self.bytes.extend(numbers.flat_map(|&v| f16::from_f32(v).to_le_bytes())),
                PositionType::F32 => self.bytes.extend(numbers.flat_map(|&v| v.to_le_bytes())),
                PositionType::F64 => self.bytes.extend(numbers.flat_map(|&v| f64::from(v).to_le_bytes())),
            }
            self.store.write(&self.bytes)?;
        }
        let begins: Vec<u64> = std::iter::once(self.points).chain(batch.ends_from(self.points)).collect();
        in_parts(&begins[..batch.len()], u64::to_le_bytes, |bytes| self.offsets.write(bytes))?;
        self.streamlines += batch.len() as u64;
        self.points += batch.points().len() as u64;

        let path = &self.path;
        let data = self.data.get_or_insert_with(|| Data {
            per_point: batch.per_point().map(|column| SpooledColumn::begin(path, column)).collect(),
            per_streamline: batch.per_streamline().map(|column| SpooledColumn::begin(path, column)).collect(),
        });
        let Data { per_point, per_streamline } = data;
        if per_point.len() != batch.per_point().len() || per_streamline.len() != batch.per_streamline().len()
        {
            let problem = "some streamlines have other data than those before";
            return Err(Error::invalid(
                path.display(),
                problem,
                "give all streamlines the same data columns",
            ));
        }
        let of_points = per_point.iter_mut().zip(batch.per_point());
        let of_streamlines = per_streamline.iter_mut().zip(batch.per_streamline());
        for (column, rows) in of_points.chain(of_streamlines) {
            column.take(path, rows)?;
        }
        Ok(())
    }
}

/// The zip archive or the folder to which the entries of the TRX file are written, one after the other.
#[derive(Debug)]
enum Store {
    Zip(Box<Archive>),
    Folder { folder: AtomicFolder, path: PathBuf, file: Option<BufWriter<File>> },
}

impl Store {
    fn create(path: &Path, layout: TrxLayout) -> Result<Self> {
        let method = match layout {
            TrxLayout::Stored => CompressionMethod::Stored,
            TrxLayout::Deflated => CompressionMethod::Deflated,
            TrxLayout::Folder => {
                return Ok(Self::Folder {
                    folder: AtomicFolder::create(path)?,
                    path: path.to_owned(),
                    file: None,
                });
            }
        };
        if path.is_dir() {
            let advice = "remove it first, or write another name";
            return Err(Error::usage(path.display(), "a folder of this name exists already", advice));
        }
        Ok(Self::Zip(Box::new(Archive::create(path, method, LARGE_ENTRY)?)))
    }

    /// Starts the next entry.
    fn begin(&mut self, name: &str) -> Result<()> {
        match self {
            Self::Zip(archive) => archive.begin(name),
            Self::Folder { folder, path, file } => {
                finish_file(path, file.take())?;
                let target = folder.inside().join(name);
                let create = || -> std::io::Result<File> {
                    if let Some(parent) = target.parent() {
                        std::fs::create_dir_all(parent)?;
                    }
                    File::create_new(&target)
                };
                *file = Some(BufWriter::with_capacity(1 << 20, create().map_err(|e| Error::write(path, e))?));
                Ok(())
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Zip(archive) => archive.write(bytes),
            Self::Folder { path, file: Some(file), .. } => {
                file.write_all(bytes).map_err(|e| Error::write(path, e))
            }
            Self::Folder { file: None, .. } => Ok(()), // no entry has been started
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Zip(archive) => archive.finish(),
            Self::Folder { folder, path, file } => {
                finish_file(&path, file)?;
                folder.finish()
            }
        }
    }
}

fn finish_file(path: &Path, file: Option<BufWriter<File>>) -> Result<()> {
    match file.map(BufWriter::into_inner) {
        Some(Err(error)) => Err(Error::write(path, error.into_error())),
        _ => Ok(()),
    }
}

/// A zip archive whose first entry has a size that is not known in advance.
///
/// The zip format has small entries and entries with 64-bit fields. The writer must choose before it knows
/// the size of an entry. Zip readers in browsers do not support 64-bit fields in small archives, so the first
/// entry starts as a small one. If it grows too large, the bytes written so far are copied once to a new
/// archive with 64-bit fields.
#[derive(Debug)]
struct Archive {
    path: PathBuf,
    zip: ZipFile,
    options: SimpleFileOptions,
    /// Name of the entry that is being written, and number of its bytes so far.
    current: String,
    written: u64,
    large: bool,
    large_from: u64,
}

impl Archive {
    fn create(path: &Path, method: CompressionMethod, large_from: u64) -> Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            zip: ZipFile::create(path)?,
            options: SimpleFileOptions::default().compression_method(method),
            current: String::new(),
            written: 0,
            large: false,
            large_from,
        })
    }

    fn begin(&mut self, name: &str) -> Result<()> {
        let started = self.zip.writer.start_file(name, self.options.large_file(self.large));
        started.map_err(|e| failed(&self.path, e))?;
        name.clone_into(&mut self.current);
        self.written = 0;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if !self.large && self.written + bytes.len() as u64 > self.large_from {
            self.enlarge()?;
        }
        self.written += bytes.len() as u64;
        self.zip.writer.write_all(bytes).map_err(|e| Error::write(&self.path, e))
    }

    /// Copies all entries to a new archive with 64-bit fields, to which further bytes are then written.
    fn enlarge(&mut self) -> Result<()> {
        let path = self.path.clone();
        self.large = true;
        let smaller = std::mem::replace(&mut self.zip, ZipFile::create(&path)?);
        let mut finished = smaller.finish(&path)?;
        let mut archive = ZipArchive::new(finished.file()?).map_err(|e| failed(&path, e))?;
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).map_err(|e| failed(&path, e))?;
            let name = entry.name().map_err(|e| failed(&path, e))?.into_owned();
            let started = self.zip.writer.start_file(name, self.options.large_file(true));
            started.map_err(|e| failed(&path, e))?;
            std::io::copy(&mut entry, &mut self.zip.writer).map_err(|e| Error::write(&path, e))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        self.zip.finish(&self.path)?.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn entries_that_exceed_the_size_limit_are_rewritten_as_large() {
        for (method, large_from) in [CompressionMethod::Stored, CompressionMethod::Deflated]
            .into_iter()
            .flat_map(|m| [(m, 1000), (m, 5000)])
        {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.trx");
            let mut archive = Archive::create(&path, method, large_from).unwrap();
            let bytes: Vec<u8> = (0..3000u32).map(|n| (n * n / 7) as u8).collect();
            archive.begin("first").unwrap();
            archive.write(&bytes[..500]).unwrap();
            archive.begin("positions").unwrap();
            for part in bytes.chunks(300) {
                archive.write(part).unwrap();
            }
            assert_eq!(archive.large, large_from == 1000);
            archive.begin("last").unwrap();
            archive.write(b"end").unwrap();
            archive.finish().unwrap();
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
            let mut read = ZipArchive::new(File::open(&path).unwrap()).unwrap();
            for (name, expected) in [("first", &bytes[..500]), ("positions", &bytes[..]), ("last", b"end")] {
                let mut found = Vec::new();
                read.by_name(name).unwrap().read_to_end(&mut found).unwrap();
                assert!(found == expected, "{name}");
            }
        }
    }
}
