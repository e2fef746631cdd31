use crate::commands::Command;
use crate::global_options::GlobalOptions;
use clap::Parser;

/// From a diffusion MRI scan to an evaluated tractogram.
///
/// Points are RAS millimetres, b-values s/mm², diffusivities mm²/s unless said otherwise. Images: .nii .nii.gz .mif
/// .mif.gz; tractograms: .tck .trk .trx.
#[derive(Debug, Parser)]
#[command(name = "arcuate", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: GlobalOptions,
}
