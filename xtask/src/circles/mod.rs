//! `cargo xtask lint`: the files of a crate must not depend on each other in a circle.
//!
//! A file depends on another if it imports or names an item defined there. `mod` is not a dependency, and neither is a
//! re-export from the module's own children: importing it depends on the child's file. Comments, strings and test code
//! are ignored. Types are not analysed. A method call without the name of its type is therefore not detected.

#[cfg(test)]
mod tests;

use crate::process::{self, Outcome};
use crate::source::modules::{Import, Module, Modules, Target};
use crate::source::{crate_roots, tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// The dependencies between files. Each key has the indices of two files, and its value the names that the
/// first file uses from the second.
type Arrows = BTreeMap<(usize, usize), BTreeSet<String>>;

/// Returns an error if files of a crate depend on each other in a circle.
pub(crate) fn check() -> Outcome {
    let root = process::root();
    let found = all_under(&root)?;
    if found.is_empty() { Ok(()) } else { Err(format!("files of a crate use each other\n\n{found}")) }
}

/// Returns a text with the circles in every crate of the checkout at `root`.
fn all_under(root: &Path) -> Result<String, String> {
    let mut found = String::new();
    for file in crate_roots(root)? {
        found += &circles_of(&Modules::read(&file)?, root);
    }
    Ok(found)
}

/// Returns a text with the circles of a crate, one line per dependency. Paths of files are relative to
/// `root`.
fn circles_of(modules: &Modules, root: &Path) -> String {
    let arrows = arrows(modules);
    let name = |file: usize| modules.files[file].strip_prefix(root).unwrap_or(&modules.files[file]).display();
    let mut text = String::new();
    for circle in circles(modules.files.len(), &arrows) {
        let _ = writeln!(text, "a circle of {} files:", circle.len());
        for ((from, to), names) in &arrows {
            if circle.contains(from) && circle.contains(to) {
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                let _ = writeln!(text, "  {} -> {}: {}", name(*from), name(*to), names.join(", "));
            }
        }
    }
    text
}

/// Returns sets of at least two files that all depend on each other.
fn circles(files: usize, arrows: &Arrows) -> Vec<BTreeSet<usize>> {
    let reached: Vec<BTreeSet<usize>> = (0..files).map(|file| reached(file, arrows)).collect();
    let mut circles: Vec<BTreeSet<usize>> = Vec::new();
    for file in 0..files {
        if reached[file].contains(&file) && !circles.iter().any(|circle| circle.contains(&file)) {
            circles.push(
                reached[file].iter().copied().filter(|&other| reached[other].contains(&file)).collect(),
            );
        }
    }
    circles
}

/// Returns the files that `file` depends on, directly or indirectly.
fn reached(file: usize, arrows: &Arrows) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut next = vec![file];
    while let Some(from) = next.pop() {
        for &(_, to) in arrows.keys().filter(|arrow| arrow.0 == from) {
            if reached.insert(to) {
                next.push(to);
            }
        }
    }
    reached
}

fn arrows(modules: &Modules) -> Arrows {
    let mut arrows = Arrows::new();
    for (index, module) in modules.all.iter().enumerate() {
        let mut add = |target: Option<Target>, name: &str| {
            if let Some(Target::Item(to)) = target {
                let to = modules.all[to].file;
                if to != module.file {
                    arrows.entry((module.file, to)).or_default().insert(name.to_owned());
                }
            }
        };
        let named = names(&module.code);
        for import in &module.imports {
            let target = modules.resolve(index, &import.path);
            if let ("*", Some(Target::Module(from))) = (import.name.as_str(), target) {
                for name in &named {
                    add(modules.by_glob(index, from, name), name);
                }
            } else if !is_passed_on(modules, index, import, target) || named.contains(import.name.as_str()) {
                add(target, modules.item_name(index, &import.path));
            }
        }
        for path in paths(module) {
            add(modules.resolve(index, &path), modules.item_name(index, &path));
        }
        for pair in module.code.windows(2).filter(|pair| pair[1] == "!" && tokens::is_name(&pair[0])) {
            if modules.resolve(index, &pair[..1]).is_none() {
                add(modules.macro_above(index, &pair[0]), &pair[0]);
            }
        }
    }
    arrows
}

/// Returns whether a module re-exports an item of one of its own children.
fn is_passed_on(modules: &Modules, index: usize, import: &Import, target: Option<Target>) -> bool {
    matches!(target, Some(Target::Item(to)) if import.public && modules.is_inside(to, index))
}

/// Returns the names in code that may refer to items. Fields, methods and definitions are excluded.
fn names(code: &[String]) -> BTreeSet<&str> {
    let before = std::iter::once("").chain(code.iter().map(String::as_str));
    let defines =
        |before: &str| matches!(before, "." | "::" | "fn" | "let" | "mut" | "struct" | "enum" | "trait");
    code.iter()
        .zip(before)
        .filter(|(name, before)| tokens::is_name(name) && !defines(before))
        .map(|(name, _)| name.as_str())
        .collect()
}

/// Returns the paths with at least two names in the code of a module.
fn paths(module: &Module) -> Vec<Vec<String>> {
    let code = &module.code;
    let is = |n: usize, what: &str| code.get(n).is_some_and(|token| token == what);
    let mut paths = Vec::new();
    let mut n = 0;
    while n < code.len() {
        let mut path = Vec::new();
        let after_sign = n > 0 && (is(n - 1, ".") || is(n - 1, "::"));
        while code.get(n).is_some_and(|token| tokens::is_name(token)) {
            path.push(code[n].clone());
            n += 1;
            if !is(n, "::") {
                break;
            }
            n += 1;
        }
        if path.len() > 1 && !after_sign {
            paths.push(path);
        } else if path.is_empty() {
            n += 1;
        }
    }
    paths
}
