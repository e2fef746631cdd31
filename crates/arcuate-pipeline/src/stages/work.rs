//! Common interface of all stages.

use crate::job::Job;
use arcuate_core::Result;
use std::path::PathBuf;

/// A stage of processing, such as a tensor fit. It can run alone, or as one stage of `arcuate run`.
pub trait Work {
    /// Returns the paths of all output files, with the record last.
    fn outputs(&self) -> Vec<PathBuf>;

    /// Checks the options and the input files that exist. This function is called before the first stage of a
    /// run. Files that earlier stages write do not exist at that time.
    ///
    /// # Errors
    /// Returns those errors of [`run`](Self::run) that can be found without the files that do not exist yet.
    fn check(&self, job: &Job) -> Result<()>;

    /// Runs the stage.
    ///
    /// # Errors
    /// Returns an error if inputs cannot be read or contradict each other, or if results exist already or
    /// cannot be written. Also returns an error if the caller cancels the work.
    fn run(&self, job: &Job) -> Result<()>;
}
