//! A stage of `arcuate run` whose command line has been parsed.

use super::recipe::Recipe;
use crate::uses::Uses;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::run::{PlannedWork, StageWork};
use arcuate_pipeline::stages::Work;
use std::path::PathBuf;

/// A stage that is ready to run.
pub(super) struct Ready<'a> {
    pub(super) work: PlannedWork,
    pub(super) uses: Uses,
    pub(super) job: Job,
    pub(super) recipe: &'a Recipe,
}

impl StageWork for Ready<'_> {
    fn name(&self) -> &str {
        &self.job.request().command
    }

    fn outputs(&self) -> Vec<PathBuf> {
        self.work.outputs()
    }

    fn options_text(&self) -> String {
        format!("{:?}", self.work)
    }

    fn check(&self) -> Result<()> {
        let _listening = self.job.listen();
        let checked = self.work.check(&self.job);
        checked.map_err(|e| self.recipe.about(self.work.stage(), self.job.reword(e)))
    }

    fn run(&self) -> Result<()> {
        let _listening = self.job.listen();
        self.work.run(&self.job).map_err(|e| self.job.reword(e))
    }
}
