//! The parameters of a Snakemake workflow.

use std::path::PathBuf;

/// A scan that the workflow processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowUnit {
    /// The unique name of the scan.
    pub id: String,
    /// The input files of the scan. If one of these files changes, Snakemake runs the job of the scan again.
    pub inputs: Vec<PathBuf>,
}

/// The parameters of a Snakemake workflow and the computing resources of each job. Paths are absolute or
/// relative to the folder of the workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowPlan {
    /// The program that jobs call.
    pub program: String,
    /// The dataset that the workflow processes.
    pub bids: PathBuf,
    /// The folder for the derivatives.
    pub out: PathBuf,
    /// The scans that the workflow processes.
    pub units: Vec<WorkflowUnit>,
    /// Arguments that each job passes to `arcuate bids … participant`, in addition to the scan, the number of
    /// threads and the device.
    pub options: Vec<String>,
    /// Arguments for `arcuate bids … group`, which select the scans of the cohort and the work folder.
    pub group_options: Vec<String>,
    /// The number of jobs over which the tracking of each scan is divided. 0 if each scan is processed by a
    /// single job.
    pub shares: u64,
    /// The number of threads per job.
    pub threads: usize,
    /// The main memory of a job, in MB.
    pub memory_mb: u64,
    /// The time limit of a job, in minutes.
    pub minutes: u64,
    /// True if jobs use a GPU. If false, GPU use is disabled.
    pub gpu: bool,
    /// The number of jobs that may use the same GPU at the same time.
    pub jobs_per_gpu: usize,
    /// The GPU memory that a job may use, in the format of the option `--device-memory`.
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
