//! `cargo xtask api`: the list of the public API of the library.
//!
//! The crate `arcuate` is the public API. The list has a line for each public item of this crate: its path, and its
//! declaration in the source. `cargo xtask lint` fails if the list differs from the code, or if a public declaration
//! names a type that the crate `arcuate` does not export. It also fails if rustdoc prints a warning for any crate.

mod declaration;
mod items;
mod rustdoc;
#[cfg(test)]
mod tests;

use crate::process::{self, Outcome};
use items::{Found, public_items};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

pub(crate) use rustdoc::act_as_rustdoc;

/// The format of rustdoc's JSON output that [`items`] reads. Rust 1.95 writes it.
const FORMAT: u64 = 57;
/// The tracked list.
const LIST: &str = "crates/arcuate/public_api.txt";
/// The first lines of the list.
const HEADER: &str = "\
# The public API of the crate `arcuate`, with all features: PATH | DECLARATION
# `cargo xtask api --update` writes this file.
";

/// Compares the list with the code, or writes it.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [] => check(),
        [option] if option == "--check" => check(),
        [option] if option == "--update" => update(),
        _ => Err("`api` takes nothing, --check or --update".to_owned()),
    }
}

/// Returns an error if rustdoc prints a warning, if the list differs from the code, or if a type is missing in the public
/// API. Does not check the list if the installed rustdoc writes another format.
pub(crate) fn check() -> Outcome {
    if let Some(reason) = unknown_format(rustdoc::format()?) {
        println!("{LIST} is not checked: {reason}");
        return rustdoc::pages();
    }
    let found = found()?;
    let path = process::root().join(LIST);
    let listed = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let differences = differences(&listed, &found.lines);
    if differences.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{LIST} differs from the public API; state the change in CHANGELOG.md, and run `cargo xtask api --update`\n\n\
         {differences}"
    ))
}

fn update() -> Outcome {
    if let Some(reason) = unknown_format(rustdoc::format()?) {
        return Err(format!("{LIST} is not written: {reason}"));
    }
    let found = found()?;
    let path = process::root().join(LIST);
    let mut text = HEADER.to_owned();
    for line in &found.lines {
        let _ = writeln!(text, "{line}");
    }
    fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Returns why rustdoc's output of this format cannot be read. `None` if it can be read.
fn unknown_format(format: u64) -> Option<String> {
    (format != FORMAT).then(|| {
        format!("this rustdoc writes JSON in format {format}, and `cargo xtask api` reads format {FORMAT} of Rust 1.95")
    })
}

/// Returns the public API. Returns an error if a declaration names a type that is not part of it.
fn found() -> Result<Found, String> {
    let found = public_items(&rustdoc::crates()?, &process::root())?;
    if found.missing.is_empty() {
        return Ok(found);
    }
    let mut text = String::new();
    for line in &found.missing {
        let _ = writeln!(text, "  {line}");
    }
    Err(format!(
        "public declarations name types that the crate `arcuate` does not export; export the type, or hide the item with \
         #[doc(hidden)]\n\n{text}"
    ))
}

/// Returns the lines that only one of the two lists has: `+` for new lines of the code, `-` for lines of the tracked
/// list that the code no longer has. Empty if the lists are equal.
fn differences(listed: &str, found: &BTreeSet<String>) -> String {
    let listed: BTreeSet<&str> =
        listed.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let mut text = String::new();
    for line in listed.iter().filter(|line| !found.contains(**line)) {
        let _ = writeln!(text, "- {line}");
    }
    for line in found.iter().filter(|line| !listed.contains(line.as_str())) {
        let _ = writeln!(text, "+ {line}");
    }
    text
}
