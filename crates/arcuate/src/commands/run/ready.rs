//! A stage of a run as its command does it.

use super::recipe::Recipe;
use crate::context::Context;
use crate::uses::Uses;
use arcuate_core::Result;
use arcuate_pipeline::run::{PlannedWork, StageWork};
use arcuate_pipeline::stages::Work;
use std::path::PathBuf;

/// A stage, ready to run.
pub(super) struct Ready<'a> {
    pub(super) work: PlannedWork,
    pub(super) uses: Uses,
    pub(super) context: Context,
    pub(super) recipe: &'a Recipe,
}

impl StageWork for Ready<'_> {
    fn name(&self) -> &str {
        &self.context.invocation.command
    }

    fn outputs(&self) -> Vec<PathBuf> {
        self.work.outputs()
    }

    fn asked(&self) -> String {
        format!("{:?}", self.work)
    }

    fn check(&self) -> Result<()> {
        let _listening = self.context.listen();
        let checked = self.work.check(&self.context);
        checked.map_err(|e| self.recipe.about(self.work.stage(), self.context.in_its_words(e)))
    }

    fn run(&self) -> Result<()> {
        let _listening = self.context.listen();
        self.work.run(&self.context).map_err(|e| self.context.in_its_words(e))
    }
}
