//! The kernels under sanitizers: compiled for the processor with checks of every access and of undefined behaviour, and
//! run by the tests of the crates that have them. Kernels of one crate are also run through another's: the solvers' by
//! LiFE's tests.
//!
//! The programs are those of ordinary tests; another library of kernels takes the place of theirs.

use crate::process::{self, Outcome};
use crate::test_programs as programs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SANITIZERS: &str = "address,undefined";

/// Another order of threads, blocks and streams than other tests have, unless one is asked for.
const ORDER: &str = "2";

/// Files of tests that take minutes and launch no kernel: what the processor alone computes is not looked at here.
const WITHOUT_KERNELS: [&str; 3] = ["calibration", "fibres", "recovery"];

/// Tests every crate that has kernels, or what options choose, which go to `cargo test`; those after `--` go to the
/// programs.
pub(crate) fn run(options: &[String]) -> Outcome {
    let (compiler, runtime) = address_sanitizer()?;
    let preloaded = preloaded(&compiler, &runtime)?;
    let library = sanitized_library(&compiler)?;
    let (chosen, for_programs) = match options.iter().position(|option| option == "--") {
        Some(at) => (&options[..at], &options[at + 1..]),
        None => (options, &[][..]),
    };
    let all = chosen.is_empty();
    let chosen: Vec<&str> =
        if all { vec!["--workspace"] } else { chosen.iter().map(String::as_str).collect() };
    let messages = programs::build(&chosen)?;
    let own = programs::library(&messages).ok_or("no kernels are emulated here")?;
    let folders: Vec<PathBuf> =
        packages()?.iter().map(|name| process::root().join("crates").join(name)).collect();
    let order = std::env::var("ARCUATE_EMULATION_ORDER").unwrap_or_else(|_| ORDER.to_owned());
    let mut tested = 0;
    for program in programs::programs(&messages) {
        let wanted = !all || folders.iter().any(|folder| folder == program.folder());
        if !wanted || !program.uses(&own)? {
            continue;
        }
        tested += 1;
        let mut command = program.command();
        if all {
            command.args(WITHOUT_KERNELS.iter().flat_map(|file| ["--skip".to_owned(), format!("{file}::")]));
        }
        // Rust's test harness leaves memory behind; so do programs that end early. Kernels allocate nothing.
        command
            .args(for_programs)
            .env("LD_PRELOAD", &preloaded)
            .env("ASAN_OPTIONS", "detect_leaks=0")
            .env("ARCUATE_EMULATION_LIBRARY", &library)
            .env("ARCUATE_EMULATION_REQUIRED", "1")
            .env("ARCUATE_EMULATION_ORDER", &order);
        process::run(&mut command)?;
    }
    if tested == 0 { Err("no test that runs kernels was chosen".to_owned()) } else { Ok(()) }
}

/// The library of kernels with the sanitizers in them, built in a folder of its own, so that neither build undoes the other.
fn sanitized_library(compiler: &str) -> Result<String, String> {
    let messages = programs::messages(
        process::in_root(process::cargo_program())
            .args(["build", "--package", "arcuate-emulation"])
            .env("CARGO_TARGET_DIR", process::target_folder().join("sanitized"))
            .env("CXX", compiler)
            .env("ARCUATE_EMULATION_SANITIZE", SANITIZERS),
    )?;
    programs::library(&messages).ok_or_else(|| "no kernels are emulated here".to_owned())
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

/// GCC, and its runtime of the address sanitizer. It compiles the sanitized library alone: what the tests were built with is
/// not built anew.
fn address_sanitizer() -> Result<(String, PathBuf), String> {
    let named = std::env::var("CXX").ok();
    let candidates = named.as_ref().map_or_else(|| vec!["c++", "g++"], |named| vec![named.as_str()]);
    let runtime = |compiler: &str| {
        let path = output(Command::new(compiler).arg("-print-file-name=libasan.so")).ok()?;
        // A name that the compiler does not know comes back as it is.
        PathBuf::from(path).canonicalize().ok()
    };
    let found = candidates.iter().find_map(|&compiler| Some((compiler.to_owned(), runtime(compiler)?)));
    found.ok_or_else(|| {
        let tried = candidates.join(" nor ");
        format!("no libasan.so from {tried}; install GCC with its address sanitizer, or name it in CXX")
    })
}

/// What is loaded before anything else: the sanitizer, which looks then for the functions that it stands before, and the
/// library of C++ that has one of them. The library of kernels throws exceptions and comes long after the program's start,
/// and programs of Rust do not bring that library.
fn preloaded(compiler: &str, runtime: &Path) -> Result<String, String> {
    let exceptions = output(Command::new(compiler).arg("-print-file-name=libstdc++.so"))?;
    Ok(format!("{} {exceptions}", runtime.display()))
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

    #[test]
    fn what_is_left_out_launches_no_kernel() {
        fn files(folder: &Path) -> Vec<PathBuf> {
            let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
        }
        let mut found = 0;
        for file in files(&process::root().join("crates")) {
            let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            if WITHOUT_KERNELS.contains(&stem) && file.extension().is_some_and(|extension| extension == "rs")
            {
                let text = std::fs::read_to_string(&file).unwrap();
                assert!(!text.contains("arcuate_emulation") && !text.contains("Cuda"), "{}", file.display());
                found += 1;
            }
        }
        assert!(found >= WITHOUT_KERNELS.len(), "{found}");
    }
}
