//! What a workflow does.

use std::path::PathBuf;

/// A scan of the workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowUnit {
    /// What the scan is called; no two are called the same.
    pub id: String,
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
    /// Words for `arcuate bids … participant`, beside the scan, threads and device.
    pub options: Vec<String>,
    /// Words for `arcuate bids … group`: the scans that the cohort has, and where the work on them is.
    pub group_options: Vec<String>,
    /// Jobs that follow the streamlines of each scan together; 0 where a scan is one job.
    pub shares: u64,
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
