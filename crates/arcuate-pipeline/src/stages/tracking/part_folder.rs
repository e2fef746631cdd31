//! The folders in which the parts of a divided run are saved.

use super::part::PartOf;
use super::part_file::{damaged, read_head, read_tracks, remedy, write_head, write_tracks};
use super::part_head::{Content, Head};
use crate::checksums::Checksums;
use crate::output_files::OutputFile;
use crate::tracked_matrix::MatrixPlan;
use arcuate_core::{Error, Result};
use arcuate_track::SampleTracks;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// File that describes a part of a divided run. It is written after the other files, so a part without this
/// file is incomplete.
pub(super) const HEAD: &str = "part.json";
/// File of the results that every part saves: numbers of streamlines, maps, and numbers of streamlines that
/// pass each target.
const TRACKS: &str = "tracks.part";
/// File of the accepted streamlines of a part of a divided run.
pub(super) const STREAMLINES: &str = "streamlines.trx";
/// File of the rows of a matrix.
pub(super) const ROWS: &str = "rows.part";
/// File of the sums over the streamlines that join each pair of regions of a parcellation.
pub(super) const CONNECTIONS: &str = "connections.part";
/// File of the sums over the streamlines for each entry of a matrix that counts pairs of voxels or vertices.
pub(super) const PAIRS: &str = "pairs.part";

/// Suffix of the folder of parts.
const ENDING: &str = ".parts";

/// Returns the folder that contains all parts of a divided run with the result `out`.
pub fn folder_of_parts(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(ENDING);
    PathBuf::from(name)
}

/// Command line and random seed with which the parts of a divided run were computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartWords {
    /// Command line of the first part.
    pub words: Vec<String>,
    /// Seed of the random numbers.
    pub random_seed: u64,
}

impl PartWords {
    /// Reads the command line and the random seed of the parts in a folder.
    ///
    /// # Errors
    /// Returns an error if the folder contains no parts. Also returns an error if a part is missing, or if
    /// the parts belong to different runs.
    pub fn of(folder: &Path) -> Result<Self> {
        let refuse = |problem: &str| {
            let advice = "give the folder NAME.parts, which is in the same folder as the result NAME";
            Err(Error::invalid(folder.display(), problem, advice))
        };
        if !folder.is_dir() {
            return Err(Error::no_folder(
                folder,
                "give the folder NAME.parts, which is in the same folder as the result NAME",
            ));
        }
        let name = folder.file_name().and_then(|name| name.to_str());
        let Some(name) = name.and_then(|name| name.strip_suffix(ENDING)) else {
            return refuse("its name is not that of a folder of parts");
        };
        let parts = match SavedParts::find(&folder.with_file_name(name))? {
            Found::All(parts) => parts,
            Found::Unusable(error) => return Err(error),
            Found::Nothing => return refuse("the folder has no parts"),
        };
        match parts.head() {
            Some(head) => Ok(Self { words: head.words.clone(), random_seed: head.random_seed }),
            None => refuse("the folder has no parts"),
        }
    }
}

/// Returns the folder of a part.
pub(super) fn folder_of(out: &Path, part: PartOf) -> PathBuf {
    folder_of_parts(out).join(part.folder_name())
}

/// Returns the output files of a part.
pub(super) fn output_files(names: &[&'static str]) -> Vec<OutputFile> {
    let title = |name: &str| match name {
        TRACKS => "Numbers of streamlines, maps and counts of targets",
        STREAMLINES => "Streamlines of this part",
        ROWS => "Rows of the matrix of this part",
        CONNECTIONS => "Sums between regions, of this part",
        PAIRS => "Sums of pairs, of this part",
        _ => "The run that the part belongs to",
    };
    [TRACKS, HEAD].iter().chain(names).map(|&name| OutputFile::file(name, title(name))).collect()
}

/// A complete part.
#[derive(Debug)]
pub(super) struct SavedPart {
    folder: PathBuf,
    pub(super) head: Head,
}

impl SavedPart {
    /// Reads the part in a folder. Returns `None` if the part is incomplete.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(HEAD);
        match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            _ => Ok(Some(Self { folder: folder.to_owned(), head: read_head(&path)? })),
        }
    }

    /// Marks the part that is saved in a folder as incomplete, before its files are written again.
    pub(super) fn forget(folder: &Path) -> Result<()> {
        let path = folder.join(HEAD);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::write(&path, error)),
            _ => Ok(()),
        }
    }

    /// Completes the part: writes its numbers of streamlines, and then its description with the checksums of
    /// the files in `names`.
    pub(super) fn write(folder: &Path, mut head: Head, names: &[&str], tracks: &SampleTracks) -> Result<()> {
        write_tracks(&folder.join(TRACKS), tracks)?;
        let names: Vec<&str> = names.iter().copied().filter(|name| *name != HEAD).collect();
        let paths: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        for (name, file) in names.iter().zip(Checksums::default().of(&paths)?) {
            let content = Content { bytes: file.bytes, sha256: file.sha256 };
            head.files.insert((*name).to_owned(), content);
        }
        write_head(&folder.join(HEAD), &head)
    }

    /// Returns an error if a file of this part has changed since it was written.
    pub(super) fn verify(&self) -> Result<()> {
        for (name, known) in &self.head.files {
            let path = self.folder.join(name);
            let size = path.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len());
            let Some(size) = size else {
                return Err(damaged(&path, "it is missing"));
            };
            if size != known.bytes {
                let problem = format!("it has {size} bytes, and {} were written", known.bytes);
                return Err(damaged(&path, problem));
            }
            let now = Checksums::default().of(std::slice::from_ref(&path))?;
            if now.iter().any(|now| now.sha256 != known.sha256) {
                let problem = "its content is not what this part wrote, so it was changed or replaced";
                return Err(damaged(&path, problem));
            }
        }
        Ok(())
    }

    /// Returns the path of the file `name` of this part.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Reads the results of this part. `like` is a result of the same run without streamlines, which has the
    /// same structure.
    pub(super) fn tracks(&self, like: &SampleTracks) -> Result<SampleTracks> {
        let path = self.folder.join(TRACKS);
        let tracks = like.from_bytes(&read_tracks(&path)?);
        let tracks = tracks.map_err(|_| damaged(&path, "it is of another run"))?;
        Ok(SampleTracks { device_name: self.head.device_name.clone(), ..tracks })
    }
}

/// All parts of a run.
#[derive(Debug)]
pub(super) struct SavedParts(Vec<SavedPart>);

/// Content of a folder of parts.
#[derive(Debug)]
pub(super) enum Found {
    /// There is no part.
    Nothing,
    /// A part is missing, or the parts belong to different runs. The error describes the problem.
    Unusable(Error),
    /// All parts of a run exist.
    All(SavedParts),
}

impl SavedParts {
    /// Finds the saved parts of a divided run with the result `out`. The parts are in ascending order.
    ///
    /// Returns an error if the description of a part was changed or cannot be read.
    pub(super) fn find(out: &Path) -> Result<Found> {
        let folder = folder_of_parts(out);
        let entries = match folder.read_dir() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
            entries => entries.map_err(|e| Error::read(&folder, e))?,
        };
        let mut parts = Vec::new();
        for entry in entries.flatten() {
            let Some(part) = entry.file_name().to_str().and_then(PartOf::of_folder) else { continue };
            if let Some(saved) = SavedPart::read(&entry.path())? {
                if saved.head.part != part {
                    let problem = format!("it holds part {}", saved.head.part);
                    let advice = remedy(&entry.path().join(HEAD));
                    return Err(Error::invalid(entry.path().display(), problem, advice));
                }
                parts.push(saved);
            }
        }
        parts.sort_by_key(|saved| saved.head.part);
        let Some(first) = parts.first().map(|saved| saved.head.clone()) else { return Ok(Found::Nothing) };
        let refuse = |problem: String, advice: &str| {
            Ok(Found::Unusable(Error::invalid(folder.display(), problem, advice)))
        };
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
            [] => Ok(Found::All(Self(parts))),
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

    /// Returns the number of parts.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Checks whether the parts belong to the run with this identity (the checksum of its options and
    /// inputs).
    pub(super) fn are_of(&self, identity: &str) -> bool {
        self.0.iter().all(|saved| saved.head.identity == identity)
    }

    /// Returns an error if a file of a part has changed since the part was written.
    pub(super) fn verify(&self) -> Result<()> {
        self.0.iter().try_for_each(SavedPart::verify)
    }

    /// Returns the description of the first part.
    pub(super) fn head(&self) -> Option<&Head> {
        self.0.first().map(|saved| &saved.head)
    }

    /// If the rows of the matrix are seeds, passes the saved rows of all parts to the files of the matrix.
    /// Returns the number of matrix entries.
    pub(super) fn pass_rows(&self, matrix: &mut MatrixPlan) -> Result<u64> {
        let mut entries = 0;
        if matrix.has_rows_of_seeds() {
            for saved in &self.0 {
                let path = saved.folder.join(ROWS);
                entries += matrix.take_rows(&path, &remedy(&path))?;
            }
        }
        Ok(entries)
    }

    /// Returns an iterator over the parts of the divided run, in ascending order.
    pub(super) fn each(&self) -> impl Iterator<Item = &SavedPart> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_track::TrackSummary;

    fn write_part(out: &Path, number: u64, of: u64, identity: &str) {
        let part = PartOf::new(number, of).unwrap();
        let folder = folder_of(out, part);
        std::fs::create_dir_all(&folder).unwrap();
        let head = Head::new(part, identity.into(), vec!["arcuate".into()], 7);
        write_head(&folder.join(HEAD), &head).unwrap();
    }

    #[test]
    fn missing_parts_and_parts_of_other_runs_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("tracks.trx");
        let problem = || match SavedParts::find(&out) {
            Err(error) | Ok(Found::Unusable(error)) => error.to_string(),
            Ok(found) => panic!("{found:?}"),
        };
        assert!(matches!(SavedParts::find(&out), Ok(Found::Nothing)));
        assert!(PartWords::of(&out).unwrap_err().to_string().contains("there is no such folder"));
        std::fs::create_dir(folder_of_parts(&out)).unwrap();
        assert!(
            PartWords::of(&folder_of_parts(&out))
                .unwrap_err()
                .to_string()
                .contains("the folder has no parts")
        );
        assert!(
            PartWords::of(folder.path()).unwrap_err().to_string().contains("not that of a folder of parts")
        );
        write_part(&out, 2, 3, "a");
        assert!(
            problem().contains("tracks.trx.parts: parts 1/3 and 3/3 are missing; do them, too"),
            "{}",
            problem()
        );
        write_part(&out, 1, 3, "a");
        assert!(problem().contains("part 3/3 is missing"));
        write_part(&out, 3, 3, "b");
        assert!(problem().contains("part 3/3 is of other data or options than part 1/3"));
        write_part(&out, 3, 3, "a");
        let Ok(Found::All(parts)) = SavedParts::find(&out) else { panic!("all parts are there") };
        assert!(parts.len() == 3 && parts.are_of("a") && !parts.are_of("b"));
        let made = PartWords::of(&folder_of_parts(&out)).unwrap();
        assert_eq!(made, PartWords { words: vec!["arcuate".into()], random_seed: 7 });
        let second = folder_of(&out, PartOf::new(2, 3).unwrap());
        for _ in 0..2 {
            SavedPart::forget(&second).unwrap();
            assert!(problem().contains("part 2/3 is missing"));
        }
        write_part(&out, 2, 3, "a");
        // An incomplete part is ignored.
        std::fs::create_dir_all(folder_of(&out, PartOf::new(1, 8).unwrap())).unwrap();
        assert!(matches!(SavedParts::find(&out), Ok(Found::All(_))));
        write_part(&out, 1, 50, "a");
        assert!(problem().contains("there are parts of 3 and of 50"), "{}", problem());
        let renamed = folder_of(&out, PartOf::new(2, 3).unwrap());
        std::fs::rename(
            folder_of(&out, PartOf::new(1, 50).unwrap()),
            folder_of(&out, PartOf::new(4, 50).unwrap()),
        )
        .unwrap();
        assert!(problem().contains("it holds part 1/50; delete the folder "), "{}", problem());
        std::fs::write(renamed.join(HEAD), "{}").unwrap();
        std::fs::remove_dir_all(folder_of(&out, PartOf::new(4, 50).unwrap())).unwrap();
        assert!(
            problem().contains("it is not a saved state of Arcuate; delete the folder "),
            "{}",
            problem()
        );
    }

    #[test]
    fn bit_changes_of_a_part_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("tracks.trx");
        let summary = TrackSummary::default();
        let device_name = "the processor".to_owned();
        let tracks = SampleTracks { summary, map: None, target_hits: Vec::new(), device_name, rays: None };
        let names = [TRACKS, STREAMLINES];
        for number in [1, 2] {
            let part = PartOf::new(number, 2).unwrap();
            let folder = folder_of(&out, part);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(STREAMLINES), [number as u8; 9]).unwrap();
            let head = Head { counted: 5, ..Head::new(part, "a".into(), Vec::new(), 7) };
            SavedPart::write(&folder, head, &names, &tracks).unwrap();
        }
        let problem = || match SavedParts::find(&out) {
            Err(error) | Ok(Found::Unusable(error)) => Some(error.to_string()),
            Ok(Found::All(parts)) => parts.verify().err().map(|error| error.to_string()),
            Ok(Found::Nothing) => panic!("there are parts"),
        };
        assert_eq!(problem(), None);
        let second = folder_of(&out, PartOf::new(2, 2).unwrap());
        let refused = |name: &str, bytes: &[u8], what: &str| {
            let path = second.join(name);
            let whole = std::fs::read(&path).unwrap();
            std::fs::write(&path, bytes).unwrap();
            let error = problem().unwrap_or_else(|| panic!("{name}, {what}: accepted"));
            assert!(
                error.contains(name) && error.contains("; delete the folder "),
                "{name}, {what}: {error}"
            );
            assert!(error.ends_with("2-of-2, and run part 2/2 again"), "{name}, {what}: {error}");
            std::fs::write(&path, whole).unwrap();
        };
        for name in [HEAD, TRACKS, STREAMLINES] {
            let whole = std::fs::read(second.join(name)).unwrap();
            for bit in 0..8 * whole.len() {
                let mut bytes = whole.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                refused(name, &bytes, &format!("bit {bit}"));
            }
            for length in 0..whole.len() {
                refused(name, &whole[..length], &format!("{length} bytes"));
            }
            refused(name, &vec![0; whole.len()], "zeros");
            refused(name, &[whole.as_slice(), &[0]].concat(), "one byte more");
        }
        // Part 2 gets the streamlines of part 1. Then the numbers in the description of part 2 are edited.
        let first = folder_of(&out, PartOf::new(1, 2).unwrap());
        refused(STREAMLINES, &std::fs::read(first.join(STREAMLINES)).unwrap(), "of the first part");
        let head = std::fs::read_to_string(second.join(HEAD)).unwrap();
        for count in ["999", "9223372036854775808"] {
            let edited = head.replace("\"counted\": 5", &format!("\"counted\": {count}"));
            assert_ne!(edited, head);
            refused(HEAD, edited.as_bytes(), count);
        }
        std::fs::remove_file(second.join(STREAMLINES)).unwrap();
        assert!(problem().unwrap().contains("streamlines.trx: it is missing; delete the folder "));
    }
}
