//! Checks that only `arcuate_core::threads` starts threads. This module reports an error if the system does
//! not allow a thread. With `spawn` of the standard library, or with an implicit thread pool, the program
//! would end in this case.

use crate::process::{self, Outcome};
use std::fs;
use std::path::Path;

/// Pieces of code that start threads.
const SIGNS: [&str; 5] =
    [".spawn(", "spawn_scoped(", "thread::spawn(", "ThreadPoolBuilder", "enable_steady_tick"];

/// Files below `crates/` that may start threads themselves, each with the reason.
const ALLOWED: [(&str, &str); 4] = [
    ("arcuate-core/src/threads.rs", "it is the place"),
    ("arcuate-pipeline/src/threads.rs", "it starts the pool of the program, and returns the error"),
    ("arcuate-python/src/call.rs", "it starts the pool of a call, and returns the error"),
    ("arcuate-track/src/driver.rs", "it gives work to a pool that is there"),
];

/// Crates that are not part of the program `arcuate`.
const NOT_OURS: [&str; 3] = ["arcuate-bench", "arcuate-emulation", "arcuate-test-support"];

/// Returns an error for files that start threads themselves, and for an exception that is no longer needed.
pub(crate) fn check() -> Outcome {
    let crates = process::root().join("crates");
    let mut found = Vec::new();
    for entry in fs::read_dir(&crates).map_err(|e| format!("{}: {e}", crates.display()))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !NOT_OURS.contains(&name.as_str()) {
            look_in(&entry.path().join("src"), &crates, &mut found)?;
        }
    }
    let is_allowed = |file: &str| ALLOWED.iter().any(|(allowed, _)| *allowed == file);
    let mut problems: Vec<String> = found
        .iter()
        .filter(|(file, ..)| !is_allowed(file))
        .map(|(file, line, text)| format!("crates/{file}:{line}: {text}"))
        .collect();
    let unused = ALLOWED.iter().filter(|(allowed, _)| !found.iter().any(|(file, ..)| file == allowed));
    problems
        .extend(unused.map(|(file, _)| format!("crates/{file}: starts no thread and need not be allowed")));
    if problems.is_empty() {
        return Ok(());
    }
    problems.sort();
    Err(format!("threads start elsewhere than in `arcuate_core::threads`:\n{}", problems.join("\n")))
}

/// Finds code in a folder that starts threads. For each line: the file relative to `root`, the line number,
/// and the text.
fn look_in(folder: &Path, root: &Path, found: &mut Vec<(String, usize, String)>) -> Outcome {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_of_tests = name == "tests" || name == "tests.rs";
        if path.is_dir() && !is_of_tests {
            look_in(&path, root, found)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") && !is_of_tests {
            let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let file = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            found.extend(signs(&text).map(|(line, text)| (file.clone(), line, text.to_owned())));
        }
    }
    Ok(())
}

/// Returns the lines that start threads, numbered from 1. Comments, and the tests at the end of a file, are
/// skipped.
fn signs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    let trimmed = code.map(|(n, line)| (n + 1, line.trim()));
    trimmed.filter(|(_, line)| !line.starts_with("//") && SIGNS.iter().any(|sign| line.contains(sign)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_start_outside_comments_and_tests_is_found() {
        let text = "// thread::spawn(work)\nlet a = scope.spawn(|| 1);\nstd::thread::spawn(work);\n\
                    Builder::new().spawn_scoped(scope, work);\nbar.enable_steady_tick(TURN);\n\
                    rayon::ThreadPoolBuilder::new();\nthreads::start(work);\n#[cfg(test)]\nstd::thread::spawn(work);\n";
        let lines: Vec<usize> = signs(text).map(|(line, _)| line).collect();
        assert_eq!(lines, [2, 3, 4, 5, 6]);
    }

    #[test]
    fn threads_start_in_one_place() {
        check().unwrap();
    }
}
