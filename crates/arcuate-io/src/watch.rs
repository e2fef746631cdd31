//! Watches the input files of a running command for changes. If an input file changes while the command runs,
//! the results belong neither to the old nor to the new version of the file. New results then do not get
//! their final names, and results of the command that already have them are removed.

use crate::complete::Complete;
use crate::disk;
use crate::publish::{publish, synchronise_folders};
use arcuate_core::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::SystemTime;

/// The size and the modification time of a file. If one of these differs, the file has changed.
type Version = (u64, Option<SystemTime>);

/// The input files and results of one running command. Clones share the same list.
#[derive(Debug, Clone, Default)]
pub struct Watch(Arc<Mutex<Lists>>);

/// A reference to the list of inputs and results of a command. It does not keep the list alive.
pub(crate) type WeakWatch = Weak<Mutex<Lists>>;

#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// For each input file: its version when it was first watched, and the number of requests to watch it.
    seen: BTreeMap<PathBuf, (Version, usize)>,
    /// Results that already have their final names but are removed if an input file changes.
    appeared: Vec<PathBuf>,
    /// Folders in which results were renamed. These changes may not be on the disk yet.
    changed_folders: BTreeSet<PathBuf>,
    /// Complete results that will be renamed together. `None` if each result is renamed as soon as it is
    /// complete.
    group: Option<Vec<Complete>>,
    /// True if complete results keep their temporary names until the command calls [`settle`](Watch::settle).
    is_held: bool,
}

impl Watch {
    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn downgrade(&self) -> WeakWatch {
        Arc::downgrade(&self.0)
    }

    pub(crate) fn upgrade(weak: &WeakWatch) -> Option<Self> {
        weak.upgrade().map(Self)
    }

    /// Records the present versions of input files that will be read. If one of these files changes
    /// afterwards, no result of this command gets its final name.
    pub fn add(&self, inputs: &[PathBuf]) {
        let mut lists = self.lists();
        for input in inputs {
            // A missing input file is not watched, because the code that reads it reports the error.
            if let Some(version) = version(input) {
                lists.seen.entry(input.clone()).or_insert((version, 0)).1 += 1;
            }
        }
    }

    /// Cancels the effect of one call of [`add`](Self::add) with these input files.
    pub fn remove(&self, inputs: &[PathBuf]) {
        let mut lists = self.lists();
        for input in inputs {
            let Some((_, times)) = lists.seen.get_mut(input) else { continue };
            *times -= 1;
            if *times == 0 {
                lists.seen.remove(input);
            }
        }
    }

    /// Returns an error if an input file has changed. In this case, removes the results that were renamed
    /// since the last call of [`settle`](Self::settle).
    pub fn require_unchanged(&self) -> Result<()> {
        self.lists().require_unchanged()
    }

    /// Declares all results so far to be final. They are kept even if input files change later. When this
    /// function returns, their names are on the disk.
    ///
    /// Returns an error if there are results and an input file has changed, as
    /// [`require_unchanged`](Self::require_unchanged) does. Also returns an error if the names of the results
    /// cannot be written to the disk.
    pub fn settle(&self) -> Result<()> {
        let held = {
            let mut lists = self.lists();
            if std::mem::take(&mut lists.is_held) { lists.group.take() } else { None }
        };
        if let Some(files) = held.filter(|files| !files.is_empty()) {
            self.finish(files)?;
        }
        let mut lists = self.lists();
        if !lists.appeared.is_empty() {
            lists.require_unchanged()?;
        }
        synchronise_folders(&lists.changed_folders)?;
        lists.changed_folders.clear();
        lists.appeared.clear();
        Ok(())
    }

    /// Runs `work`, and then renames all results that it has completed together. All these results are
    /// written to the disk at the same time, which takes little longer than for one result. `work` must not
    /// read the results under their final names.
    ///
    /// Returns an error if `work` fails. In this case, none of the results that `work` has completed gets its
    /// final name.
    pub fn together<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        let is_within = self.lists().group.is_some();
        if is_within {
            return work();
        }
        self.lists().group = Some(Vec::new());
        let ended = EndOfGroup(self);
        let done = work()?;
        let files = self.lists().group.take().unwrap_or_default();
        drop(ended);
        self.finish(files)?;
        Ok(done)
    }

    /// After this call, complete results keep their temporary names until [`settle`](Self::settle) renames
    /// all of them together. Therefore, a result and its record (JSON with provenance) either both exist or
    /// both do not. Until then, the command must not read the results under their final names.
    pub fn hold(&self) {
        let mut lists = self.lists();
        if lists.group.is_none() {
            lists.group = Some(Vec::new());
            lists.is_held = true;
        }
    }

    /// Removes the results that still have temporary names, because the command has failed.
    pub(crate) fn discard(&self) {
        let mut lists = self.lists();
        let held = if std::mem::take(&mut lists.is_held) { lists.group.take() } else { None };
        drop(lists);
        drop(held);
    }

    /// Renames complete files to their final names. If results are collected to be renamed together, adds the
    /// files to this collection instead.
    pub(crate) fn finish(&self, files: Vec<Complete>) -> Result<()> {
        {
            let mut lists = self.lists();
            lists.require_unchanged()?;
            if let Some(group) = &mut lists.group {
                // If two of the collected files have the same final name, the file written last gets it.
                group.retain(|earlier| !files.iter().any(|file| file.target() == earlier.target()));
                group.extend(files);
                return Ok(());
            }
        }
        let targets: Vec<PathBuf> = files.iter().map(|file| file.target().to_owned()).collect();
        let folders = publish(files)?;
        let mut lists = self.lists();
        lists.appeared.extend(targets);
        lists.changed_folders.extend(folders);
        Ok(())
    }
}

/// When dropped, removes the results that failed work has completed and that were to be renamed together.
struct EndOfGroup<'a>(&'a Watch);

impl Drop for EndOfGroup<'_> {
    fn drop(&mut self) {
        let left = self.0.lists().group.take();
        drop(left);
    }
}

impl Lists {
    fn require_unchanged(&mut self) -> Result<()> {
        let Some((input, _)) = self.seen.iter().find(|(input, (seen, _))| version(input) != Some(*seen))
        else {
            return Ok(());
        };
        for result in self.appeared.drain(..) {
            // If a result cannot be removed, it stays, but no record of the command refers to it.
            let _ = disk::remove(&result);
        }
        let problem = "it was changed while it was read";
        Err(Error::invalid(input.display(), problem, "run the command again when the file is complete"))
    }
}

/// Returns the size and the modification time of a file. For a `.trx` folder, which has many files, they are
/// those of its file `header.json`.
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
    use crate::{Claim, write_file};

    struct Files(tempfile::TempDir);

    impl Files {
        fn at(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }
    }

    /// Creates a folder with one input file.
    fn files() -> Files {
        let files = Files(tempfile::tempdir().unwrap());
        std::fs::write(files.at("input"), "abc").unwrap();
        files
    }

    #[test]
    fn unfinished_results_of_changed_inputs_are_removed() {
        let files = files();
        let watch = Watch::default();
        let _claims = ["complete", "result", "later"].map(|name| Claim::new(&files.at(name), &watch));
        watch.add(&[files.at("input"), files.at("missing")]);
        write_file(&files.at("complete"), "a").unwrap();
        watch.settle().unwrap();
        write_file(&files.at("result"), "b").unwrap();
        watch.require_unchanged().unwrap();
        // The first version of the input file counts, even if the file is added again after a change.
        std::fs::write(files.at("input"), "abcd").unwrap();
        watch.add(&[files.at("input")]);
        let error = write_file(&files.at("later"), "c").unwrap_err().to_string();
        assert!(error.contains("input: it was changed while it was read; run the command again"), "{error}");
        assert!(files.at("complete").exists() && !files.at("result").exists() && !files.at("later").exists());
        // An input file that was removed counts as changed, too.
        std::fs::remove_file(files.at("input")).unwrap();
        assert!(watch.require_unchanged().is_err());
        // The error is returned until all requests to watch the input file are cancelled.
        watch.remove(&[files.at("input"), files.at("missing")]);
        assert!(watch.require_unchanged().is_err());
        watch.remove(&[files.at("input")]);
        watch.require_unchanged().unwrap();
    }

    #[test]
    fn calls_do_not_remove_results_of_other_calls() {
        let files = files();
        let [first, second] = [Watch::default(), Watch::default()];
        let _claims = [Claim::new(&files.at("a"), &first), Claim::new(&files.at("b"), &second)];
        write_file(&files.at("a"), "of the first").unwrap();
        write_file(&files.at("saved"), "of nobody").unwrap();
        second.add(&[files.at("input")]);
        write_file(&files.at("b"), "of the second").unwrap();
        std::fs::remove_file(files.at("input")).unwrap();
        // The other results do not belong to the command whose input file has changed, so they must be kept.
        write_file(&files.at("a"), "of the first, again").unwrap();
        write_file(&files.at("saved"), "of nobody, again").unwrap();
        assert!(second.settle().is_err());
        first.settle().unwrap();
        assert_eq!(["a", "b", "saved"].map(|name| files.at(name).exists()), [true, false, true]);
    }

    #[test]
    fn held_results_are_named_only_if_the_call_succeeds() {
        let files = files();
        let watch = Watch::default();
        let _claims = ["a", "a.json"].map(|name| Claim::new(&files.at(name), &watch));
        std::fs::write(files.at("a"), "old").unwrap();
        let names = || {
            let entries = files.0.path().read_dir().unwrap();
            let mut names: Vec<String> =
                entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        watch.hold();
        write_file(&files.at("a"), "new").unwrap();
        assert_eq!(std::fs::read(files.at("a")).unwrap(), b"old");
        watch.discard();
        assert_eq!(
            (std::fs::read(files.at("a")).unwrap(), names()),
            (b"old".to_vec(), vec!["a".into(), "input".into()])
        );
        watch.hold();
        write_file(&files.at("a"), "new").unwrap();
        watch.together(|| write_file(&files.at("a.json"), "{}")).unwrap();
        assert_eq!(std::fs::read(files.at("a")).unwrap(), b"old");
        watch.settle().unwrap();
        assert_eq!(std::fs::read(files.at("a")).unwrap(), b"new");
        assert_eq!(names(), ["a", "a.json", "input"]);
        write_file(&files.at("a"), "newer").unwrap();
        assert_eq!(std::fs::read(files.at("a")).unwrap(), b"newer");
    }

    #[test]
    fn grouped_results_are_named_together() {
        let files = files();
        let watch = Watch::default();
        let _claims = ["a", "b"].map(|name| Claim::new(&files.at(name), &watch));
        let write = |is_good: bool| {
            watch.together(|| {
                write_file(&files.at("a"), "first")?;
                write_file(&files.at("a"), "second")?;
                write_file(&files.at("b"), "second")?;
                assert!(!files.at("a").exists());
                if is_good { Ok(()) } else { Err(Error::cancelled()) }
            })
        };
        write(false).unwrap_err();
        assert_eq!(files.0.path().read_dir().unwrap().count(), 1);
        write(true).unwrap();
        assert_eq!(["a", "b"].map(|name| std::fs::read(files.at(name)).unwrap()), [b"second", b"second"]);
        assert_eq!(files.0.path().read_dir().unwrap().count(), 3);
        // After `together` has ended, a result gets its final name as soon as it is complete.
        write_file(&files.at("a"), "third").unwrap();
        assert_eq!(std::fs::read(files.at("a")).unwrap(), b"third");
    }
}
