//! Options of `arcuate bids`: the standard options of BIDS Apps, and the options that `arcuate run` also has.

use super::super::run::{Evaluation, Share, Tracking};
use super::memory::memory_mb;
use crate::meanings;
use arcuate_bids::scans::Search;
use arcuate_bids::selection::{Filter, Selection};
use arcuate_core::{Error, Result};
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Level of the analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Level {
    /// Process each scan of the chosen participants with `arcuate run`
    Participant,
    /// Summarise the results of all processed scans in a table and a report
    Group,
}

/// Selection of scans.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Scans")]
pub(super) struct ScanArgs {
    /// Labels of the participants to process, with or without sub-
    ///
    /// [default: all]
    #[arg(long, value_name = "LABEL", num_args = 1.., alias = "participant_label")]
    pub(super) participant_label: Vec<String>,
    /// Labels of the sessions to process, with or without ses-
    ///
    /// [default: all]
    #[arg(long, value_name = "LABEL", num_args = 1.., alias = "session_label")]
    pub(super) session_label: Vec<String>,
    /// Names of the scans to process, such as sub-01_ses-a_run-2_space-ACPC
    ///
    /// `arcuate bids status` prints the names of scans. [default: all scans of the chosen participants and
    /// sessions]
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub(super) scan: Vec<String>,
    /// Filter file that selects scans, in the format of fMRIPrep and QSIPrep
    ///
    /// The file is JSON, such as {"dwi": {"session": "a", "run": ["1", null]}}.
    #[arg(long, value_name = "FILE", alias = "bids_filter_file")]
    pub(super) bids_filter_file: Option<PathBuf>,
    /// More folders of derivatives, with anatomical images, atlases or tissue maps
    ///
    /// The images must be in the space of the diffusion series.
    #[arg(long, short, value_name = "FOLDER", num_args = 1..)]
    pub(super) derivatives: Vec<PathBuf>,
    /// Also accept diffusion series that were not preprocessed
    #[arg(long)]
    pub(super) raw: bool,
    /// Do not check the scans against the tables and JSON sidecars of the data set
    #[arg(long, alias = "skip_bids_validation")]
    pub(super) skip_bids_validation: bool,
}

/// Options of the run of each scan.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "The run of each scan")]
pub(super) struct RunArgs {
    /// Atlas for connectomes: its label in file names (atlas-, seg- or desc-)
    ///
    /// If the data set has several atlases and this option is not given, no connectome is written. [default:
    /// the only atlas of the data set; if there is none, FreeSurfer's aparcaseg]
    #[arg(long, value_name = "LABEL")]
    pub(super) atlas: Option<String>,
    #[arg(
        long,
        help = meanings::TRACKING,
        long_help = meanings::with(
            meanings::TRACKING,
            "[default: distributions, samples or tensor, which `arcuate run` chooses from the gradient \
             directions]"
        ),
        value_name = "SOURCE",
        value_enum
    )]
    pub(super) tracking: Option<Tracking>,
    #[arg(
        long,
        help = meanings::EVALUATE,
        long_help = meanings::with(
            meanings::EVALUATE,
            "[default: commit with --tracking distributions and samples; life with --tracking tensor and \
             geodesic]"
        ),
        value_name = "METHOD",
        value_enum
    )]
    pub(super) evaluate: Option<Evaluation>,
    #[arg(
        long,
        help = meanings::SELECT,
        long_help = meanings::with(
            meanings::SELECT,
            "This option cannot be used with --tracking geodesic. [default: 50000]"
        ),
        value_name = "N"
    )]
    pub(super) select: Option<u64>,
    #[arg(long, help = meanings::RECIPE, value_name = "FILE")]
    pub(super) recipe: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::SHARE,
        long_help = meanings::with(
            meanings::SHARE,
            "Shares divide the tracking of one run over several jobs. First run the command with --share \
             prepare, which computes everything before tracking. Then run it with --share 1/8 to --share \
             8/8, at the same time. Then run it without --share, which merges the shares. This option needs \
             --tracking samples, and a recipe with `seeds` or `per-seed` in [track.samples]."
        ),
        value_name = "prepare|N/OF",
        conflicts_with = "workflow"
    )]
    pub(super) share: Option<Share>,
}

/// Resources of the machine.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Machine")]
pub(super) struct MachineArgs {
    /// Folder of intermediate files, from which a cancelled command resumes
    ///
    /// [default: OUT/.arcuate]
    #[arg(long, short, value_name = "FOLDER", alias = "work_dir")]
    pub(super) work_dir: Option<PathBuf>,
    /// Available memory in MB; a scan that needs more memory is refused
    #[arg(long, value_name = "MB", alias = "mem_mb")]
    pub(super) mem_mb: Option<u64>,
}

/// Options of a workflow.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Workflow")]
pub(super) struct WorkflowArgs {
    /// Write a Snakemake workflow with one job per scan, and process no scan
    #[arg(long, value_name = "FOLDER")]
    pub(super) workflow: Option<PathBuf>,
    /// Number of jobs of the workflow that use one GPU at the same time
    ///
    /// --device-memory limits the GPU memory of each of these jobs. Without this option, the jobs use no GPU.
    /// [default: no GPU]
    #[arg(long, value_name = "N", requires = "workflow")]
    pub(super) jobs_per_gpu: Option<usize>,
    /// Number of jobs of the workflow that divide the tracking of each scan
    ///
    /// The jobs call `arcuate run` with --share. [default: 1]
    #[arg(long, value_name = "N", requires = "workflow", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(super) shares: Option<u64>,
}

impl ScanArgs {
    /// Returns the search for scans.
    pub(super) fn search(&self, atlas: Option<String>) -> Result<Search> {
        let filter = self.bids_filter_file.as_deref().map(Filter::read).transpose()?.unwrap_or_default();
        let selection = Selection {
            participants: self.participant_label.clone(),
            sessions: self.session_label.clone(),
            scans: self.scan.clone(),
            filter,
        };
        Ok(Search { selection, raw: self.raw, atlas })
    }
}

impl RunArgs {
    /// Returns the first of these options that was given. The group level uses none of them.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--atlas", self.atlas.is_some()),
            ("--tracking", self.tracking.is_some()),
            ("--evaluate", self.evaluate.is_some()),
            ("--select", self.select.is_some()),
            ("--recipe", self.recipe.is_some()),
            ("--share", self.share.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    /// Returns the arguments of `arcuate run` that do not depend on the scan.
    pub(super) fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let mut word = |name: &str, value: OsString| words.extend([name.into(), value]);
        let value_of = |value: &dyn Fn() -> Option<String>| value();
        if let Some(name) =
            value_of(&|| self.tracking?.to_possible_value().map(|value| value.get_name().to_owned()))
        {
            word("--tracking", name.into());
        }
        if let Some(name) =
            value_of(&|| self.evaluate?.to_possible_value().map(|value| value.get_name().to_owned()))
        {
            word("--evaluate", name.into());
        }
        if let Some(select) = self.select {
            word("--select", select.to_string().into());
        }
        if let Some(recipe) = &self.recipe {
            // The path of the recipe is made absolute, because a workflow runs its commands in another
            // folder.
            let path = std::path::absolute(recipe).unwrap_or_else(|_| recipe.clone());
            word("--recipe", path.into());
        }
        if let Some(share) = self.share {
            word("--share", share.to_string().into());
        }
        words
    }
}

impl MachineArgs {
    /// Returns an error if a scan needs more memory than --mem-mb: for the series, its copies, and the
    /// program.
    pub(super) fn check(&self, voxels: usize, measurements: usize, streamlines: Option<u64>) -> Result<()> {
        let Some(maximum) = self.mem_mb else { return Ok(()) };
        let needed = memory_mb(voxels, measurements, streamlines);
        if needed <= maximum {
            return Ok(());
        }
        let problem = format!("this scan needs about {needed} MB of memory");
        Err(Error::usage("--mem-mb", problem, "raise --mem-mb, or use a machine with more memory"))
    }
}
