//! The `arcuate` command.

mod memory;

use std::process::ExitCode;

fn main() -> ExitCode {
    arcuate::program::end_on_panic();
    memory::install();
    arcuate::program::main()
}
