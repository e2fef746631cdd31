//! Progress of fits and chains.

use arcuate_core::{Control, Result};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the finished work of several pieces, and reports it to a [`Control`]. One unit of work is a voxel.
/// For chains, it is one chain of a voxel.
pub(crate) struct Count<'a> {
    control: &'a Control,
    total: u64,
    /// Amount of work in the pieces before the current one.
    before: AtomicU64,
    done: AtomicU64,
}

impl<'a> Count<'a> {
    pub(crate) fn new(control: &'a Control, total: u64) -> Self {
        Self { control, total, before: AtomicU64::new(0), done: AtomicU64::new(0) }
    }

    /// Begins a piece of work after `before` units of work, or repeats a piece that was not completed. Returns an error
    /// under the same conditions as [`add`](Self::add).
    pub(crate) fn begin(&self, before: u64) -> Result<()> {
        self.before.store(before, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.add(0)
    }

    /// Reports `more` units of finished work. Returns an error if the run was cancelled.
    pub(crate) fn add(&self, more: usize) -> Result<()> {
        let of_piece = self.done.fetch_add(more as u64, Ordering::Relaxed) + more as u64;
        self.control.progress(self.before.load(Ordering::Relaxed) + of_piece, self.total)
    }

    /// Returns an error if the run was cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        self.control.check()
    }
}
