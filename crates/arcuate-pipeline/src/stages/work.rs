//! What all stages can be asked for.

use crate::job::Job;
use arcuate_core::Result;
use std::path::PathBuf;

/// What can be done as a stage of a run, or by itself.
pub trait Work {
    /// Everything that it writes, its record last.
    fn outputs(&self) -> Vec<PathBuf>;

    /// Fails where its options, or files that are there already, cannot be right: called before any stage begins, when
    /// files that stages before it write are not there yet.
    ///
    /// # Errors
    /// Those that doing it would have, as far as they are known by now.
    fn check(&self, job: &Job) -> Result<()>;

    /// Does it.
    ///
    /// # Errors
    /// Where inputs cannot be read or do not fit, results cannot be written or are there already, or the caller ends it.
    fn run(&self, job: &Job) -> Result<()>;
}
