//! Long runs in parts: what is done is saved, and a run that was interrupted goes on from there.

use crate::matrix_counter::MatrixCounter;
use crate::row_journal::RowJournal;
use arcuate_core::{Error, Result};
use arcuate_io::write_file;
use arcuate_track::SampleTracks;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const STATE: &str = "tracking.part";
const ROWS: &str = "matrix.part";

/// Number of the form of the state.
const FORM: u32 = 1;

/// Streamlines of the first part, about: later ones take as long as they shall.
const FIRST: u64 = 1 << 16;

/// What is saved of a run, in its folder of results.
pub(super) struct Saved {
    folder: PathBuf,
    identity: String,
    /// What was found of an earlier run.
    found: Option<(Head, Vec<u8>)>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Head {
    form: u32,
    identity: String,
    /// Seeds that are done.
    seeds: u64,
    /// Bytes of rows that belong to them.
    rows: u64,
}

impl Saved {
    /// What is there in a folder of the run that `identity` says.
    ///
    /// Fails where something is there of another run, or nothing that can be read.
    pub(super) fn find(folder: &Path, identity: String) -> Result<Self> {
        let path = folder.join(STATE);
        let found = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(Error::read(&path, error)),
            Ok(bytes) => Some(parsed(&path, &bytes, &identity)?),
        };
        Ok(Self { folder: folder.to_owned(), identity, found })
    }

    /// The file of rows.
    pub(super) fn rows(&self) -> PathBuf {
        self.folder.join(ROWS)
    }

    /// Bytes of it that are kept.
    pub(super) fn bytes_of_rows(&self) -> u64 {
        self.found.as_ref().map_or(0, |(head, _)| head.rows)
    }

    /// Seeds that are done.
    pub(super) fn seeds(&self) -> u64 {
        self.found.as_ref().map_or(0, |(head, _)| head.seeds)
    }

    fn save(&self, seeds: u64, rows: u64, tracks: &SampleTracks) -> Result<()> {
        let path = self.folder.join(STATE);
        let head = Head { form: FORM, identity: self.identity.clone(), seeds, rows };
        let mut bytes = serde_json::to_vec(&head).map_err(|e| Error::write(&path, e.into()))?;
        bytes.push(b'\n');
        bytes.extend(tracks.to_bytes());
        write_file(&path, bytes)
    }

    /// Removes what is no longer needed.
    pub(super) fn remove(&self) {
        for name in [STATE, ROWS] {
            // What stays is of this run, and says so.
            let _ = std::fs::remove_file(self.folder.join(name));
        }
    }
}

fn parsed(path: &Path, bytes: &[u8], identity: &str) -> Result<(Head, Vec<u8>)> {
    let refuse = |problem: &str, advice: &str| Err(Error::invalid(path.display(), problem, advice));
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let Ok(head) = serde_json::from_slice::<Head>(&bytes[..end]) else {
        return refuse("it is no state of a run", "remove it, and begin again");
    };
    if head.form != FORM || head.identity != identity {
        let problem = "it is of a run with other data or options, which was interrupted";
        return refuse(
            problem,
            "give the same ones to go on with it, remove it to begin again, or choose another ‘out’",
        );
    }
    Ok((head, bytes.get(end + 1..).unwrap_or_default().to_vec()))
}

/// How a run is cut: `each` streamlines from each of `seeds` seeds.
pub(super) struct Parts<'a> {
    pub(super) saved: &'a Saved,
    pub(super) journal: &'a RowJournal,
    pub(super) seeds: u64,
    pub(super) each: u64,
    /// How long a part takes, about.
    pub(super) every: Duration,
}

impl Parts<'_> {
    /// Follows all seeds that are not done, part by part, by `follow`, which takes the numbers of streamlines.
    pub(super) fn run(
        self,
        met: &mut MatrixCounter<'_>,
        mut follow: impl FnMut(&mut MatrixCounter<'_>, Range<u64>) -> Result<SampleTracks>,
    ) -> Result<SampleTracks> {
        let Self { saved, journal, seeds, each, every } = self;
        let mut done = saved.seeds().min(seeds);
        // Of no streamline, to know what there is to be counted.
        let mut tracks = follow(met, done * each..done * each)?;
        if let Some((_, bytes)) = &saved.found {
            tracks = tracks.from_bytes(bytes)?;
        }
        let mut size = if every.is_zero() { 1 } else { FIRST.div_ceil(each.max(1)) };
        while done < seeds {
            let began = Instant::now();
            let end = seeds.min(done.saturating_add(size));
            tracks.add(&follow(met, done * each..end * each)?);
            met.pause()?;
            done = end;
            if done < seeds {
                saved.save(done, journal.sync()?, &tracks)?;
            }
            let wanted = size as f64 * every.as_secs_f64() / began.elapsed().as_secs_f64().max(1e-9);
            size = (wanted as u64).clamp(1, size.saturating_mul(2));
        }
        Ok(tracks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_of_one_run() {
        let folder = tempfile::tempdir().unwrap();
        let find = |identity: &str| Saved::find(folder.path(), identity.to_owned());
        assert_eq!(find("a").unwrap().seeds(), 0);
        let head = Head { form: FORM, identity: "a".into(), seeds: 12, rows: 345 };
        let text = [serde_json::to_vec(&head).unwrap(), b"\n\x01\n\x02".to_vec()].concat();
        std::fs::write(folder.path().join(STATE), text).unwrap();
        let saved = find("a").unwrap();
        assert_eq!((saved.seeds(), saved.bytes_of_rows()), (12, 345));
        assert_eq!(saved.found.as_ref().unwrap().1, b"\x01\n\x02");
        let other = find("b").err().unwrap().to_string();
        assert!(other.contains("tracking.part: it is of a run with other data or options"), "{other}");
        std::fs::write(folder.path().join(STATE), "nonsense").unwrap();
        assert!(find("a").err().unwrap().to_string().contains("it is no state of a run"));
        saved.remove();
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
