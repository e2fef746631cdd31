//! Tests with small crates whose files do or do not depend on each other in circles.

use super::*;
use std::fs;

/// Returns the circles of a crate with these files.
fn found(files: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("crates/some/src");
    for (name, text) in files {
        let file = source.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    all_under(folder.path()).unwrap().replace("crates/some/src/", "")
}

#[test]
fn two_files_that_use_each_other_are_a_cycle() {
    let text = found(&[
        ("lib.rs", "mod first; mod second;"),
        ("first.rs", "use crate::second::{self, Second, deep::{Deep as Other}};\npub struct First;"),
        ("second.rs", "pub mod deep;\npub struct Second; fn f() { super::first::First::new(); }"),
        ("second/deep.rs", "pub struct Deep;"),
    ]);
    assert_eq!(
        text,
        "a circle of 2 files:\n  first.rs -> second.rs: Second\n  second.rs -> first.rs: First\n"
    );
}

#[test]
fn one_way_dependencies_are_not_a_cycle() {
    let text = found(&[
        ("lib.rs", "mod low; mod middle; mod top;"),
        ("low.rs", "pub(crate) fn low() {}"),
        ("middle.rs", "use crate::low::low;\npub(crate) struct Middle;"),
        ("top.rs", "use super::{low, middle::Middle};\nfn f(_: Middle) { low::low() }"),
    ]);
    assert_eq!(text, "");
}

#[test]
fn parent_and_child_modules_may_be_a_cycle() {
    let child = ("child.rs", "pub(super) fn work(plan: &super::Plan) {}");
    let uses = found(&[("lib.rs", "mod child; struct Plan; fn f(p: &Plan) { child::work(p) }"), child]);
    assert_eq!(uses, "a circle of 2 files:\n  lib.rs -> child.rs: work\n  child.rs -> lib.rs: Plan\n");
    let declares = found(&[("lib.rs", "mod child; struct Plan; pub(crate) use child::work;"), child]);
    assert_eq!(declares, "");
    let passes_on_and_uses = found(&[
        ("lib.rs", "mod child; struct Plan; pub use child::work; fn f(p: &Plan) { work(p) }"),
        child,
    ]);
    assert_eq!(passes_on_and_uses, uses);
}

#[test]
fn reexports_are_dependencies_on_the_defining_file() {
    let through_the_parent = [
        (
            "lib.rs",
            "mod thing; mod other; mod third; pub use thing::Thing; pub use other::*; use third::Third;",
        ),
        ("thing.rs", "pub struct Thing(super::Other);"),
        ("other.rs", "pub struct Other(crate::Third);"),
        ("third.rs", "use super::*; pub struct Third { thing: Box<Thing> }"),
    ];
    assert_eq!(
        found(&through_the_parent),
        "a circle of 3 files:\n  thing.rs -> other.rs: Other\n  other.rs -> third.rs: Third\n  \
         third.rs -> thing.rs: Thing\n"
    );
}

#[test]
fn comments_literals_attributes_and_tests_do_not_count() {
    let text = found(&[
        ("lib.rs", "pub mod first; mod second;"),
        (
            "first.rs",
            "//! [`crate::second::Second`]
             /* use crate::second::Second; /* nested */ crate::second::Second */
             #[doc = \"crate::second\"]
             pub struct First<'a>(&'a str);
             const TEXT: &str = \"use crate::second::Second; \\\" crate::second::Second\";
             const RAW: &str = r#\"crate::second::Second \" crate::second::Second\"#;
             const QUOTES: [char; 3] = ['\"', '\\'', '{'];
             #[cfg(test)] use crate::second::Second;
             impl First<'_> { #[cfg(test)] pub fn second(&self) -> crate::second::Second { todo!() } }
             #[cfg(test)] mod tests;
             #[cfg(test)] mod more { use crate::second::Second; #[test] fn a() { crate::second::f() } }",
        ),
        ("first/tests.rs", "use crate::second::Second;"),
        ("second.rs", "use crate::first::First; pub struct Second; pub fn f() {}"),
    ]);
    assert_eq!(text, "");
}

#[test]
fn macros_and_functions_inside_functions_count() {
    let text = found(&[
        ("lib.rs", "macro_rules! above { () => {} } mod first; mod second;"),
        ("first.rs", "#[macro_export] macro_rules! first { () => { $crate::second::f() } }"),
        ("second.rs", "pub fn f() { use crate::first as renamed; renamed!(); above!(); }"),
    ]);
    assert_eq!(text, "a circle of 2 files:\n  first.rs -> second.rs: f\n  second.rs -> first.rs: first\n");
}
