//! What a run asks of its stages.

use arcuate_core::Result;
use std::path::PathBuf;

/// What does the work of a stage.
pub trait StageWork {
    /// What records of the run call it.
    fn name(&self) -> &str;

    /// Everything that it writes, its record last.
    fn outputs(&self) -> Vec<PathBuf>;

    /// Everything that it is asked for, as text: what tells it from others.
    fn asked(&self) -> String;

    /// Fails where its options, or files that are there already, cannot be right: called before any stage begins, when
    /// files that stages before it write are not there yet.
    fn check(&self) -> Result<()>;

    /// Does the work.
    fn run(&self) -> Result<()>;
}
