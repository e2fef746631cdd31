//! Checks that an old C library has all functions that a program uses. The program itself may be built for a newer
//! one, so that CI need not build a second program.

use crate::process::Outcome;
use crate::{elf, zig};
use std::collections::BTreeMap;
use std::path::Path;

/// The functions of the C library, each with the oldest version that has it.
const FUNCTIONS: &str = include_str!("glibc_functions.txt");
/// The beginning of the functions of GCC's library for unwinding, which every Linux system has.
const UNWINDING: &str = "_Unwind_";

/// Returns an error that names the functions of a program that the oldest supported glibc does not have.
pub(crate) fn check(program: &Path, bytes: &[u8]) -> Outcome {
    let imports =
        elf::imports(bytes).ok_or_else(|| format!("{}: no program for Linux", program.display()))?;
    let oldest = zig::GLIBC;
    let missing = missing(&imports, FUNCTIONS, oldest);
    if missing.is_empty() {
        println!("glibc 2.{oldest} has the {} functions that the program uses", imports.len());
        return Ok(());
    }
    Err(format!(
        "{}: the program uses functions that glibc 2.{oldest} may not have: {}; avoid them, or add them with \
         their version to xtask/src/glibc_functions.txt",
        program.display(),
        missing.join(", ")
    ))
}

/// Returns the imports that a list of functions does not have, or only for a newer glibc than 2.`oldest`.
fn missing(imports: &[String], functions: &str, oldest: u32) -> Vec<String> {
    let rows = functions.lines().filter(|line| !line.starts_with('#'));
    let versions: BTreeMap<&str, &str> = rows.filter_map(|line| line.split_once(' ')).collect();
    let is_there = |name: &str| {
        let version = versions.get(name).copied();
        version.is_some_and(|v| v == "static" || v.parse::<u32>().is_ok_and(|minor| minor <= oldest))
    };
    let missing = imports.iter().filter(|name| !name.starts_with(UNWINDING) && !is_there(name));
    missing.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_newer_glibc_are_found() {
        let functions = "# a comment\nmemcpy 2\nstat64 static\ngettid 30\n";
        let imports = ["memcpy", "stat64", "gettid", "_Unwind_Resume", "pidfd_open"].map(str::to_owned);
        assert_eq!(missing(&imports, functions, 28), ["gettid", "pidfd_open"]);
        assert_eq!(missing(&imports, functions, 30), ["pidfd_open"]);
    }

    #[test]
    fn scripts_are_rejected() {
        let error = check(Path::new("a"), b"#!/bin/sh").expect_err("no program");
        assert!(error.contains("a: no program for Linux"), "{error}");
    }
}
