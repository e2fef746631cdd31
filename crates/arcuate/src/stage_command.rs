//! Traits of commands that convert their options to work of the library, and do nothing else.

use crate::grammar::Grammar;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::run::PlannedWork;
use arcuate_pipeline::stages::Work;

/// A command that only converts its options to work of the library.
pub(crate) trait Typed {
    /// The work of the library.
    type Work: Work;

    /// Converts the options of the command to work of the library. Returns an error if options contradict
    /// each other.
    fn typed(&self) -> Result<Self::Work>;
}

/// A command that implements [`Typed`]. This trait does not depend on the type of the work.
pub(crate) trait TypedCommand {
    /// Does the work.
    fn run(&self, job: &Job, grammar: &Grammar) -> Result<()>;
}

impl<C: Typed> TypedCommand for C {
    fn run(&self, job: &Job, _: &Grammar) -> Result<()> {
        self.typed()?.run(job)
    }
}

/// A command that implements [`Typed`] and can be a stage of `arcuate run`.
pub(crate) trait StageCommand {
    /// Returns the work of the stage without doing it. Returns an error if options contradict each other.
    fn planned(&self) -> Result<PlannedWork>;
}

impl<C: Typed<Work: Into<PlannedWork>>> StageCommand for C {
    fn planned(&self) -> Result<PlannedWork> {
        self.typed().map(Into::into)
    }
}
