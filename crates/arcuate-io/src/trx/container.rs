//! Reads the entries (named arrays) of a TRX file, which is a zip archive or a folder.

use crate::batches::damaged;
use crate::plain_file::open_file;
use arcuate_core::{Error, Result, is_present, printable};
use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use zip::{CompressionMethod, ZipArchive, read::ZipFile};

/// Maximum number of decompressed bytes per byte of deflate data.
const LARGEST_EXPANSION: u64 = 1032;

/// Maximum number of entries of a TRX file. It is enough for several entries for each of several thousand
/// groups of streamlines.
const MAX_ENTRIES: usize = 1 << 16;

/// The name of the entry that every TRX file must have.
pub(super) const HEADER: &str = "header.json";

/// An entry of a TRX file: its name, relative to the folder of `header.json` and with `/` between folders,
/// and its uncompressed size in bytes.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) size: u64,
    index: usize,
}

impl fmt::Display for Entry {
    /// Prints the name of the entry for messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.name))
    }
}

/// Shortens the name of an entry for messages, because a name in a file can have any length.
pub(super) fn shown(name: &str) -> String {
    printable(name, 100)
}

/// A zip archive or a folder that contains the entries of a TRX file.
#[derive(Debug)]
pub(crate) enum Container {
    Zip {
        path: PathBuf,
        archive: Box<ZipArchive<BufReader<File>>>,
    },
    Folder {
        path: PathBuf,
        /// The folder that contains the entries. It is the folder of the TRX file, or the only subfolder in
        /// it.
        root: PathBuf,
    },
}

/// Reads the bytes of one entry.
#[derive(Debug)]
pub(crate) enum EntryReader<'a> {
    Zip(Box<ZipFile<'a, BufReader<File>>>),
    File(BufReader<File>),
}

impl Container {
    /// Opens the TRX file `path` and lists its entries. Returns an error if the size of an entry is
    /// impossible, or if its name leads out of the archive or folder.
    pub(crate) fn open(path: &Path) -> Result<(Self, Vec<Entry>)> {
        // The read buffer is small, because each entry has its own header in the archive, and a whole buffer
        // is read for each of these headers.
        let mut container = Self::with_buffer(path, 1 << 10)?;
        let entries = match &mut container {
            Self::Zip { path, archive } => list_archive(path, archive)?,
            Self::Folder { path, root } => {
                let mut entries = Vec::new();
                list_folder(path, root, "", 0, &mut entries)?;
                // Entries are sorted by name so that error messages do not depend on the order in which a
                // folder lists its files.
                entries.sort_by(|a, b| a.name.cmp(&b.name));
                entries
            }
        };
        Ok((Self::reopen(path)?, entries))
    }

    /// Opens the TRX file `path` again, so that two of its entries can be read in parallel.
    pub(crate) fn reopen(path: &Path) -> Result<Self> {
        Self::with_buffer(path, 1 << 18)
    }

    fn with_buffer(path: &Path, bytes: usize) -> Result<Self> {
        let failed = |e| Error::read(path, e);
        if path.metadata().map_err(failed)?.is_dir() {
            return Ok(Self::Folder { path: path.to_owned(), root: root_of(path)? });
        }
        let reader = BufReader::with_capacity(bytes, open_file(path)?);
        let archive = ZipArchive::new(reader).map_err(|e| {
            let problem = format!("the file is not a zip archive, or the archive is incomplete ({e})");
            Error::invalid(path.display(), problem, "copy the file again, or give the .trx folder")
        })?;
        Ok(Self::Zip { path: path.to_owned(), archive: Box::new(archive) })
    }

    /// Starts to read an entry.
    pub(crate) fn read(&mut self, entry: &Entry) -> Result<EntryReader<'_>> {
        match self {
            Self::Zip { path, archive } => {
                let failed = |e: zip::result::ZipError| {
                    damaged(path, format!("its entry {entry} is unreadable ({e})"))
                };
                archive.by_index(entry.index).map(|file| EntryReader::Zip(Box::new(file))).map_err(failed)
            }
            Self::Folder { root, .. } => {
                let file = open_file(&root.join(&entry.name))?;
                Ok(EntryReader::File(BufReader::with_capacity(1 << 18, file)))
            }
        }
    }

    /// Reads a whole entry into memory.
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
            Self::Zip { path, .. } | Self::Folder { path, .. } => path,
        }
    }
}

impl EntryReader<'_> {
    /// Checks the end of an entry. Returns an error if the entry has further bytes, or if the checksum in the
    /// archive is wrong.
    pub(crate) fn finish(mut self, path: &Path, entry: &Entry) -> Result<()> {
        match self.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(damaged(path, format!("its entry {entry} is longer than it should be"))),
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

/// Creates the error for an entry that cannot be read completely.
pub(crate) fn unreadable(path: &Path, entry: &Entry, error: &std::io::Error) -> Error {
    let problem = match error.kind() {
        std::io::ErrorKind::UnexpectedEof => format!("its entry {entry} ends early"),
        _ => format!("its entry {entry} is unreadable ({error})"),
    };
    damaged(path, problem)
}

/// Returns an error if the TRX file has more entries than any real tractogram.
fn require_number(path: &Path, entries: usize) -> Result<()> {
    if entries <= MAX_ENTRIES {
        return Ok(());
    }
    Err(damaged(
        path,
        format!("the archive has {entries} entries, more than the {MAX_ENTRIES} that a TRX file may have"),
    ))
}

fn list_archive(path: &Path, archive: &mut ZipArchive<BufReader<File>>) -> Result<Vec<Entry>> {
    let file_bytes = path.metadata().map_err(|e| Error::read(path, e))?.len();
    let unclear =
        |e: zip::result::ZipError| damaged(path, format!("its zip directory is not understood ({e})"));
    require_number(path, archive.len())?;
    if archive.has_overlapping_files().map_err(unclear)? {
        return Err(damaged(path, "its entries overlap"));
    }
    let mut entries = Vec::new();
    for index in 0..archive.len() {
        // The entry is opened without decompression. Therefore, an error about an encrypted entry can state
        // the name of the entry.
        let file = archive.by_index_raw(index).map_err(unclear)?;
        let written = file.name().map_err(unclear)?;
        if file.is_dir() {
            continue;
        }
        let name = inside(path, &written)?;
        if file.encrypted() {
            let problem = format!("its entry {} is encrypted", shown(&name));
            return Err(Error::invalid(path.display(), problem, "write it without a password"));
        }
        let size = file.size();
        let maximum = match file.compression() {
            CompressionMethod::Stored => file_bytes,
            CompressionMethod::Deflated => {
                file.compressed_size().min(file_bytes).saturating_mul(LARGEST_EXPANSION)
            }
            other => {
                let problem = format!(
                    "the archive's entry {} uses a compression method that TRX does not have ({other})",
                    shown(&name)
                );
                return Err(Error::invalid(
                    path.display(),
                    problem,
                    "write the archive again with stored or deflated entries",
                ));
            }
        };
        if size > maximum {
            let problem =
                format!("its entry {} claims {size} bytes, more than the file can hold", shown(&name));
            return Err(damaged(path, problem));
        }
        entries.push(Entry { name, size, index });
    }
    leave_enclosing_folder(&mut entries);
    let names: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    if archive.has_duplicate_names() || names.len() < entries.len() {
        return Err(damaged(path, "two of its entries have the same name"));
    }
    Ok(entries)
}

/// Returns the name of an entry without changes that archive programs make. These are a leading `./`, if the
/// folder `.` was archived, and backslashes instead of slashes. Returns an error if the name leads out of the
/// archive.
fn inside(path: &Path, written: &str) -> Result<String> {
    let parts: Vec<&str> = written.split(['/', '\\']).collect();
    let is_absolute =
        parts[0].is_empty() || (parts[0].len() == 2 && parts[0].ends_with(':')) || parts.contains(&"..");
    if is_absolute {
        let problem = format!("the archive's entry `{}` has a path outside the archive", shown(written));
        return Err(Error::invalid(
            path.display(),
            problem,
            "do not trust this file; ask where it comes from",
        ));
    }
    let parts: Vec<&str> = parts.into_iter().filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.is_empty() || written.contains('\0') {
        return Err(damaged(path, format!("`{}` is not a valid name of an entry", shown(written))));
    }
    Ok(parts.join("/"))
}

/// Returns true if an archive program or a file manager has created the entry. These entries are ignored.
pub(super) fn is_left_behind(name: &str) -> bool {
    name.split('/').any(|part| part.starts_with('.') || part == "__MACOSX")
}

/// If one folder contains all entries, removes its name from the names of the entries. This folder exists if
/// a user archived a folder instead of its content.
fn leave_enclosing_folder(entries: &mut [Entry]) {
    let Some(folder) = entries.iter().find_map(|entry| {
        let (folder, name) = entry.name.split_once('/')?;
        (name == HEADER).then(|| format!("{folder}/"))
    }) else {
        return;
    };
    let counts = |entry: &&mut Entry| !is_left_behind(&entry.name);
    if entries.iter().all(|entry| is_left_behind(&entry.name) || entry.name.starts_with(&folder)) {
        for entry in entries.iter_mut().filter(counts) {
            entry.name.drain(..folder.len());
        }
    }
}

/// Returns the folder that contains the entries: `path`, or its only subfolder if that subfolder contains
/// `header.json`.
fn root_of(path: &Path) -> Result<PathBuf> {
    if is_present(&path.join(HEADER)) {
        return Ok(path.to_owned());
    }
    let mut inside = Vec::new();
    for found in std::fs::read_dir(path).map_err(|e| Error::read(path, e))? {
        let found = found.map_err(|e| Error::read(path, e))?;
        if !is_left_behind(&found.file_name().to_string_lossy()) {
            inside.push(found.path());
        }
    }
    match &inside[..] {
        [only] if is_present(&only.join(HEADER)) => Ok(only.clone()),
        _ => Ok(path.to_owned()),
    }
}

fn list_folder(
    root: &Path,
    folder: &Path,
    prefix: &str,
    depth: usize,
    entries: &mut Vec<Entry>,
) -> Result<()> {
    // The entries with the longest paths are dpg/<group>/<name>, so folders below these are not searched.
    if depth > 2 {
        return Ok(());
    }
    for found in std::fs::read_dir(folder).map_err(|e| Error::read(folder, e))? {
        let found = found.map_err(|e| Error::read(folder, e))?;
        let inside = found.path();
        let Ok(name) = found.file_name().into_string() else {
            let problem = format!("the name of the file {} is not UTF-8 text", inside.display());
            return Err(damaged(root, problem));
        };
        let metadata = inside.metadata().map_err(|e| Error::read(&inside, e))?;
        let name = format!("{prefix}{name}");
        if metadata.is_dir() {
            list_folder(root, &inside, &format!("{name}/"), depth + 1, entries)?;
        } else {
            entries.push(Entry { name, size: metadata.len(), index: 0 });
            require_number(root, entries.len())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    #[test]
    fn too_many_entries_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trx");
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let mut archive = ZipWriter::new(File::create(&path).unwrap());
        for n in 0..=MAX_ENTRIES {
            archive.start_file(n.to_string(), options).unwrap();
        }
        archive.finish().unwrap();
        let error = Container::open(&path).unwrap_err();
        let expected = "the archive has 65537 entries, more than the 65536 that a TRX file may have";
        assert_eq!(error.problem(), expected);
        // This test calls the check directly, because a folder may also contain files that are not entries.
        let error = require_number(folder.path(), MAX_ENTRIES + 1).unwrap_err();
        assert_eq!(error.problem(), expected);
        assert!(require_number(folder.path(), MAX_ENTRIES).is_ok());
    }
}
