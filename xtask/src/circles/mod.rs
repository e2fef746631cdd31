//! `cargo xtask lint`: no crate has a circle of files.
//!
//! A file uses another where it imports or names what stands there. `mod` uses nothing, and neither does a module that
//! re-exports what its own children have: who imports it from there uses the child's file. Comments, strings and what is
//! compiled for tests do not count. Nothing knows types here, so that a method called without its type's name is not seen.

#[cfg(test)]
mod tests;

use crate::process::{self, Outcome};
use crate::source::modules::{Import, Module, Modules, Target};
use crate::source::{crate_roots, tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// What a file uses of another: both, by their indices, and the names.
type Arrows = BTreeMap<(usize, usize), BTreeSet<String>>;

/// Says which files of a crate use each other in a circle.
pub(crate) fn check() -> Outcome {
    let root = process::root();
    let found = all_under(&root)?;
    if found.is_empty() { Ok(()) } else { Err(format!("files of a crate use each other\n\n{found}")) }
}

/// The circles of every crate of the checkout at `root`, as text.
fn all_under(root: &Path) -> Result<String, String> {
    let mut found = String::new();
    for file in crate_roots(root)? {
        found += &circles_of(&Modules::read(&file)?, root);
    }
    Ok(found)
}

/// The circles of a crate, a line for each arrow, its files named from `root`.
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

/// Sets of more than one file each of which leads to every other.
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

/// The files that arrows lead to from `file`.
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

/// Whether a module imports what one of its own children has for others.
fn is_passed_on(modules: &Modules, index: usize, import: &Import, target: Option<Target>) -> bool {
    matches!(target, Some(Target::Item(to)) if import.public && modules.is_inside(to, index))
}

/// The names in code that may be of items: no fields, methods or definitions.
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

/// The paths of more than one name in the code of a module.
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
