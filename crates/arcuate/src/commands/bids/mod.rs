//! `arcuate bids`: the scans of a data set in the brain imaging data structure, and what they are together.

mod checks;
mod group;
mod memory;
mod options;
mod participant;
mod tissues;
mod workflow;

use crate::context::Context;
use crate::grammar::Grammar;
use arcuate_bids::dataset::Dataset;
use arcuate_bids::state::WORK;
use arcuate_core::{Error, Result};
use clap::Args;
use options::{Level, MachineArgs, RunArgs, ScanArgs, WorkflowArgs};
use std::path::PathBuf;

/// Do the scans of a BIDS data set, and what they are together
///
/// A BIDS App. Takes preprocessed series (QSIPrep's, or any *_desc-preproc_dwi), with gradient tables and sidecars by BIDS's inheritance,
/// and does `arcuate run` with each; results are derivatives under BIDS's names. One scan that cannot be done does not stop the others.
/// The same command again does what is missing or has changed. `group` makes a table, a stack of connectomes and a report of all.
#[derive(Debug, Args)]
pub(crate) struct Bids {
    /// Root of the data set
    #[arg(value_name = "BIDS")]
    root: PathBuf,
    /// Root of the derivatives that are written
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// What is done
    #[arg(value_enum, required_unless_present = "workflow")]
    level: Option<Level>,
    #[command(flatten)]
    scans: ScanArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    workflow: WorkflowArgs,
}

impl Bids {
    pub(crate) fn run(&self, context: &Context, grammar: &Grammar) -> Result<()> {
        if self.workflow.workflow.is_some() && self.level.is_some() {
            let problem = "a workflow does both levels";
            return Err(Error::usage("--workflow", problem, "leave `participant` or `group` out"));
        }
        if let Some(folder) = &self.workflow.workflow {
            return self.write_workflow(folder, context);
        }
        match self.level {
            Some(Level::Group) => self.group(context),
            Some(Level::Participant) | None => self.participants(context, grammar),
        }
    }

    /// The folder of the work.
    fn work(&self) -> PathBuf {
        self.machine.work_dir.clone().unwrap_or_else(|| self.output.join(WORK))
    }

    /// The data set, and those where more of the same participants is found.
    fn datasets(&self) -> Result<(Dataset, Vec<Dataset>)> {
        let others: Result<Vec<Dataset>> =
            self.scans.derivatives.iter().map(|folder| Dataset::read(folder)).collect();
        Ok((Dataset::read(&self.root)?, others?))
    }
}
