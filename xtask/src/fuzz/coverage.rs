//! `cargo xtask fuzz --coverage` runs the fuzz targets of the folder `fuzz`. They read damaged files in one process, and
//! libFuzzer keeps each file that reaches new code. It needs only stable Rust and a C++ compiler.

use super::options::Options;
use super::small_seeds;
use crate::process::{self, Outcome};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The compiler options that `cargo fuzz` uses, without those that only a nightly compiler has.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
                     -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Maximum length of an input, in bytes.
const LONGEST: usize = 20_000;
/// Maximum memory of the process of a target, in MB. A reader that allocates too much for its file ends the process earlier.
const MEMORY: usize = 1024;
/// Maximum time for one input, in seconds.
const SECONDS: usize = 10;

/// Builds the targets, and runs each of them for the same part of the time. Returns an error if a target found a fault.
pub(super) fn run(arcuate: &Path, folder: &Path, options: &Options) -> Outcome {
    let programs = build()?;
    let seeds = folder.join("seeds");
    make(&seeds)?;
    small_seeds::make(arcuate, &seeds)?;
    let seconds = (60.0 * options.minutes / small_seeds::TABLE.len() as f64).ceil();
    let mut faults = Vec::new();
    for (target, inputs) in small_seeds::TABLE {
        let first = folder.join("inputs").join(target);
        make(&first)?;
        for (n, (names, files)) in inputs.iter().enumerate() {
            let path = first.join(n.to_string());
            let input = small_seeds::input(&seeds, names, files)?;
            fs::write(&path, input).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        // Inputs that reach new code are kept for the next run.
        let kept = process::target_folder().join("fuzz/corpus").join(target);
        make(&kept)?;
        let artifacts = process::target_folder().join("fuzz/artifacts").join(target);
        make(&artifacts)?;
        let program = programs.join(target);
        let mut command = Command::new(&program);
        command.args([
            format!("-seed={}", options.seed + 1),
            format!("-max_total_time={seconds}"),
            format!("-max_len={LONGEST}"),
            format!("-rss_limit_mb={MEMORY}"),
            format!("-timeout={SECONDS}"),
            format!("-artifact_prefix={}/", artifacts.display()),
            "-print_final_stats=1".to_owned(),
        ]);
        command.args([&kept, &first]).env("RAYON_NUM_THREADS", "1").env("TMPDIR", folder);
        let ran = command.stdin(Stdio::null()).output();
        let ran = ran.map_err(|e| format!("{}: {e}", program.display()))?;
        let log = String::from_utf8_lossy(&ran.stderr);
        println!("{target}: {}", summary(&log));
        if !ran.status.success() {
            let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with('#')).collect();
            println!("{}", lines[lines.len().saturating_sub(40)..].join("\n"));
            println!(
                "  {} FILE repeats it with the file that `Test unit written to` names",
                program.display()
            );
            faults.push(*target);
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(format!("readers failed: {}", faults.join(", "))) }
}

/// Returns the number of inputs, and the number of inputs that the target keeps.
fn summary(log: &str) -> String {
    let inputs = log.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let last = log.lines().rfind(|line| line.contains(" cov: ")).unwrap_or_default();
    let words: Vec<&str> = last.split_whitespace().collect();
    let after = |name: &str| words.windows(2).find(|pair| pair[0] == name).map_or("0", |pair| pair[1]);
    format!(
        "{} inputs, {} places in the code, {} inputs kept",
        inputs.map_or("0", str::trim),
        after("cov:"),
        after("corp:")
    )
}

fn make(folder: &Path) -> Outcome {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

/// Builds the targets, and returns the folder of their programs.
fn build() -> Result<PathBuf, String> {
    let version = process::in_root("rustc").arg("-vV").output().map_err(|e| format!("rustc: {e}"))?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc: no host")?;
    let target = process::target_folder().join("fuzz");
    // With `--target`, macros and build scripts are compiled without the flags.
    let mut command = process::in_root(process::cargo_program());
    command.args([
        "build",
        "--quiet",
        "--locked",
        "--release",
        "--manifest-path",
        "fuzz/Cargo.toml",
        "--target",
        host,
    ]);
    command.arg("--target-dir").arg(&target).env("RUSTFLAGS", FLAGS).env_remove("CARGO_ENCODED_RUSTFLAGS");
    process::run(&mut command)?;
    Ok(target.join(host).join("release"))
}
