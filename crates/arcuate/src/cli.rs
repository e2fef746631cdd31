use crate::commands::Command;
use crate::global_options::GlobalOptions;
use clap::Parser;

/// From a diffusion MRI scan to an evaluated tractogram.
///
/// Points are in RAS millimetres, b-values in s/mm² and diffusivities in mm²/s.
#[derive(Debug, Parser)]
#[command(name = "arcuate", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: GlobalOptions,
}
