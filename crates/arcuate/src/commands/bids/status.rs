//! `arcuate bids status`: prints the state of each scan of a dataset, such as done or failed.

use crate::meanings;
use arcuate_bids::state::{Stage, State, WORK, all};
use arcuate_core::{Error, Result, printable};
use arcuate_pipeline::job::Job;
use clap::Args;
use std::path::PathBuf;

/// Maximum number of characters of an error in the output.
const LONGEST: usize = 300;

/// Print the state of each scan
///
/// Prints one line per scan with the time and the state: done, running, interrupted, or failed with the
/// reason. Can be called while scans are processed. The exit code is 1 if a scan failed or was interrupted.
#[derive(Debug, Args)]
pub(crate) struct Status {
    /// Root folder of the BIDS derivatives, or the folder of --work-dir
    folder: PathBuf,
    #[arg(
        long,
        help = meanings::JSON,
        long_help = meanings::with(meanings::JSON, "The JSON text has one object per scan.")
    )]
    json: bool,
}

impl Status {
    pub(crate) fn run(&self, job: &Job) -> Result<()> {
        let below = self.folder.join(WORK);
        let work = if below.is_dir() { below } else { self.folder.clone() };
        let states: Vec<State> = all(&work)?.into_iter().map(|(_, state)| state).collect();
        if states.is_empty() {
            let problem = "the folder has no work of `arcuate bids`";
            let advice = "give the root of its derivatives, or its --work-dir";
            return Err(Error::invalid(self.folder.display(), problem, advice));
        }
        if self.json {
            let text = serde_json::to_string_pretty(&states)
                .map_err(|e| Error::invalid("states", e.to_string(), "report this as a bug"))?;
            job.print(text + "\n");
            return self.require_success(&states);
        }
        let width = states.iter().map(|state| state.scan.chars().count()).max().unwrap_or(0);
        for state in &states {
            let State { scan, stage, since, error, .. } = state;
            let why =
                if error.is_empty() { String::new() } else { format!("  {}", printable(error, LONGEST)) };
            job.print(format_args!("{scan:<width$}  {:<11}  {since}{why}\n", stage.word()));
        }
        let count = |stage: Stage| states.iter().filter(|state| state.stage == stage).count();
        let stages = [Stage::Done, Stage::Running, Stage::Failed, Stage::Interrupted];
        let counts: Vec<String> = stages
            .into_iter()
            .map(|stage| (stage, count(stage)))
            .filter(|(_, count)| *count > 0)
            .map(|(stage, count)| format!("{count} {}", stage.word()))
            .collect();
        job.show_message(format_args!("{} scans: {}", states.len(), counts.join(", ")));
        self.require_success(&states)
    }

    /// Returns an error if a scan failed or was interrupted, so that scripts notice the failure.
    fn require_success(&self, states: &[State]) -> Result<()> {
        let is_bad = |state: &&State| matches!(state.stage, Stage::Failed | Stage::Interrupted);
        let bad: Vec<&str> = states.iter().filter(is_bad).map(|state| state.scan.as_str()).collect();
        if bad.is_empty() {
            return Ok(());
        }
        let names = printable(&bad.join(", "), LONGEST);
        let problem = format!("{} of {} scans failed or were interrupted: {names}", bad.len(), states.len());
        Err(Error::invalid(self.folder.display(), problem, "run `arcuate bids … participant` again"))
    }
}
