//! Interface between a run and its stages.

use arcuate_core::Result;
use std::path::PathBuf;

/// Work of a stage.
pub trait StageWork {
    /// Returns the name that the stage has in the record of the run.
    fn name(&self) -> &str;

    /// Returns the paths of all files that the stage writes, with its record last.
    fn outputs(&self) -> Vec<PathBuf>;

    /// Returns all options of the stage as text. If an option differs, the text differs.
    fn options_text(&self) -> String;

    /// Checks the options of the stage and those of its input files that exist. This function is called
    /// before the first stage of the run begins. The files of preceding stages do not exist at that time.
    ///
    /// Returns an error if an option or an existing input file is invalid.
    fn check(&self) -> Result<()>;

    /// Runs the stage.
    fn run(&self) -> Result<()>;
}
