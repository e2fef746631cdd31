//! Reads and writes the files of a part of a divided run, with checksums.

use super::part::PartOf;
use super::part_head::Head;
use arcuate_connect::EntrySum;
use arcuate_core::{Error, Result};
use arcuate_io::{AtomicFile, JournalReader, JournalWriter, SavedState, StateKind, open_file};
use arcuate_track::SampleTracks;
use std::io::BufReader;
use std::path::Path;

const HEAD: StateKind = StateKind { name: "part of a run", version: 2 };
const TRACKS: StateKind = StateKind { name: "tracks of a part", version: 2 };
const ENTRIES: StateKind = StateKind { name: "sums of a part", version: 2 };

/// Number of bytes of a saved matrix entry. It consists of row and column (4 bytes each) and the count and
/// length of streamlines (8 bytes each), little-endian.
const ENTRY: usize = 24;
/// Number of matrix entries that are written together, as one record of the file.
const OF_RECORD: usize = 2048;

/// Returns the advice to the user if a file of a part of a divided run is damaged.
pub(super) fn remedy(path: &Path) -> String {
    let folder = path.parent().unwrap_or(path);
    let part = folder.file_name().and_then(|name| name.to_str()).and_then(PartOf::of_folder);
    let part = part.map_or_else(|| "that part".to_owned(), |part| format!("part {part}"));
    format!("delete the folder {}, and run {part} again", folder.display())
}

/// Returns the error for a damaged file of a part of a divided run.
pub(super) fn damaged(path: &Path, problem: impl Into<String>) -> Error {
    Error::invalid(path.display(), problem, remedy(path))
}

pub(super) fn write_head(path: &Path, head: &Head) -> Result<()> {
    SavedState { path, kind: HEAD, remedy: "" }.write_json(head)
}

pub(super) fn read_head(path: &Path) -> Result<Head> {
    SavedState { path, kind: HEAD, remedy: &remedy(path) }.read_json()
}

pub(super) fn write_tracks(path: &Path, tracks: &SampleTracks) -> Result<()> {
    SavedState { path, kind: TRACKS, remedy: "" }.write_bytes(&tracks.to_bytes())
}

pub(super) fn read_tracks(path: &Path) -> Result<Vec<u8>> {
    SavedState { path, kind: TRACKS, remedy: &remedy(path) }.read_bytes()
}

/// Writes the matrix entries that the function `tell` returns one after the other. The file gets its name
/// only when it is complete.
pub(super) fn write_entries(
    path: &Path,
    tell: impl FnOnce(&mut dyn FnMut(EntrySum) -> Result<()>) -> Result<()>,
) -> Result<()> {
    let failed = |e| Error::write(path, e);
    let mut file = AtomicFile::create(path)?;
    let mut journal = JournalWriter::begin(&mut file, ENTRIES).map_err(failed)?;
    let mut record = Vec::with_capacity(OF_RECORD * ENTRY);
    tell(&mut |entry| {
        record.extend(bytes_of(entry));
        if record.len() == OF_RECORD * ENTRY {
            journal.append(&record).map_err(failed)?;
            record.clear();
        }
        Ok(())
    })?;
    if !record.is_empty() {
        journal.append(&record).map_err(failed)?;
    }
    journal.finish().map_err(failed)?;
    file.finish()
}

/// Reads a file of matrix entries, and passes each entry to the function `take`.
pub(super) fn each_entry(path: &Path, mut take: impl FnMut(EntrySum) -> Result<()>) -> Result<()> {
    let remedy = remedy(path);
    let file = SavedState { path, kind: ENTRIES, remedy: &remedy };
    let open = open_file(path)?;
    let size = open.metadata().map_err(|e| Error::read(path, e))?.len();
    let mut journal = JournalReader::begin(file, BufReader::new(open), size, None)?;
    let mut record = Vec::new();
    while journal.next_into(&mut record)? {
        let (entries, rest) = record.as_chunks::<ENTRY>();
        if !rest.is_empty() {
            return Err(damaged(path, "it does not hold whole entries"));
        }
        for entry in entries {
            take(entry_of(entry)).map_err(|e| e.about(path.display()))?;
        }
    }
    Ok(())
}

fn bytes_of(entry: EntrySum) -> [u8; ENTRY] {
    let mut bytes = [0; ENTRY];
    bytes[..4].copy_from_slice(&entry.row.to_le_bytes());
    bytes[4..8].copy_from_slice(&entry.column.to_le_bytes());
    bytes[8..16].copy_from_slice(&entry.count.to_le_bytes());
    bytes[16..].copy_from_slice(&entry.length.to_le_bytes());
    bytes
}

fn entry_of(bytes: &[u8; ENTRY]) -> EntrySum {
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
    EntrySum { row: word(0), column: word(4), count: long(8), length: long(16) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_survive_a_round_trip_and_bit_changes_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("2-of-3").join("pairs.part");
        std::fs::create_dir(path.parent().unwrap()).unwrap();
        let entries = [(1, 2, 3, 4), (u32::MAX, 7, u64::MAX, 1 << 40)]
            .map(|(row, column, count, length)| EntrySum { row, column, count, length });
        write_entries(&path, |take| entries.into_iter().try_for_each(take)).unwrap();
        let read = || {
            let mut read = Vec::new();
            each_entry(&path, |entry| {
                read.push(entry);
                Ok(())
            })
            .map(|()| read)
        };
        assert_eq!(read().unwrap(), entries);
        let whole = std::fs::read(&path).unwrap();
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, bytes).unwrap();
            let error = read().unwrap_err().to_string();
            assert!(error.contains("pairs.part: "), "bit {bit}: {error}");
            assert!(error.ends_with("2-of-3, and run part 2/3 again"), "bit {bit}: {error}");
        }
        // More entries than a record holds.
        let many: Vec<EntrySum> =
            (0..5000).map(|n| EntrySum { row: n, column: 0, count: 1, length: u64::from(n) }).collect();
        write_entries(&path, |take| many.iter().copied().try_for_each(take)).unwrap();
        assert_eq!(read().unwrap(), many);
    }
}
