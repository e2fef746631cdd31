//! Stores the processing state of each scan in a separate JSON file, so that other programs can read it
//! during processing.

use arcuate_core::{Error, Result};
use arcuate_io::{SavedState, StateKind};
use arcuate_pipeline::output::is_being_written;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// The name of the work folder below the root of the derivatives. BIDS ignores folders whose names begin with
/// a dot.
pub const WORK: &str = ".arcuate";
/// The name of a scan's state file.
const FILE_NAME: &str = "state.json";
/// The name of the folder with the results of a scan's run, in the work folder of the scan.
const RESULTS: &str = "results";

/// The name of the tissue image that is computed for a scan, in the work folder of the scan.
const FIVE_TISSUES: &str = "five_tissues.nii.gz";

/// The processing stage of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// A process is working on the scan.
    Running,
    /// Processing has finished, and all results exist.
    Done,
    /// Processing has failed.
    Failed,
    /// The process that worked on the scan ended before it had finished.
    Interrupted,
}

impl Stage {
    /// Returns the name of the stage.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The processing state of a scan, as its state file contains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The name of the scan, which consists of its BIDS entities.
    pub scan: String,
    /// The label of the scan's participant.
    pub participant: String,
    /// The label of the scan's session, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The processing stage of the scan.
    pub stage: Stage,
    /// The reason why processing failed, in one line. Empty if processing has not failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// The time at which this state was written, in RFC 3339 format.
    pub since: String,
    /// The version of Arcuate that wrote this state.
    pub version: String,
    /// The files of the derivatives that were written for the scan, as paths relative to the root of the
    /// derivatives.
    #[serde(default)]
    pub files: Vec<String>,
}

impl State {
    /// Returns a state for a scan whose state file cannot be read. The stage is failed, and the error is the
    /// reason.
    fn unreadable(scan: String, error: &Error) -> Self {
        let label = |key: &str| scan.split('_').find_map(|part| part.strip_prefix(key)).map(str::to_owned);
        Self {
            participant: label("sub-").unwrap_or_default(),
            session: label("ses-"),
            stage: Stage::Failed,
            error: error.to_string(),
            since: String::new(),
            version: String::new(),
            files: Vec::new(),
            scan,
        }
    }
}

/// The work folder of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    folder: PathBuf,
}

impl Place {
    /// Returns the folder of the scan `scan` below the work folder `work`.
    pub fn new(work: &Path, scan: &str) -> Self {
        Self { folder: work.join(scan) }
    }

    /// Returns the path of the folder with the results of the scan's run.
    pub fn results(&self) -> PathBuf {
        self.folder.join(RESULTS)
    }

    /// Returns the path of the tissue image that is computed from a segmentation for this scan.
    pub fn five_tissues(&self) -> PathBuf {
        self.folder.join(FIVE_TISSUES)
    }

    /// Reads the processing state of the scan. Returns `None` if processing has not started. If the file
    /// states the stage running, but no process has locked the work folder, the stage in the returned state
    /// is interrupted.
    ///
    /// # Errors
    /// Returns an error if the state file cannot be read or is invalid.
    pub fn read(&self) -> Result<Option<State>> {
        let path = self.folder.join(FILE_NAME);
        match fs::symlink_metadata(&path) {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::read(&path, error)),
        }
        let mut state: State = file(&path).read_json()?;
        if state.stage == Stage::Running && !is_being_written(&self.folder) {
            state.stage = Stage::Interrupted;
        }
        Ok(Some(state))
    }

    /// Writes the processing state of the scan to its state file.
    ///
    /// # Errors
    /// Returns an error if the state file cannot be written.
    pub fn write(&self, state: &State) -> Result<()> {
        file(&self.folder.join(FILE_NAME)).write_json(state)
    }

    /// Locks the work folder of the scan against other processes. The lock ends when the returned value is
    /// dropped.
    ///
    /// # Errors
    /// Returns an error if another process has locked the work folder, or if the folder cannot be created.
    pub fn hold(&self) -> Result<Held> {
        fs::create_dir_all(&self.folder).map_err(|e| Error::write(&self.folder, e))?;
        let folder = fs::File::open(&self.folder).map_err(|e| Error::read(&self.folder, e))?;
        if let Err(fs::TryLockError::WouldBlock) = folder.try_lock() {
            let problem = "another arcuate is at work on this scan";
            return Err(Error::usage(self.folder.display(), problem, "wait for it"));
        }
        Ok(Held { _folder: folder })
    }
}

fn file(path: &Path) -> SavedState<'_> {
    let remedy = "delete it, and run this scan again";
    SavedState { path, kind: StateKind { name: "state of a scan", version: 2 }, remedy }
}

/// The work folder of a scan that this process has locked.
pub struct Held {
    _folder: fs::File,
}

/// Reads the processing states of all scans below the work folder `work`. Returns the states sorted by scan
/// name, each with the work folder of its scan. If a state file cannot be read, the stage of the scan is
/// failed.
///
/// # Errors
/// Returns an error if the work folder cannot be read.
pub fn all(work: &Path) -> Result<Vec<(Place, State)>> {
    let entries = match fs::read_dir(work) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::read(work, error)),
    };
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    let mut found = Vec::new();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let place = Place { folder };
        let state = place.read().unwrap_or_else(|error| Some(State::unreadable(name, &error)));
        found.extend(state.map(|state| (place, state)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(stage: Stage) -> State {
        State {
            scan: "sub-01".into(),
            participant: "01".into(),
            session: None,
            stage,
            error: String::new(),
            since: "2026-01-01T00:00:00Z".into(),
            version: "1".into(),
            files: vec!["sub-01/dwi/a.nii.gz".into()],
        }
    }

    #[test]
    fn unlocked_unfinished_work_is_interrupted() {
        let work = tempfile::tempdir().unwrap();
        let place = Place::new(work.path(), "sub-01");
        assert_eq!(place.read().unwrap(), None);
        let held = place.hold().unwrap();
        place.write(&state(Stage::Running)).unwrap();
        assert_eq!(place.read().unwrap().unwrap().stage, Stage::Running);
        assert!(place.hold().is_err());
        drop(held);
        assert_eq!(place.read().unwrap().unwrap().stage, Stage::Interrupted);
        place.write(&state(Stage::Done)).unwrap();
        let all = all(work.path()).unwrap();
        assert_eq!((all.len(), &all[0].1), (1, &state(Stage::Done)));
        assert_eq!(all[0].0.results(), work.path().join("sub-01/results"));
    }

    #[test]
    fn every_bit_change_of_a_state_file_is_detected() {
        let work = tempfile::tempdir().unwrap();
        let place = Place::new(work.path(), "sub-01");
        let held = place.hold().unwrap();
        place.write(&state(Stage::Done)).unwrap();
        drop(held);
        let path = work.path().join("sub-01/state.json");
        let whole = fs::read(&path).unwrap();
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, bytes).unwrap();
            let error = place.read().unwrap_err().to_string();
            assert!(
                error.contains("state.json: ") && error.ends_with("; delete it, and run this scan again"),
                "{error}"
            );
        }
        let all = all(work.path()).unwrap();
        assert_eq!((all[0].1.stage, all[0].1.participant.as_str()), (Stage::Failed, "01"));
    }
}
