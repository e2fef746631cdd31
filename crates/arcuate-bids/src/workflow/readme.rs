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
Slurm gives each job its own GPU. If several jobs should share a GPU, run the profile for one machine in a single job of Slurm:

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
        "# A data set processed with Arcuate

`arcuate bids … --workflow` wrote this folder. The workflow has {count} jobs, one per scan, and then one job for the cohort. `config.yaml` has the
options of the computation and the resources of a job. Call all commands in this folder.

## One machine

    pip install 'snakemake>=8'
    snakemake --profile profiles/local --dry-run
    snakemake --profile profiles/local

Set the memory of the machine in `profiles/local/config.yaml`. It limits the number of jobs that run at the same time.
{several}
The messages of each job are in `logs/`, and `done/` has a marker for each finished job. Repeat the command after an interruption, or
after a change of files or `options`: only affected jobs run again. If Snakemake was killed and reports a locked folder, run
`snakemake --unlock`. The end of the output lists failed scans. If a scan failed, the job of the cohort does not run. Snakemake then
writes the tables and the report of the other scans. This command writes them again:

    {places} {group}

## Slurm

    pip install 'snakemake>=8' snakemake-executor-plugin-slurm
    snakemake --profile profiles/slurm

`profiles/slurm/config.yaml` has lines for a partition and an account.
{shared}
Without Snakemake, submit one job per line of `jobs.txt`, and then the job of the cohort:

    sbatch --array=1-{count}%50 --cpus-per-task={threads} --mem={memory}M --time={minutes}{gpu} \\
        --wrap '{places_inside} participant $(sed -n \"${{SLURM_ARRAY_TASK_ID}}p\" jobs.txt) {words_inside}'
    sbatch --dependency=afterany:JOB --wrap '{places_inside} {group_inside}'

## Kubernetes

Set the container image and the volumes in `kubernetes.yaml`. Then run

    kubectl create configmap arcuate-jobs --from-file=jobs.txt
    kubectl apply -f kubernetes.yaml

Kubernetes runs the same program without Snakemake, on `/data` and `/out`. After the last pod, run `arcuate bids /data /out {group}` in a
pod with the same volumes. It writes the tables and the report of the cohort.
",
        threads = plan.threads,
        memory = plan.memory_mb,
        minutes = plan.minutes,
        places_inside = inside(&places),
        group_inside = inside(&group),
        words_inside = inside(&job_arguments(plan, "$SLURM_CPUS_PER_TASK", false)),
    ))
}
