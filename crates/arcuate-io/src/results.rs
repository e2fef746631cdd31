//! The files that a call, or a stage of one, reads, and the places that it writes to.

use crate::claims::{Claim, FileLock};
use crate::recovery;
use crate::unfinished::parent;
use crate::watch::Watch;
use arcuate_core::Result;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// The inputs and results of a call. Stages of a call have results of their own and share its list of what is read and made.
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
    /// Begins the results of a stage.
    pub fn for_stage(&self) -> Self {
        Self { watch: self.watch.clone(), own: RefCell::default() }
    }

    /// The list of what is read and made.
    pub fn list(&self) -> &Watch {
        &self.watch
    }

    /// Has files watched as long as this is there.
    pub fn watch(&self, inputs: &[PathBuf]) {
        for missing in inputs.iter().filter(|input| !input.exists()) {
            // A killed program may have been giving it its name.
            recovery::complete(parent(missing));
        }
        let there: Vec<PathBuf> = inputs.iter().filter(|input| input.exists()).cloned().collect();
        self.watch.add(&there);
        self.own.borrow_mut().watched.extend(there);
    }

    /// Notes the place of a result ([`place_of`](crate::place_of)); false if another result has it already.
    pub fn takes(&self, place: PathBuf) -> bool {
        let places = &mut self.own.borrow_mut().places;
        let is_free = !places.contains(&place);
        places.push(place);
        is_free
    }

    /// Notes where a log is written.
    pub fn set_log(&self, place: PathBuf) {
        self.own.borrow_mut().log = Some(place);
    }

    /// Tells whether a log is written at a place.
    pub fn is_log(&self, place: &Path) -> bool {
        self.own.borrow().log.as_deref() == Some(place)
    }

    /// Makes files that are finished at `path` or below it results of this call.
    pub fn claim(&self, path: &Path) {
        self.own.borrow_mut().claims.push(Claim::new(path, &self.watch));
    }

    /// Locks a file before it is written; false if somebody else writes it.
    ///
    /// Fails if its folder cannot be written.
    pub fn lock(&self, path: &Path) -> Result<bool> {
        let lock = FileLock::take(path)?;
        let is_free = lock.is_some();
        self.own.borrow_mut().locks.extend(lock);
        Ok(is_free)
    }

    /// Ends watching the files of this call or stage.
    pub fn unwatch(&self) {
        let watched = std::mem::take(&mut self.own.borrow_mut().watched);
        self.watch.remove(&watched);
    }

    /// Forgets inputs, places, claims, locks and results that have not their names yet: what comes next is other work.
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
