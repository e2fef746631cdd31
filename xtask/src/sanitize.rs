//! Runs the kernels with sanitizers. The kernels are compiled for the CPU, with checks of every memory access
//! and of undefined behaviour. The tests of the crates with kernels run them. Kernels of one crate are also
//! run by tests of other crates. For example, LiFE's tests run the kernels of the solvers.
//!
//! The test programs are the ordinary ones. Only the library with the kernels is replaced. The record of the
//! last `cargo xtask test` states which kernels each test launches. Tests that launch no kernel are skipped.
//! Slow tests (complete solutions, whole brains) are run only if they are needed to cover every kernel.

use crate::launches::{LastRun, Seen};
use crate::process::{self, Outcome};
use crate::side_by_side::side_by_side;
use crate::test_programs::{self as programs, Test};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SANITIZERS: &str = "address,undefined";

/// Selects the order in which the emulation runs threads, blocks and streams. It differs from the order in
/// other tests, unless the user requests one.
const ORDER: &str = "2";

/// The maximum time of a test with sanitizers.
const PATIENCE: Duration = Duration::from_secs(1800);

/// Tests that take at most this time without sanitizers are always run.
const SHORT: Duration = Duration::from_millis(500);

/// The crate whose tests check the emulation itself. Some of its kernels exist only for sanitizers.
const EMULATION: &str = "arcuate-emulation";

/// Tests every crate with kernels, or those selected by options, which are passed to `cargo test`. Arguments after `--`
/// are parts of test names. `--all` also runs the slow tests.
pub(crate) fn run(options: &[String]) -> Outcome {
    let (compiler, runtime) = address_sanitizer()?;
    let preloaded = preloaded(&compiler, &runtime)?;
    let sanitized = sanitized_library(&compiler)?;
    let (chosen, names) = match options.iter().position(|option| option == "--") {
        Some(at) => (&options[..at], &options[at + 1..]),
        None => (options, &[][..]),
    };
    let with_long = chosen == ["--all"];
    let all = with_long || chosen.is_empty();
    let chosen: Vec<&str> =
        if all { vec!["--workspace"] } else { chosen.iter().map(String::as_str).collect() };
    let messages = programs::build(&chosen)?;
    let own = programs::library(&messages).ok_or("no kernels are emulated here")?;
    let folders: Vec<PathBuf> =
        packages()?.iter().map(|name| process::root().join("crates").join(name)).collect();
    let programs = programs::programs(&messages);
    let mut tests: Vec<Test<'_>> = Vec::new();
    for program in &programs {
        let is_selected = !all || folders.iter().any(|folder| folder == program.folder());
        if is_selected && program.uses(&own)? {
            let named =
                |test: &Test<'_>| names.is_empty() || names.iter().any(|name| test.name().contains(name));
            tests.extend(program.tests()?.into_iter().filter(named));
        }
    }
    if all && names.is_empty() {
        let before = tests.len();
        let last = LastRun::kept();
        let seen =
            tests.iter().map(|test| last.of(test).filter(|_| !test.is_in(EMULATION))).collect::<Vec<_>>();
        let chosen = chosen_by(&seen, with_long);
        tests = tests.into_iter().zip(chosen).filter_map(|(test, chosen)| chosen.then_some(test)).collect();
        println!(
            "{} of {before} tests: those that launch no kernel are left out{}",
            tests.len(),
            if with_long { "" } else { ", and those that take long and launch none that others do not" }
        );
    }
    if tests.is_empty() {
        return Err("no test that runs kernels was chosen".to_owned());
    }
    let order = std::env::var("ARCUATE_EMULATION_ORDER").unwrap_or_else(|_| ORDER.to_owned());
    // Checks for memory leaks are off, because Rust's test harness and programs that end early leak memory.
    // Kernels do not allocate memory.
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

/// Returns which tests are run, based on their records. A test whose record is outdated is run. The selected tests
/// cover each kernel.
fn chosen_by(seen: &[Option<&Seen>], with_long: bool) -> Vec<bool> {
    let is_chosen = |seen: Option<&Seen>| {
        seen.is_none_or(|seen| !seen.kernels.is_empty() && (with_long || seen.took <= SHORT))
    };
    let mut chosen: Vec<bool> = seen.iter().map(|seen| is_chosen(*seen)).collect();
    let run = seen.iter().zip(&chosen).filter(|(_, chosen)| **chosen).filter_map(|(seen, _)| *seen);
    let mut launched: BTreeSet<&String> = run.flat_map(|seen| &seen.kernels).collect();
    let mut long: Vec<(usize, &Seen)> =
        (0..seen.len()).filter(|n| !chosen[*n]).filter_map(|n| Some((n, seen[n]?))).collect();
    // The next test is the one with the most new kernels per second.
    let gain = |seen: &Seen, launched: &BTreeSet<&String>| {
        let new = seen.kernels.iter().filter(|kernel| !launched.contains(kernel)).count();
        new as f64 / seen.took.as_secs_f64().max(f64::MIN_POSITIVE)
    };
    while let Some(best) = (0..long.len())
        .max_by(|&a, &b| gain(long[a].1, &launched).total_cmp(&gain(long[b].1, &launched)))
        .filter(|&best| gain(long[best].1, &launched) > 0.0)
    {
        let (number, seen) = long.swap_remove(best);
        launched.extend(&seen.kernels);
        chosen[number] = true;
    }
    chosen
}

/// Builds the kernel library with sanitizers, in a separate folder, so that neither build invalidates the other.
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

/// Returns the crates that have a `kernels.cu`.
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

/// Returns GCC and its address sanitizer runtime. GCC compiles only the sanitized library; the tests are not rebuilt.
fn address_sanitizer() -> Result<(String, PathBuf), String> {
    let named = std::env::var("CXX").ok();
    let candidates = named.as_ref().map_or_else(|| vec!["c++", "g++"], |named| vec![named.as_str()]);
    let runtime = |compiler: &str| {
        let path = output(Command::new(compiler).arg("-print-file-name=libasan.so")).ok()?;
        // If the compiler does not find the file, it returns only the file's name, and this path does not
        // exist.
        PathBuf::from(path).canonicalize().ok()
    };
    let found = candidates.iter().find_map(|&compiler| Some((compiler.to_owned(), runtime(compiler)?)));
    found.ok_or_else(|| {
        let tried = candidates.join(" nor ");
        format!("no libasan.so from {tried}; install GCC with its address sanitizer, or name it in CXX")
    })
}

/// Returns the libraries to preload: the sanitizer, and the C++ library, which contains a function that the sanitizer
/// intercepts at start-up. The kernel library throws exceptions but is loaded later, and Rust programs do not load the
/// C++ library.
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
    fn each_kernel_is_run_although_slow_tests_are_excluded() {
        let seen = |seconds: u64, kernels: &[&str]| Seen {
            took: Duration::from_secs(seconds),
            kernels: kernels.iter().map(|&kernel| kernel.to_owned()).collect(),
        };
        let all = [
            seen(9, &["one", "two"]),
            seen(1, &["one"]),
            seen(0, &[]),
            seen(5, &["two"]),
            seen(4, &["one"]),
            seen(8, &["two", "three"]),
        ];
        let all: Vec<Option<&Seen>> = all.iter().map(Some).chain([None]).collect();
        assert_eq!(chosen_by(&all, false), [false, true, false, false, false, true, true]);
        assert_eq!(chosen_by(&all, true), [true, true, false, true, true, true, true]);
    }

    #[test]
    fn crates_with_kernels_are_found() {
        let packages = packages().unwrap();
        assert!(packages.iter().any(|package| package == "arcuate-compute"), "{packages:?}");
        // The tests of this crate use the emulated GPU, but the crate has no kernels.
        assert!(!packages.iter().any(|package| package == "arcuate"), "{packages:?}");
        assert!(packages.iter().any(|package| package == EMULATION), "{packages:?}");
    }
}
