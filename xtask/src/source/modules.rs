//! Finds the modules of a crate with their definitions and imports, and resolves paths to files.

use super::tokens;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module. It is in a separate file, or inline in its parent module.
#[derive(Default)]
pub(crate) struct Module {
    /// The index of the file that contains the module.
    pub(crate) file: usize,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    pub(crate) imports: Vec<Import>,
    /// The tokens of the module's items, without its imports.
    pub(crate) code: Vec<String>,
}

/// One name that a `use` declaration imports.
pub(crate) struct Import {
    pub(crate) path: Vec<String>,
    /// The name in this module. It is `*` for a glob import.
    pub(crate) name: String,
    /// True if the import is public.
    pub(crate) public: bool,
}

/// Target of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Module(usize),
    /// An item in the module with this index.
    Item(usize),
}

/// The files and modules of a crate. The first module is its root.
#[derive(Default)]
pub(crate) struct Modules {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) all: Vec<Module>,
    /// For each macro that is exported at the crate root, the module that defines it.
    exported: BTreeMap<String, usize>,
}

impl Modules {
    /// Reads the root file `root` (`lib.rs` or `main.rs`), and every file that its modules declare.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let mut modules = Self::default();
        let folder = root.parent().unwrap_or(root);
        modules.read_file(root, folder, None)?;
        Ok(modules)
    }

    /// Reads the module in `file`, whose children are in `folder`.
    fn read_file(&mut self, file: &Path, folder: &Path, parent: Option<usize>) -> Result<usize, String> {
        let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        self.files.push(file.to_owned());
        self.read_module(&tokens::read(&text), self.files.len() - 1, folder, parent)
    }

    fn read_module(
        &mut self,
        tokens: &[String],
        file: usize,
        folder: &Path,
        parent: Option<usize>,
    ) -> Result<usize, String> {
        let this = self.all.len();
        self.all.push(Module { file, parent, ..Module::default() });
        let word = |n: usize| tokens.get(n).map_or("", String::as_str);
        let mut n = 0;
        while n < tokens.len() {
            let begin = n;
            let exported = word(n) == "macro_export";
            n += usize::from(exported);
            let public = word(n) == "pub";
            n += usize::from(public);
            if public && word(n) == "(" {
                n = tokens::behind(tokens, n);
            }
            while matches!(word(n), "async" | "unsafe" | "extern" | "auto")
                || (word(n) == "const" && matches!(word(n + 1), "fn" | "unsafe" | "extern" | "async"))
            {
                n += 1;
            }
            let name = word(n + 1).to_owned();
            let end = end_of_item(tokens, n);
            match word(n) {
                "use" => self.import(this, &tokens[n + 1..end], public),
                "mod" => {
                    let inside = folder.join(&name);
                    let child = if word(n + 2) == "{" {
                        self.read_module(&tokens[n + 3..end - 1], file, &inside, Some(this))?
                    } else {
                        let file_of_module = folder.join(format!("{name}.rs"));
                        let path =
                            if file_of_module.is_file() { file_of_module } else { inside.join("mod.rs") };
                        self.read_file(&path, &inside, Some(this))?
                    };
                    self.all[this].children.insert(name, child);
                }
                kind => {
                    match kind {
                        "macro_rules" => {
                            let name = word(n + 2).to_owned();
                            if exported {
                                self.exported.insert(name.clone(), this);
                            }
                            self.all[this].items.insert(name);
                        }
                        "const" | "enum" | "fn" | "static" | "struct" | "trait" | "type" | "union" => {
                            let name = if name == "mut" { word(n + 2).to_owned() } else { name };
                            self.all[this].items.insert(name);
                        }
                        _ => {}
                    }
                    self.code(this, &tokens[begin..end]);
                }
            }
            n = end;
        }
        Ok(this)
    }

    /// Reads the code of a module. A `use` in the body of a function is treated as the module's own.
    fn code(&mut self, module: usize, tokens: &[String]) {
        let mut n = 0;
        while n < tokens.len() {
            if tokens[n] == "use" && tokens.get(n + 1).is_some_and(|next| next != "<") {
                let end = n + tokens[n..].iter().position(|token| token == ";").unwrap_or(tokens.len() - n);
                self.import(module, &tokens[n + 1..end], false);
                n = end;
            } else {
                self.all[module].code.push(tokens[n].clone());
                n += 1;
            }
        }
    }

    fn import(&mut self, module: usize, tree: &[String], public: bool) {
        let mut leaves = Vec::new();
        spread(tree, &[], &mut leaves);
        let imports = leaves.into_iter().map(|(path, name)| Import { path, name, public });
        self.all[module].imports.extend(imports);
    }

    /// Returns what `path` refers to if it is written in `module`. Returns `None` if it is in another crate.
    pub(crate) fn resolve(&self, module: usize, path: &[String]) -> Option<Target> {
        self.follow(module, path, &mut Vec::new()).map(|(target, _)| target)
    }

    /// Returns the item's name in `path`. Variants and associated items may follow it.
    pub(crate) fn item_name<'a>(&self, module: usize, path: &'a [String]) -> &'a str {
        self.follow(module, path, &mut Vec::new()).map_or("", |(_, names)| &path[names - 1])
    }

    /// Returns the target of a path, and the number of its names that lead to it.
    fn follow(
        &self,
        module: usize,
        path: &[String],
        seen: &mut Vec<(usize, String)>,
    ) -> Option<(Target, usize)> {
        let (mut at, mut rest) = match path.first()?.as_str() {
            "crate" => (Target::Module(0), &path[1..]),
            "self" => (Target::Module(module), &path[1..]),
            "super" => (Target::Module(self.all[module].parent?), &path[1..]),
            name => (self.look_up(module, name, path.len() > 1, seen)?, &path[1..]),
        };
        while let (Target::Module(inside), Some(name)) = (at, rest.first()) {
            rest = &rest[1..];
            at = if name == "super" {
                Target::Module(self.all[inside].parent?)
            } else {
                let found = self.look_up(inside, name, !rest.is_empty(), seen);
                if found.is_none() && self.all[inside].imports.iter().any(|import| import.name == *name) {
                    return None;
                }
                // If the module has no such name, a macro of this module creates it.
                found.unwrap_or(Target::Item(inside))
            };
        }
        Some((at, path.len() - rest.len()))
    }

    /// Returns what `name` refers to in `module`. A module and an item may have the same name. `on` is true
    /// if the path continues after the name.
    fn look_up(
        &self,
        module: usize,
        name: &str,
        on: bool,
        seen: &mut Vec<(usize, String)>,
    ) -> Option<Target> {
        let key = (module, format!("{name} {on}"));
        if seen.contains(&key) {
            return None;
        }
        seen.push(key);
        let own = &self.all[module];
        let child = own.children.get(name).map(|&child| Target::Module(child));
        if on && child.is_some() {
            return child;
        }
        if own.items.contains(name) {
            return Some(Target::Item(module));
        }
        if let (0, Some(&of)) = (module, self.exported.get(name)) {
            return Some(Target::Item(of));
        }
        let mut named = own.imports.iter().filter(|import| import.name == name);
        named
            .find_map(|import| self.follow(module, &import.path, seen).map(|(target, _)| target))
            .or(child)
            .or_else(|| self.look_up_in_globs(module, name, on, seen))
    }

    fn look_up_in_globs(
        &self,
        module: usize,
        name: &str,
        on: bool,
        seen: &mut Vec<(usize, String)>,
    ) -> Option<Target> {
        let mut globs = self.all[module].imports.iter().filter(|import| import.name == "*");
        globs.find_map(|glob| match self.follow(module, &glob.path, seen)?.0 {
            Target::Module(inside) => self.look_up(inside, name, on, seen),
            Target::Item(_) => None,
        })
    }

    /// Returns the target of `name` in `module` through a glob import of `from`.
    pub(crate) fn by_glob(&self, module: usize, from: usize, name: &str) -> Option<Target> {
        let own = &self.all[module];
        let hidden = own.items.contains(name)
            || own.children.contains_key(name)
            || own.imports.iter().any(|import| import.name == name);
        if hidden { None } else { self.look_up(from, name, false, &mut Vec::new()) }
    }

    /// Returns a macro that is in scope in `module` because a parent module declares it.
    pub(crate) fn macro_above(&self, module: usize, name: &str) -> Option<Target> {
        let parent = self.all[module].parent?;
        if self.all[parent].items.contains(name) {
            return Some(Target::Item(parent));
        }
        self.macro_above(parent, name)
    }

    /// Returns whether `module` is `above` or inside it.
    pub(crate) fn is_inside(&self, module: usize, above: usize) -> bool {
        module == above || self.all[module].parent.is_some_and(|parent| self.is_inside(parent, above))
    }
}

/// Returns the end of the item whose first keyword is at `n`.
fn end_of_item(tokens: &[String], mut n: usize) -> usize {
    // Only these items may contain braces that do not end them.
    let by_semicolon =
        matches!(tokens.get(n).map_or("", String::as_str), "const" | "static" | "type" | "use");
    while let Some(token) = tokens.get(n) {
        match token.as_str() {
            ";" => return n + 1,
            "{" if !by_semicolon => return tokens::behind(tokens, n),
            "(" | "[" | "{" => n = tokens::behind(tokens, n),
            _ => n += 1,
        }
    }
    n
}

/// Collects the leaves of an import tree: path and name.
fn spread(tree: &[String], above: &[String], leaves: &mut Vec<(Vec<String>, String)>) {
    let mut path = above.to_vec();
    let mut renamed = None;
    let mut n = 0;
    while n < tree.len() {
        match tree[n].as_str() {
            "{" => {
                let end = tokens::behind(tree, n);
                for branch in branches(&tree[n + 1..end - 1]) {
                    spread(branch, &path, leaves);
                }
                return;
            }
            ";" => break,
            "::" => {}
            "*" => renamed = Some("*".to_owned()),
            "as" => {
                renamed = tree.get(n + 1).cloned();
                n += 1;
            }
            "self" if !path.is_empty() => {}
            name => path.push(name.to_owned()),
        }
        n += 1;
    }
    if let Some(last) = path.last() {
        let name = renamed.unwrap_or_else(|| last.clone());
        leaves.push((path, name));
    }
}

/// Splits at commas outside braces.
fn branches(tokens: &[String]) -> Vec<&[String]> {
    let mut branches = Vec::new();
    let (mut begin, mut n) = (0, 0);
    while n < tokens.len() {
        if tokens[n] == "{" {
            n = tokens::behind(tokens, n);
            continue;
        }
        if tokens[n] == "," {
            branches.push(&tokens[begin..n]);
            begin = n + 1;
        }
        n += 1;
    }
    branches.push(&tokens[begin..]);
    branches.into_iter().filter(|branch| !branch.is_empty()).collect()
}
