//! Progress of fits and chains.

use arcuate_core::{Control, Result};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the finished work of a run that processes several pieces of work, and reports it to a [`Control`].
/// The unit of work of a fit is one voxel. The unit of work of sampling is one chain of one voxel.
pub(crate) struct Count<'a> {
    control: &'a Control,
    total: u64,
    /// Units of work in all pieces of work before the current piece.
    before: AtomicU64,
    done: AtomicU64,
}

impl<'a> Count<'a> {
    pub(crate) fn new(control: &'a Control, total: u64) -> Self {
        Self { control, total, before: AtomicU64::new(0), done: AtomicU64::new(0) }
    }

    /// Begins a piece of work after `before` finished units of work. Also call this function to repeat a
    /// piece that was not completed. Returns an error if the run was cancelled.
    pub(crate) fn begin(&self, before: u64) -> Result<()> {
        self.before.store(before, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.add(0)
    }

    /// Reports that `more` additional units of work are finished. Returns an error if the run was cancelled.
    pub(crate) fn add(&self, more: usize) -> Result<()> {
        let of_piece = self.done.fetch_add(more as u64, Ordering::Relaxed) + more as u64;
        self.control.progress(self.before.load(Ordering::Relaxed) + of_piece, self.total)
    }

    /// Returns an error if the run was cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        self.control.check()
    }
}
