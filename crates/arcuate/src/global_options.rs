use arcuate_compute::{DeviceChoice, parse_bytes};
use clap::Args;
use std::path::PathBuf;

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct GlobalOptions {
    /// Number of processor threads; all by default
    #[arg(long, global = true, value_name = "N", aliases = ["n-cpus", "n_cpus", "nprocs", "nthreads"])]
    pub(crate) threads: Option<usize>,
    /// Seed of random numbers: the same seed gives the same result at any number of threads
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub(crate) random_seed: u64,
    /// Where to compute: auto (the first GPU where there is one), cpu, cuda, cuda:1, cuda:0,1
    #[arg(long, global = true, value_name = "DEVICE", default_value = "auto")]
    pub(crate) device: DeviceChoice,
    /// Most memory to use on each GPU, as 2GiB, 512MiB, 1.5GB; what is free by default
    #[arg(long, global = true, value_name = "AMOUNT", value_parser = parse_bytes)]
    pub(crate) device_memory: Option<u64>,
    /// Write over results that are there already
    #[arg(long, global = true)]
    pub(crate) force: bool,
    /// Add what is done and said to a file, a line each with its time
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Say nothing but errors
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more; twice for everything
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}
