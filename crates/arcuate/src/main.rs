//! The `arcuate` command.

mod asked_pipes;
mod cli;
mod commands;
mod context;
mod definition;
mod examples;
mod fsl;
mod global_options;
mod grammar;
mod hints;
mod invocation;
mod map_format;
mod memory;
mod numbers;
#[cfg(test)]
mod parameter_names;
mod parsing;
mod peak_frame;
mod pipes;
mod precision;
mod progress;
mod references;
mod series;
mod signals;
mod stage_command;
mod surface_conversion;
mod table_format;
mod table_reading;
mod tensor_order;
mod uses;
mod warnings;
#[cfg(test)]
mod words;

use arcuate::parameters::in_options;
use arcuate_core::ErrorKind;
use arcuate_pipeline::{
    checksums, diffusivities, output, output_files, record, scan, signals_table, space, stems,
};
use cli::Cli;
use context::Context;
use parsing::GRAMMAR;
use pipes::Pipes;
use progress::Screen;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(call) = fsl::Call::of(&words) {
        return call.run();
    }
    let (cli, invocation) = Cli::parse_words(words).unwrap_or_else(|error| error.exit());
    signals::install();
    memory::install();
    warnings::install(&cli.global);
    let result = Screen::of(cli.global.quiet).and_then(|screen| {
        let pipes = Pipes::open(&invocation)?;
        let cli = if pipes.are_used() { Cli::with_pipes(&pipes, &invocation)? } else { cli };
        let context = Context::new(&cli.global, invocation, cli.command.uses(), screen)?;
        let context = if pipes.take_output() { context.speaking_aside() } else { context };
        let done = cli.command.run(&context, &GRAMMAR).and_then(|()| context.finish());
        done.map_err(|error| context.in_its_words(error))?;
        pipes.finish()
    });
    pipes::remove_passing();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::Cancelled => {
            // Who ended it knows.
            signals::clear();
            ExitCode::from(signals::INTERRUPTED)
        }
        Err(error) => {
            output::remove_empty_folders();
            // What was wrong before there was a command.
            let error = in_options(error, "");
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
                ErrorKind::Cancelled => ExitCode::from(signals::INTERRUPTED),
            }
        }
    }
}
