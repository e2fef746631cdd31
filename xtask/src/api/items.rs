//! Finds the public items of the crate `arcuate` in the JSON output of rustdoc.
//!
//! Most items are re-exported from other crates. A re-export names the crate and the path at which the item is defined,
//! with which it is found in the output for that crate.

use super::declaration::{End, declaration, is_macro_call};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The crate whose items are public.
const FACADE: &str = "arcuate";

/// The public API.
pub(super) struct Found {
    /// One line for each item: PATH | DECLARATION.
    pub(super) lines: BTreeSet<String>,
    /// One line for each type that a public declaration names and that is not public.
    pub(super) missing: BTreeSet<String>,
}

/// Returns the public items. `crates` has the output of rustdoc by crate name.
pub(super) fn public_items(crates: &BTreeMap<String, Value>, root: &Path) -> Result<Found, String> {
    let crates: BTreeMap<&str, Crate> =
        crates.iter().map(|(name, json)| (name.as_str(), Crate::new(json))).collect();
    let facade = crates.get(FACADE).ok_or("rustdoc wrote nothing for the crate arcuate")?;
    let mut walk = Walk {
        crates: &crates,
        root,
        lines: BTreeSet::new(),
        exported: BTreeSet::new(),
        named: BTreeMap::new(),
        implemented: Vec::new(),
        sources: BTreeMap::new(),
    };
    let module = facade.item(&facade.json["root"]).ok_or("rustdoc's output has no root")?;
    walk.children(facade, &inner(module).1["items"], FACADE)?;
    // A trait that is not public can only be used by the crates of the workspace.
    let public = walk.implemented.into_iter().filter(|(definition, _)| walk.exported.contains(definition));
    walk.lines.extend(public.map(|(_, line)| line));
    let missing = walk.named.iter().filter(|(definition, _)| !walk.exported.contains(*definition));
    let missing = missing.map(|(definition, path)| format!("{definition}, in the declaration of {path}"));
    Ok(Found { missing: missing.collect(), lines: walk.lines })
}

/// The output of rustdoc for one crate.
struct Crate<'a> {
    json: &'a Value,
    /// The item of each path of definition.
    by_path: BTreeMap<String, &'a Value>,
}

impl<'a> Crate<'a> {
    fn new(json: &'a Value) -> Self {
        let paths = json["paths"].as_object().into_iter().flatten();
        let local = paths.filter(|(_, path)| path["crate_id"] == 0);
        let by_path = local.filter_map(|(id, path)| {
            let item = &json["index"][id.as_str()];
            item.is_object().then(|| (definition(path), item))
        });
        Self { json, by_path: by_path.collect() }
    }

    fn item(&self, id: &Value) -> Option<&'a Value> {
        self.json["index"].get(key(id))
    }

    /// Adds the names of the types in a value of rustdoc's output, and in the fields of a variant.
    fn types_of(&self, value: &'a Value, named: &mut Vec<&'a str>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.types_of(value, named)),
            Value::Object(members) => {
                for name in ["path", "primitive"] {
                    named.extend(members.get(name).and_then(Value::as_str));
                }
                for fields in [&value["tuple"], &value["struct"]["fields"]] {
                    for field in fields.as_array().into_iter().flatten().filter_map(|id| self.item(id)) {
                        self.types_of(inner(field).1, named);
                    }
                }
                members.values().for_each(|value| self.types_of(value, named));
            }
            _ => {}
        }
    }
}

/// Returns an id as a key of rustdoc's tables.
fn key(id: &Value) -> String {
    match id {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the path and kind of the definition of an item, which is unique in all crates.
fn definition(path: &Value) -> String {
    let words: Vec<&str> = path["path"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    format!("{} {}", path["kind"].as_str().unwrap_or_default(), words.join("::"))
}

/// Returns the kind of an item and what rustdoc writes about it.
fn inner(item: &Value) -> (&str, &Value) {
    item["inner"]
        .as_object()
        .and_then(|inner| inner.iter().next())
        .map_or(("", &Value::Null), |(kind, inner)| (kind, inner))
}

/// The walk through the public items.
struct Walk<'a> {
    crates: &'a BTreeMap<&'a str, Crate<'a>>,
    /// Folder of the checkout, to which the names of source files are relative.
    root: &'a Path,
    lines: BTreeSet<String>,
    /// Definitions of the public items.
    exported: BTreeSet<String>,
    /// Definitions of the workspace's types that public declarations name, and the path of one declaration for each.
    named: BTreeMap<String, String>,
    /// Definitions of the workspace's traits that public types implement, and the lines of these implementations.
    implemented: Vec<(String, String)>,
    /// Lines of the source files that were read.
    sources: BTreeMap<String, Vec<String>>,
}

impl<'a> Walk<'a> {
    /// Adds the public items among the children of a module, an enumeration or a type.
    fn children(&mut self, of: &'a Crate<'a>, ids: &'a Value, path: &str) -> Result<(), String> {
        for id in ids.as_array().into_iter().flatten() {
            // Private items and items with `#[doc(hidden)]` have ids, but rustdoc omits the items.
            let Some(item) = of.item(id) else { continue };
            let is_public = item["visibility"] == "public" || item["visibility"] == "default";
            if is_public {
                self.item(of, item, path, None)?;
            }
        }
        Ok(())
    }

    /// Adds an item to the module or type with this path. `name` replaces its name.
    fn item(
        &mut self,
        of: &'a Crate<'a>,
        item: &'a Value,
        parent: &str,
        name: Option<&str>,
    ) -> Result<(), String> {
        let (kind, content) = inner(item);
        if kind == "use" {
            return self.reexport(of, content, parent);
        }
        let Some(name) = name.or(item["name"].as_str()) else { return Ok(()) };
        let path = format!("{parent}::{name}");
        let end = match kind {
            "module" => {
                self.lines.insert(format!("{path} | mod {name}"));
                return self.children(of, &content["items"], &path);
            }
            "function" | "enum" | "trait" => End::Body,
            "constant" | "static" | "assoc_const" => End::Value,
            "struct" => End::Fields,
            _ => End::Whole,
        };
        if let Some(summary) = of.json["paths"].get(key(&item["id"])) {
            // A type can be public in several modules. The list has its children for one of them.
            let is_new = self.exported.insert(definition(summary));
            if !is_new {
                self.lines.insert(format!("{path} | listed in another module"));
                return Ok(());
            }
        }
        self.line(of, item, &path, end)?;
        match kind {
            "struct" => {
                self.fields(of, &content["kind"], &path)?;
                self.impls(of, &content["impls"], &path)
            }
            "enum" => {
                self.children(of, &content["variants"], &path)?;
                self.impls(of, &content["impls"], &path)
            }
            "variant" => {
                self.variant(of, &content["kind"], &path);
                Ok(())
            }
            "trait" => self.children(of, &content["items"], &path),
            _ => Ok(()),
        }
    }

    /// Adds the item that a `use` declaration exports. Items of crates outside the workspace have only a line.
    fn reexport(&mut self, of: &'a Crate<'a>, content: &'a Value, parent: &str) -> Result<(), String> {
        let name = content["name"].as_str().unwrap_or_default();
        let found = self.find(of, &content["id"]);
        let Some((of, item)) = found else {
            self.lines
                .insert(format!("{parent}::{name} | use {}", content["source"].as_str().unwrap_or_default()));
            return Ok(());
        };
        if content["is_glob"] == true {
            let (kind, inside) = inner(item);
            return self.children(of, &inside[if kind == "enum" { "variants" } else { "items" }], parent);
        }
        self.item(of, item, parent, Some(name))
    }

    /// Returns an item of a crate of the workspace, and its crate.
    fn find(&self, of: &'a Crate<'a>, id: &Value) -> Option<(&'a Crate<'a>, &'a Value)> {
        if let Some(item) = of.item(id) {
            return Some((of, item));
        }
        let summary = of.json["paths"].get(key(id))?;
        let defined_in = self.crates.get(summary["path"][0].as_str()?)?;
        let item = if summary["path"].as_array().is_some_and(|path| path.len() == 1) {
            defined_in.item(&defined_in.json["root"])
        } else {
            defined_in.by_path.get(&definition(summary)).copied()
        };
        Some((defined_in, item?))
    }

    /// Adds the public fields of a structure.
    fn fields(&mut self, of: &'a Crate<'a>, kind: &'a Value, path: &str) -> Result<(), String> {
        self.children(of, &kind["plain"]["fields"], path)?;
        self.children(of, &kind["tuple"], path)
    }

    /// Notes the types that a variant of an enumeration names. Its fields are part of its declaration.
    fn variant(&mut self, of: &'a Crate<'a>, kind: &'a Value, path: &str) {
        let fields = [&kind["struct"]["fields"], &kind["tuple"]];
        for id in fields.into_iter().filter_map(Value::as_array).flatten() {
            if let Some(field) = of.item(id) {
                self.types(of, inner(field).1, path);
            }
        }
    }

    /// Adds the methods and the traits of a type.
    fn impls(&mut self, of: &'a Crate<'a>, ids: &'a Value, path: &str) -> Result<(), String> {
        for id in ids.as_array().into_iter().flatten() {
            let Some(item) = of.item(id) else { continue };
            let content = inner(item).1;
            let implemented = &content["trait"];
            if !implemented.is_object() {
                self.children(of, &content["items"], path)?;
                continue;
            }
            // `Send` and other automatic traits, and implementations for all types, such as `From<T> for T`.
            if content["is_synthetic"] == true || content["blanket_impl"].is_object() {
                continue;
            }
            let name = implemented["path"].as_str().unwrap_or_default();
            if name == "StructuralPartialEq" {
                continue;
            }
            let mut text = self.source(item)?;
            // A derived implementation has no source text but the name of the trait.
            text = declaration(&text, End::Body);
            if !text.starts_with("impl") {
                text = format!("impl {name}");
            }
            let line = format!("{path} | {text}");
            match self.of_workspace(of, &implemented["id"]) {
                Some(definition) => self.implemented.push((definition, line)),
                None => {
                    self.lines.insert(line);
                }
            }
        }
        Ok(())
    }

    /// Returns the definition of an item if it is defined in this workspace.
    fn of_workspace(&self, of: &Crate, id: &Value) -> Option<String> {
        let summary = of.json["paths"].get(key(id))?;
        self.crates.contains_key(summary["path"][0].as_str()?).then(|| definition(summary))
    }

    /// Adds the line of an item, and notes the types that its declaration names.
    fn line(&mut self, of: &'a Crate<'a>, item: &'a Value, path: &str, end: End) -> Result<(), String> {
        let (kind, content) = inner(item);
        let source = self.source(item)?;
        let mut text = if is_macro_call(&source) {
            // A macro defines the item. Its source text is the call of the macro.
            let mut named = vec![item["name"].as_str().unwrap_or_default()];
            of.types_of(content, &mut named);
            named.join(" ")
        } else {
            declaration(&source, end)
        };
        if kind == "variant" {
            text = format!("variant {text}");
        }
        let attributes = item["attrs"].as_array().into_iter().flatten();
        if attributes.map(Value::to_string).any(|attribute| attribute.contains("non_exhaustive")) {
            text = format!("#[non_exhaustive] {text}");
        }
        self.types(of, content, path);
        self.lines.insert(format!("{path} | {text}"));
        Ok(())
    }

    /// Notes the types and traits of the workspace in a value of rustdoc's output.
    fn types(&mut self, of: &'a Crate<'a>, value: &'a Value, path: &str) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.types(of, value, path)),
            Value::Object(members) => {
                if let (Some(id), Some(_), Some(_)) =
                    (members.get("id"), members.get("path"), members.get("args"))
                    && let Some(definition) = self.of_workspace(of, id)
                {
                    self.named.entry(definition).or_insert_with(|| path.to_owned());
                }
                // A bound such as `T: Element` need not be public, because users choose `T` from documented types.
                let members = members.iter().filter(|(name, _)| *name != "trait_bound");
                members.for_each(|(_, value)| self.types(of, value, path));
            }
            _ => {}
        }
    }

    /// Returns the source text of an item.
    fn source(&mut self, item: &Value) -> Result<String, String> {
        let span = &item["span"];
        let Some(name) = span["filename"].as_str() else { return Ok(String::new()) };
        if !self.sources.contains_key(name) {
            let path = self.root.join(name);
            let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            self.sources.insert(name.to_owned(), text.lines().map(str::to_owned).collect());
        }
        let number =
            |end: &str, n: usize| span[end][n].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(1);
        let [first, last] = [number("begin", 0), number("end", 0)];
        let lines = self.sources[name]
            .get(first - 1..last)
            .ok_or_else(|| format!("{name} has no lines {first} to {last}"))?;
        let mut text = String::new();
        for (n, line) in lines.iter().enumerate() {
            // The last column is that of the first character after the item.
            let until = if first + n == last { number("end", 1) - 1 } else { usize::MAX };
            let from = if n == 0 { number("begin", 1) - 1 } else { 0 };
            text.extend(line.chars().take(until).skip(from));
            text.push('\n');
        }
        Ok(text)
    }
}
