//! Watches the inputs of one call. If an input changes during the call, the results belong to neither version
//! of the input. Results then do not get their names, and results that already have their names are removed.

use crate::complete::Complete;
use crate::disk;
use crate::publish::{publish, synchronise_folders};
use arcuate_core::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::SystemTime;

/// The size and the modification time of a file, by which a change is detected.
type Version = (u64, Option<SystemTime>);

/// The inputs and results of one call. Clones share the same list.
#[derive(Debug, Clone, Default)]
pub struct Watch(Arc<Mutex<Lists>>);

/// A reference to the list of a call that does not keep the list alive.
pub(crate) type WeakWatch = Weak<Mutex<Lists>>;

#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// For each input, its first version and the number of requests to watch it.
    seen: BTreeMap<PathBuf, (Version, usize)>,
    /// Results that have their names but may still be removed.
    appeared: Vec<PathBuf>,
    /// Folders in which names have changed that may not be on the disk yet.
    changed_folders: BTreeSet<PathBuf>,
    /// Results that get their names together; `None` if results get their names one by one.
    group: Option<Vec<Complete>>,
    /// True if results are held until the call settles.
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

    /// Records the versions of files that will be read. If one of these files changes afterwards, no result
    /// of this call gets its name.
    pub fn add(&self, inputs: &[PathBuf]) {
        let mut lists = self.lists();
        for input in inputs {
            // A missing file is not watched, since the code that reads it reports the error.
            if let Some(version) = version(input) {
                lists.seen.entry(input.clone()).or_insert((version, 0)).1 += 1;
            }
        }
    }

    /// Reverses one call of [`add`](Self::add) with these inputs.
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

    /// Returns an error if an input has changed. Results that got their names since the last call of
    /// [`settle`](Self::settle) are then removed.
    pub fn require_unchanged(&self) -> Result<()> {
        self.lists().require_unchanged()
    }

    /// Declares all results so far to be complete. They stay even if inputs change later, and their names are
    /// on the disk when this function returns.
    ///
    /// If there are results, returns the error of [`require_unchanged`](Self::require_unchanged). Also
    /// returns an error if the names of the results cannot be synchronised.
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

    /// Runs `work`, and then gives all results that it has finished their names together. All results are
    /// synchronised at the same time, which takes little longer than one result. `work` must not read the
    /// results by their names.
    ///
    /// Returns an error if `work` fails. Then none of the results that `work` has finished gets its name.
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

    /// Holds all results that are finished after this function is called. They get their names together when
    /// the call [settles](Self::settle). So a result and its record either both exist or both do not. The
    /// call must not read the results by their names before.
    pub fn hold(&self) {
        let mut lists = self.lists();
        if lists.group.is_none() {
            lists.group = Some(Vec::new());
            lists.is_held = true;
        }
    }

    /// Removes the held results, because the call has failed.
    pub(crate) fn discard(&self) {
        let mut lists = self.lists();
        let held = if std::mem::take(&mut lists.is_held) { lists.group.take() } else { None };
        drop(lists);
        drop(held);
    }

    /// Gives complete files their names, immediately or together with other held files.
    pub(crate) fn finish(&self, files: Vec<Complete>) -> Result<()> {
        {
            let mut lists = self.lists();
            lists.require_unchanged()?;
            if let Some(group) = &mut lists.group {
                // If a file is written twice, the last version gets the name.
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

/// Ends a group of results whose work has failed, and removes its files.
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
            // If a result cannot be removed, it stays, but no record refers to it.
            let _ = disk::remove(&result);
        }
        let problem = "it was changed while it was read";
        Err(Error::invalid(input.display(), problem, "run the command again when the file is complete"))
    }
}

/// Returns the version of a file. For a `.trx` folder, which has many files, this is the version of its
/// header.
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
    fn results_of_a_file_that_changes_go_unless_they_are_complete() {
        let files = files();
        let watch = Watch::default();
        let _claims = ["complete", "result", "later"].map(|name| Claim::new(&files.at(name), &watch));
        watch.add(&[files.at("input"), files.at("missing")]);
        write_file(&files.at("complete"), "a").unwrap();
        watch.settle().unwrap();
        write_file(&files.at("result"), "b").unwrap();
        watch.require_unchanged().unwrap();
        // The first version of the input counts, even if the input is added again.
        std::fs::write(files.at("input"), "abcd").unwrap();
        watch.add(&[files.at("input")]);
        let error = write_file(&files.at("later"), "c").unwrap_err().to_string();
        assert!(error.contains("input: it was changed while it was read; run the command again"), "{error}");
        assert!(files.at("complete").exists() && !files.at("result").exists() && !files.at("later").exists());
        // An input that was removed has changed, too.
        std::fs::remove_file(files.at("input")).unwrap();
        assert!(watch.require_unchanged().is_err());
        // The error remains until all requests to watch the input are removed.
        watch.remove(&[files.at("input"), files.at("missing")]);
        assert!(watch.require_unchanged().is_err());
        watch.remove(&[files.at("input")]);
        watch.require_unchanged().unwrap();
    }

    #[test]
    fn a_call_does_not_remove_the_results_of_another() {
        let files = files();
        let [first, second] = [Watch::default(), Watch::default()];
        let _claims = [Claim::new(&files.at("a"), &first), Claim::new(&files.at("b"), &second)];
        write_file(&files.at("a"), "of the first").unwrap();
        write_file(&files.at("saved"), "of nobody").unwrap();
        second.add(&[files.at("input")]);
        write_file(&files.at("b"), "of the second").unwrap();
        std::fs::remove_file(files.at("input")).unwrap();
        // The other results do not belong to the call whose input has changed.
        write_file(&files.at("a"), "of the first, again").unwrap();
        write_file(&files.at("saved"), "of nobody, again").unwrap();
        assert!(second.settle().is_err());
        first.settle().unwrap();
        assert_eq!(["a", "b", "saved"].map(|name| files.at(name).exists()), [true, false, true]);
    }

    #[test]
    fn results_that_are_held_get_their_names_when_the_call_settles_and_not_if_it_fails() {
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
    fn results_of_a_group_get_their_names_together() {
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
        // Outside a group, a result gets its name immediately.
        write_file(&files.at("a"), "third").unwrap();
        assert_eq!(std::fs::read(files.at("a")).unwrap(), b"third");
    }
}
