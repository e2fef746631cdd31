//! Mutation tests of GPU implementations, kernel by kernel. Each kernel must be launched by a test. A test must fail if
//! the kernel does not launch, and a test must fail if it launches and does nothing. A test that passes nevertheless
//! has skipped its work, compared the CPU with itself, lost an error, or ignored the kernel's results.
//!
//! Each test runs in a separate process. First it runs with intact kernels, and the emulated driver records which
//! kernels it launches. Then, for each kernel, its fastest tests run until one fails. Tests of fallback from a GPU
//! declare this in the same record and are excluded.

use crate::kernels;
use crate::launches::{self, Launched};
use crate::process::{self, Outcome};
use crate::side_by_side::side_by_side;
use crate::test_programs::{self as programs, Test};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant};

/// List of tests that pass although a kernel does nothing, each with the reason.
const GREEN: &str = "xtask/src/green_when_idle.txt";
/// The number of slowest runs to list.
const SLOWEST: usize = 10;
/// List of kernels that no test covers yet.
const WITHOUT_TESTS: &str = "xtask/src/kernels_without_tests.txt";

const HELP: &str = "\
cargo xtask broken-kernels [--all]

Checks that each kernel is tested. First it runs every test that launches kernels. Then it breaks each kernel in two
modes: the kernel does not launch, or it launches and does nothing. In each mode the tests of the kernel run, fastest
first, until one fails. xtask/src/green_when_idle.txt lists the tests that pass in the second mode, with the reason.

  --all   run every test of every kernel, to compare the whole list
";

/// The fault that is planted into a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Broken,
    Idle,
}

impl Fault {
    fn variable(self) -> &'static str {
        match self {
            Self::Broken => "ARCUATE_EMULATION_BREAK",
            Self::Idle => "ARCUATE_EMULATION_IDLE",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Broken => "does not launch",
            Self::Idle => "launches and does nothing",
        }
    }
}

/// Builds all tests, and checks for each kernel that a test detects its faults.
pub(crate) fn run(options: &[String]) -> Outcome {
    let all = match options {
        [] => false,
        [option] if option == "--all" => true,
        [option] if option == "--help" || option == "-h" => {
            print!("{HELP}");
            return Ok(());
        }
        [option, ..] => return Err(format!("`{option}` is no option\n\n{HELP}")),
    };
    let messages = programs::build(&["--workspace"])?;
    let Some(library) = programs::library(&messages) else {
        return without_emulation();
    };
    let programs = programs::programs(&messages);
    let mut tests = Vec::new();
    for program in &programs {
        if program.uses(&library)? {
            tests.extend(program.tests()?);
        }
    }
    let launched = launches::launches(&tests, &[])?;
    if let Some((test, Launched { ran, .. })) = tests.iter().zip(&launched).find(|(_, one)| !one.ran.passed) {
        return Err(format!("{test} fails with whole kernels\n{}", ran.printed));
    }
    prove(&tests, &launched, all)
}

/// Reports that this machine has no compiler for the emulated GPU. Returns an error if the emulation is
/// required.
fn without_emulation() -> Outcome {
    if std::env::var_os("ARCUATE_EMULATION_REQUIRED").is_some_and(|value| value == "1") {
        return Err("no kernels are emulated here; `cargo test -p arcuate-emulation` says why".to_owned());
    }
    eprintln!("xtask: no kernels are emulated here, so that none can be broken");
    Ok(())
}

/// Checks for each kernel and each fault that a test fails. With `all`, runs every test that launches the
/// kernel.
pub(crate) fn prove(tests: &[Test<'_>], launched: &[Launched], all: bool) -> Outcome {
    let start = Instant::now();
    let names: Vec<String> = tests.iter().map(Test::to_string).collect();
    let text =
        |name: &str| fs::read_to_string(process::root().join(name)).map_err(|e| format!("{name}: {e}"));
    let listed = listed(&text(GREEN)?)?;
    let kernels = kernels::names()?;
    let launched_by_some: BTreeSet<&String> = launched.iter().flat_map(|one| &one.kernels).collect();
    let mut waiting = Vec::new();
    for kernel in text(WITHOUT_TESTS)?.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if !kernels.iter().any(|known| known == kernel) {
            return Err(format!("{WITHOUT_TESTS}: there is no kernel {kernel}; take it out"));
        }
        if launched_by_some.contains(&kernel.to_owned()) {
            return Err(format!("{WITHOUT_TESTS}: a test launches {kernel}; take it out"));
        }
        waiting.push(kernel.to_owned());
    }
    let kernels: Vec<String> = kernels.into_iter().filter(|kernel| !waiting.contains(kernel)).collect();
    let mut of_kernel: BTreeMap<&str, Vec<(Duration, usize)>> = BTreeMap::new();
    for (number, launched) in launched.iter().enumerate() {
        for kernel in &launched.kernels {
            of_kernel.entry(kernel).or_default().push((launched.ran.took, number));
        }
    }
    for tests in of_kernel.values_mut() {
        tests.sort_unstable();
    }
    let work: Vec<(&str, Fault)> = kernels
        .iter()
        .flat_map(|kernel| [Fault::Broken, Fault::Idle].map(|fault| (kernel.as_str(), fault)))
        .collect();
    let unseen: Vec<&str> =
        listed.iter().filter(|(test, _)| test == "*").map(|(_, kernel)| kernel.as_str()).collect();
    let trials = side_by_side(&work, |_, &(kernel, fault)| {
        let mut trials = Vec::new();
        if fault == Fault::Idle && unseen.contains(&kernel) && !all {
            return Ok(trials);
        }
        for (took, number) in of_kernel.get(kernel).into_iter().flatten() {
            // A test that waits forever counts as failed after this time.
            let patience = Duration::from_secs(30) + 10 * *took;
            let ran = tests[*number].run_within(patience, &[(fault.variable(), kernel)])?;
            let (test, passed, took) = (names[*number].clone(), ran.passed, ran.took);
            trials.push(Trial { test, kernel: kernel.to_owned(), fault, passed, took });
            if !passed && !all {
                break;
            }
        }
        Ok(trials)
    })?;
    let trials: Vec<Trial> = trials.into_iter().flatten().collect();
    let findings = findings(&kernels, &trials, &listed, &names, all);
    if !findings.is_empty() {
        return Err(format!("{} findings\n  {}", findings.len(), findings.join("\n  ")));
    }
    if !waiting.is_empty() {
        println!("{} kernels wait for their tests: {WITHOUT_TESTS}", waiting.len());
    }
    // Lists the kernels for which a faster test would save most time.
    let mut slowest: Vec<&Trial> = trials.iter().collect();
    slowest.sort_by_key(|trial| std::cmp::Reverse(trial.took));
    for trial in slowest.iter().take(SLOWEST) {
        let (test, kernel, how) = (&trial.test, &trial.kernel, trial.fault.words());
        println!("{:6.1} s: {test}, where {kernel} {how}", trial.took.as_secs_f64());
    }
    println!(
        "each of {} kernels has a test that is red where it does not launch, and one that is red where it does nothing ({} runs, \
         {:.0} s)",
        kernels.len(),
        trials.len(),
        start.elapsed().as_secs_f64(),
    );
    Ok(())
}

/// A run of a test with a fault planted into a kernel.
#[derive(Debug)]
struct Trial {
    test: String,
    kernel: String,
    fault: Fault,
    passed: bool,
    took: Duration,
}

/// Returns the tests and kernels of the list of exceptions. Each line is `TEST | KERNEL | REASON`. `*` in
/// place of a kernel means every kernel.
fn listed(text: &str) -> Result<Vec<(String, String)>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(n, line)| {
            let parts: Vec<&str> = line.split('|').map(str::trim).collect();
            match parts[..] {
                [test, kernel, reason] if !reason.is_empty() => Ok((test.to_owned(), kernel.to_owned())),
                _ => Err(format!("{GREEN}, line {}: it is not TEST | KERNEL | REASON", n + 1)),
            }
        })
        .collect()
}

/// Returns a text with the problems found, one per line.
fn findings(
    kernels: &[String],
    trials: &[Trial],
    listed: &[(String, String)],
    tests: &[String],
    all: bool,
) -> Vec<String> {
    let mut findings = Vec::new();
    for kernel in kernels {
        let of_it: Vec<&Trial> = trials.iter().filter(|trial| trial.kernel == *kernel).collect();
        if of_it.is_empty() {
            findings.push(format!("no test launches {kernel}"));
            continue;
        }
        for fault in [Fault::Broken, Fault::Idle] {
            let is_unseen = || listed.iter().any(|(test, listed)| test == "*" && listed == kernel);
            if of_it.iter().all(|trial| trial.passed || trial.fault != fault)
                && !(fault == Fault::Idle && is_unseen())
            {
                findings.push(format!("no test is red where {kernel} {}", fault.words()));
            }
        }
    }
    let is_listed = |trial: &Trial| {
        listed.iter().any(|(test, kernel)| {
            (test == "*" || *test == trial.test) && (kernel == "*" || *kernel == trial.kernel)
        })
    };
    let green =
        trials.iter().filter(|trial| trial.passed && !(trial.fault == Fault::Idle && is_listed(trial)));
    findings.extend(
        green.map(|trial| format!("{} is green where {} {}", trial.test, trial.kernel, trial.fault.words())),
    );
    // Entries may be removed from the list but not added, so an entry that is not true any more is an error.
    for (test, kernel) in listed.iter().filter(|_| all) {
        let tried: Vec<&Trial> = trials
            .iter()
            .filter(|trial| {
                trial.fault == Fault::Idle
                    && (test == "*" || trial.test == *test)
                    && (kernel == "*" || trial.kernel == *kernel)
            })
            .collect();
        let is_red = !tried.is_empty() && tried.iter().all(|trial| !trial.passed);
        if test != "*" && !tests.contains(test) {
            findings.push(format!("{GREEN}: there is no test {test}; take it out"));
        } else if tried.is_empty() {
            findings.push(format!("{GREEN}: {test} does not launch {kernel}; take it out"));
        } else if is_red || test == "*" && tried.iter().any(|trial| !trial.passed) {
            findings.push(format!("{GREEN}: {test} is red where {kernel} does nothing; take it out"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(test: &str, kernel: &str, fault: Fault, passed: bool) -> Trial {
        Trial { test: test.to_owned(), kernel: kernel.to_owned(), fault, passed, took: Duration::ZERO }
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn tests_that_miss_broken_kernels_are_found() {
        use Fault::{Broken, Idle};
        let (kernels, tests) = (words(&["one", "two"]), words(&["a", "b"]));
        let red = |kernel: &str| [trial("a", kernel, Broken, false), trial("a", kernel, Idle, false)];
        let both: Vec<Trial> = red("one").into_iter().chain(red("two")).collect();
        let found =
            |trials: &[Trial], listed: &[(String, String)]| findings(&kernels, trials, listed, &tests, false);
        let all =
            |trials: &[Trial], listed: &[(String, String)]| findings(&kernels, trials, listed, &tests, true);
        assert!(found(&both, &[]).is_empty());
        assert_eq!(found(&red("one"), &[]), ["no test launches two"]);

        let mut green = both;
        green.insert(0, trial("b", "two", Idle, true));
        assert_eq!(found(&green, &[]), ["b is green where two launches and does nothing"]);
        let listed = |test: &str, kernel: &str| vec![(test.to_owned(), kernel.to_owned())];
        assert!(found(&green, &listed("b", "two")).is_empty());
        assert!(found(&green, &listed("b", "*")).is_empty());
        assert!(!found(&green, &listed("b", "one")).is_empty());
        let stale = all(&green, &[listed("b", "*"), listed("a", "one")].concat());
        assert_eq!(stale, [format!("{GREEN}: a is red where one does nothing; take it out")]);
        let gone = all(&green, &[listed("b", "*"), listed("c", "one")].concat());
        assert_eq!(gone, [format!("{GREEN}: there is no test c; take it out")]);

        // The test of kernel `two` does not detect its fault.
        let idle = |passed: bool| [trial("b", "two", Broken, false), trial("b", "two", Idle, passed)];
        let unseen: Vec<Trial> = red("one").into_iter().chain(idle(true)).collect();
        assert!(
            found(&unseen, &listed("*", "two")).is_empty() && all(&unseen, &listed("*", "two")).is_empty()
        );
        let seen: Vec<Trial> = red("one").into_iter().chain(idle(false)).collect();
        assert_eq!(
            all(&seen, &listed("*", "two")),
            [format!("{GREEN}: * is red where two does nothing; take it out")]
        );

        // The list only excuses kernels that do nothing, not kernels that fail to launch.
        let unseen = [Broken, Idle].map(|fault| trial("b", "two", fault, true));
        let lost: Vec<Trial> = red("one").into_iter().chain(unseen).collect();
        assert_eq!(
            found(&lost, &listed("b", "two")),
            [
                "no test is red where two does not launch",
                "no test is red where two launches and does nothing",
                "b is green where two does not launch"
            ]
        );
    }

    #[test]
    fn list_entries_need_reasons() {
        let text = "# words\n\na: b | * | plans memory alone\nc: d | kernel | its results are 0\n";
        let expected = [("a: b", "*"), ("c: d", "kernel")].map(|(test, kernel)| (test.into(), kernel.into()));
        assert_eq!(listed(text).unwrap(), expected);
        assert!(listed("a: b | kernel |").unwrap_err().contains("line 1"));
        assert!(listed("a: b | kernel").is_err());
    }
}
