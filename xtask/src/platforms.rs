//! Other platforms. The compiler checks the library and the program for each of them, and an emulated aarch64
//! processor runs tests.

use crate::process::{self, Outcome};
use std::process::Command;

const HELP: &str = "\
cargo xtask platforms

Checks the library and the program with clippy for Linux on aarch64, macOS on aarch64 and Windows on x86-64. rustup installs the
standard libraries of these platforms. An emulated aarch64 processor runs tests of vector loops and geometry. The emulation needs
Debian's packages qemu-user, gcc-aarch64-linux-gnu and libc6-dev-arm64-cross.

If rustup cannot install a standard library, or a package is missing, the command prints what it skips. If the variable
ARCUATE_PLATFORMS_REQUIRED is set, this is an error.
";

/// If this variable is set, nothing is skipped.
const REQUIRED: &str = "ARCUATE_PLATFORMS_REQUIRED";

/// The platforms in addition to Linux on x86-64.
const TARGETS: [&str; 3] = [EMULATED, "aarch64-apple-darwin", "x86_64-pc-windows-msvc"];

/// The platform whose tests run in an emulator.
const EMULATED: &str = "aarch64-unknown-linux-gnu";
const EMULATOR: &str = "qemu-aarch64";
const LINKER: &str = "aarch64-linux-gnu-gcc";
/// Debian's folder with the C library of the emulated platform.
const C_LIBRARY: &str = "/usr/aarch64-linux-gnu";

/// The crates whose tests run in the emulator. They have the vector loops and the functions whose bits must be the same
/// on all platforms, and they need no GPU.
const TESTED: [&str; 2] = ["arcuate-core", "arcuate-numbers"];

/// Checks all platforms and runs the tests on the emulated one.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if let Some(argument) = arguments.first() {
        if argument == "--help" || argument == "-h" {
            print!("{HELP}");
            return Ok(());
        }
        return Err(format!("unknown option {argument}\n\n{HELP}"));
    }
    for target in TARGETS {
        if !has_standard_library(target) {
            skip(&format!("{target}: rustup cannot install its standard library"))?;
            continue;
        }
        process::cargo(
            &["clippy", "--quiet", "--package", "arcuate", "--target", target, "--", "--deny", "warnings"],
            &[],
        )?;
        println!("{target}: the library and the program compile");
        if target == EMULATED {
            test_in_emulator()?;
        }
    }
    Ok(())
}

/// Runs the tests of [`TESTED`] in the emulator.
fn test_in_emulator() -> Outcome {
    for program in [EMULATOR, LINKER] {
        if Command::new(program).arg("--version").output().is_err() {
            return skip(&format!("tests on {EMULATED}: {program} is not installed"));
        }
    }
    let mut tests = process::in_root(process::cargo_program());
    tests.args(["test", "--quiet", "--lib", "--target", EMULATED]);
    tests.args(TESTED.iter().flat_map(|name| ["--package", name]));
    tests
        // The emulator is ten times slower than a processor.
        .env("PROPTEST_CASES", "16")
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER)
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", format!("{EMULATOR} -L {C_LIBRARY}"));
    process::run(&mut tests)?;
    println!("{EMULATED}: the tests of {} pass in an emulator", TESTED.join(", "));
    Ok(())
}

/// Returns true if this Rust has the standard library of `target`, or rustup could install it.
fn has_standard_library(target: &str) -> bool {
    let folder = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let folder = folder.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let is_there = folder
        .is_ok_and(|folder| std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()));
    is_there || process::run(Command::new("rustup").args(["target", "add", target])).is_ok()
}

/// Prints what is skipped. Returns an error if nothing may be skipped.
fn skip(what: &str) -> Outcome {
    if std::env::var_os(REQUIRED).is_some() {
        return Err(what.to_owned());
    }
    println!("skipped: {what}");
    Ok(())
}
