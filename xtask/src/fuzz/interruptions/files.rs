//! Reads the files of a case, and checks them after an interruption.

use super::super::verdict::walk;
use super::jobs::{Job, Results};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Files by their path relative to a folder.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// A file that the user put into the folder of results. Commands must keep it.
pub(super) const MINE: (&str, &[u8]) = ("out/notes.txt", b"mine");
/// The record of a folder of results, and the file that marks a folder as unfinished before it has a record.
const RECORD: &str = "out/arcuate.json";
const UNFINISHED: &str = "arcuate.unfinished.json";
/// The ending of a file that lists the names of files which are about to be replaced.
const RECOVERY: &str = ".replacing";
const RUN: &str = ".arcuate-run.json";

/// Reads the files of a folder.
pub(super) fn files_of(folder: &Path) -> Files {
    let mut files = Files::new();
    walk(folder, &mut |path| {
        if let Ok(bytes) = fs::read(path) {
            let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
            let bytes = without_words(&name, bytes);
            files.insert(name, bytes);
        }
    });
    files
}

/// Returns the data of a file. The header of a track file is omitted, because it contains the command line.
fn without_words(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    let place = || {
        let header = bytes.windows(5).position(|word| word == b"\nEND\n")?;
        let text = std::str::from_utf8(&bytes[..header]).ok()?;
        let offset = text.lines().find_map(|line| line.strip_prefix("file: . "))?;
        bytes.get(offset.trim().parse().ok()?..).map(<[u8]>::to_vec)
    };
    let rest = if has_ending(name, "tck") { place() } else { None };
    rest.unwrap_or(bytes)
}

fn has_ending(name: &str, ending: &str) -> bool {
    Path::new(name).extension().is_some_and(|own| own == ending)
}

/// True if the file is a record or an HTML page. Both contain times, which differ between runs.
fn has_times(name: &str) -> bool {
    let is_of_chains = name.ends_with("/state.json");
    (has_ending(name, "json") && !is_of_chains) || has_ending(name, "html")
}

/// True if the file is not a result: a hidden file, a state for resuming, the mark of an unfinished folder,
/// or a file of the user.
fn is_no_result(name: &str) -> bool {
    name.split('/').any(|part| part.starts_with(".arcuate-"))
        || has_ending(name, "part")
        || name.ends_with(UNFINISHED)
        || name.starts_with("out.parts/")
        || name == MINE.0
}

/// Returns the first difference between the files and the expected files, if there is any.
pub(super) fn difference(files: &Files, expected: &Files) -> Option<String> {
    let results: BTreeMap<&str, &[u8]> = files
        .iter()
        .filter(|(name, _)| !is_no_result(name))
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    let expected_files = || expected.iter().filter(|(name, _)| !is_no_result(name));
    if let Some((name, _)) = expected_files().find(|(name, _)| !results.contains_key(name.as_str())) {
        return Some(format!("{name} is missing"));
    }
    if let Some(name) = results.keys().find(|name| !expected.contains_key(**name)) {
        return Some(format!("{name} should not be there"));
    }
    let differs =
        |(name, bytes): &(&String, &Vec<u8>)| !has_times(name) && results[name.as_str()] != bytes.as_slice();
    expected_files().find(differs).map(|(name, _)| format!("{name} has other content"))
}

/// Returns a failure in the files of a job after an interruption. `new` are the files that the job writes,
/// and `old` those that existed before.
pub(super) fn after(job: &Job, files: &Files, new: &Files, old: Option<&Files>) -> Option<String> {
    if old.is_some() && job.results != Results::Whole && files.get(MINE.0).is_none_or(|bytes| bytes != MINE.1)
    {
        return Some(format!("{} was the user's, and is gone or changed", MINE.0));
    }
    for (name, bytes) in files.iter().filter(|(name, _)| !is_no_result(name)) {
        let versions: Vec<&Vec<u8>> =
            [Some(new), old].into_iter().flatten().filter_map(|all| all.get(name)).collect();
        if versions.is_empty() {
            return Some(format!("{name} is neither a result nor marked as unfinished"));
        }
        let is_whole = if has_times(name) {
            [b"}".as_slice(), b"</html>"].iter().any(|end| bytes.trim_ascii_end().ends_with(end))
        } else {
            versions.contains(&bytes)
        };
        if !is_whole {
            return Some(format!("{name} has neither its new nor its old content"));
        }
    }
    let mut known = [Some(new), old].into_iter().flatten();
    let is_whole = if job.results == Results::Continued {
        // The HTML page is created from the record, so it may still be missing.
        known.any(|all| difference(&without_pages(files), &without_pages(all)).is_none())
    } else {
        known.any(|all| difference(files, all).is_none())
    };
    match job.results {
        Results::Whole => whole_after(job, files, new, old),
        Results::Folder | Results::Continued if files.contains_key(RECORD) && !is_whole => {
            Some("the record vouches for files that are not those that it names".to_owned())
        }
        Results::Folder if !is_whole && has_results(files) && !states_that_it_is_unfinished(files) => {
            Some("some results are there, and nothing states that they are not all".to_owned())
        }
        Results::Folder | Results::Continued => None,
    }
}

fn without_pages(files: &Files) -> Files {
    let others = files.iter().filter(|(name, _)| !has_ending(name, "html"));
    others.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
}

fn has_results(files: &Files) -> bool {
    files.keys().any(|name| !is_no_result(name))
}

fn states_that_it_is_unfinished(files: &Files) -> bool {
    files.keys().any(|name| name.ends_with(UNFINISHED))
}

/// Does the same as [`after`] for a result that must be complete or absent.
fn whole_after(job: &Job, files: &Files, new: &Files, old: Option<&Files>) -> Option<String> {
    let of_result = |all: &Files| -> Files {
        // If the result has several files, their names begin with the name that `--out` gave.
        let stem = job.out.strip_suffix(".npz").map_or(format!("{}/", job.out), |stem| format!("{stem}_"));
        let is_own = |name: &str| name == job.out || name.starts_with(&stem);
        all.iter()
            .filter(|(name, _)| is_own(name))
            .map(|(name, bytes)| (name.clone(), bytes.clone()))
            .collect()
    };
    let now = of_result(files);
    let is_new = now == of_result(new);
    let is_old = old.is_some_and(|old| now == of_result(old));
    if now.is_empty() {
        return old.map(|_| format!("{} was there, and is gone", job.out));
    }
    // If an interruption left a list of files to be replaced, the next command in this folder completes the
    // replacement.
    let is_recoverable = files.keys().any(|name| name.ends_with(RECOVERY));
    if !is_new && !is_old && !is_recoverable {
        return Some(format!("{} is neither the new nor the old result", job.out));
    }
    let record =
        files.get(&format!("{}.json", job.out)).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    match (record, job.other.last()) {
        (Some(record), Some(word))
            if old.is_some() && is_new != is_old && record.contains(word) == is_new =>
        {
            Some(format!("the record next to {} is that of another result", job.out))
        }
        _ => None,
    }
}

/// Returns the names of files that an interruption left and that the next command should have removed.
pub(super) fn left(files: &Files) -> Option<String> {
    let is_left = |name: &&String| {
        let is_hidden = name.split('/').any(|part| part.starts_with(".arcuate-") && part != RUN);
        let is_state = has_ending(name, "part") && !name.starts_with("out.parts/");
        is_hidden || is_state || name.ends_with(UNFINISHED)
    };
    files.keys().find(is_left).map(|name| format!("{name} stays after the command was called again"))
}

#[cfg(test)]
mod tests {
    use super::super::jobs::JOBS;
    use super::*;

    fn files(all: &[(&str, &str)]) -> Files {
        all.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn folders_are_old_new_or_marked_unfinished() {
        let job = JOBS.iter().find(|job| job.results == Results::Folder).unwrap();
        let new = files(&[("out/a", "2"), ("out/b", "2"), (RECORD, "{}")]);
        let old = files(&[("out/a", "1"), ("out/b", "1"), (RECORD, "{}"), ("out/notes.txt", "mine")]);
        let with = |all: &[(&str, &str)]| {
            let mut all = files(all);
            all.insert(MINE.0.to_owned(), MINE.1.to_vec());
            after(job, &all, &new, Some(&old))
        };
        assert_eq!(after(job, &files(&[]), &new, None), None);
        assert_eq!(after(job, &new, &new, None), None);
        assert_eq!(with(&[("out/a", "1"), ("out/b", "1"), (RECORD, "{}")]), None);
        assert_eq!(with(&[("out/a", "2"), ("out/b", "2"), (RECORD, "{}"), (".arcuate-x.partial", "")]), None);
        assert_eq!(with(&[("out/a", "2"), ("out/arcuate.unfinished.json", "{}")]), None);
        for wrong in [
            &[("out/a", "2"), ("out/b", "1"), (RECORD, "{}")] as &[_],
            &[("out/a", "2"), (RECORD, "{}")],
            &[("out/a", "2")],
            &[("out/a", "")],
            &[("out/half", "2")],
        ] {
            assert!(with(wrong).is_some(), "{wrong:?}");
        }
        assert!(after(job, &files(&[]), &new, Some(&old)).unwrap().contains("notes.txt was the user's"));
    }

    #[test]
    fn files_are_old_or_new_and_never_missing() {
        let job = JOBS.iter().find(|job| job.out == "out.tck").unwrap();
        let (new, old) = (files(&[("out.tck", "new"), ("out.tck.json", "{}")]), files(&[("out.tck", "old")]));
        for (now, is_right) in [("new", true), ("old", true), ("ne", false)] {
            let now = files(&[("out.tck", now)]);
            assert_eq!(after(job, &now, &new, Some(&old)).is_none(), is_right, "{now:?}");
        }
        assert!(after(job, &files(&[]), &new, Some(&old)).unwrap().contains("is gone"));
        assert_eq!(after(job, &files(&[]), &new, None), None);
        let mixed = files(&[("out.tck", "new"), ("out.tck.json", "{11.25}")]);
        assert!(after(job, &mixed, &new, Some(&old)).unwrap().contains("is that of another result"));
    }

    #[test]
    fn hidden_and_unfinished_files_are_findings() {
        for (name, stays) in [
            ("out/.arcuate-x.partial", true),
            ("out/.arcuate-x.partial/a", true),
            ("out/tracking.part", true),
            ("out/arcuate.unfinished.json", true),
            ("out/.arcuate-run.json", false),
            ("out.parts/1-of-2/tracks.part", false),
            ("out/fa.nii.gz", false),
        ] {
            assert_eq!(left(&files(&[(name, "")])).is_some(), stays, "{name}");
        }
    }
}
