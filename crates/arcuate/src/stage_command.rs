//! Commands that are nothing but words for what the library does, and what `run` asks of those that do its stages.

use crate::grammar::Grammar;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::run::PlannedWork;
use arcuate_pipeline::stages::Work;

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
    fn run(&self, job: &Job, grammar: &Grammar) -> Result<()>;
}

impl<C: Typed> TypedCommand for C {
    fn run(&self, job: &Job, _: &Grammar) -> Result<()> {
        self.typed()?.run(job)
    }
}

/// Such a command that can do a stage of `run`.
pub(crate) trait StageCommand {
    /// What the library is to do; fails on options that do not go together.
    fn planned(&self) -> Result<PlannedWork>;
}

impl<C: Typed<Work: Into<PlannedWork>>> StageCommand for C {
    fn planned(&self) -> Result<PlannedWork> {
        self.typed().map(Into::into)
    }
}
