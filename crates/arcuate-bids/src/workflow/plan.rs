//! The parameters of a workflow.

use std::path::PathBuf;

/// A scan of the workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowUnit {
    /// The unique name of the scan.
    pub id: String,
    /// The input files. If one changes, the job is run again.
    pub inputs: Vec<PathBuf>,
}

/// The parameters of a workflow and the resources of a job. Paths are absolute or relative to the folder of the
/// workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowPlan {
    /// The program that jobs call.
    pub program: String,
    /// The dataset.
    pub bids: PathBuf,
    /// The result folder.
    pub out: PathBuf,
    /// The scans.
    pub units: Vec<WorkflowUnit>,
    /// Arguments for `arcuate bids … participant`, in addition to scan, threads and device.
    pub options: Vec<String>,
    /// Arguments for `arcuate bids … group`: the scans of the cohort, and the work folder.
    pub group_options: Vec<String>,
    /// The number of jobs that track each scan together; 0 if each scan is one job.
    pub shares: u64,
    /// The number of threads per job.
    pub threads: usize,
    /// The main memory of a job, in MB.
    pub memory_mb: u64,
    /// The time limit of a job, in minutes.
    pub minutes: u64,
    /// Whether jobs use a GPU. Otherwise GPU use is disabled.
    pub gpu: bool,
    /// The number of jobs that use a GPU at the same time.
    pub jobs_per_gpu: usize,
    /// The GPU memory of a job, in the format of `--device-memory`.
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
            group_options: Vec::new(),
            shares: 0,
            threads: 4,
            memory_mb: 8000,
            minutes: 240,
            gpu: false,
            jobs_per_gpu: 1,
            device_memory: None,
        }
    }
}
