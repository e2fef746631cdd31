//! Parts of a run in their folders, and what all of them come to.

use super::following::{Following, Takers};
use super::part::PartOf;
use crate::matrix_counter::MatrixCounter;
use crate::output_files::OutputFile;
use crate::tracked_matrix::MatrixPlan;
use arcuate_connect::EntrySum;
use arcuate_core::{Error, Result};
use arcuate_io::{AtomicFile, stream_tractogram, write_file};
use arcuate_track::SampleTracks;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// What a part is of. It is written last: a part without it is not whole.
pub(super) const HEAD: &str = "part.json";
/// Numbers of streamlines, maps and counts of targets.
const TRACKS: &str = "tracks.part";
/// Its accepted streamlines.
pub(super) const STREAMLINES: &str = "streamlines.trx";
/// Rows of a matrix.
pub(super) const ROWS: &str = "rows.part";
/// Sums between regions of a parcellation.
pub(super) const CONNECTIONS: &str = "connections.part";
/// Sums of pairs of a matrix.
pub(super) const PAIRS: &str = "pairs.part";

/// Number of the form of these files.
const FORM: u32 = 1;

/// Bytes of an entry: row and column (4 each), count and length (8 each), little-endian.
const ENTRY: usize = 24;

/// What a part says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    form: u32,
    pub(super) part: PartOf,
    /// What tells its run from others.
    pub(super) identity: String,
    /// The command line that made it.
    pub(super) words: Vec<String>,
    pub(super) random_seed: u64,
    pub(super) followed_by: String,
    /// Streamlines that were counted between regions of a parcellation.
    pub(super) counted: u64,
}

impl Head {
    pub(super) fn new(part: PartOf, identity: String, words: Vec<String>, random_seed: u64) -> Self {
        Self { form: FORM, part, identity, words, random_seed, followed_by: String::new(), counted: 0 }
    }
}

/// How the name of a folder of parts ends.
const ENDING: &str = ".parts";

/// The folder of the parts of a result.
pub fn folder_of_parts(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(ENDING);
    PathBuf::from(name)
}

/// How parts were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartWords {
    /// The command line of the first.
    pub words: Vec<String>,
    /// The seed of random numbers.
    pub random_seed: u64,
}

impl PartWords {
    /// How those of a folder were made.
    ///
    /// # Errors
    /// Where it is no folder of parts, and where not all are there or they are not of one run.
    pub fn of(folder: &Path) -> Result<Self> {
        let refuse = |problem: &str| {
            let advice = "give the folder beside the result, with its name and .parts";
            Err(Error::invalid(folder.display(), problem, advice))
        };
        if !folder.is_dir() {
            return refuse("there is no such folder");
        }
        let name = folder.file_name().and_then(|name| name.to_str());
        let Some(name) = name.and_then(|name| name.strip_suffix(ENDING)) else {
            return refuse("by its name it is no folder of parts");
        };
        match SavedParts::find(&folder.with_file_name(name))?.as_ref().and_then(SavedParts::head) {
            Some(head) => Ok(Self { words: head.words.clone(), random_seed: head.random_seed }),
            None => refuse("there are no parts in it"),
        }
    }
}

/// The folder of a part.
pub(super) fn folder_of(out: &Path, part: PartOf) -> PathBuf {
    folder_of_parts(out).join(part.folder_name())
}

/// What is written into it.
pub(super) fn output_files(names: &[&'static str]) -> Vec<OutputFile> {
    let title = |name: &str| match name {
        TRACKS => "Numbers of streamlines, maps and counts of targets",
        STREAMLINES => "Streamlines of this part",
        ROWS => "Rows of the matrix of this part",
        CONNECTIONS => "Sums between regions, of this part",
        PAIRS => "Sums of pairs, of this part",
        _ => "What it is a part of",
    };
    [TRACKS, HEAD].iter().chain(names).map(|&name| OutputFile::file(name, title(name))).collect()
}

/// A part that is whole.
#[derive(Debug)]
pub(super) struct SavedPart {
    folder: PathBuf,
    pub(super) head: Head,
}

impl SavedPart {
    /// That of a folder; nothing where it is not whole.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(HEAD);
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes.map_err(|e| Error::read(&path, e))?,
        };
        let head: Head = serde_json::from_slice(&bytes)
            .ok()
            .filter(|head: &Head| head.form == FORM)
            .ok_or_else(|| Error::invalid(path.display(), "it says of no part what it is", AGAIN))?;
        Ok(Some(Self { folder: folder.to_owned(), head }))
    }

    /// Makes the part of a folder none, if there is one, before its files are written anew.
    pub(super) fn forget(folder: &Path) -> Result<()> {
        let path = folder.join(HEAD);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::write(&path, error)),
            _ => Ok(()),
        }
    }

    /// Makes the part whole: writes what it came to, and what it is.
    pub(super) fn write(folder: &Path, head: &Head, tracks: &SampleTracks) -> Result<()> {
        write_file(&folder.join(TRACKS), tracks.to_bytes())?;
        let path = folder.join(HEAD);
        let text = serde_json::to_vec_pretty(head).map_err(|e| Error::write(&path, e.into()))?;
        write_file(&path, text)
    }

    /// What it came to, in a run like this one.
    pub(super) fn tracks(&self, like: &SampleTracks) -> Result<SampleTracks> {
        let path = self.folder.join(TRACKS);
        let bytes = std::fs::read(&path).map_err(|e| Error::read(&path, e))?;
        let tracks = like.from_bytes(&bytes).map_err(|_| damaged(&path))?;
        Ok(SampleTracks { followed_by: self.head.followed_by.clone(), ..tracks })
    }

    fn each_entry(&self, name: &str, mut take: impl FnMut(EntrySum) -> Result<()>) -> Result<()> {
        let path = self.folder.join(name);
        let file = File::open(&path).map_err(|e| Error::read(&path, e))?;
        let length = file.metadata().map_err(|e| Error::read(&path, e))?.len();
        if !length.is_multiple_of(ENTRY as u64) {
            return Err(damaged(&path));
        }
        let mut reader = BufReader::new(file);
        let mut bytes = [0; ENTRY];
        for _ in 0..length / ENTRY as u64 {
            reader.read_exact(&mut bytes).map_err(|e| Error::read(&path, e))?;
            take(entry_of(&bytes)).map_err(|e| e.about(path.display()))?;
        }
        Ok(())
    }
}

const AGAIN: &str = "remove its folder, and do that part again";

fn damaged(path: &Path) -> Error {
    Error::invalid(path.display(), "it is cut short, or of another run", AGAIN)
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

/// Writes entries into a file, complete or not at all: those that `tell` gives.
pub(super) fn write_entries(
    path: &Path,
    tell: impl FnOnce(&mut dyn FnMut(EntrySum) -> Result<()>) -> Result<()>,
) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    let mut writer = BufWriter::new(file.file()?);
    tell(&mut |entry| writer.write_all(&bytes_of(entry)).map_err(|e| Error::write(path, e)))?;
    writer.flush().map_err(|e| Error::write(path, e))?;
    drop(writer);
    file.finish()
}

/// All parts of a run.
#[derive(Debug)]
pub(super) struct SavedParts(Vec<SavedPart>);

impl SavedParts {
    /// Those of a result, in their order; nothing where there is none.
    ///
    /// Fails where not all are there, and where they are not of one run.
    pub(super) fn find(out: &Path) -> Result<Option<Self>> {
        let folder = folder_of_parts(out);
        let entries = match folder.read_dir() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            entries => entries.map_err(|e| Error::read(&folder, e))?,
        };
        let mut parts = Vec::new();
        for entry in entries.flatten() {
            let Some(part) = entry.file_name().to_str().and_then(PartOf::of_folder) else { continue };
            if let Some(saved) = SavedPart::read(&entry.path())? {
                if saved.head.part != part {
                    let problem = format!("it is part {}", saved.head.part);
                    return Err(Error::invalid(entry.path().display(), problem, "give it its name again"));
                }
                parts.push(saved);
            }
        }
        parts.sort_by_key(|saved| saved.head.part);
        let Some(first) = parts.first().map(|saved| saved.head.clone()) else { return Ok(None) };
        let refuse = |problem: String, advice: &str| Err(Error::invalid(folder.display(), problem, advice));
        if let Some(other) = parts.iter().find(|saved| saved.head.part.of() != first.part.of()) {
            let problem = format!("there are parts of {} and of {}", first.part.of(), other.head.part.of());
            return refuse(problem, "remove those that are not meant");
        }
        if let Some(other) = parts.iter().find(|saved| saved.head.identity != first.identity) {
            let problem =
                format!("part {} is of other data or options than part {}", other.head.part, first.part);
            return refuse(problem, "do one of them again");
        }
        let lacking: Vec<String> = PartOf::all(first.part.of())
            .filter(|part| !parts.iter().any(|saved| saved.head.part == *part))
            .map(|part| part.to_string())
            .collect();
        match lacking.as_slice() {
            [] => Ok(Some(Self(parts))),
            [one] => refuse(format!("part {one} is missing"), "do it, too"),
            [some @ .., last] if some.len() < 10 => {
                refuse(format!("parts {} and {last} are missing", some.join(", ")), "do them, too")
            }
            some => {
                let problem =
                    format!("{} of {} parts are missing, {} first", some.len(), first.part.of(), some[0]);
                refuse(problem, "do them, too")
            }
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether they are of the run that `identity` says.
    pub(super) fn are_of(&self, identity: &str) -> bool {
        self.0.iter().all(|saved| saved.head.identity == identity)
    }

    /// What the first says of itself.
    pub(super) fn head(&self) -> Option<&Head> {
        self.0.first().map(|saved| &saved.head)
    }

    /// Passes the rows of all parts on to the files of the matrix, if it is one of rows; answers how many entries they have.
    pub(super) fn pass_rows(&self, matrix: &mut MatrixPlan) -> Result<u64> {
        let mut entries = 0;
        if matrix.has_rows_of_seeds() {
            for saved in &self.0 {
                entries += matrix.take_rows(&saved.folder.join(ROWS))?;
            }
        }
        Ok(entries)
    }

    /// What all of them come to; streamlines and sums go to those who take them.
    pub(super) fn merge(&self, follow: &Following<'_>, takers: Takers<'_, '_, '_>) -> Result<SampleTracks> {
        // Of no streamline, to know what there is to be counted.
        let mut all = follow.run(Takers::none(), Some(0..0))?;
        let like = all.clone();
        let mut followed_by: Vec<&str> = Vec::new();
        let Takers { mut writer, mut met, mut counter } = takers;
        for saved in &self.0 {
            follow.control.check()?;
            all.add(&saved.tracks(&like)?);
            if let Some(both) = &mut writer {
                stream_tractogram(&saved.folder.join(STREAMLINES), both)?;
            }
            if let Some(MatrixCounter::Pairs(pairs, _)) = &mut met {
                saved.each_entry(PAIRS, |entry| pairs.add(entry))?;
            }
            if let Some(counter) = &mut counter {
                saved.each_entry(CONNECTIONS, |entry| counter.add(&[entry], 0))?;
                counter.add(&[], saved.head.counted)?;
            }
            if !followed_by.contains(&saved.head.followed_by.as_str()) {
                followed_by.push(&saved.head.followed_by);
            }
        }
        Ok(SampleTracks { followed_by: followed_by.join(", "), ..all })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_head(out: &Path, number: u64, of: u64, identity: &str) {
        let part = PartOf::new(number, of).unwrap();
        let folder = folder_of(out, part);
        std::fs::create_dir_all(&folder).unwrap();
        let head = Head::new(part, identity.into(), vec!["arcuate".into()], 7);
        std::fs::write(folder.join(HEAD), serde_json::to_vec(&head).unwrap()).unwrap();
    }

    #[test]
    fn parts_are_all_there_and_of_one_run() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("tracks.trx");
        let problem = || SavedParts::find(&out).unwrap_err().to_string();
        assert!(SavedParts::find(&out).unwrap().is_none());
        assert!(PartWords::of(&out).unwrap_err().to_string().contains("there is no such folder"));
        std::fs::create_dir(folder_of_parts(&out)).unwrap();
        assert!(
            PartWords::of(&folder_of_parts(&out))
                .unwrap_err()
                .to_string()
                .contains("there are no parts in it")
        );
        assert!(PartWords::of(folder.path()).unwrap_err().to_string().contains("by its name"));
        write_head(&out, 2, 3, "a");
        assert!(
            problem().contains("tracks.trx.parts: parts 1/3 and 3/3 are missing; do them, too"),
            "{}",
            problem()
        );
        write_head(&out, 1, 3, "a");
        assert!(problem().contains("part 3/3 is missing"));
        write_head(&out, 3, 3, "b");
        assert!(problem().contains("part 3/3 is of other data or options than part 1/3"));
        write_head(&out, 3, 3, "a");
        let parts = SavedParts::find(&out).unwrap().unwrap();
        assert!(parts.len() == 3 && parts.are_of("a") && !parts.are_of("b"));
        let made = PartWords::of(&folder_of_parts(&out)).unwrap();
        assert_eq!(made, PartWords { words: vec!["arcuate".into()], random_seed: 7 });
        let second = folder_of(&out, PartOf::new(2, 3).unwrap());
        for _ in 0..2 {
            SavedPart::forget(&second).unwrap();
            assert!(problem().contains("part 2/3 is missing"));
        }
        write_head(&out, 2, 3, "a");
        // One that is not whole is as good as none.
        std::fs::create_dir_all(folder_of(&out, PartOf::new(1, 8).unwrap())).unwrap();
        assert!(SavedParts::find(&out).is_ok());
        write_head(&out, 1, 50, "a");
        assert!(problem().contains("there are parts of 3 and of 50"), "{}", problem());
        let renamed = folder_of(&out, PartOf::new(2, 3).unwrap());
        std::fs::rename(
            folder_of(&out, PartOf::new(1, 50).unwrap()),
            folder_of(&out, PartOf::new(4, 50).unwrap()),
        )
        .unwrap();
        assert!(problem().contains("it is part 1/50"), "{}", problem());
        std::fs::write(renamed.join(HEAD), "{}").unwrap();
        std::fs::remove_dir_all(folder_of(&out, PartOf::new(4, 50).unwrap())).unwrap();
        assert!(problem().contains("it says of no part what it is"), "{}", problem());
    }

    #[test]
    fn entries_come_back_whole_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(PAIRS);
        let entries = [(1, 2, 3, 4), (u32::MAX, 7, u64::MAX, 1 << 40)]
            .map(|(row, column, count, length)| EntrySum { row, column, count, length });
        write_entries(&path, |take| entries.into_iter().try_for_each(take)).unwrap();
        let head = Head::new(PartOf::new(1, 1).unwrap(), String::new(), Vec::new(), 0);
        let saved = SavedPart { folder: folder.path().to_owned(), head };
        let mut read = Vec::new();
        let mut take = |entry| {
            read.push(entry);
            Ok(())
        };
        saved.each_entry(PAIRS, &mut take).unwrap();
        assert_eq!(read, entries);
        std::fs::write(&path, [0; 25]).unwrap();
        assert!(
            saved
                .each_entry(PAIRS, |_| Ok(()))
                .unwrap_err()
                .to_string()
                .contains("pairs.part: it is cut short")
        );
    }
}
