//! The kernels under sanitizers: compiled for the processor with checks of every access and of undefined behaviour, and
//! run by the tests of the crates that have them. Kernels of one crate are also run through another's: the solvers' by
//! LiFE's tests.
//!
//! The programs are those of ordinary tests; another library of kernels takes the place of theirs. Tests that launched no
//! kernel when `cargo xtask test` last ran them are left out.

use crate::launches::WithoutLaunches;
use crate::process::{self, Outcome};
use crate::side_by_side::side_by_side;
use crate::test_programs::{self as programs, Test};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SANITIZERS: &str = "address,undefined";

/// Another order of threads, blocks and streams than other tests have, unless one is asked for.
const ORDER: &str = "2";

/// How long a test may take where every access is looked at.
const PATIENCE: Duration = Duration::from_secs(1800);

/// The crate whose tests look at the emulation itself: what some of them launch is there under sanitizers alone.
const EMULATION: &str = "arcuate-emulation";

/// Tests every crate that has kernels, or what options choose, which go to `cargo test`; those after `--` are parts of names
/// of tests.
pub(crate) fn run(options: &[String]) -> Outcome {
    let (compiler, runtime) = address_sanitizer()?;
    let preloaded = preloaded(&compiler, &runtime)?;
    let sanitized = sanitized_library(&compiler)?;
    let (chosen, names) = match options.iter().position(|option| option == "--") {
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
    let without_launches = WithoutLaunches::of_last_run();
    let programs = programs::programs(&messages);
    let mut tests: Vec<Test<'_>> = Vec::new();
    let mut left_out = 0;
    for program in &programs {
        let wanted = !all || folders.iter().any(|folder| folder == program.folder());
        if !wanted || !program.uses(&own)? {
            continue;
        }
        let may_be_left_out = all && !program.folder().ends_with(EMULATION);
        for test in program.tests()? {
            if may_be_left_out && without_launches.has(&test) {
                left_out += 1;
            } else if names.is_empty() || names.iter().any(|name| test.name().contains(name.as_str())) {
                tests.push(test);
            }
        }
    }
    if tests.is_empty() {
        return Err("no test that runs kernels was chosen".to_owned());
    }
    println!("{} tests; {left_out} are left out, which have launched no kernel", tests.len());
    let order = std::env::var("ARCUATE_EMULATION_ORDER").unwrap_or_else(|_| ORDER.to_owned());
    // Rust's test harness leaves memory behind; so do programs that end early. Kernels allocate nothing.
    let variables = [
        ("LD_PRELOAD", preloaded.as_str()),
        ("ASAN_OPTIONS", "detect_leaks=0"),
        ("ARCUATE_EMULATION_LIBRARY", &sanitized),
        ("ARCUATE_EMULATION_ORDER", &order),
    ];
    let passed = side_by_side(&tests, |_, test| {
        let ran = test.run_within(PATIENCE, &variables)?;
        ran.tell(test);
        Ok(ran.passed)
    })?;
    let failed = tests.iter().zip(passed).filter(|(_, passed)| !passed);
    let failed: Vec<String> = failed.map(|(test, _)| test.to_string()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("{} tests failed\n  {}", failed.len(), failed.join("\n  ")))
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
        assert!(packages.iter().any(|package| package == EMULATION), "{packages:?}");
    }
}
