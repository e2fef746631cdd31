//! What `run` asks of the commands that do its stages.

use crate::context::Context;
use arcuate_core::Result;
use arcuate_pipeline::run::PlannedWork;
use arcuate_pipeline::stages::Work;
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

    /// What the library is to do, where the work is its own; fails on options that do not go together.
    fn planned(&self) -> Result<Option<PlannedWork>> {
        Ok(None)
    }
}

/// A command that is nothing but words for what the library does.
pub(crate) trait Typed {
    /// What the library does.
    type Work: Work;

    /// What was asked for; fails on options that do not go together.
    fn typed(&self) -> Result<Self::Work>;
}

/// Such a command, whatever the library does.
pub(crate) trait TypedCommand {
    /// Does the work.
    fn run(&self, context: &Context) -> Result<()>;
}

impl<C: Typed> TypedCommand for C {
    fn run(&self, context: &Context) -> Result<()> {
        self.typed()?.run(context)
    }
}

impl<C: Typed<Work: Into<PlannedWork>>> StageCommand for C {
    // Of options that do not go together checking says so.
    fn outputs(&self) -> Vec<PathBuf> {
        self.typed().map(|work| work.outputs()).unwrap_or_default()
    }

    fn check(&self, context: &Context) -> Result<()> {
        self.typed()?.check(context)
    }

    fn run(&self, context: &Context) -> Result<()> {
        self.typed()?.run(context)
    }

    fn planned(&self) -> Result<Option<PlannedWork>> {
        self.typed().map(|work| Some(work.into()))
    }
}
