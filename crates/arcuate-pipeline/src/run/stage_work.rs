//! Interface between a run and its stages.

use arcuate_core::Result;
use std::path::PathBuf;

/// Work of a stage.
pub trait StageWork {
    /// Returns the name of the stage in records of the run.
    fn name(&self) -> &str;

    /// Returns all files that the stage writes, its record last.
    fn outputs(&self) -> Vec<PathBuf>;

    /// Returns all options of the stage as text. Different options give different texts.
    fn asked(&self) -> String;

    /// Checks the options and the existing files. It is called before the first stage begins, when the files
    /// of preceding stages do not exist yet.
    ///
    /// Returns an error if an option or an existing file is invalid.
    fn check(&self) -> Result<()>;

    /// Runs the stage.
    fn run(&self) -> Result<()>;
}
