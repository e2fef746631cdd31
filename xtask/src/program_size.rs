//! The size of the program: its largest sections and crates, and the limit.

use crate::elf::{self, Section};
use crate::process::Outcome;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The limit of the program's size in bytes. `CONTRIBUTING.md` states it.
const LIMIT: usize = 35_000_000;
/// `dist` fails if the program is larger than the limit by more than this fraction.
const TOLERANCE: f64 = 0.2;
/// The number of sections and of crates that are printed.
const PRINTED: usize = 5;

/// Prints the size of a program without symbols, and its largest sections and crates. Returns an error if the
/// program is larger than the limit and the tolerance. `stripped` is the size of the stripped file, and
/// `program` still has its symbols.
pub(crate) fn check(program: &Path, bytes: &[u8], stripped: usize) -> Outcome {
    println!("{}", sentence(stripped));
    if let Some(mut sections) = elf::sections(bytes) {
        sections.sort_by_key(|section| std::cmp::Reverse(section.stripped_bytes()));
        let line = sections.iter().take(PRINTED).map(|s| item(&s.name, s.stripped_bytes()));
        println!("largest sections: {}", line.collect::<Vec<_>>().join(", "));
        if sections.iter().any(|Section { name, .. }| name == ".symtab") {
            let line = crates_of(program)?.into_iter().take(PRINTED);
            let line = line.map(|(name, bytes)| item(&name, bytes));
            println!("largest crates (by their functions): {}", line.collect::<Vec<_>>().join(", "));
        }
    }
    if stripped as f64 > LIMIT as f64 * (1.0 + TOLERANCE) {
        return Err(format!("{}; see \"Time and size limits\" in CONTRIBUTING.md", sentence(stripped)));
    }
    Ok(())
}

fn sentence(bytes: usize) -> String {
    format!(
        "the program has {:.1} MB; the limit is {} MB, and {:.0} MB are an error",
        bytes as f64 / 1e6,
        LIMIT / 1_000_000,
        LIMIT as f64 * (1.0 + TOLERANCE) / 1e6
    )
}

fn item(name: &str, bytes: usize) -> String {
    format!("{name} {:.1} MB", bytes as f64 / 1e6)
}

/// Returns the crates of a program's functions, the largest first.
fn crates_of(program: &Path) -> Result<Vec<(String, usize)>, String> {
    let output = Command::new("nm").args(["--demangle", "--print-size"]).arg(program).output();
    let output = output.map_err(|e| format!("nm cannot be run ({e}); install binutils"))?;
    Ok(sums(&String::from_utf8_lossy(&output.stdout)))
}

/// Adds the sizes of functions by crate, from lines of `nm`: `ADDRESS SIZE KIND NAME`.
fn sums(symbols: &str) -> Vec<(String, usize)> {
    let mut sums = BTreeMap::<String, usize>::new();
    for line in symbols.lines() {
        let mut words = line.splitn(4, ' ');
        let (Some(_), Some(size), Some(kind), Some(name)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        if let ("t" | "T" | "w" | "W", Ok(size)) = (kind, usize::from_str_radix(size, 16)) {
            *sums.entry(crate_of(name).to_owned()).or_default() += size;
        }
    }
    let mut sums: Vec<(String, usize)> = sums.into_iter().collect();
    sums.sort_by_key(|&(_, bytes)| std::cmp::Reverse(bytes));
    sums
}

/// Returns the crate of a function: the first path in its name, `a` in `<&a::B as c::D>::e`.
fn crate_of(name: &str) -> &str {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let end = name.find("::").unwrap_or(name.len());
    let start = name[..end].rfind(|c| !is_word(c)).map_or(0, |n| n + 1);
    let first = &name[start..end];
    if first.is_empty() { "others" } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_added_by_crate() {
        let symbols = "\
0000000000001000 0000000000000010 t arcuate_track::fod::track
0000000000002000 0000000000000004 T <arcuate_track::Seed as core::fmt::Debug>::fmt
0000000000003000 0000000000000008 t <&mut arcuate_io::Reader as std::io::Read>::read
0000000000004000 0000000000000100 d arcuate_io::TABLE
                 U memcpy
";
        assert_eq!(sums(symbols), [("arcuate_track".to_owned(), 20), ("arcuate_io".to_owned(), 8)]);
        assert_eq!(crate_of("main"), "main");
    }

    #[test]
    fn large_programs_are_an_error() {
        let script = Path::new("a script");
        check(script, b"#!/bin/sh", 42_000_000).expect("42 MB");
        let error = check(script, b"#!/bin/sh", 42_000_001).expect_err("more than 42 MB");
        assert!(error.contains("42.0 MB; the limit is 35 MB"), "{error}");
    }
}
