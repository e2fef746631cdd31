//! The budgets of the project: sizes and times that must not grow.

use crate::process::{self, Outcome};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

const HELP: &str = "\
cargo xtask budgets [NAME=VALUE...]

Compares sizes and times with their limits. The size of the tracked files is always measured, and their five largest folders
are listed. If the size is more than 20 % above its limit, this is an error. Times are given, and are only reported:

  tests=SECONDS    the time of `cargo xtask test`
  ci=SECONDS       the time of `.ci/run`
  demo=SECONDS     the time of `cargo xtask demo`, from an empty clone

`cargo xtask dist` checks the size of the release program.
";

/// A value may exceed its limit by this factor, because times differ between runs.
const TOLERANCE: f64 = 1.2;

/// A limit of a size or a time.
struct Budget {
    name: &'static str,
    what: &'static str,
    limit: f64,
    unit: &'static str,
    /// The number of bytes or seconds in one unit of the limit.
    scale: f64,
    /// True if a value far above the limit is an error. Times are not, as long as they are above their limits.
    is_enforced: bool,
}

impl Budget {
    /// A limit in minutes.
    const fn minutes(name: &'static str, what: &'static str, limit: f64) -> Self {
        Self { name, what, limit, unit: "min", scale: 60.0, is_enforced: false }
    }
}

/// The limits, which hold for two idle cores and an empty clone.
const BUDGETS: [Budget; 4] = [
    Budget { name: "files", what: "tracked files", limit: 19.0, unit: "MB", scale: 1e6, is_enforced: true },
    Budget::minutes("demo", "cargo xtask demo", 3.0),
    Budget::minutes("tests", "cargo xtask test", 20.0),
    Budget::minutes("ci", ".ci/run", 35.0),
];

/// Compares the given values, and the size of the tracked files, with their limits.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{HELP}");
        return Ok(());
    }
    let sizes = sizes_of_tracked_files()?;
    let mut values = vec![("files", sizes.iter().map(|(_, bytes)| *bytes as f64).sum::<f64>())];
    for argument in arguments {
        let given = argument.split_once('=').and_then(|(name, value)| Some((name, value.parse().ok()?)));
        values.push(given.ok_or_else(|| format!("`{argument}` is not NAME=VALUE\n\n{HELP}"))?);
    }
    let (table, exceeded) = compared(&values)?;
    print!("{table}");
    println!("The largest folders:");
    for (folder, bytes) in largest_folders(&sizes) {
        println!("{:8.2} MB  {folder}", bytes as f64 / 1e6);
    }
    if exceeded.is_empty() {
        return Ok(());
    }
    Err(format!("more than 20 % above the limit: {}", exceeded.join(", ")))
}

/// Returns the table of values and limits, and what exceeds its limit by more than the tolerance.
fn compared(values: &[(&str, f64)]) -> Result<(String, Vec<&'static str>), String> {
    let (mut table, mut exceeded) = (String::new(), Vec::new());
    for (name, value) in values {
        let budget = BUDGETS.iter().find(|budget| budget.name == *name);
        let budget = budget.ok_or_else(|| format!("`{name}` is no budget\n\n{HELP}"))?;
        let Budget { what, limit, unit, .. } = budget;
        let value = value / budget.scale;
        let state = match value / limit {
            ..=1.0 => "within the limit",
            ..=TOLERANCE => "above the limit",
            _ => {
                exceeded.extend(budget.is_enforced.then_some(*what));
                "more than 20 % above the limit"
            }
        };
        // Writing to a string cannot fail.
        let _ = writeln!(table, "{what:<28}{value:8.1} {unit:<4} limit {limit:4.0} {unit:<4} {state}");
    }
    Ok((table, exceeded))
}

/// Returns each tracked file with its size in bytes.
fn sizes_of_tracked_files() -> Result<Vec<(String, u64)>, String> {
    let output = process::in_root("git").args(["ls-files", "-z"]).output();
    let output = output.map_err(|e| format!("git cannot be run ({e})"))?;
    let names = String::from_utf8(output.stdout).map_err(|_| "a file name is no text".to_owned())?;
    let sizes = names.split_terminator('\0').map(|name| {
        let path: PathBuf = process::root().join(name);
        let about = fs::symlink_metadata(&path).map_err(|e| format!("{name}: {e}"))?;
        Ok((name.to_owned(), about.len()))
    });
    sizes.collect()
}

/// Returns the five largest folders. The first three parts of a path count, for example `crates/arcuate-io/src`.
fn largest_folders(sizes: &[(String, u64)]) -> Vec<(String, u64)> {
    let mut folders: BTreeMap<String, u64> = BTreeMap::new();
    for (name, bytes) in sizes {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder: Vec<&str> = folder.split('/').take(3).collect();
        *folders.entry(folder.join("/")).or_default() += bytes;
    }
    let mut folders: Vec<_> = folders.into_iter().collect();
    folders.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    folders.truncate(5);
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_with_their_limits() {
        let (table, exceeded) = compared(&[("files", 18e6), ("ci", 36.0 * 60.0)]).expect("known budgets");
        assert!(exceeded.is_empty());
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[0].contains("18.0 MB") && lines[0].ends_with("within the limit"), "{table}");
        assert!(lines[1].contains("36.0 min") && lines[1].ends_with("min  above the limit"), "{table}");
        let (_, exceeded) = compared(&[("files", 22.9e6), ("tests", 1441.0)]).expect("known budgets");
        assert_eq!(exceeded, ["tracked files"]);
        assert!(compared(&[("sorrow", 1.0)]).is_err());
    }

    #[test]
    fn folders_are_summed_to_three_levels() {
        let files = [("a/b/c/d/e.rs", 5), ("a/b/c/f.rs", 2), ("README.md", 3), ("a/g", 1)];
        let files: Vec<(String, u64)> =
            files.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
        let expected = [("a/b/c", 7), ("", 3), ("a", 1)].map(|(name, size)| (name.to_owned(), size));
        assert_eq!(largest_folders(&files), expected);
    }
}
