//! A workflow that does the scans of a data set on many machines.

use super::Bids;
use super::memory::memory_mb;
use crate::context::Context;
use arcuate_bids::scans::find;
use arcuate_bids::workflow::{WorkflowPlan, WorkflowUnit, write};
use arcuate_core::{Error, Result};
use arcuate_io::describe_image;
use arcuate_pipeline::caller::Caller;
use std::path::{Path, PathBuf};

/// Processors of a job.
const THREADS: usize = 8;

impl Bids {
    /// Writes the workflow.
    pub(super) fn write_workflow(&self, folder: &Path, context: &Context) -> Result<()> {
        let written = ["Snakefile", "config.yaml", "README.md", "jobs.txt"].map(|name| folder.join(name));
        if let Some(there) = written.iter().find(|path| path.exists() && !context.force()) {
            let advice = "choose another folder, or say --force to write over it";
            return Err(Error::usage(there.display(), "it is there already", advice));
        }
        let (dataset, others) = self.datasets()?;
        let (scans, unusable) = find(&dataset, &others, &self.scans.search(self.run.atlas.clone())?)?;
        for scan in &unusable {
            tracing::warn!(
                "{}: it cannot be done as it is, and a job that meets it will say so: {}",
                scan.id,
                scan.error
            );
        }
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let (mut memory, mut values) = (0, 0);
        let mut units = Vec::new();
        for scan in &scans {
            let header = describe_image(&scan.series.path)?;
            let measurements = header.dimensions.get(3).copied().unwrap_or(1);
            let voxels: usize = header.grid.shape().iter().product();
            memory = memory.max(memory_mb(voxels, measurements));
            values = values.max(voxels * measurements);
            units.push(WorkflowUnit {
                id: scan.id(),
                participant: scan.name.get("sub").unwrap_or_default().to_owned(),
                session: scan.name.get("ses").map(str::to_owned),
                inputs: scan.files().iter().map(&absolute).collect(),
            });
        }
        let threads = context.threads().unwrap_or(THREADS);
        let plan = WorkflowPlan {
            program: "arcuate".to_owned(),
            bids: absolute(&self.root),
            out: absolute(&self.output),
            units,
            options: self.words_of_participants(context),
            threads,
            memory_mb: memory,
            minutes: minutes(values, threads),
            gpu: self.workflow.jobs_per_gpu.is_some(),
            jobs_per_gpu: self.workflow.jobs_per_gpu.unwrap_or(1),
            device_memory: context.device_memory_word(),
        };
        for file in write(folder, &plan)? {
            context.say(file.display());
        }
        Ok(())
    }

    /// The words that every job has: those of this command, but for what says which scans.
    fn words_of_participants(&self, context: &Context) -> Vec<String> {
        let mut words: Vec<String> =
            self.run.words().iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
        let absolute = |path: &PathBuf| {
            std::path::absolute(path).unwrap_or_else(|_| path.clone()).to_string_lossy().into_owned()
        };
        for folder in &self.scans.derivatives {
            option("--derivatives", absolute(folder));
        }
        if let Some(file) = &self.scans.bids_filter_file {
            option("--bids-filter-file", absolute(file));
        }
        if let Some(atlas) = &self.run.atlas {
            option("--atlas", atlas.clone());
        }
        if let Some(folder) = &self.machine.work_dir {
            option("--work-dir", absolute(folder));
        }
        if let Some(most) = self.machine.mem_mb {
            option("--mem-mb", most.to_string());
        }
        if context.random_seed() != 0 {
            option("--random-seed", context.random_seed().to_string());
        }
        let flags = [("--raw", self.scans.raw), ("--skip-bids-validation", self.scans.skip_bids_validation)];
        words.extend(flags.into_iter().filter(|(_, is_said)| *is_said).map(|(name, _)| name.to_owned()));
        words
    }
}

/// Minutes that a job may take: measured, two processors do 100 million values of several shells in 4 minutes; ten times that.
fn minutes(values: usize, threads: usize) -> u64 {
    let of_two = 4.0 * values as f64 / 1e8;
    (10.0 * of_two * 2.0 / threads as f64).ceil().max(30.0) as u64
}
