//! The `arcuate` command.

mod checksums;
mod commands;
mod context;
mod definition;
mod diffusivities;
mod examples;
mod figures;
mod fsl;
mod hints;
mod invocation;
mod map_format;
mod memory;
mod numbers;
mod output;
mod parcellation;
mod pipes;
mod precision;
mod products;
mod progress;
mod record;
mod references;
mod scan;
mod series;
mod signals;
mod signals_table;
mod space;
mod stems;
mod step;
mod table_format;
mod table_reading;
mod tensor_order;
mod warnings;
mod weights;

use arcuate_core::ErrorKind;
use clap::Parser;
use commands::Command;
use context::{Context, GlobalOptions};
use invocation::Invocation;
use pipes::Pipes;
use progress::Screen;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// From a diffusion MRI scan to an evaluated tractogram.
///
/// Points are RAS millimetres, b-values s/mm², diffusivities mm²/s unless said otherwise. Images: .nii .nii.gz .mif
/// .mif.gz; tractograms: .tck .trk .trx.
#[derive(Debug, Parser)]
#[command(name = "arcuate", version, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: GlobalOptions,
}

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(call) = fsl::Call::of(&words) {
        return call.run();
    }
    let (cli, invocation) = Invocation::parse(words).unwrap_or_else(|error| error.exit());
    signals::install();
    memory::install();
    warnings::install(&cli.global);
    let result = Screen::of(cli.global.quiet).and_then(|screen| {
        let pipes = Pipes::open(&invocation)?;
        let cli = if pipes.are_used() { pipes.parse(&invocation)? } else { cli };
        let context = Context::new(&cli.global, invocation, cli.command.uses(), screen)?;
        let context = if pipes.take_output() { context.speaking_aside() } else { context };
        cli.command.run(&context)?;
        context.finish()?;
        pipes.finish()
    });
    pipes::remove_passing();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::remove_empty_folders();
            // Where nobody listens, the exit code still tells.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            match error.kind() {
                ErrorKind::Usage => ExitCode::from(2),
                ErrorKind::Invalid
                | ErrorKind::Read
                | ErrorKind::Write
                | ErrorKind::Device
                | ErrorKind::DeviceMemory
                | ErrorKind::DeviceTooSmall => ExitCode::from(1),
            }
        }
    }
}
