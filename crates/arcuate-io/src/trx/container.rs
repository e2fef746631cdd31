//! Reading named entries, from a zip archive or a folder.

use crate::batches::damaged;
use crate::plain_file::open_file;
use arcuate_core::{Error, Result};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use zip::{CompressionMethod, ZipArchive, read::ZipFile};

/// The most that deflate can expand a byte to.
const LARGEST_EXPANSION: u64 = 1032;

/// An entry: its name with `/` between folders, and the bytes it holds when read.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) size: u64,
    index: usize,
}

/// A zip archive or a folder.
#[derive(Debug)]
pub(crate) enum Container {
    Zip { path: PathBuf, archive: Box<ZipArchive<BufReader<File>>> },
    Folder { path: PathBuf },
}

/// The bytes of one entry.
#[derive(Debug)]
pub(crate) enum EntryReader<'a> {
    Zip(Box<ZipFile<'a, BufReader<File>>>),
    File(BufReader<File>),
}

impl Container {
    /// Opens `path` and lists its entries, whose sizes are possible and whose names stay inside it.
    pub(crate) fn open(path: &Path) -> Result<(Self, Vec<Entry>)> {
        let mut container = Self::reopen(path)?;
        let entries = match &mut container {
            Self::Zip { path, archive } => list_archive(path, archive)?,
            Self::Folder { path } => {
                let mut entries = Vec::new();
                list_folder(path, path, "", 0, &mut entries)?;
                entries
            }
        };
        Ok((container, entries))
    }

    /// Opens `path` once more, to read two entries side by side.
    pub(crate) fn reopen(path: &Path) -> Result<Self> {
        let failed = |e| Error::read(path, e);
        if path.metadata().map_err(failed)?.is_dir() {
            return Ok(Self::Folder { path: path.to_owned() });
        }
        let reader = BufReader::with_capacity(1 << 18, open_file(path)?);
        let archive = ZipArchive::new(reader).map_err(|e| {
            let problem = format!("it is not a zip archive, or one cut short ({e})");
            Error::invalid(path.display(), problem, "copy it again, or give the .trx folder")
        })?;
        Ok(Self::Zip { path: path.to_owned(), archive: Box::new(archive) })
    }

    /// Begins to read an entry.
    pub(crate) fn read(&mut self, entry: &Entry) -> Result<EntryReader<'_>> {
        match self {
            Self::Zip { path, archive } => {
                let failed = |e: zip::result::ZipError| {
                    damaged(path, format!("its entry {} is unreadable ({e})", entry.name))
                };
                archive.by_index(entry.index).map(|file| EntryReader::Zip(Box::new(file))).map_err(failed)
            }
            Self::Folder { path } => {
                let path = path.join(&entry.name);
                let file = open_file(&path)?;
                Ok(EntryReader::File(BufReader::with_capacity(1 << 18, file)))
            }
        }
    }

    /// The whole of an entry.
    pub(crate) fn bytes(&mut self, entry: &Entry) -> Result<Vec<u8>> {
        let path = self.path().to_owned();
        let mut reader = self.read(entry)?;
        let bytes = super::names::read_numbers(&mut reader, entry.size as usize, u8::from_le_bytes)
            .map_err(|e| unreadable(&path, entry, &e))?;
        reader.finish(&path, entry)?;
        Ok(bytes)
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Zip { path, .. } | Self::Folder { path } => path,
        }
    }
}

impl EntryReader<'_> {
    /// After the last byte: fails where there are more, or where the archive's checksum does not fit.
    pub(crate) fn finish(mut self, path: &Path, entry: &Entry) -> Result<()> {
        match self.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(damaged(path, format!("its entry {} is longer than it should be", entry.name))),
            Err(error) => Err(unreadable(path, entry, &error)),
        }
    }
}

impl Read for EntryReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Zip(file) => file.read(buffer),
            Self::File(file) => file.read(buffer),
        }
    }
}

/// What to say when an entry cannot be read to its end.
pub(crate) fn unreadable(path: &Path, entry: &Entry, error: &std::io::Error) -> Error {
    let problem = match error.kind() {
        std::io::ErrorKind::UnexpectedEof => format!("its entry {} ends early", entry.name),
        _ => format!("its entry {} is unreadable ({error})", entry.name),
    };
    damaged(path, problem)
}

fn list_archive(path: &Path, archive: &mut ZipArchive<BufReader<File>>) -> Result<Vec<Entry>> {
    let file_bytes = path.metadata().map_err(|e| Error::read(path, e))?.len();
    let unclear =
        |e: zip::result::ZipError| damaged(path, format!("its zip directory is not understood ({e})"));
    if archive.has_duplicate_names() {
        return Err(damaged(path, "two of its entries have the same name"));
    }
    if archive.has_overlapping_files().map_err(unclear)? {
        return Err(damaged(path, "its entries overlap"));
    }
    let mut entries = Vec::new();
    for index in 0..archive.len() {
        // Raw: nothing is decompressed, and encrypted entries can be named in the error.
        let file = archive.by_index_raw(index).map_err(unclear)?;
        let name = file.name().map_err(unclear)?.into_owned();
        if file.is_dir() {
            continue;
        }
        check_name(path, &name)?;
        if file.encrypted() {
            let problem = format!("its entry {name} is encrypted");
            return Err(Error::invalid(path.display(), problem, "write it without a password"));
        }
        let size = file.size();
        let most = match file.compression() {
            CompressionMethod::Stored => file_bytes,
            CompressionMethod::Deflated => {
                file.compressed_size().min(file_bytes).saturating_mul(LARGEST_EXPANSION)
            }
            other => {
                let problem = format!("its entry {name} is compressed in a way TRX does not have ({other})");
                return Err(Error::invalid(path.display(), problem, "store or deflate its entries"));
            }
        };
        if size > most {
            let problem = format!("its entry {name} claims {size} bytes, more than the file can hold");
            return Err(damaged(path, problem));
        }
        entries.push(Entry { name, size, index });
    }
    Ok(entries)
}

fn check_name(path: &Path, name: &str) -> Result<()> {
    let bad_part = |part: &str| part.is_empty() || part == "." || part == "..";
    if name.split('/').any(bad_part) || name.contains(['\\', ':', '\0']) {
        let problem = format!("its entry `{}` points outside the archive", name.escape_debug());
        return Err(Error::invalid(
            path.display(),
            problem,
            "do not trust this file: ask where it comes from",
        ));
    }
    Ok(())
}

fn list_folder(
    root: &Path,
    folder: &Path,
    prefix: &str,
    depth: usize,
    entries: &mut Vec<Entry>,
) -> Result<()> {
    // The deepest entries are dpg/<group>/<name>.
    if depth > 2 {
        return Ok(());
    }
    for found in std::fs::read_dir(folder).map_err(|e| Error::read(folder, e))? {
        let found = found.map_err(|e| Error::read(folder, e))?;
        let inside = found.path();
        let Ok(name) = found.file_name().into_string() else {
            let problem = format!("the name of {} is not text", inside.display());
            return Err(damaged(root, problem));
        };
        let metadata = inside.metadata().map_err(|e| Error::read(&inside, e))?;
        let name = format!("{prefix}{name}");
        if metadata.is_dir() {
            list_folder(root, &inside, &format!("{name}/"), depth + 1, entries)?;
        } else {
            entries.push(Entry { name, size: metadata.len(), index: 0 });
        }
    }
    // Folders list their files in any order; messages should not depend on it.
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(())
}
