//! The proof that tests of GPU halves test them: with the kernels of a `kernels.cu` broken, every test that launches one
//! of them must fail, and every `kernels.cu` must have such a test. A test that passes all the same has skipped its work,
//! compared the processor with itself, or lost an error on its way.
//!
//! Each test has a process of its own: first with whole kernels, where the emulated driver notes which families it
//! launches, then once for each of these with the family broken. Tests that are about stepping back from a GPU say so in
//! the same notes, and are left out.

use crate::kernels;
use crate::process::{self, Outcome};
use crate::test_programs as programs;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// What a test notes that may step back from its GPU (`arcuate_emulation::available_with_fallback`).
const FALLBACK: &str = "fallback allowed";

/// Builds all tests, learns which families of kernels each one launches, and breaks them one by one.
pub(crate) fn run(options: &[String]) -> Outcome {
    if let Some(option) = options.first() {
        return Err(format!("`{option}`: broken-kernels takes no options"));
    }
    let messages = programs::build(&["--workspace"])?;
    let Some(library) = programs::library(&messages) else {
        if std::env::var_os("ARCUATE_EMULATION_REQUIRED").is_some_and(|value| value == "1") {
            return Err("no kernels are emulated here; `cargo test -p arcuate-emulation` says why".to_owned());
        }
        eprintln!("xtask: no kernels are emulated here, so that none can be broken");
        return Ok(());
    };
    let start = Instant::now();
    let programs = programs::programs(&messages);
    let mut tests = Vec::new();
    for program in &programs {
        if program.uses(&library)? {
            tests.extend(program.tests()?);
        }
    }
    let notes = process::target_folder().join("broken-kernels");
    fs::create_dir_all(&notes).map_err(|e| format!("{}: {e}", notes.display()))?;
    let launched = side_by_side(&tests, |number, test| {
        let note = notes.join(number.to_string());
        // One of an earlier run that was interrupted.
        let _ = fs::remove_file(&note);
        let passed = test.passes("ARCUATE_EMULATION_LAUNCHES", &note.display().to_string())?;
        if passed { Ok(launches(&note)) } else { Err(format!("{test} fails with whole kernels")) }
    })?;
    // Notes that stay behind do no harm.
    let _ = fs::remove_dir_all(&notes);
    let whole = start.elapsed();

    let start = Instant::now();
    let pairs: Vec<_> = tests
        .iter()
        .zip(&launched)
        .flat_map(|(test, families)| families.iter().map(move |family| (test, family)))
        .collect();
    let passed = side_by_side(&pairs, |_, (test, family)| test.passes("ARCUATE_EMULATION_BREAK", family))?;
    let trials: Vec<Trial> = pairs
        .iter()
        .zip(passed)
        .map(|((test, family), passed)| Trial { test: test.to_string(), family: (*family).clone(), passed })
        .collect();
    let findings = findings(&kernels::families()?, &trials);
    if !findings.is_empty() {
        return Err(format!("{} findings\n  {}", findings.len(), findings.join("\n  ")));
    }
    let launching = launched.iter().filter(|families| !families.is_empty()).count();
    println!(
        "{launching} of {} tests launch kernels, and fail where these are broken ({} times; {:.0} s whole, {:.0} s broken)",
        tests.len(),
        trials.len(),
        whole.as_secs_f64(),
        start.elapsed().as_secs_f64(),
    );
    Ok(())
}

/// The families that a test noted; none where it may step back from its GPU.
fn launches(note: &Path) -> BTreeSet<String> {
    // A test that launches nothing writes nothing.
    families_in(&fs::read_to_string(note).unwrap_or_default())
}

fn families_in(notes: &str) -> BTreeSet<String> {
    if notes.lines().any(|line| line == FALLBACK) {
        return BTreeSet::new();
    }
    notes.lines().map(str::to_owned).collect()
}

/// A test that was run while a family that it launches was broken.
#[derive(Debug)]
struct Trial {
    test: String,
    family: String,
    passed: bool,
}

/// What is wrong, a line each: tests that passed, and families that no test launches.
fn findings(families: &[String], trials: &[Trial]) -> Vec<String> {
    let green = trials.iter().filter(|trial| trial.passed);
    let mut findings: Vec<String> =
        green.map(|trial| format!("{} passes although {} is broken", trial.test, trial.family)).collect();
    let unused = families.iter().filter(|family| trials.iter().all(|trial| trial.family != **family));
    findings.extend(unused.map(|family| format!("no test launches a kernel of {family}")));
    findings
}

/// Does `work` on all items, as many at a time as the processor has cores; the first error, where there is one.
fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(usize, &T) -> Result<R, String> + Sync,
) -> Result<Vec<R>, String> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else { break };
                    let result = work(number, item);
                    done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(test: &str, family: &str, passed: bool) -> Trial {
        Trial { test: test.to_owned(), family: family.to_owned(), passed }
    }

    #[test]
    fn tests_that_do_not_see_broken_kernels_are_found() {
        let families = ["one", "two"].map(str::to_owned);
        let red = [trial("a", "one", false), trial("b", "one", false), trial("b", "two", false)];
        assert!(findings(&families, &red).is_empty());
        let green = [trial("a", "one", false), trial("b", "one", true), trial("b", "two", false)];
        assert_eq!(findings(&families, &green), ["b passes although one is broken"]);
        let unused = [trial("a", "one", false)];
        assert_eq!(findings(&families, &unused), ["no test launches a kernel of two"]);
    }

    #[test]
    fn tests_that_may_step_back_are_left_out() {
        assert_eq!(families_in("two\none\ntwo\n"), BTreeSet::from(["one", "two"].map(str::to_owned)));
        assert!(families_in("").is_empty());
        assert!(families_in("one\nfallback allowed\ntwo\n").is_empty());
    }

    #[test]
    fn work_side_by_side_keeps_its_order() {
        let items: Vec<usize> = (0..50).collect();
        let double = |number: usize, item: &usize| Ok(number + item);
        assert_eq!(side_by_side(&items, double), Ok((0..50).map(|n| 2 * n).collect()));
        let error = |_: usize, item: &usize| if item % 20 == 7 { Err(item.to_string()) } else { Ok(()) };
        assert_eq!(side_by_side(&items, error), Err("7".to_owned()));
    }
}
