use arcuate_compute::{DeviceChoice, parse_bytes};
use clap::Args;
use std::path::PathBuf;

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct GlobalOptions {
    /// Number of CPU threads
    ///
    /// [default: all]
    #[arg(long, global = true, value_name = "N", aliases = ["n-cpus", "n_cpus", "nprocs", "nthreads"])]
    pub(crate) threads: Option<usize>,
    /// Seed of the random numbers
    ///
    /// The same seed gives the same results. Results do not depend on the number of threads.
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub(crate) random_seed: u64,
    /// Computing device: auto, cpu, cuda, cuda:1 or cuda:0,1
    ///
    /// `cuda` is the first NVIDIA GPU, `cuda:1` the second GPU, and `cuda:0,1` both. `auto` selects the first
    /// GPU that can be used. If there is none, `auto` selects the CPU.
    #[arg(long, global = true, value_name = "DEVICE", default_value = "auto")]
    pub(crate) device: DeviceChoice,
    /// Memory limit per GPU, such as 2GiB or 512MiB
    ///
    /// [default: all free memory]
    #[arg(long, global = true, value_name = "AMOUNT", value_parser = parse_bytes)]
    pub(crate) device_memory: Option<u64>,
    /// Replace existing result files
    #[arg(long, global = true)]
    pub(crate) force: bool,
    /// Append all steps, messages and errors to this file, with their times
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Print errors only
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more messages; give -v twice to print all messages
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}
