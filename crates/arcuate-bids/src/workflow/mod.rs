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
        "# Settings of the Snakefile. Names and arguments are in quotes, because 02 without quotes would be the number 2.

program: {program}
# The data set and the folder of results: absolute paths, or paths relative to this folder.
bids: {bids}
out: {out}
# A container image that has the program (docker://… or a .sif file), for `--software-deployment-method apptainer`.
container: null

# Arguments of `arcuate bids … participant`. If they change, all jobs run again, because the results may differ.
options: {options}
# Arguments of `arcuate bids … group`, which select the scans of the cohort.
group_options: {group_options}

# Number of jobs that share the tracking of each scan (only for tracking through samples). 0: each scan is one job.
shares: {shares}

# Limits of a job: threads, main memory in MB, minutes, and whether the job uses a GPU.
threads: {threads}
memory_mb: {memory_mb}
minutes: {minutes}
gpu: {gpu}

# Number of GPUs of one machine, and number of jobs that use a GPU at the same time. device_memory is the maximum GPU memory
# of a job (such as \"20GiB\"; null: all free memory). profiles/local/config.yaml has the number of jobs that run at the same time.
gpus: 1
jobs_per_gpu: {jobs_per_gpu}
device_memory: {device_memory}

# One job per scan. The inputs are paths relative to the data set, or absolute paths.
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
