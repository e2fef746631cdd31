use crate::broken_kernels;
use crate::launches;
use crate::process::{self, Outcome};
use crate::side_by_side::side_by_side;
use crate::test_programs as programs;
use std::process::Command;
use std::time::{Duration, Instant};

/// The number of slowest tests to list.
const SLOWEST: usize = 20;

/// The groups of tests that take minutes. They start first, so that no core is idle at the end.
const LONG: [&str; 3] =
    ["arcuate interface: examples", "arcuate interface: options", "arcuate-python python"];

/// Runs every test of the workspace. If all tests are run with emulated kernels, also checks that they detect broken
/// kernels.
pub(crate) fn run(options: &[String]) -> Outcome {
    let (options, on_gpu) = take_device(options)?;
    let data_folder = process::root().join("../shared/data");
    let has_scans = std::env::var_os("ARCUATE_DATA").is_some() || data_folder.is_dir();
    if !has_scans {
        eprintln!("xtask: no real scans (set ARCUATE_DATA): the tests that need them check nothing");
    }
    // If real scans are available, a test that does not find its scan fails instead of being skipped.
    let variables: &[(&str, &str)] = if has_scans { &[("ARCUATE_DATA_REQUIRED", "1")] } else { &[] };
    if options.is_empty() && !on_gpu {
        return all(variables);
    }
    let mut tests = cargo_test(&options, variables);
    if on_gpu {
        // GPU failures are test failures, without fallback to the CPU.
        tests.env("ARCUATE_TEST_DEVICE", "cuda").env("ARCUATE_NO_FALLBACK", "1");
    }
    process::run(&mut tests)
}

fn cargo_test(options: &[String], variables: &[(&str, &str)]) -> Command {
    let mut command = process::in_root(process::cargo_program());
    command
        .args(["test", "--workspace"])
        .args(programs::features())
        .args(options)
        .envs(variables.iter().copied());
    command
}

/// Runs all tests, with as many processes in parallel as the CPU has cores. Each test that may launch kernels
/// runs in its own process, which records the kernels. The check for broken kernels uses this record, so that
/// it needs no additional run of the tests. Prints the slowest tests and the time of each stage.
fn all(variables: &[(&str, &str)]) -> Outcome {
    let mut stages = Stages::new();
    process::run(cargo_test(&["--no-run".to_owned()], variables).args(programs::TARGETS))?;
    let messages = programs::build(&["--workspace"])?;
    let Some(library) = programs::library(&messages) else {
        process::run(&mut cargo_test(&[], variables))?;
        return broken_kernels::run(&[]);
    };
    stages.end("build");
    let programs = programs::programs(&messages);
    let (mut on_processor, mut tests) = (Vec::new(), Vec::new());
    for program in &programs {
        if program.uses(&library)? {
            tests.extend(program.tests()?);
        } else {
            on_processor.extend(program.groups()?);
        }
    }
    put_first(&mut on_processor)?;
    println!("{} groups of tests that launch no kernels", on_processor.len());
    let ran = side_by_side(&on_processor, |_, group| {
        let ran = group.run(variables)?;
        ran.tell(group);
        Ok(ran)
    })?;
    stages.end("tests that launch no kernels");
    let red = on_processor.iter().zip(&ran).filter(|(_, ran)| !ran.passed);
    let mut failed: Vec<String> = red.map(|(group, _)| group.to_string()).collect();
    let mut times: Vec<(String, Duration)> = Vec::new();
    for (group, ran) in on_processor.iter().zip(ran) {
        times.extend(ran.times.into_iter().map(|(test, took)| (group.full_name(&test), took)));
    }
    println!("{} tests that may launch kernels, each in a process of its own", tests.len());
    let launched = launches::launches(&tests, variables)?;
    stages.end("tests that may launch kernels");
    let red = tests.iter().zip(&launched).filter(|(_, launched)| !launched.ran.passed);
    failed.extend(red.map(|(test, _)| test.to_string()));
    times.extend(tests.iter().zip(&launched).map(|(test, launched)| (test.to_string(), launched.ran.took)));
    tell_slowest(times);
    if !failed.is_empty() {
        return Err(format!("{} failed\n  {}", failed.len(), failed.join("\n  ")));
    }
    process::run(&mut cargo_test(&["--doc".to_owned()], variables))?;
    stages.end("examples in the documentation");
    broken_kernels::prove(&tests, &launched, false)?;
    stages.end("check that tests fail for broken kernels");
    stages.tell();
    Ok(())
}

/// Puts the groups of [`LONG`] first.
fn put_first(groups: &mut [programs::Group<'_>]) -> Outcome {
    let names: Vec<String> = groups.iter().map(ToString::to_string).collect();
    if let Some(absent) = LONG.iter().find(|long| !names.iter().any(|name| name.starts_with(**long))) {
        return Err(format!("there are no tests `{absent}`: change LONG in xtask/src/test.rs"));
    }
    groups.sort_by_cached_key(|group| {
        let name = group.to_string();
        LONG.iter().position(|long| name.starts_with(long)).unwrap_or(LONG.len())
    });
    Ok(())
}

/// Prints the tests that took longest.
fn tell_slowest(mut times: Vec<(String, Duration)>) {
    times.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
    println!("the slowest of {} tests", times.len());
    for (test, took) in times.iter().take(SLOWEST) {
        println!("{:6.1} s: {test}", took.as_secs_f64());
    }
}

/// The times of the stages of a run.
struct Stages {
    began: Instant,
    times: Vec<(&'static str, Duration)>,
}

impl Stages {
    /// Begins the first stage.
    fn new() -> Self {
        Self { began: Instant::now(), times: Vec::new() }
    }

    /// Ends a stage and begins the next one.
    fn end(&mut self, stage: &'static str) {
        self.times.push((stage, self.began.elapsed()));
        self.began = Instant::now();
    }

    fn tell(&self) {
        for (stage, took) in &self.times {
            println!("{:6.0} s: {stage}", took.as_secs_f64());
        }
        println!("{:6.0} s: together", self.times.iter().map(|(_, took)| took.as_secs_f64()).sum::<f64>());
    }
}

/// Returns the options without `--device`, and whether the real GPU is requested.
fn take_device(options: &[String]) -> Result<(Vec<String>, bool), String> {
    let mut rest = options.to_vec();
    let Some(at) = rest.iter().position(|option| option == "--device" || option.starts_with("--device="))
    else {
        return Ok((rest, false));
    };
    let option = rest.remove(at);
    let device = match option.strip_prefix("--device=") {
        Some(device) => device.to_owned(),
        None if at < rest.len() => rest.remove(at),
        None => return Err("--device lacks its value: cuda or emulated".to_owned()),
    };
    match device.as_str() {
        "cuda" => Ok((rest, true)),
        "emulated" => Ok((rest, false)),
        other => Err(format!("--device {other}: tests run on cuda (the GPU) or emulated (the default)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_option_is_removed_from_the_arguments() {
        let taken =
            |options: &[&str]| take_device(&options.iter().map(|&o| o.to_owned()).collect::<Vec<_>>());
        let two = || vec!["-p".to_owned(), "x".to_owned()];
        assert_eq!(taken(&["-p", "x"]), Ok((two(), false)));
        assert_eq!(taken(&["-p", "--device", "cuda", "x"]), Ok((two(), true)));
        assert_eq!(taken(&["--device=emulated", "-p", "x"]), Ok((two(), false)));
        assert!(taken(&["--device"]).is_err());
        assert!(taken(&["--device", "cpu"]).unwrap_err().contains("cpu"));
    }
}
