//! How much of fits and chains is done.

use arcuate_core::{Control, Result};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts what is done of one piece of work after the other, for who [controls](Control) it: voxels, of chains those of every chain.
pub(crate) struct Count<'a> {
    control: &'a Control,
    total: u64,
    /// What pieces before this one came to.
    before: AtomicU64,
    done: AtomicU64,
}

impl<'a> Count<'a> {
    pub(crate) fn new(control: &'a Control, total: u64) -> Self {
        Self { control, total, before: AtomicU64::new(0), done: AtomicU64::new(0) }
    }

    /// Begins a piece of the work, `before` which so much was done; again where it did not come to its end. Fails like
    /// [`add`](Self::add).
    pub(crate) fn begin(&self, before: u64) -> Result<()> {
        self.before.store(before, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.add(0)
    }

    /// So many more are done. Fails where the work shall end.
    pub(crate) fn add(&self, more: usize) -> Result<()> {
        let of_piece = self.done.fetch_add(more as u64, Ordering::Relaxed) + more as u64;
        self.control.progress(self.before.load(Ordering::Relaxed) + of_piece, self.total)
    }

    /// Fails where the work shall end.
    pub(crate) fn check(&self) -> Result<()> {
        self.control.check()
    }
}
