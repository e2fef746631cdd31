//! The `arcuate` command.

mod memory;

use std::process::ExitCode;

fn main() -> ExitCode {
    memory::install();
    arcuate::program::main()
}
