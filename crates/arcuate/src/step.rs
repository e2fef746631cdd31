//! What `run` asks of the commands that it is made of.

use crate::context::Context;
use arcuate_core::Result;
use std::path::PathBuf;

/// A command that can be a step of `run`.
pub(crate) trait Step {
    /// Everything that it writes, its record last.
    fn outputs(&self) -> Vec<PathBuf>;

    /// Fails where its options, or files that are there already, cannot be right: called before any step begins, when
    /// files that steps before it write are not there yet.
    fn check(&self, context: &Context) -> Result<()>;

    /// Does the work.
    fn run(&self, context: &Context) -> Result<()>;
}
