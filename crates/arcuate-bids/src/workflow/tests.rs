//! Tests of the files of a workflow that has a few scans.

use super::{SNAKEFILE, WorkflowPlan, WorkflowUnit, write};
use std::path::PathBuf;

fn unit(name: &str) -> WorkflowUnit {
    let participant = name.split('_').next().expect("a participant");
    let series = PathBuf::from(format!("/data/{participant}/dwi/{name}_dwi.nii.gz"));
    WorkflowUnit { id: name.to_owned(), inputs: vec![series, "/elsewhere/atlas.nii.gz".into()] }
}

fn plan() -> WorkflowPlan {
    WorkflowPlan {
        bids: "/data".into(),
        out: "/a folder/out".into(),
        units: ["sub-02_ses-a_acq-1", "sub-02_ses-b", "sub-02_ses-a_acq-2", "sub-1e3"].map(unit).to_vec(),
        options: ["--recipe", "it's.toml"].map(str::to_owned).to_vec(),
        group_options: ["--work-dir", "/it's"].map(str::to_owned).to_vec(),
        ..WorkflowPlan::default()
    }
}

/// Returns a function that reads a written file of the workflow by its name.
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
fn each_scan_is_a_job_with_inputs_from_the_dataset() {
    let file = written(&plan());
    let config = file("config.yaml");
    let job = "  - scan: \"sub-02_ses-a_acq-2\"
    inputs:
      - \"sub-02/dwi/sub-02_ses-a_acq-2_dwi.nii.gz\"
      - \"/elsewhere/atlas.nii.gz\"
";
    assert!(config.contains(job), "{config}");
    assert!(config.contains("\noptions: [\"--recipe\", \"it's.toml\"]\n"), "{config}");
    assert!(config.contains("\ngroup_options: [\"--work-dir\", \"/it's\"]\n"), "{config}");
    assert!(config.contains("\nout: \"/a folder/out\"\n"), "{config}");
    assert!(config.contains("\ngpu: false\n") && config.contains("\ndevice_memory: null\n"), "{config}");
    // The scans of a cohort include several scans of one session.
    let lines = "--scan sub-02_ses-a_acq-1\n--scan sub-02_ses-b\n--scan sub-02_ses-a_acq-2\n--scan sub-1e3\n";
    assert_eq!(file("jobs.txt"), lines);
}

#[test]
fn commands_are_quoted() {
    let file = written(&plan());
    let readme = file("README.md");
    let group = r"arcuate bids /data '/a folder/out' group --work-dir '/it'\''s'";
    assert!(readme.contains(&format!("\n    {group}\n")), "{readme}");
    let inside = format!("--dependency=afterany:JOB --wrap '{}'\n", group.replace('\'', r"'\''"));
    assert!(readme.contains(&inside), "{readme}");
    let array = r"participant $(sed -n ".to_owned()
        + r#""${SLURM_ARRAY_TASK_ID}p" jobs.txt) --recipe '\''it'\''\'\'''\''s.toml'\'' --threads $SLURM_CPUS_PER_TASK --device cpu'"#;
    assert!(readme.contains(&array), "{readme}");
    assert!(readme.contains("--array=1-4%50 --cpus-per-task=4 --mem=8000M --time=240 \\\n"), "{readme}");
    let job = file("kubernetes.yaml");
    assert!(job.contains("\n  completions: 4\n"), "{job}");
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
    assert!(readme.contains("--gpus=1 --cpus-per-task=6 --mem=24000M --time=480 --wrap"), "{readme}");
    // If the user selected a device, the workflow keeps this device.
    let chosen = WorkflowPlan { options: vec!["--device=cpu".to_owned()], ..plan };
    assert!(written(&chosen)("kubernetes.yaml").contains("\n                --device=cpu --threads 2\n"));
}

#[test]
fn rules_declare_only_markers_and_params_determine_reruns() {
    for demanded in [
        "        \"done/{job}\",\n",
        "        words=words_of,\n",
        "    return shlex.join([\"--scan\", wildcards.job] + OPTIONS)\n",
        "        words=shlex.join(str(word) for word in config[\"group_options\"]),\n",
        "        mem_mb=config[\"memory_mb\"],\n        runtime=config[\"minutes\"],\n        gpu=int(config[\"gpu\"]),\n",
        "        expand(\"done/{job}\", job=JOBS),\n",
    ] {
        assert!(SNAKEFILE.contains(demanded), "{demanded}");
    }
    assert!(!SNAKEFILE.contains("directory("));
}

#[test]
fn empty_workflows_are_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = write(folder.path(), &WorkflowPlan::default()).expect_err("no scan");
    assert!(error.to_string().contains("no scan"), "{error}");
}
