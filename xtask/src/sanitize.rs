//! The kernels under sanitizers: compiled for the processor with checks of every access and of undefined behaviour, and
//! run by the tests of the crates that have them. Kernels of one crate are also run through another's: the solvers' by
//! LiFE's tests.

use crate::process::{self, Outcome};
use std::path::{Path, PathBuf};
use std::process::Command;

const SANITIZERS: &str = "address,undefined";

/// Another order of threads, blocks and streams than other tests have, unless one is asked for.
const ORDER: &str = "2";

/// Tests every crate that has kernels, or those that options name by `--package`; options go to `cargo test`.
pub(crate) fn run(options: &[String]) -> Outcome {
    let chosen = options.iter().any(|option| option.starts_with("--package") || option.starts_with("-p"));
    let packages = if chosen { Vec::new() } else { packages()? };
    let runtime = address_sanitizer()?;
    // Only the test programs are run with the sanitizer's runtime ahead of all else; cargo and the compilers are not.
    let runner = format!("CARGO_TARGET_{}_RUNNER", host()?.to_uppercase().replace(['-', '.'], "_"));
    // Rust's test harness leaves memory behind; so do programs that end early. Kernels allocate nothing.
    let preload = format!("env LD_PRELOAD={} ASAN_OPTIONS=detect_leaks=0", runtime.display());
    let mut tests = process::in_root(process::cargo_program());
    tests.arg("test");
    for package in &packages {
        tests.args(["--package", package]);
    }
    process::run(
        tests
            .args(options)
            // Of its own, so that neither build undoes the other.
            .env("CARGO_TARGET_DIR", process::target_folder().join("sanitized"))
            .env("ARCUATE_EMULATION_SANITIZE", SANITIZERS)
            .env("ARCUATE_EMULATION_REQUIRED", "1")
            .env(
                "ARCUATE_EMULATION_ORDER",
                std::env::var("ARCUATE_EMULATION_ORDER").unwrap_or_else(|_| ORDER.to_owned()),
            )
            .env(runner, preload),
    )
}

/// The crates that have a `kernels.cu`.
fn packages() -> Result<Vec<String>, String> {
    let crates = process::root().join("crates");
    let say = |e: std::io::Error| format!("{}: {e}", crates.display());
    let mut packages = Vec::new();
    for entry in std::fs::read_dir(&crates).map_err(say)? {
        let folder = entry.map_err(say)?.path();
        if has_kernels(&folder.join("src")) {
            packages.extend(folder.file_name().and_then(|name| name.to_str()).map(str::to_owned));
        }
    }
    packages.sort();
    Ok(packages)
}

fn has_kernels(folder: &Path) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            has_kernels(&path)
        } else {
            path.file_name().is_some_and(|name| name == "kernels.cu")
        }
    })
}

/// GCC's runtime of the address sanitizer.
fn address_sanitizer() -> Result<PathBuf, String> {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let path = PathBuf::from(output(Command::new(&compiler).arg("-print-file-name=libasan.so"))?);
    // A name that the compiler does not know comes back as it is.
    path.canonicalize().map_err(|_| {
        format!("{compiler} has no libasan.so; install GCC with its address sanitizer, or name it in CXX")
    })
}

/// The platform that cargo builds for.
fn host() -> Result<String, String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".to_owned())
}

fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{name} cannot be run ({e})"))?;
    if !output.status.success() {
        return Err(format!("{name} failed ({})", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_with_kernels_are_found() {
        let packages = packages().unwrap();
        assert!(packages.iter().any(|package| package == "arcuate-compute"), "{packages:?}");
        // It tests on the emulated GPU and has no kernel of its own.
        assert!(!packages.iter().any(|package| package == "arcuate"), "{packages:?}");
    }
}
