//! Traits of commands that only translate options into work of the library.

use crate::grammar::Grammar;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::run::PlannedWork;
use arcuate_pipeline::stages::Work;

/// A command that only translates options into work of the library.
pub(crate) trait Typed {
    /// The work of the library.
    type Work: Work;

    /// Converts the options to the work. Returns an error if options contradict each other.
    fn typed(&self) -> Result<Self::Work>;
}

/// A [`Typed`] command, independent of the type of its work.
pub(crate) trait TypedCommand {
    /// Does the work.
    fn run(&self, job: &Job, grammar: &Grammar) -> Result<()>;
}

impl<C: Typed> TypedCommand for C {
    fn run(&self, job: &Job, _: &Grammar) -> Result<()> {
        self.typed()?.run(job)
    }
}

/// A [`Typed`] command that can be a stage of `run`.
pub(crate) trait StageCommand {
    /// Returns the planned work. Returns an error if options contradict each other.
    fn planned(&self) -> Result<PlannedWork>;
}

impl<C: Typed<Work: Into<PlannedWork>>> StageCommand for C {
    fn planned(&self) -> Result<PlannedWork> {
        self.typed().map(Into::into)
    }
}
