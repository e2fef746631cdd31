//! A workflow of a data set for Snakemake, and its jobs in lines for whatever else runs them.

use arcuate_core::{Error, Result};
use arcuate_io::write_file;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The rules: the same for all data sets, for what differs stands in `config.yaml`.
const SNAKEFILE: &str = include_str!("workflow/Snakefile");

/// A scan of the workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowUnit {
    /// What the scan is called.
    pub id: String,
    /// Its participant's label, without `sub-`.
    pub participant: String,
    /// Its session's label, without `ses-`.
    pub session: Option<String>,
    /// The files that it is made of: what of them changes has its job run again.
    pub inputs: Vec<PathBuf>,
}

/// What a workflow does, and what a job of it may use. Paths are absolute, or as they are seen from the folder of the workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowPlan {
    /// The program that jobs call.
    pub program: String,
    /// The data set.
    pub bids: PathBuf,
    /// The folder of results.
    pub out: PathBuf,
    /// The scans.
    pub units: Vec<WorkflowUnit>,
    /// Words for `arcuate bids … participant`, beside labels, threads and device.
    pub options: Vec<String>,
    /// Threads of a job.
    pub threads: usize,
    /// Main memory of a job, in MB.
    pub memory_mb: u64,
    /// Time that a job may take, in minutes.
    pub minutes: u64,
    /// Whether jobs compute on a GPU; else they are told to leave it alone.
    pub gpu: bool,
    /// Jobs that share a GPU at a time.
    pub jobs_per_gpu: usize,
    /// Memory that a job takes of a GPU, as `--device-memory` has it.
    pub device_memory: Option<String>,
}

impl Default for WorkflowPlan {
    fn default() -> Self {
        Self {
            program: "arcuate".to_owned(),
            bids: PathBuf::new(),
            out: PathBuf::new(),
            units: Vec::new(),
            options: Vec::new(),
            threads: 4,
            memory_mb: 8000,
            minutes: 240,
            gpu: false,
            jobs_per_gpu: 1,
            device_memory: None,
        }
    }
}

/// The scans that labels of a participant and a session choose: those of one call of the program.
#[derive(Debug)]
struct Job<'p> {
    participant: &'p str,
    session: Option<&'p str>,
    scans: Vec<&'p str>,
    inputs: Vec<&'p Path>,
}

impl Job<'_> {
    fn id(&self) -> String {
        let session = self.session.map_or_else(String::new, |session| format!("_ses-{session}"));
        format!("sub-{}{session}", self.participant)
    }

    /// The words that choose it.
    fn selection(&self) -> Vec<&str> {
        let session = self.session.map(|session| ["--session-label", session]);
        ["--participant-label", self.participant].into_iter().chain(session.into_iter().flatten()).collect()
    }
}

/// Writes the workflow into a folder, which is made where it is not there: `Snakefile`, `config.yaml`, `README.md`, profiles for one
/// machine and for Slurm, the jobs' words in lines (`jobs.txt`) and a job of Kubernetes that reads these. Returns what it wrote.
///
/// Scans that labels of participants and sessions cannot tell apart are one job: two would do the same work.
///
/// # Errors
/// Where the folder cannot be written, a path is no text, or there is no scan.
pub fn write(folder: &Path, plan: &WorkflowPlan) -> Result<Vec<PathBuf>> {
    let jobs = jobs(plan);
    if jobs.is_empty() {
        return Err(Error::usage(folder.display(), "the workflow has no scan", "choose some"));
    }
    let lines = jobs.iter().map(|job| command_line(&job.selection()) + "\n").collect();
    let files = [
        ("Snakefile", SNAKEFILE.to_owned()),
        ("config.yaml", config(plan, &jobs)?),
        ("jobs.txt", lines),
        ("kubernetes.yaml", kubernetes(plan, jobs.len())),
        ("profiles/local/config.yaml", local_profile(plan)),
        ("profiles/slurm/config.yaml", SLURM_PROFILE.to_owned()),
        ("README.md", readme(plan, jobs.len())?),
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

/// The jobs, in the order of their scans.
fn jobs(plan: &WorkflowPlan) -> Vec<Job<'_>> {
    let mut jobs: Vec<Job> = Vec::new();
    for unit in &plan.units {
        let is_own = |other: &&WorkflowUnit| other.participant == unit.participant;
        // A participant's label alone chooses all of its sessions.
        let chosen_by_session = plan.units.iter().filter(is_own).all(|other| other.session.is_some());
        let session = unit.session.as_deref().filter(|_| chosen_by_session);
        let known = jobs.iter_mut().find(|job| job.participant == unit.participant && job.session == session);
        let inputs = unit.inputs.iter().map(PathBuf::as_path);
        if let Some(job) = known {
            job.scans.push(&unit.id);
            job.inputs.extend(inputs);
        } else {
            jobs.push(Job {
                participant: &unit.participant,
                session,
                scans: vec![&unit.id],
                inputs: inputs.collect(),
            });
        }
    }
    for job in &mut jobs {
        job.inputs.sort_unstable();
        job.inputs.dedup();
    }
    jobs
}

/// A path as text.
fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| {
        Error::usage(path.display(), "its name is not UTF-8, which a workflow's files are", "rename it")
    })
}

/// A text as YAML has it in quotes, which are JSON's.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn quoted_list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let texts: Vec<String> = texts.into_iter().map(quoted).collect();
    format!("[{}]", texts.join(", "))
}

/// Words as a shell takes them.
fn command_line<S: AsRef<str>>(words: &[S]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+=./:,@%".contains(c);
    let word = |word: &S| {
        let word = word.as_ref();
        let plain = !word.is_empty() && word.chars().all(is_plain);
        if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn config(plan: &WorkflowPlan, jobs: &[Job]) -> Result<String> {
    let mut yaml = format!(
        "# What the Snakefile reads. Labels and words stand in quotes: 02 without them is the number 2.

program: {program}
# The data set and the folder of results, absolute or as seen from this folder.
bids: {bids}
out: {out}
# The image of a container with the program (docker://…, a .sif file), for `--software-deployment-method apptainer`.
container: null

# Words for `arcuate bids … participant`. They decide results: where they change, all jobs run again.
options: {options}

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

# Inputs are files in the data set, or absolute paths.
jobs:
",
        program = quoted(&plan.program),
        bids = quoted(text(&plan.bids)?),
        out = quoted(text(&plan.out)?),
        options = quoted_list(plan.options.iter().map(String::as_str)),
        threads = plan.threads,
        memory_mb = plan.memory_mb,
        minutes = plan.minutes,
        gpu = plan.gpu,
        jobs_per_gpu = plan.jobs_per_gpu,
        device_memory = plan.device_memory.as_deref().map_or_else(|| "null".to_owned(), quoted),
    );
    for job in jobs {
        let session = job.session.map_or_else(|| "null".to_owned(), quoted);
        let _ = writeln!(yaml, "  - id: {}", quoted(&job.id()));
        let _ = writeln!(yaml, "    participant: {}", quoted(job.participant));
        let _ = writeln!(yaml, "    session: {session}");
        let _ = writeln!(yaml, "    scans: {}", quoted_list(job.scans.iter().copied()));
        let _ = writeln!(yaml, "    inputs:");
        for input in &job.inputs {
            // Short, and right where the data set moves.
            let shown = input.strip_prefix(&plan.bids).unwrap_or(input);
            let _ = writeln!(yaml, "      - {}", quoted(text(shown)?));
        }
    }
    Ok(yaml)
}

fn local_profile(plan: &WorkflowPlan) -> String {
    let gpus = if plan.gpu {
        format!(
            "resources:\n  # Jobs that are on GPUs at once: `gpus` × `jobs_per_gpu` of ../../config.yaml.\n  gpu: {}\n",
            plan.jobs_per_gpu
        )
    } else {
        "resources:\n".to_owned()
    };
    format!(
        "# For one machine: snakemake --profile profiles/local

cores: all
# Scans that fail stop no others.
keep-going: true
# Jobs that were killed are done again.
rerun-incomplete: true
{gpus}  # Main memory that jobs may take in all, in MB; write what the machine has.
  mem_mb: {}
",
        plan.memory_mb * 4
    )
}

const SLURM_PROFILE: &str = "# For Slurm, from a login node: snakemake --profile profiles/slurm

executor: slurm
jobs: 100
latency-wait: 60
keep-going: true
rerun-incomplete: true
# A job has the GPU that Slurm gives it to itself.
config:
  - gpus=1
  - device_memory=null
# Only where the cluster asks for these.
# default-resources:
#   slurm_partition: \"main\"
#   slurm_account: \"laboratory\"
# Where Slurm keeps no accounts (`sacct` says so), Snakemake would wait for ever without:
# slurm-status-command: squeue
# slurm-no-account: true
";

/// An indexed job: each pod takes a line of `jobs.txt`.
fn kubernetes(plan: &WorkflowPlan, count: usize) -> String {
    let gpu = if plan.gpu { "\n              nvidia.com/gpu: 1" } else { "" };
    format!(
        "# A pod for each line of jobs.txt. Write the image and the claims of the volumes that hold the data set and the results; files that
# options name must lie in a volume, too.
apiVersion: batch/v1
kind: Job
metadata:
  name: arcuate
spec:
  completionMode: Indexed
  completions: {count}
  parallelism: {parallel}
  # A scan that fails stops no others (Kubernetes 1.29 and newer).
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
        words = words_of_a_job(plan, &plan.threads.to_string(), false),
        threads = plan.threads,
        memory_mb = plan.memory_mb,
    )
}

/// The words of a job but for what chooses it.
fn words_of_a_job(plan: &WorkflowPlan, threads: &str, shares: bool) -> String {
    let mut words = command_line(&plan.options);
    if !words.is_empty() {
        words.push(' ');
    }
    let _ = write!(words, "--threads {threads}");
    let is_chosen = plan.options.iter().any(|word| word == "--device" || word.starts_with("--device="));
    if !is_chosen {
        words.push_str(if plan.gpu { " --device cuda" } else { " --device cpu" });
        if let Some(memory) = plan.device_memory.as_ref().filter(|_| plan.gpu && shares) {
            let _ = write!(words, " --device-memory {}", command_line(&[memory]));
        }
    }
    words
}

fn readme(plan: &WorkflowPlan, count: usize) -> Result<String> {
    let places = command_line(&[plan.program.as_str(), "bids", text(&plan.bids)?, text(&plan.out)?]);
    let gpu = if plan.gpu { " --gpus=1" } else { "" };
    let several = if plan.gpu {
        "
`jobs_per_gpu` jobs share a GPU; `device_memory` says how much of it each takes. Where the machine has several GPUs, write their number
behind `gpus`, and the product of the two behind `gpu` in `profiles/local/config.yaml`.
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
    Ok(format!(
        "# Arcuate on a data set

Written by `arcuate bids … --workflow`: {count} jobs, then one for the cohort. `config.yaml` says what is computed and what a job may use.
Everything below is called in this folder.

## One machine

    pip install 'snakemake>=8'
    snakemake --profile profiles/local --dry-run
    snakemake --profile profiles/local

Write the machine's memory into `profiles/local/config.yaml`: no more jobs run at once than it holds.
{several}
What a job says goes to `logs/`, a marker of each that is done to `done/`. Call it again to go on after an interruption, and after files or
`options` have changed: only what is touched by that is run again. `snakemake --unlock` where it was killed and says that the folder is
locked. Scans that fail are listed at the end, and the cohort waits for them; without them:

    {places} group

## Slurm

    pip install 'snakemake>=8' snakemake-executor-plugin-slurm
    snakemake --profile profiles/slurm

`profiles/slurm/config.yaml` has the places for a partition and an account.
{shared}
Without Snakemake, a line of `jobs.txt` each:

    sbatch --array=1-{count}%50 --cpus-per-task={threads} --mem={memory}M --time={minutes}{gpu} \\
        --wrap '{places_inside} participant $(sed -n \"${{SLURM_ARRAY_TASK_ID}}p\" jobs.txt) {words_inside}'
    sbatch --dependency=afterany:JOB --wrap '{places_inside} group'

## Kubernetes

Write the image and the volumes into `kubernetes.yaml`, then

    kubectl create configmap arcuate-jobs --from-file=jobs.txt
    kubectl apply -f kubernetes.yaml

It calls the same program without Snakemake, on `/data` and `/out`. When its pods are done, the cohort's tables and report:
`arcuate bids /data /out group` in a pod with the same volumes.
",
        threads = plan.threads,
        memory = plan.memory_mb,
        minutes = plan.minutes,
        places_inside = places.replace('\'', r"'\''"),
        words_inside = words_of_a_job(plan, "$SLURM_CPUS_PER_TASK", false).replace('\'', r"'\''"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(participant: &str, session: Option<&str>, name: &str) -> WorkflowUnit {
        WorkflowUnit {
            id: name.to_owned(),
            participant: participant.to_owned(),
            session: session.map(str::to_owned),
            inputs: vec![
                PathBuf::from(format!("/data/sub-{participant}/dwi/{name}_dwi.nii.gz")),
                "/elsewhere/atlas.nii.gz".into(),
            ],
        }
    }

    fn plan() -> WorkflowPlan {
        WorkflowPlan {
            bids: "/data".into(),
            out: "/a folder/out".into(),
            units: vec![
                unit("02", Some("a"), "sub-02_ses-a_acq-1"),
                unit("02", Some("b"), "sub-02_ses-b"),
                unit("02", Some("a"), "sub-02_ses-a_acq-2"),
                unit("1e3", None, "sub-1e3"),
            ],
            options: ["--recipe", "it's.toml"].map(str::to_owned).to_vec(),
            ..WorkflowPlan::default()
        }
    }

    /// The files, by name.
    fn written(plan: &WorkflowPlan) -> impl Fn(&str) -> String + use<> {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("new");
        let paths = write(&below, plan).expect("a workflow");
        assert_eq!(paths.len(), 7);
        assert!(paths.iter().all(|path| path.starts_with(&below) && path.is_file()));
        move |name| {
            let _kept = &folder;
            std::fs::read_to_string(below.join(name)).expect("a file of the workflow")
        }
    }

    #[test]
    fn labels_stay_text_and_inputs_are_of_the_data_set() {
        let file = written(&plan());
        let config = file("config.yaml");
        let job = "  - id: \"sub-02_ses-a\"
    participant: \"02\"
    session: \"a\"
    scans: [\"sub-02_ses-a_acq-1\", \"sub-02_ses-a_acq-2\"]
    inputs:
      - \"sub-02/dwi/sub-02_ses-a_acq-1_dwi.nii.gz\"
      - \"sub-02/dwi/sub-02_ses-a_acq-2_dwi.nii.gz\"
      - \"/elsewhere/atlas.nii.gz\"
";
        assert!(config.contains(job), "{config}");
        assert!(config.contains("\n    participant: \"1e3\"\n    session: null\n"), "{config}");
        assert!(config.contains("\noptions: [\"--recipe\", \"it's.toml\"]\n"), "{config}");
        assert!(config.contains("\nout: \"/a folder/out\"\n"), "{config}");
        assert!(config.contains("\ngpu: false\n") && config.contains("\ndevice_memory: null\n"), "{config}");
        let lines = "--participant-label 02 --session-label a\n--participant-label 02 --session-label b\n\
                     --participant-label 1e3\n";
        assert_eq!(file("jobs.txt"), lines);
    }

    #[test]
    fn a_participant_of_whom_a_scan_has_no_session_is_one_job() {
        let mut plan = plan();
        plan.units.push(unit("02", None, "sub-02"));
        let lines = written(&plan)("jobs.txt");
        assert_eq!(lines, "--participant-label 02\n--participant-label 1e3\n");
    }

    #[test]
    fn commands_are_quoted() {
        let file = written(&plan());
        let readme = file("README.md");
        assert!(readme.contains("\n    arcuate bids /data '/a folder/out' group\n"), "{readme}");
        let array = r"participant $(sed -n ".to_owned()
            + r#""${SLURM_ARRAY_TASK_ID}p" jobs.txt) --recipe '\''it'\''\'\'''\''s.toml'\'' --threads $SLURM_CPUS_PER_TASK --device cpu'"#;
        assert!(readme.contains(&array), "{readme}");
        assert!(readme.contains("--array=1-3%50 --cpus-per-task=4 --mem=8000M --time=240 \\\n"), "{readme}");
        let job = file("kubernetes.yaml");
        assert!(job.contains("\n  completions: 3\n"), "{job}");
        assert!(
            job.contains(
                "\n                --recipe 'it'\\''s.toml' --threads 4 --device cpu\n          resources:"
            ),
            "{job}"
        );
        assert!(!job.contains("nvidia"), "{job}");
    }

    #[test]
    fn jobs_share_gpus() {
        let plan = WorkflowPlan {
            gpu: true,
            jobs_per_gpu: 3,
            device_memory: Some("20GiB".to_owned()),
            threads: 2,
            ..plan()
        };
        let file = written(&plan);
        let config = file("config.yaml");
        assert!(config.contains("\ngpu: true\n"), "{config}");
        assert!(config.contains("\njobs_per_gpu: 3\ndevice_memory: \"20GiB\"\n"), "{config}");
        assert!(file("profiles/local/config.yaml").contains("\n  gpu: 3\n"));
        assert!(file("kubernetes.yaml").contains("\n              nvidia.com/gpu: 1\n"));
        let readme = file("README.md");
        assert!(readme.contains("--gpus=1 --cpus-per-task=6 --mem=24000M --time=240 --wrap"), "{readme}");
        // The device that the user chose stays.
        let chosen = WorkflowPlan { options: vec!["--device=cpu".to_owned()], ..plan };
        assert!(written(&chosen)("kubernetes.yaml").contains("\n                --device=cpu --threads 2\n"));
    }

    #[test]
    fn rules_declare_markers_alone_and_params_hold_what_decides() {
        for demanded in [
            "        \"done/{job}\",\n",
            "        words=words_of,\n",
            "        mem_mb=config[\"memory_mb\"],\n        runtime=config[\"minutes\"],\n        gpu=int(config[\"gpu\"]),\n",
            "        expand(\"done/{job}\", job=JOBS),\n",
        ] {
            assert!(SNAKEFILE.contains(demanded), "{demanded}");
        }
        assert!(!SNAKEFILE.contains("directory("));
    }

    #[test]
    fn a_workflow_of_nothing_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = write(folder.path(), &WorkflowPlan::default()).expect_err("no scan");
        assert!(error.to_string().contains("no scan"), "{error}");
    }
}
