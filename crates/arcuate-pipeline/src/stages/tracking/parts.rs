//! Division of a long run into sections. Each finished section is saved, and an interrupted run continues
//! after its last saved section.

use super::receiver::Receiver;
use crate::row_journal::RowJournal;
use arcuate_core::{Error, Result};
use arcuate_io::{JournalPosition, SavedState, StateKind};
use arcuate_track::SampleTracks;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const STATE: &str = "tracking.part";
const ROWS: &str = "matrix.part";

/// Kind and version of the state file.
const KIND: StateKind = StateKind { name: "tracking", version: 2 };

/// Approximate number of streamlines in the first section. The size of later sections depends on how long the
/// previous section took.
const FIRST: u64 = 1 << 16;

/// The state of a run that is saved in the folder of results.
pub(super) struct Saved {
    folder: PathBuf,
    identity: String,
    /// State that an interrupted run saved. `None` if there is no such state.
    found: Option<(Head, Vec<u8>)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Head {
    identity: String,
    /// Number of finished seeds.
    seeds: u64,
    /// Position in the file of matrix rows after the rows of these seeds.
    rows: JournalPosition,
}

impl Saved {
    /// Reads the state that a run with this identity saved in a folder, if there is one.
    ///
    /// Returns an error if the saved state belongs to another run, or if its file was changed.
    pub(super) fn find(folder: &Path, identity: String) -> Result<Self> {
        let path = folder.join(STATE);
        let remedy = remedy(folder);
        let file = SavedState { path: &path, kind: KIND, remedy: &remedy };
        let found = match path.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            _ => Some(parsed(&file, &file.read_bytes()?, &identity)?),
        };
        Ok(Self { folder: folder.to_owned(), identity, found })
    }

    /// Returns the path of the file of finished matrix rows.
    pub(super) fn rows(&self) -> PathBuf {
        self.folder.join(ROWS)
    }

    /// Returns the position in the file of matrix rows after the last saved row.
    pub(super) fn end_of_rows(&self) -> Option<JournalPosition> {
        self.found.as_ref().map(|(head, _)| head.rows)
    }

    /// Returns the advice to the user if a file of the saved state is damaged.
    pub(super) fn remedy(&self) -> String {
        remedy(&self.folder)
    }

    /// Returns the number of finished seeds.
    pub(super) fn seeds(&self) -> u64 {
        self.found.as_ref().map_or(0, |(head, _)| head.seeds)
    }

    fn save(&self, seeds: u64, rows: JournalPosition, tracks: &SampleTracks) -> Result<()> {
        let path = self.folder.join(STATE);
        let head = Head { identity: self.identity.clone(), seeds, rows };
        let mut bytes = serde_json::to_vec(&head).map_err(|e| Error::write(&path, e.into()))?;
        bytes.push(b'\n');
        bytes.extend(tracks.to_bytes());
        SavedState { path: &path, kind: KIND, remedy: "" }.write_bytes(&bytes)
    }

    /// Removes the files of the saved state, when the run is complete.
    pub(super) fn remove(&self) {
        for name in [STATE, ROWS] {
            // If a file cannot be removed, it causes no error later, because it contains the identity of its
            // run.
            let _ = std::fs::remove_file(self.folder.join(name));
        }
    }
}

fn remedy(folder: &Path) -> String {
    format!("delete {STATE} and {ROWS} in {}, and run the command again", folder.display())
}

fn parsed(file: &SavedState<'_>, bytes: &[u8], identity: &str) -> Result<(Head, Vec<u8>)> {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let Ok(head) = serde_json::from_slice::<Head>(&bytes[..end]) else {
        return Err(file.damaged("it is not the state of a run"));
    };
    if head.identity != identity {
        let problem = "it belongs to an interrupted run with other data, options or version";
        let advice = "use the same ones to continue it, delete it to begin again, or choose another ‘out’";
        return Err(Error::invalid(file.path.display(), problem, advice));
    }
    Ok((head, bytes.get(end + 1..).unwrap_or_default().to_vec()))
}

/// A run that is divided into sections. It has `seeds` seeds, with `each` streamlines from each seed.
pub(super) struct Parts<'a> {
    pub(super) saved: &'a Saved,
    pub(super) journal: &'a RowJournal,
    pub(super) seeds: u64,
    pub(super) each: u64,
    /// Approximate duration of a section.
    pub(super) every: Duration,
}

impl Parts<'_> {
    /// Follows the streamlines of all seeds that are not finished, section by section. The function `follow`
    /// follows the streamlines in a range of streamline numbers.
    pub(super) fn run<'t>(
        self,
        receivers: &mut [Option<Box<dyn Receiver + 't>>],
        mut follow: impl FnMut(&mut [Option<Box<dyn Receiver + 't>>], Range<u64>) -> Result<SampleTracks>,
    ) -> Result<SampleTracks> {
        let Self { saved, journal, seeds, each, every } = self;
        let mut done = saved.seeds().min(seeds);
        // The range of streamlines is empty, so no streamline is followed. The result has the structure of
        // the results of this run, with all counts 0.
        let mut tracks = follow(receivers, done * each..done * each)?;
        if let Some((_, bytes)) = &saved.found {
            let path = saved.folder.join(STATE);
            tracks = tracks.from_bytes(bytes).map_err(|e| e.about(path.display()))?;
        }
        let mut size = if every.is_zero() { 1 } else { FIRST.div_ceil(each.max(1)) };
        while done < seeds {
            let began = Instant::now();
            let end = seeds.min(done.saturating_add(size));
            tracks.add(&follow(receivers, done * each..end * each)?);
            for receiver in receivers.iter_mut().flatten() {
                receiver.pause()?;
            }
            done = end;
            // The state after the last section is saved, too. If a result then cannot be written, the next
            // run does not follow the streamlines again.
            saved.save(done, journal.sync()?, &tracks)?;
            let target = size as f64 * every.as_secs_f64() / began.elapsed().as_secs_f64().max(1e-9);
            size = (target as u64).clamp(1, size.saturating_mul(2));
        }
        Ok(tracks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_io::JournalWriter;

    #[test]
    fn saved_states_must_belong_to_the_run_and_be_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let find = |identity: &str| Saved::find(folder.path(), identity.to_owned());
        assert_eq!(find("a").unwrap().seeds(), 0);
        let rows =
            JournalWriter::begin(Vec::new(), StateKind { name: "rows", version: 1 }).unwrap().position();
        let head = Head { identity: "a".into(), seeds: 12, rows };
        let text = [serde_json::to_vec(&head).unwrap(), b"\n\x01\n\x02".to_vec()].concat();
        let path = folder.path().join(STATE);
        SavedState { path: &path, kind: KIND, remedy: "" }.write_bytes(&text).unwrap();
        let saved = find("a").unwrap();
        assert_eq!((saved.seeds(), saved.end_of_rows()), (12, Some(rows)));
        assert_eq!(saved.found.as_ref().unwrap().1, b"\x01\n\x02");
        let other = find("b").err().unwrap().to_string();
        assert!(other.contains("tracking.part: it belongs to an interrupted run with other data"), "{other}");
        let whole = std::fs::read(&path).unwrap();
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, bytes).unwrap();
            let error = find("a").err().unwrap().to_string();
            assert!(error.contains("; delete tracking.part and matrix.part in "), "bit {bit}: {error}");
        }
        saved.remove();
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
