//! Common interface of all stages.

use crate::job::Job;
use arcuate_core::Result;
use std::path::PathBuf;

/// A stage, which can run alone or as part of `run`.
pub trait Work {
    /// Returns all output files, with the record last.
    fn outputs(&self) -> Vec<PathBuf>;

    /// Checks the options and the existing input files. Called before the first stage of a run, when files that earlier
    /// stages write do not exist yet.
    ///
    /// # Errors
    /// Returns the errors of [`run`](Self::run) that can be found without missing files.
    fn check(&self, job: &Job) -> Result<()>;

    /// Runs the stage.
    ///
    /// # Errors
    /// Returns an error if inputs cannot be read or do not match, if results cannot be written or already exist, or if
    /// the caller cancels the run.
    fn run(&self, job: &Job) -> Result<()>;
}
