//! Which kernels each test launches: the emulated driver notes it while the test runs. What the last run noted is kept, for
//! who runs the tests once more in another way.

use crate::process;
use crate::side_by_side::side_by_side;
use crate::test_programs::{Ran, Test};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What a test notes that may step back from its GPU (`arcuate_emulation::available_with_fallback`).
const FALLBACK: &str = "fallback allowed";

/// How a test ended with whole kernels, and which it launched; none where it may step back from its GPU.
pub(crate) struct Launched {
    pub(crate) ran: Ran,
    pub(crate) kernels: BTreeSet<String>,
}

/// Runs tests with whole kernels, and with these variables; says of each how it ended, and keeps which launch none.
pub(crate) fn launches(tests: &[Test<'_>], variables: &[(&str, &str)]) -> Result<Vec<Launched>, String> {
    let notes = process::target_folder().join("broken-kernels");
    fs::create_dir_all(&notes).map_err(|e| format!("{}: {e}", notes.display()))?;
    let launched = side_by_side(tests, |number, test| {
        let note = notes.join(number.to_string());
        // One of an earlier run that was interrupted.
        let _ = fs::remove_file(&note);
        let shown = note.display().to_string();
        let noted = [&[("ARCUATE_EMULATION_LAUNCHES", shown.as_str())], variables].concat();
        let ran = test.run(&noted)?;
        ran.tell(test);
        // A test that launches nothing writes nothing.
        let noted = fs::read_to_string(&note).unwrap_or_default();
        Ok((Launched { ran, kernels: kernels_in(&noted) }, noted.is_empty()))
    });
    // Notes that stay behind do no harm.
    let _ = fs::remove_dir_all(&notes);
    let launched = launched?;
    let without = tests.iter().zip(&launched).filter(|(_, (_, launches_none))| *launches_none);
    let record: String = without.map(|(test, _)| line_of(test) + "\n").collect();
    let path = record_path();
    fs::write(&path, record).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(launched.into_iter().map(|(launched, _)| launched).collect())
}

fn kernels_in(notes: &str) -> BTreeSet<String> {
    if notes.lines().any(|line| line == FALLBACK) {
        return BTreeSet::new();
    }
    notes.lines().map(str::to_owned).collect()
}

fn record_path() -> PathBuf {
    process::target_folder().join("tests-without-launches")
}

fn line_of(test: &Test<'_>) -> String {
    format!("{} {}", test.program_path().display(), test.name())
}

/// The tests that launched no kernel when they were last run for that.
pub(crate) struct WithoutLaunches {
    lines: BTreeSet<String>,
    written: SystemTime,
}

impl WithoutLaunches {
    /// What the last run kept; nothing where there was none.
    pub(crate) fn of_last_run() -> Self {
        Self::read(&record_path())
    }

    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        let lines = text.lines().map(str::to_owned).collect();
        Self { lines, written: modified(path).unwrap_or(SystemTime::UNIX_EPOCH) }
    }

    /// Whether it was seen that this test launches nothing, since its program was built.
    pub(crate) fn has(&self, test: &Test<'_>) -> bool {
        self.lines.contains(&line_of(test))
            && modified(test.program_path()).is_some_and(|built| built <= self.written)
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_programs::Program;
    use std::time::Duration;

    #[test]
    fn tests_that_may_step_back_are_left_out() {
        assert_eq!(kernels_in("two\none\ntwo\n"), BTreeSet::from(["one", "two"].map(str::to_owned)));
        assert!(kernels_in("").is_empty());
        assert!(kernels_in("one\nfallback allowed\ntwo\n").is_empty());
    }

    #[test]
    fn what_was_seen_of_an_older_program_does_not_count() {
        let program = Program::of_these_tests();
        let tests = program.tests().expect("a list");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("record");
        assert!(!WithoutLaunches::read(&path).has(&tests[0]));
        fs::write(&path, line_of(&tests[0]) + "\n").expect("it can be written");
        let seen = WithoutLaunches::read(&path);
        assert!(seen.has(&tests[0]) && !seen.has(&tests[1]));
        let built = modified(tests[0].program_path()).expect("it is there");
        let older = WithoutLaunches { written: built - Duration::from_secs(1), ..seen };
        assert!(!older.has(&tests[0]));
    }
}
