//! Files that a command reads, from before they are read until its results are complete. A result of a file that changes
//! meanwhile is of neither version: it does not appear under its name, and what has appeared already goes again.

use crate::unfinished;
use arcuate_core::{Error, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// What tells that a file was not changed: its size and when it was written.
type Version = (u64, Option<SystemTime>);

/// Inputs and what was made of them.
#[derive(Debug)]
struct Watch {
    /// The first version of each, and how often it was asked to watch it.
    seen: BTreeMap<PathBuf, (Version, usize)>,
    /// Results that are not known to be complete.
    appeared: Vec<PathBuf>,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch { seen: BTreeMap::new(), appeared: Vec::new() });

fn with<R>(work: impl FnOnce(&mut Watch) -> R) -> R {
    work(&mut WATCH.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Notes which version of files will be read. From now on nothing of this process appears under its name where one of
/// them has become another.
pub fn watch(inputs: &[PathBuf]) {
    with(|watch| watch.add(inputs));
}

/// Says that files need not be watched any more, as often as they were asked to be: of programs that go on after the work that they
/// were read for.
pub fn unwatch(inputs: &[PathBuf]) {
    with(|watch| watch.forget(inputs));
}

/// Fails where a file that is watched is not what it was; then the results go that appeared since the last call of
/// [`settle`].
pub fn require_unchanged() -> Result<()> {
    with(Watch::require_unchanged)
}

/// Says that the results that have appeared are all: from now on they stay, whatever happens to their inputs. Where there are
/// any, fails as [`require_unchanged`].
pub fn settle() -> Result<()> {
    with(|watch| {
        if !watch.appeared.is_empty() {
            watch.require_unchanged()?;
        }
        watch.appeared.clear();
        Ok(())
    })
}

/// Notes a result that has come to its name.
pub(crate) fn appeared(result: &Path) {
    with(|watch| watch.appeared.push(result.to_owned()));
}

impl Watch {
    fn add(&mut self, inputs: &[PathBuf]) {
        for input in inputs {
            // What is missing is said by who reads it.
            if let Some(version) = version(input) {
                self.seen.entry(input.clone()).or_insert((version, 0)).1 += 1;
            }
        }
    }

    fn forget(&mut self, inputs: &[PathBuf]) {
        for input in inputs {
            let Some((_, times)) = self.seen.get_mut(input) else { continue };
            *times -= 1;
            if *times == 0 {
                self.seen.remove(input);
            }
        }
    }

    fn require_unchanged(&mut self) -> Result<()> {
        let Some((input, _)) = self.seen.iter().find(|(input, (seen, _))| version(input) != Some(*seen))
        else {
            return Ok(());
        };
        for result in self.appeared.drain(..) {
            // One that cannot be removed has no record that vouches for it.
            let _ = unfinished::remove(&result);
        }
        let problem = "it was changed while it was read";
        Err(Error::invalid(input.display(), problem, "run the command again when it is complete"))
    }
}

/// The version of a file; of a `.trx` folder, whose parts are many, that of its header.
fn version(path: &Path) -> Option<Version> {
    let mut metadata = path.metadata().ok()?;
    if metadata.is_dir() {
        metadata = path.join("header.json").metadata().ok()?;
    }
    Some((metadata.len(), metadata.modified().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_a_file_that_changes_go_unless_they_are_complete() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["input", "complete", "result"] {
            std::fs::write(at(name), "abc").unwrap();
        }
        std::fs::create_dir(at("result.trx")).unwrap();
        std::fs::write(at("result.trx/header.json"), "{}").unwrap();
        let seen = BTreeMap::new();
        let mut watch = Watch { seen, appeared: vec![at("result"), at("result.trx")] };
        watch.add(&[at("input"), at("missing")]);
        watch.require_unchanged().unwrap();
        // The first version counts, however often it is named.
        std::fs::write(at("input"), "abcd").unwrap();
        watch.add(&[at("input")]);
        let error = watch.require_unchanged().unwrap_err().to_string();
        assert!(error.contains("input: it was changed while it was read; run the command again"), "{error}");
        assert!(at("complete").exists() && !at("result").exists() && !at("result.trx").exists());
        // One that is gone has changed, too.
        std::fs::remove_file(at("input")).unwrap();
        assert!(watch.require_unchanged().is_err());
        // Until nobody asks any more.
        watch.forget(&[at("input"), at("missing")]);
        assert!(watch.require_unchanged().is_err());
        watch.forget(&[at("input")]);
        watch.require_unchanged().unwrap();
    }
}
