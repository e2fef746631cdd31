//! `cargo xtask lint`: no `as` narrows an integer, except in listed functions.
//!
//! `as u8`, `u16`, `u32`, `i8`, `i16` and `i32` drop the upper bits of an integer that does not fit. Other code uses
//! `u32::from` to widen, and `narrow`, `checked` or `saturating` of `arcuate-core` to narrow. Types are not analysed,
//! so that widening casts count too. Tests do not count.

mod functions;
#[cfg(test)]
mod tests;

use crate::process::{self, Outcome};
use crate::source::crate_roots;
use crate::source::modules::Modules;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The functions that may cast, one per line: FILE::FUNCTION | COUNT | REASON.
const LIST: &str = "xtask/src/narrowing_casts.txt";
/// The total number of casts in the list. It may only decrease; lower it together with the list.
const MOST: usize = 84;

/// The number of casts of each function.
type Counts = BTreeMap<String, usize>;

/// Returns an error if the number of casts of a function differs from the list.
pub(crate) fn check() -> Outcome {
    let root = process::root();
    let list = root.join(LIST);
    let text = fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    let listed = listed(&text)?;
    let found = compared(&listed, &casts(&root)?) + &of_all(&listed, MOST);
    if found.is_empty() { Ok(()) } else { Err(format!("narrowing casts\n\n{found}")) }
}

/// Returns the error of a list whose total differs from `maximum`; empty if it is equal.
fn of_all(listed: &Counts, maximum: usize) -> String {
    let all: usize = listed.values().sum();
    match all.cmp(&maximum) {
        Ordering::Greater => format!("  {LIST} allows {all} casts, and it may only shrink from {maximum}\n"),
        Ordering::Less => {
            format!("  {LIST} allows {all} casts; lower MOST in xtask/src/narrowing_casts/mod.rs to {all}\n")
        }
        Ordering::Equal => String::new(),
    }
}

/// Returns the casts of every crate of the checkout at `root`.
fn casts(root: &Path) -> Result<Counts, String> {
    let mut casts = Counts::new();
    for file in crate_roots(root)? {
        for file in Modules::read(&file)?.files {
            let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            for function in functions::that_cast(&text) {
                *casts.entry(format!("{name}::{function}")).or_default() += 1;
            }
        }
    }
    Ok(casts)
}

/// Returns the entries of a list.
fn listed(text: &str) -> Result<Counts, String> {
    let mut listed = Counts::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let parts: Vec<&str> = line.split(" | ").collect();
        let [function, count, reason] = parts[..] else {
            return Err(format!("{LIST}: `{line}` is not FUNCTION | COUNT | REASON"));
        };
        let count = count.trim().parse().ok().filter(|count| *count > 0);
        let (Some(count), false) = (count, reason.trim().is_empty()) else {
            return Err(format!("{LIST}: `{line}` needs a count above 0 and a reason"));
        };
        if listed.insert(function.trim().to_owned(), count).is_some() {
            return Err(format!("{LIST}: {function} is listed twice"));
        }
    }
    Ok(listed)
}

/// Returns the differences between list and casts, one line per function; empty if there are none.
fn compared(listed: &Counts, casts: &Counts) -> String {
    let mut text = String::new();
    for (function, &count) in casts {
        let allowed = listed.get(function).copied().unwrap_or(0);
        if count > allowed {
            let _ = writeln!(
                text,
                "  {function}: {count} narrowing casts, and {LIST} allows {allowed}; use narrow, checked or saturating of \
                 arcuate-core, or u32::from to widen"
            );
        }
    }
    for (function, &allowed) in listed {
        let count = casts.get(function).copied().unwrap_or(0);
        if count < allowed {
            let _ = writeln!(
                text,
                "  {function}: {count} narrowing casts, and {LIST} still allows {allowed}; lower the count, or remove the line \
                 if it is 0"
            );
        }
    }
    text
}
