//! Creates the profiles (settings of Snakemake) with which a workflow runs on one machine or with Slurm, and
//! the description of a Kubernetes job.

use super::arguments::job_arguments;
use super::plan::WorkflowPlan;

/// Returns the text of the Snakemake profile for one machine.
pub(super) fn local_profile(plan: &WorkflowPlan) -> String {
    let gpus = if plan.gpu {
        format!(
            "resources:\n  # Number of jobs that use GPUs at the same time: `gpus` × `jobs_per_gpu` of ../../config.yaml.\n  gpu: {}\n",
            plan.jobs_per_gpu
        )
    } else {
        "resources:\n".to_owned()
    };
    format!(
        "# Profile for one machine: snakemake --profile profiles/local

cores: all
# A failed scan does not stop the other scans.
keep-going: true
# Jobs that were killed run again.
rerun-incomplete: true
{gpus}  # Main memory of the machine in MB, which all jobs share. Correct this number.
  mem_mb: {}
",
        plan.memory_mb * 4
    )
}

/// The text of the profile for Slurm.
pub(super) const SLURM_PROFILE: &str =
    "# Profile for Slurm, on a login node: snakemake --profile profiles/slurm

executor: slurm
jobs: 100
latency-wait: 60
keep-going: true
rerun-incomplete: true
# Slurm gives each job its own GPU.
config:
  - gpus=1
  - device_memory=null
# Remove the `#` if the cluster requires these settings.
# default-resources:
#   slurm_partition: \"main\"
#   slurm_account: \"laboratory\"
# Required if Slurm has no accounting (`sacct` reports this); otherwise Snakemake waits forever:
# slurm-status-command: squeue
# slurm-no-account: true
";

/// Returns the description of an indexed Kubernetes job. Each pod of this job processes one line of
/// `jobs.txt`.
pub(super) fn kubernetes(plan: &WorkflowPlan) -> String {
    let count = plan.units.len();
    let gpu = if plan.gpu { "\n              nvidia.com/gpu: 1" } else { "" };
    format!(
        "# Runs one pod per line of jobs.txt. Set the container image, and the claims of the volumes with the data set and the results. Files
# that options name must be in a volume, too.
apiVersion: batch/v1
kind: Job
metadata:
  name: arcuate
spec:
  completionMode: Indexed
  completions: {count}
  parallelism: {parallel}
  # A failed scan does not stop the other scans (Kubernetes 1.29 and newer).
  backoffLimitPerIndex: 1
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: arcuate
          image: \"arcuate:{version}\"
          command: [\"/bin/sh\", \"-c\"]
          args:
            - |
              exec arcuate bids /data /out participant $(sed -n \"$((JOB_COMPLETION_INDEX + 1))p\" /jobs/jobs.txt) \\
                {words}
          resources:
            limits:
              cpu: {threads}
              memory: {memory_mb}M{gpu}
          volumeMounts:
            - {{name: data, mountPath: /data, readOnly: true}}
            - {{name: out, mountPath: /out}}
            - {{name: jobs, mountPath: /jobs}}
      volumes:
        - {{name: data, persistentVolumeClaim: {{claimName: data}}}}
        - {{name: out, persistentVolumeClaim: {{claimName: results}}}}
        - {{name: jobs, configMap: {{name: arcuate-jobs}}}}
",
        parallel = count.min(20),
        version = env!("CARGO_PKG_VERSION"),
        words = job_arguments(plan, &plan.threads.to_string(), false),
        threads = plan.threads,
        memory_mb = plan.memory_mb,
    )
}
