//! Keeps a list of the files that a command, or one processing stage of a command, reads and of the paths to
//! which it writes.

use crate::claims::{Claim, FileLock};
use crate::recovery;
use crate::unfinished::parent;
use crate::watch::Watch;
use arcuate_core::Result;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// The input files and the results of a running command. If the command consists of several stages, each
/// stage has its own results, but all stages share one list of inputs and outputs.
#[derive(Debug, Default)]
pub struct Results {
    watch: Watch,
    own: RefCell<Own>,
}

#[derive(Debug, Default)]
struct Own {
    watched: Vec<PathBuf>,
    places: Vec<PathBuf>,
    claims: Vec<Claim>,
    locks: Vec<FileLock>,
    log: Option<PathBuf>,
}

impl Results {
    /// Creates the value for one stage of this command.
    pub fn for_stage(&self) -> Self {
        Self { watch: self.watch.clone(), own: RefCell::default() }
    }

    /// Returns the list of inputs and outputs that all stages of the command share.
    pub fn list(&self) -> &Watch {
        &self.watch
    }

    /// Watches input files for changes until this value is dropped.
    pub fn watch(&self, inputs: &[PathBuf]) {
        for missing in inputs.iter().filter(|input| !input.exists()) {
            // The file may be missing because a program was killed while it renamed it. The rename is
            // therefore completed first.
            recovery::complete(parent(missing));
        }
        let there: Vec<PathBuf> = inputs.iter().filter(|input| input.exists()).cloned().collect();
        self.watch.add(&there);
        self.own.borrow_mut().watched.extend(there);
    }

    /// Registers the canonical path of a result ([`place_of`](crate::place_of)). Returns false if another
    /// result of this command already has this path.
    pub fn claim_place(&self, place: PathBuf) -> bool {
        let places = &mut self.own.borrow_mut().places;
        let is_free = !places.contains(&place);
        places.push(place);
        is_free
    }

    /// Registers the path of the log file.
    pub fn set_log(&self, place: PathBuf) {
        self.own.borrow_mut().log = Some(place);
    }

    /// Returns true if the log file of the command has this path.
    pub fn is_log(&self, place: &Path) -> bool {
        self.own.borrow().log.as_deref() == Some(place)
    }

    /// Claims a path for this command: files that are completed at `path`, or below it, are results of this
    /// command.
    pub fn claim(&self, path: &Path) {
        self.own.borrow_mut().claims.push(Claim::new(path, &self.watch));
    }

    /// Locks the name of a file before the file is written. Returns false if another process is writing this
    /// file.
    ///
    /// Returns an error if the folder that contains the file is not writable.
    pub fn lock(&self, path: &Path) -> Result<bool> {
        let lock = FileLock::take(path)?;
        let is_free = lock.is_some();
        self.own.borrow_mut().locks.extend(lock);
        Ok(is_free)
    }

    /// Stops watching the input files of this command or stage.
    pub fn unwatch(&self) {
        let watched = std::mem::take(&mut self.own.borrow_mut().watched);
        self.watch.remove(&watched);
    }

    /// Removes all inputs, paths, claims and locks from this value, and deletes results that still have
    /// temporary names. The value can then be used for other work.
    pub fn forget(&self) {
        self.unwatch();
        self.watch.discard();
        let log = self.own.borrow_mut().log.take();
        self.own.replace(Own { log, ..Own::default() });
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        self.unwatch();
    }
}
