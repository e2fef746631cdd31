//! Creates the `README.md` of a workflow, which explains its commands and folders.

use super::arguments::{command_line, job_arguments, text};
use super::plan::WorkflowPlan;
use arcuate_core::Result;

/// Returns the contents of the workflow's `README.md`.
pub(super) fn readme(plan: &WorkflowPlan) -> Result<String> {
    let count = plan.units.len();
    let places = command_line(&[plan.program.as_str(), "bids", text(&plan.bids)?, text(&plan.out)?]);
    let group = ["group".to_owned()].into_iter().chain(plan.group_options.iter().cloned());
    let group = command_line(&group.collect::<Vec<_>>());
    let gpu = if plan.gpu { " --gpus=1" } else { "" };
    let several = if plan.gpu {
        "
`jobs_per_gpu` jobs share a GPU; `device_memory` limits the memory of each job. If the machine has several GPUs, set their number in
`gpus`, and the product of `jobs_per_gpu` and `gpus` as `gpu` in `profiles/local/config.yaml`.
"
    } else {
        ""
    };
    let shared = if plan.gpu {
        format!(
            "
Each job has a GPU to itself. Several share one where a single job of Slurm runs the profile of one machine:

    sbatch --gpus=1 --cpus-per-task={cores} --mem={memory}M --time={minutes} --wrap 'snakemake --profile profiles/local'
",
            cores = plan.threads * plan.jobs_per_gpu,
            memory = plan.memory_mb * plan.jobs_per_gpu as u64,
            minutes = plan.minutes * count.div_ceil(plan.jobs_per_gpu.max(1)) as u64,
        )
    } else {
        String::new()
    };
    // Escapes a text for use between single quotes in a shell.
    let inside = |words: &str| words.replace('\'', r"'\''");
    Ok(format!(
        "# Arcuate on a data set

Written by `arcuate bids … --workflow`: {count} jobs, then one for the cohort. `config.yaml` has the options of the computation and the resources of a job.
Everything below is called in this folder.

## One machine

    pip install 'snakemake>=8'
    snakemake --profile profiles/local --dry-run
    snakemake --profile profiles/local

Write the machine's memory into `profiles/local/config.yaml`: no more jobs run at once than it holds.
{several}
The messages of each job are in `logs/`, and `done/` has a marker for each finished job. Repeat the command after an interruption, or
after a change of files or `options`: only affected jobs run again. If Snakemake was killed and reports a locked folder, run
`snakemake --unlock`. Scans that fail are listed at the end, and the cohort waits for them; without them:

    {places} {group}

## Slurm

    pip install 'snakemake>=8' snakemake-executor-plugin-slurm
    snakemake --profile profiles/slurm

`profiles/slurm/config.yaml` has the places for a partition and an account.
{shared}
Without Snakemake, a line of `jobs.txt` each:

    sbatch --array=1-{count}%50 --cpus-per-task={threads} --mem={memory}M --time={minutes}{gpu} \\
        --wrap '{places_inside} participant $(sed -n \"${{SLURM_ARRAY_TASK_ID}}p\" jobs.txt) {words_inside}'
    sbatch --dependency=afterany:JOB --wrap '{places_inside} {group_inside}'

## Kubernetes

Write the image and the volumes into `kubernetes.yaml`, then

    kubectl create configmap arcuate-jobs --from-file=jobs.txt
    kubectl apply -f kubernetes.yaml

It calls the same program without Snakemake, on `/data` and `/out`. When its pods are done, the cohort's tables and report:
`arcuate bids /data /out {group}` in a pod with the same volumes.
",
        threads = plan.threads,
        memory = plan.memory_mb,
        minutes = plan.minutes,
        places_inside = inside(&places),
        group_inside = inside(&group),
        words_inside = inside(&job_arguments(plan, "$SLURM_CPUS_PER_TASK", false)),
    ))
}
