//! `arcuate bids`: processes the scans of a BIDS dataset. The participant level processes single scans, and
//! the group level summarises all scans.

mod checks;
mod group;
mod memory;
mod options;
mod participant;
mod status;
mod tissues;
mod workflow;

use crate::grammar::Grammar;
use arcuate_bids::dataset::Dataset;
use arcuate_bids::state::WORK;
use arcuate_core::{Error, Result};
use arcuate_pipeline::job::Job;
use clap::{Args, Subcommand};
use options::{Level, MachineArgs, RunArgs, ScanArgs, WorkflowArgs};
use std::path::{Path, PathBuf};

/// Process the scans of a BIDS data set, and summarise the group
///
/// This command is a BIDS App. It runs `arcuate run` on each preprocessed series (from QSIPrep, or any
/// *_desc-preproc_dwi) and writes BIDS derivatives. Gradient tables and JSON sidecars follow BIDS's
/// inheritance. A failed scan does not stop the other scans. If the same command is called again, it
/// processes only the scans that are missing or have changed. Level `group` writes a table, a stack of
/// connectomes and a report of all scans.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Bids {
    #[command(subcommand)]
    other: Option<Other>,
    #[command(flatten)]
    app: BidsApp,
}

/// Commands on the same derivatives.
#[derive(Debug, Subcommand)]
enum Other {
    Status(status::Status),
}

/// The BIDS App itself.
#[derive(Debug, Args)]
pub(crate) struct BidsApp {
    /// Root folder of the BIDS data set to read
    #[arg(value_name = "BIDS", required = true)]
    root: Option<PathBuf>,
    /// Root folder of the BIDS derivatives to write
    #[arg(value_name = "OUT", required = true)]
    output: Option<PathBuf>,
    /// Level of the BIDS analysis
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
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        match &self.other {
            Some(Other::Status(status)) => status.run(job),
            None => self.app.run(job, grammar),
        }
    }

    /// Returns true if the command processes scans, which needs random numbers.
    pub(crate) fn draws(&self) -> bool {
        self.other.is_none()
    }

    /// Returns true if the command processes scans, which GPUs can do.
    pub(crate) fn has_gpu_implementation(&self) -> bool {
        self.other.is_none()
    }
}

impl BidsApp {
    fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        if self.workflow.workflow.is_some() && self.level.is_some() {
            let problem = "a workflow does both levels";
            return Err(Error::usage("--workflow", problem, "leave `participant` or `group` out"));
        }
        if let Some(folder) = &self.workflow.workflow {
            return self.write_workflow(folder, job, grammar);
        }
        match self.level {
            Some(Level::Group) => self.group(job),
            Some(Level::Participant) | None => self.participants(job, grammar),
        }
    }

    /// Returns the folder of the dataset. The parser requires it unless there is a subcommand.
    fn root(&self) -> &Path {
        self.root.as_deref().unwrap_or(Path::new(""))
    }

    /// Returns the folder of the derivatives.
    fn output(&self) -> &Path {
        self.output.as_deref().unwrap_or(Path::new(""))
    }

    /// Returns the folder for intermediate files.
    fn work(&self) -> PathBuf {
        self.machine.work_dir.clone().unwrap_or_else(|| self.output().join(WORK))
    }

    /// Returns the dataset and the further datasets with derivatives of the same participants.
    fn datasets(&self) -> Result<(Dataset, Vec<Dataset>)> {
        let others: Result<Vec<Dataset>> =
            self.scans.derivatives.iter().map(|folder| Dataset::read(folder)).collect();
        Ok((Dataset::read(self.root())?, others?))
    }
}
