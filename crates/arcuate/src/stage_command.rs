//! What `run` asks of the commands that do its stages.

use crate::context::Context;
use arcuate_core::Result;
use std::path::PathBuf;

/// A command that can do a stage of `run`.
pub(crate) trait StageCommand {
    /// Everything that it writes, its record last.
    fn outputs(&self) -> Vec<PathBuf>;

    /// Fails where its options, or files that are there already, cannot be right: called before any stage begins, when
    /// files that stages before it write are not there yet.
    fn check(&self, context: &Context) -> Result<()>;

    /// Does the work.
    fn run(&self, context: &Context) -> Result<()>;
}
