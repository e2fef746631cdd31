//! Finds the kernels that each test launches. The emulated GPU driver records them. The record of the last
//! run is kept with the times of the tests. Later runs of the tests in another mode use it.

use crate::process;
use crate::side_by_side::side_by_side;
use crate::test_programs::{Ran, Test};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The line that a test records if it may fall back from its GPU to the CPU
/// (`arcuate_emulation::available_with_fallback`).
const FALLBACK: &str = "fallback allowed";

/// The result of a test with intact kernels, and the kernels that it launched. If the test may fall back to
/// the CPU, the list of kernels is empty.
pub(crate) struct Launched {
    pub(crate) ran: Ran,
    pub(crate) kernels: BTreeSet<String>,
}

/// Runs tests with intact kernels and these variables. Reports the result of each, and keeps the record.
pub(crate) fn launches(tests: &[Test<'_>], variables: &[(&str, &str)]) -> Result<Vec<Launched>, String> {
    let notes = process::target_folder().join("broken-kernels");
    fs::create_dir_all(&notes).map_err(|e| format!("{}: {e}", notes.display()))?;
    let launched = side_by_side(tests, |number, test| {
        let note = notes.join(number.to_string());
        // Removes the record of an earlier run that was interrupted.
        let _ = fs::remove_file(&note);
        let shown = note.display().to_string();
        let noted = [&[("ARCUATE_EMULATION_LAUNCHES", shown.as_str())], variables].concat();
        let ran = test.run(&noted)?;
        ran.tell(test);
        // If a test launches no kernel, it writes no record.
        let noted = fs::read_to_string(&note).unwrap_or_default();
        let seen = Seen::new(ran.took, &noted);
        Ok((Launched { ran, kernels: kernels_in(&noted) }, seen.line(test)))
    });
    // An error is ignored: remaining files have no effect.
    let _ = fs::remove_dir_all(&notes);
    let (launched, record): (Vec<_>, Vec<_>) = launched?.into_iter().unzip();
    let path = record_path();
    fs::write(&path, record.concat()).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(launched)
}

/// Returns the kernels that a test launched, or none if it may fall back from its GPU.
fn kernels_in(notes: &str) -> BTreeSet<String> {
    if notes.lines().any(|line| line == FALLBACK) {
        return BTreeSet::new();
    }
    notes.lines().map(str::to_owned).collect()
}

fn record_path() -> PathBuf {
    process::target_folder().join("test-launches")
}

/// The entry of the record for a test: its time and its kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) took: Duration,
    /// All kernels that the test launched, even if it may fall back to the CPU.
    pub(crate) kernels: BTreeSet<String>,
}

impl Seen {
    fn new(took: Duration, notes: &str) -> Self {
        let kernels = notes.lines().filter(|line| *line != FALLBACK).map(str::to_owned).collect();
        Self { took: Duration::from_millis(took.as_millis() as u64), kernels }
    }

    /// Returns a line of the record: program, test, milliseconds, kernels, separated by tabs.
    fn line(&self, test: &Test<'_>) -> String {
        let kernels: Vec<&str> = self.kernels.iter().map(String::as_str).collect();
        format!("{}\t{}\t{}\n", key_of(test), self.took.as_millis(), kernels.join(" "))
    }

    fn read(line: &str) -> Option<(String, Self)> {
        let mut parts = line.rsplitn(3, '\t');
        let kernels = parts.next()?.split_whitespace().map(str::to_owned).collect();
        let took = Duration::from_millis(parts.next()?.parse().ok()?);
        Some((parts.next()?.to_owned(), Self { took, kernels }))
    }
}

fn key_of(test: &Test<'_>) -> String {
    format!("{}\t{}", test.program_path().display(), test.name())
}

/// The record of all tests in their last run.
pub(crate) struct LastRun {
    tests: BTreeMap<String, Seen>,
    written: SystemTime,
}

impl LastRun {
    /// Reads the record of the last run; empty if there is none.
    pub(crate) fn kept() -> Self {
        Self::read(&record_path())
    }

    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        let tests = text.lines().filter_map(Seen::read).collect();
        Self { tests, written: modified(path).unwrap_or(SystemTime::UNIX_EPOCH) }
    }

    /// Returns the record of this test. Returns `None` if the test program was built after the record.
    pub(crate) fn of(&self, test: &Test<'_>) -> Option<&Seen> {
        let seen = self.tests.get(&key_of(test))?;
        modified(test.program_path()).is_some_and(|built| built <= self.written).then_some(seen)
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_programs::Program;

    #[test]
    fn tests_that_may_fall_back_are_excluded() {
        assert_eq!(kernels_in("two\none\ntwo\n"), BTreeSet::from(["one", "two"].map(str::to_owned)));
        assert!(kernels_in("").is_empty());
        assert!(kernels_in("one\nfallback allowed\ntwo\n").is_empty());
    }

    #[test]
    fn records_of_older_programs_are_ignored() {
        let program = Program::of_these_tests();
        let tests = program.tests().expect("a list");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("record");
        assert!(LastRun::read(&path).of(&tests[0]).is_none());
        let seen = Seen::new(Duration::from_micros(12_900), "two\none\nfallback allowed\ntwo\n");
        fs::write(&path, seen.line(&tests[0])).expect("it can be written");
        let last = LastRun::read(&path);
        let read = last.of(&tests[0]).expect("it was seen");
        assert_eq!((read.took, read.kernels.len()), (Duration::from_millis(12), 2));
        assert!(read == &seen && last.of(&tests[1]).is_none());
        let built = modified(tests[0].program_path()).expect("it is there");
        let older = LastRun { written: built - Duration::from_secs(1), ..last };
        assert!(older.of(&tests[0]).is_none());
    }
}
