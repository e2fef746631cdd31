//! Tests with output of rustdoc for two small crates: `arcuate` re-exports items of `arcuate_small`.

use super::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The source of `arcuate_small`.
const SOURCE: &str = "\
/// A size.
#[non_exhaustive]
#[derive(Clone)]
pub struct Size {
    /// Length in mm.
    pub length: f64, // not below 0
    hidden: u32,
}
impl Size {
    /// Makes a size.
    pub fn new(
        length: f64,
        unit: Unit,
    ) -> Self { Self { length, hidden: 0 } }
}
pub enum Unit { Mm }
";

/// Returns the span of the part of [`SOURCE`] from `first` to the end of `last`.
fn span(first: &str, last: &str) -> Value {
    let begin = SOURCE.find(first).unwrap();
    let end = begin + SOURCE[begin..].find(last).unwrap() + last.len();
    let place = |offset: usize| {
        let before = &SOURCE[..offset];
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        json!([before.matches('\n').count() + 1, offset - line_start + 1])
    };
    json!({ "filename": "small.rs", "begin": place(begin), "end": place(end) })
}

/// Returns the output of rustdoc for both crates. `exported` are the names of the items that `arcuate` exports.
fn crates(exported: &[(&str, u32)]) -> BTreeMap<String, Value> {
    let uses = exported.iter().map(|(name, id)| {
        let content = json!({ "use": { "name": name, "source": "", "id": id, "is_glob": false } });
        (
            format!("{}", id + 100),
            json!({ "id": id + 100, "visibility": "public", "name": null, "inner": content }),
        )
    });
    let mut index: serde_json::Map<String, Value> = uses.collect();
    let ids: Vec<u32> = exported.iter().map(|(_, id)| id + 100).collect();
    index.insert("0".into(), json!({ "id": 0, "name": "arcuate", "inner": { "module": { "items": ids } } }));
    let summary = |crate_id: u32| {
        json!({
            "1": { "crate_id": crate_id, "kind": "struct", "path": ["arcuate_small", "Size"] },
            "5": { "crate_id": crate_id, "kind": "enum", "path": ["arcuate_small", "Unit"] },
        })
    };
    let unit = json!({ "resolved_path": { "path": "Unit", "id": 5, "args": null } });
    let item = |id: u32, name: &str, visibility: &str, span: Value, inner: Value| json!({ "id": id, "name": name, "visibility": visibility, "attrs": [], "span": span, "inner": inner });
    let mut size = item(
        1,
        "Size",
        "public",
        span("pub struct", "}"),
        json!({ "struct": { "kind": { "plain": { "fields": [2, 9] } }, "impls": [3, 6] } }),
    );
    size["attrs"] = json!(["non_exhaustive"]);
    let small = json!({
        "root": 0,
        "paths": summary(0),
        "index": {
            "0": { "id": 0, "name": "arcuate_small", "inner": { "module": { "items": [1, 5] } } },
            "1": size,
            "2": item(2, "length", "public", span("pub length", "f64"), json!({ "struct_field": { "primitive": "f64" } })),
            "3": item(3, "", "default", span("impl Size", "}\n}"), json!({ "impl": { "trait": null, "items": [4] } })),
            "4": item(4, "new", "public", span("pub fn", "}"), json!({ "function": { "sig": { "inputs": [["unit", unit]] } } })),
            "5": item(5, "Unit", "public", span("pub enum", "Mm }"), json!({ "enum": { "variants": [7], "impls": [] } })),
            "6": item(6, "", "default", span("Clone", "Clone"), json!({ "impl": {
                "trait": { "path": "Clone", "id": 8, "args": null }, "items": [], "is_synthetic": false
            } })),
            "7": item(7, "Mm", "default", span("Mm", "Mm"), json!({ "variant": { "kind": "plain" } })),
        },
    });
    let facade = json!({ "root": 0, "paths": summary(7), "index": index });
    BTreeMap::from([("arcuate".to_owned(), facade), ("arcuate_small".to_owned(), small)])
}

fn found_in(exported: &[(&str, u32)]) -> Found {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("small.rs"), SOURCE).unwrap();
    public_items(&crates(exported), folder.path()).unwrap()
}

#[test]
fn items_of_other_crates_are_listed_with_their_declarations() {
    let found = found_in(&[("Size", 1), ("Unit", 5)]);
    let expected = [
        "arcuate::Size | #[non_exhaustive] struct Size",
        "arcuate::Size | impl Clone",
        "arcuate::Size::length | length: f64",
        "arcuate::Size::new | fn new(length: f64, unit: Unit) -> Self",
        "arcuate::Unit | enum Unit",
        "arcuate::Unit::Mm | variant Mm",
    ];
    assert_eq!(found.lines.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    assert!(found.missing.is_empty(), "{:?}", found.missing);
}

#[test]
fn types_that_declarations_name_must_be_exported() {
    let found = found_in(&[("Size", 1)]);
    let expected = "enum arcuate_small::Unit, in the declaration of arcuate::Size::new";
    assert_eq!(found.missing.iter().map(String::as_str).collect::<Vec<_>>(), [expected]);
}

#[test]
fn differences_have_the_lines_of_one_side() {
    let found = found_in(&[("Size", 1), ("Unit", 5)]).lines;
    let mut listed = HEADER.to_owned();
    for line in &found {
        let _ = writeln!(listed, "{line}");
    }
    assert_eq!(differences(&listed, &found), "");
    let changed = listed.replace("length: f64, unit: Unit", "length: f32, unit: Unit");
    assert_eq!(
        differences(&changed, &found),
        "- arcuate::Size::new | fn new(length: f32, unit: Unit) -> Self\n\
         + arcuate::Size::new | fn new(length: f64, unit: Unit) -> Self\n"
    );
}

#[test]
fn only_the_known_format_is_read() {
    assert!(rustdoc::format().unwrap() > 0, "the installed rustdoc states its format");
    assert_eq!(unknown_format(FORMAT), None);
    let reason = unknown_format(FORMAT + 1).unwrap();
    assert!(reason.contains("format 58") && reason.contains("format 57"), "{reason}");
}

#[test]
fn declarations_end_before_bodies_and_values() {
    use declaration::End;
    let of = |source: &str, end| declaration::declaration(source, end);
    assert_eq!(of("pub const N: [u8; 2] =\n    [1, 2];", End::Value), "const N: [u8; 2]");
    assert_eq!(
        of("pub fn f() -> impl Iterator<Item = u8> {}", End::Body),
        "fn f() -> impl Iterator<Item = u8>"
    );
    assert_eq!(of("pub struct Mm(pub f64);", End::Fields), "struct Mm");
    assert_eq!(of("pub struct By<F: Fn(f64) -> f64>(pub F);", End::Fields), "struct By<F: Fn(f64) -> f64>");
    assert_eq!(
        of("pub fn f<T>(\n    x: T,\n) -> [T; 1]\nwhere\n    T: Copy,\n{\n}", End::Body),
        "fn f<T>(x: T) -> [T; 1] where T: Copy"
    );
    assert_eq!(of("Sphere {\n    /// In mm.\n    radius: f64,\n}", End::Whole), "Sphere { radius: f64, }");
}

#[test]
fn calls_of_macros_are_recognised() {
    let is_call = declaration::is_macro_call;
    assert!(is_call("reasons! { A a }") && !is_call("pub enum A { B }") && !is_call("!"));
}
