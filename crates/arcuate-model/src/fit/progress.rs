//! Who is told how far fits and chains are.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Who is told how much of a long piece of work is done: voxels, of chains those of every chain. Nobody by default. It is called by
/// several threads, so that what is said last need not be the most; results do not depend on it.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Fn(u64, u64) + Send + Sync>>);

impl Progress {
    /// Calls `told` with how much is done, and of how much.
    pub fn to(told: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(told)))
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Progress(told)" } else { "Progress" })
    }
}

/// Counts what is done of one piece of work after the other.
pub(crate) struct Count<'a> {
    progress: &'a Progress,
    total: u64,
    /// What pieces before this one came to.
    before: AtomicU64,
    done: AtomicU64,
}

impl<'a> Count<'a> {
    pub(crate) fn new(progress: &'a Progress, total: u64) -> Self {
        Self { progress, total, before: AtomicU64::new(0), done: AtomicU64::new(0) }
    }

    /// Begins a piece of the work, `before` which so much was done; again where it did not come to its end.
    pub(crate) fn begin(&self, before: u64) {
        self.before.store(before, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.add(0);
    }

    /// So many more are done.
    pub(crate) fn add(&self, more: usize) {
        let of_piece = self.done.fetch_add(more as u64, Ordering::Relaxed) + more as u64;
        if let Some(told) = &self.progress.0 {
            told(self.before.load(Ordering::Relaxed) + of_piece, self.total);
        }
    }
}
