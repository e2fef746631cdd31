//! Judges the reaction of a command to a damaged file. The command must read the file, or report in one line
//! what is wrong with it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The exit status and the output of a command.
pub(super) struct Ran {
    /// The exit code of the command. `None` if a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) status: String,
    /// True if the command was killed because it exceeded the time limit.
    pub(super) hangs: bool,
    pub(super) output: Vec<u8>,
    pub(super) errors: Vec<u8>,
}

/// The maximum length of an error, in characters.
const LONGEST: usize = 2000;

/// Seeds and results that are folders, not files.
const FOLDERS: [&str; 11] =
    ["out", "dict", "results", "shown", "chain", "subject", "named", "study", "prepared", "cohort", "kept"];

/// Returns the failures in the reaction of a command. `words` is its command line, and `files` are the names
/// of its damaged files.
pub(super) fn failures(ran: &Ran, words: &[String], files: &[&str]) -> Vec<String> {
    let text = String::from_utf8_lossy(&ran.errors);
    if ran.hangs {
        return vec![format!("it was killed for taking too long; the last it said: {}", last_line(&text))];
    }
    // If the program crashed, this message is enough; the other checks are skipped.
    for sign in ["panicked at", "memory allocation of", "stack overflow"] {
        if let Some(line) = text.lines().find(|line| line.contains(sign)) {
            let next = text.lines().skip_while(|l| *l != line).nth(1).unwrap_or_default();
            return vec![format!("{line} {next}")];
        }
    }
    if !matches!(ran.code, Some(0..=2)) {
        return vec![format!("it ended with {}; the last it said: {}", ran.status, last_line(&text))];
    }
    let mut failures = Vec::new();
    for (name, bytes) in [("standard output", &ran.output), ("standard error", &ran.errors)] {
        match std::str::from_utf8(bytes) {
            Err(_) => failures.push(format!("{name} is no UTF-8")),
            Ok(text) => {
                if let Some(line) = text.lines().find(|line| line.chars().any(disturbs)) {
                    failures.push(format!("{name} has control characters: {line:?}"));
                }
            }
        }
    }
    let mut errors = 0;
    for line in text.lines() {
        if let Some(error) = line.strip_prefix("error: ") {
            errors += 1;
            let length = line.chars().count();
            if length > LONGEST {
                failures.push(format!("an error of {length} characters: {line:.300}"));
            }
            let subject = error.split_once(": ").map_or("", |(subject, _)| subject);
            let is_named = |word: &&str| word.contains('.') && subject.contains(*word);
            let named = subject.contains("--")
                || words.iter().map(String::as_str).chain(files.iter().copied()).any(|word| is_named(&word))
                || FOLDERS.iter().any(|folder| subject.contains(folder));
            if !named {
                failures.push(format!("an error that names no file or option: {line:.300}"));
            }
        } else if !line.starts_with("arcuate ") && !line.starts_with("warning: ") {
            failures.push(format!("a line that is no error, warning or step: {line:.300}"));
        }
    }
    match (ran.code, errors) {
        (Some(0), 0) | (Some(1 | 2), 1) | (None, _) => {}
        (Some(code), _) => failures.push(format!("{errors} errors with exit code {code}: {text:.500}")),
    }
    failures
}

/// Returns whether a character controls the terminal or changes the order of text.
fn disturbs(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or("nothing")
}

/// Returns the names of unfinished files that a command left in its folder. The state of an unfinished
/// `arcuate run` is permitted if one of its stages is finished.
pub(super) fn left_behind(folder: &Path) -> Option<String> {
    const OF_A_RUN: &str = ".arcuate-run.json";
    let mut unfinished = None;
    walk(folder, &mut |path| {
        let is_of_a_run = path.ends_with(OF_A_RUN) && path.is_file();
        let keeps_results = || {
            let beside = path.parent().into_iter().flat_map(fs::read_dir).flatten().flatten();
            beside.into_iter().any(|entry| entry.file_name() != OF_A_RUN)
        };
        // The name of an unfinished folder begins in the same way.
        let begins = path
            .iter()
            .any(|part| part == "arcuate.unfinished.json" || part.to_string_lossy().starts_with(".arcuate-"));
        if begins && !(is_of_a_run && keeps_results()) {
            unfinished = Some(path.strip_prefix(folder).unwrap_or(path).display().to_string());
        }
    });
    unfinished.map(|name| format!("something unfinished stays: {name}"))
}

/// Returns files that a command changed or removed although they are not its results.
pub(super) fn changed(
    before: &BTreeMap<PathBuf, Vec<u8>>,
    folder: &Path,
    is_result: impl Fn(&Path) -> bool,
) -> Option<String> {
    let is_as_it_was = |path: &Path, bytes: &[u8]| fs::read(path).is_ok_and(|now| now == bytes);
    let (path, _) = before.iter().find(|(path, bytes)| !is_result(path) && !is_as_it_was(path, bytes))?;
    let name = path.strip_prefix(folder).unwrap_or(path).display();
    Some(format!("it changed or removed {name}, which is none of its results"))
}

/// Calls `each` for every file below a folder, and for empty folders.
pub(super) fn walk(folder: &Path, each: &mut impl FnMut(&Path)) {
    let mut empty = true;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        empty = false;
        if entry.path().is_dir() {
            walk(&entry.path(), each);
        } else {
            each(&entry.path());
        }
    }
    if empty {
        each(folder);
    }
}

/// Returns whether `arcuate info` reads files with this name.
pub(super) fn is_known_to_info(name: &str) -> bool {
    let endings = [
        ".nii", ".nii.gz", ".mif", ".mif.gz", ".tck", ".trk", ".trx", ".tck.gz", ".trk.gz", ".b", ".scheme",
        ".prtcl", ".bvec",
    ];
    endings.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: Option<i32>, errors: &str) -> Vec<String> {
        let ran = Ran {
            code,
            status: "signal: 6".to_owned(),
            hangs: false,
            output: Vec::new(),
            errors: errors.as_bytes().to_vec(),
        };
        failures(&ran, &["info".to_owned(), "dwi.nii".to_owned()], &["dwi.nii"])
    }

    #[test]
    fn one_line_errors_that_name_the_file_are_accepted() {
        for (code, errors) in [
            (0, ""),
            (0, "arcuate fit: read\nwarning: dwi.nii: odd\n"),
            (1, "arcuate fit: read\nerror: dwi.nii: it ends early; copy it again\n"),
            (2, "error: --select: 0 are wanted; ask for more\n"),
            (2, "error: --size -1: no; see `arcuate recon --help`\n"),
        ] {
            assert_eq!(of(Some(code), errors), [""; 0], "{errors}");
        }
    }

    #[test]
    fn all_other_outcomes_are_failures() {
        let long = format!("error: dwi.nii: {}\n", "x".repeat(2000));
        for (code, errors, what) in [
            (None, "", "it ended with signal: 6"),
            (Some(101), "thread 'main' panicked at a.rs:1:2:\nno\n", "panicked at a.rs:1:2: no"),
            (None, "memory allocation of 99 bytes failed\n", "memory allocation of 99"),
            (Some(101), "", "it ended with"),
            (Some(1), "", "0 errors with exit code 1"),
            (Some(0), "error: dwi.nii: bad; no\n", "1 errors with exit code 0"),
            (Some(1), "error: dwi.nii: bad; no\nerror: dwi.nii: bad; no\n", "2 errors"),
            (Some(1), "error: it is bad\n", "names no file"),
            (Some(1), "error: dwi.nii: bad\u{1b}[0m; no\n", "standard error has control characters"),
            (Some(1), "error: dwi.nii: bad; no\nadvice\n", "a line that is no error"),
            (Some(1), &long, "an error of 2016 characters"),
        ] {
            let failures = of(code, errors);
            assert!(failures.len() == 1 && failures[0].contains(what), "{errors}: {failures:?}");
        }
    }

    #[test]
    fn resumable_files_count_as_finished_and_partial_files_do_not() {
        let folder = std::env::temp_dir().join(format!("arcuate-verdict-{}", std::process::id()));
        let judged = |names: &[&str]| {
            for name in names {
                let path = folder.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "").unwrap();
            }
            let judged = left_behind(&folder);
            fs::remove_dir_all(&folder).unwrap();
            judged
        };
        assert_eq!(judged(&["out/.arcuate-run.json", "out/tensor/fa.nii.gz"]), None);
        for names in [
            &["out/.arcuate-run.json"] as &[_],
            &["out/.arcuate-x.partial", "out/fa.nii.gz"],
            &["out/.arcuate-tensor.partial/fa.nii.gz", "out/.arcuate-run.json"],
            &["out/.arcuate-x.partial/.arcuate-run.json", "out/.arcuate-x.partial/fa.nii.gz"],
        ] {
            assert!(judged(names).is_some(), "{names:?}");
        }
    }
}
