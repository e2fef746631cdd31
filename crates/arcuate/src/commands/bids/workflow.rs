//! Writes a workflow (a file for a workflow program) that processes the scans of a dataset on many machines.

use super::BidsApp;
use super::memory::{memory_mb, minutes};
use super::participant::line_of;
use crate::grammar::Grammar;
use arcuate_bids::scans::find;
use arcuate_bids::workflow::{WorkflowPlan, WorkflowUnit, write};
use arcuate_core::{Error, Result};
use arcuate_io::describe_image;
use arcuate_pipeline::job::Job;
use std::path::{Path, PathBuf};

/// Number of threads of a job.
const THREADS: usize = 8;

impl BidsApp {
    /// Writes the files of the workflow.
    pub(super) fn write_workflow(&self, folder: &Path, job: &Job, grammar: &Grammar) -> Result<()> {
        let written = ["Snakefile", "config.yaml", "README.md", "jobs.txt"].map(|name| folder.join(name));
        if let Some(there) = written.iter().find(|path| path.exists() && !job.force()) {
            let advice = "choose another folder, or give --force to overwrite it";
            return Err(Error::usage(there.display(), "it is there already", advice));
        }
        let (dataset, others) = self.datasets()?;
        let (scans, unusable) = find(&dataset, &others, &self.scans.search(self.run.atlas.clone())?)?;
        for scan in &unusable {
            tracing::warn!(
                "{}: the scan cannot be processed and gets no job: {}",
                scan.id,
                line_of(&scan.error)
            );
        }
        let (mut memory, mut values) = (0, 0);
        let mut units = Vec::new();
        for scan in &scans {
            let header = describe_image(&scan.series.path)?;
            let measurements = header.dimensions.get(3).copied().unwrap_or(1);
            let voxels: usize = header.grid.shape().iter().product();
            memory = memory.max(memory_mb(voxels, measurements, self.run.select));
            values = values.max(voxels * measurements);
            units.push(WorkflowUnit {
                id: scan.id(),
                inputs: scan.files().iter().map(|file| absolute(file)).collect(),
            });
        }
        let threads = grammar.global.threads.unwrap_or(THREADS);
        let plan = WorkflowPlan {
            program: "arcuate".to_owned(),
            bids: absolute(self.root()),
            out: absolute(self.output()),
            units,
            options: self.participant_arguments(job),
            group_options: self.group_arguments(),
            threads,
            shares: self.workflow.shares.unwrap_or(0),
            memory_mb: memory,
            minutes: minutes(values, self.run.select, threads),
            gpu: self.workflow.jobs_per_gpu.is_some(),
            jobs_per_gpu: self.workflow.jobs_per_gpu.unwrap_or(1),
            device_memory: grammar.global.device_memory_word(),
        };
        for file in write(folder, &plan)? {
            job.show_message(file.display());
        }
        Ok(())
    }

    /// Returns the options of every participant job: the options of this command without the selection of
    /// scans.
    fn participant_arguments(&self, job: &Job) -> Vec<String> {
        let mut words: Vec<String> =
            self.run.words().iter().map(|word| word.to_string_lossy().into_owned()).collect();
        words.extend(self.all_arguments());
        let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
        if let Some(atlas) = &self.run.atlas {
            option("--atlas", atlas.clone());
        }
        if let Some(maximum) = self.machine.mem_mb {
            option("--mem-mb", maximum.to_string());
        }
        if job.random_seed() != 0 {
            option("--random-seed", job.random_seed().to_string());
        }
        if self.scans.skip_bids_validation {
            words.push("--skip-bids-validation".to_owned());
        }
        words
    }

    /// Returns the options of the group job, with the selection of scans.
    fn group_arguments(&self) -> Vec<String> {
        let mut words = self.all_arguments();
        for (name, values) in [
            ("--participant-label", &self.scans.participant_label),
            ("--session-label", &self.scans.session_label),
            ("--scan", &self.scans.scan),
        ] {
            if !values.is_empty() {
                words.push(name.to_owned());
                words.extend(values.iter().cloned());
            }
        }
        if let Some(file) = &self.scans.bids_filter_file {
            words.extend(["--bids-filter-file".to_owned(), absolute_word(file)]);
        }
        words
    }

    /// Returns the options of both kinds of jobs: the folders of data and intermediate files.
    fn all_arguments(&self) -> Vec<String> {
        let derivatives = self.scans.derivatives.iter().map(|folder| ("--derivatives", folder));
        let work = self.machine.work_dir.iter().map(|folder| ("--work-dir", folder));
        let folders = derivatives.chain(work);
        let mut words: Vec<String> =
            folders.flat_map(|(name, folder)| [name.to_owned(), absolute_word(folder)]).collect();
        if self.scans.raw {
            words.push("--raw".to_owned());
        }
        words
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns an absolute path as an argument, which is valid in every folder.
fn absolute_word(path: &Path) -> String {
    absolute(path).to_string_lossy().into_owned()
}
