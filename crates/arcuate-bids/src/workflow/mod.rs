//! Writes a Snakemake workflow that processes a dataset. Also writes the arguments of all jobs to a text
//! file, for other schedulers.

mod arguments;
mod plan;
mod profiles;
mod readme;
#[cfg(test)]
mod tests;

use arcuate_core::{Error, Result};
use arcuate_io::write_file;
use arguments::{command_line, quoted, quoted_list, selection, text};
pub use plan::{WorkflowPlan, WorkflowUnit};
use profiles::{SLURM_PROFILE, kubernetes, local_profile};
use readme::readme;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The rules of the Snakemake workflow, which are the same for all datasets. `config.yaml` contains
/// everything that depends on the dataset.
const SNAKEFILE: &str = include_str!("Snakefile");

/// Writes the workflow into a folder, which is created if it is missing. The files are `Snakefile`,
/// `config.yaml`, `README.md`, profiles for one machine and for Slurm, the arguments of each job
/// (`jobs.txt`), and a Kubernetes job that reads `jobs.txt`. Returns the paths of the files.
///
/// Each scan is a separate job, so that a failure does not affect other scans.
///
/// # Errors
/// Returns an error if the folder cannot be written, if a path is not valid UTF-8, or if the plan has no
/// scan.
pub fn write(folder: &Path, plan: &WorkflowPlan) -> Result<Vec<PathBuf>> {
    if plan.units.is_empty() {
        return Err(Error::usage(folder.display(), "the workflow has no scan", "choose some"));
    }
    let lines = plan.units.iter().map(|unit| command_line(&selection(unit)) + "\n").collect();
    let files = [
        ("Snakefile", SNAKEFILE.to_owned()),
        ("config.yaml", config(plan)?),
        ("jobs.txt", lines),
        ("kubernetes.yaml", kubernetes(plan)),
        ("profiles/local/config.yaml", local_profile(plan)),
        ("profiles/slurm/config.yaml", SLURM_PROFILE.to_owned()),
        ("README.md", readme(plan)?),
    ];
    let mut written = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(|e| Error::write(parent, e))?;
        write_file(&path, text)?;
        written.push(path);
    }
    Ok(written)
}

fn config(plan: &WorkflowPlan) -> Result<String> {
    let mut yaml = format!(
        "# Settings of the Snakefile. Names and words are in quotes: 02 without quotes would be the number 2.

program: {program}
# The data set and the folder of results, absolute or as seen from this folder.
bids: {bids}
out: {out}
# The image of a container with the program (docker://…, a .sif file), for `--software-deployment-method apptainer`.
container: null

# Words for `arcuate bids … participant`. They decide results: where they change, all jobs run again.
options: {options}
# Words for `arcuate bids … group`: which scans the cohort has.
group_options: {group_options}

# Jobs that follow the streamlines of each scan together (tracking through samples); 0: a scan is one job.
shares: {shares}

# What a job may use: threads, MB of main memory, minutes, whether a GPU.
threads: {threads}
memory_mb: {memory_mb}
minutes: {minutes}
gpu: {gpu}

# GPUs of one machine that share the jobs, jobs that share a GPU at a time (profiles/local/config.yaml says how many run in all), and
# the memory of it that each takes at most (\"20GiB\"; null: what is free).
gpus: 1
jobs_per_gpu: {jobs_per_gpu}
device_memory: {device_memory}

# A job for each scan. Inputs are files in the data set, or absolute paths.
jobs:
",
        program = quoted(&plan.program),
        bids = quoted(text(&plan.bids)?),
        out = quoted(text(&plan.out)?),
        options = quoted_list(&plan.options),
        group_options = quoted_list(&plan.group_options),
        shares = plan.shares,
        threads = plan.threads,
        memory_mb = plan.memory_mb,
        minutes = plan.minutes,
        gpu = plan.gpu,
        jobs_per_gpu = plan.jobs_per_gpu,
        device_memory = plan.device_memory.as_deref().map_or_else(|| "null".to_owned(), quoted),
    );
    for unit in &plan.units {
        // Writing to a string cannot fail.
        let _ = writeln!(yaml, "  - scan: {}\n    inputs:", quoted(&unit.id));
        for input in &unit.inputs {
            // Input files are listed with paths relative to the dataset. These paths are short, and remain
            // valid if the dataset is moved.
            let shown = input.strip_prefix(&plan.bids).unwrap_or(input);
            let _ = writeln!(yaml, "      - {}", quoted(text(shown)?));
        }
    }
    Ok(yaml)
}
