//! The page on results equals the page generated from the lists of files that commands keep in their records.
//!
//! `template.md` has the explanations of the page. A block between `{{files` and `}}` lists command lines. It becomes
//! the table of the files that these commands wrote. A line of a block is a `COMMAND`, or `CONDITION: COMMAND` for a
//! command whose further files need an option. The line `name A NAME` shows the name A as NAME, in files, contents
//! and figures. The line `omit START …` leaves out the files whose shown name starts with one of these words.
//!
//! A block between `{{run` and `}}` lists command lines that only prepare inputs.

use crate::common::{Scratch, WITH_MESHES, brain_with_meshes, small_brain};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

const TEMPLATE: &str = include_str!("template.md");

/// A file of the page.
struct Row {
    name: String,
    content: String,
    condition: String,
}

/// The files and the key figures of the commands of a block.
#[derive(Default)]
struct Block {
    rows: Vec<Row>,
    figures: Vec<String>,
    names: Vec<[String; 2]>,
    omitted: Vec<String>,
}

impl Block {
    /// Replaces the names of the block in a text. Only whole words are replaced.
    fn renamed(&self, text: &str) -> String {
        let is_part = char::is_alphanumeric;
        let mut text = text.to_owned();
        for [from, to] in &self.names {
            let mut renamed = String::new();
            let mut rest = text.as_str();
            while let Some(at) = rest.find(from.as_str()) {
                let after = &rest[at + from.len()..];
                let is_word = !rest[..at].chars().next_back().is_some_and(is_part)
                    && !after.chars().next().is_some_and(is_part);
                renamed.push_str(&rest[..at]);
                renamed.push_str(if is_word { to } else { from });
                rest = after;
            }
            text = renamed + rest;
        }
        text
    }

    /// Adds the files and key figures of a record that are not in the block yet.
    fn add(&mut self, record: &Value, condition: &str) {
        for file in record["files"].as_array().expect("a list") {
            let text = |key: &str| file[key].as_str().unwrap_or_default();
            let name = self.renamed(text("name"));
            let is_omitted = self.omitted.iter().any(|start| name.starts_with(start));
            if is_omitted || self.rows.iter().any(|row| row.name == name) {
                continue;
            }
            let content = match (text("content"), text("title")) {
                ("", title) => title,
                (content, _) => content,
            };
            let content = self.renamed(content).replace('|', "\\|");
            self.rows.push(Row { name, content, condition: condition.to_owned() });
        }
        for (name, figure) in record["figures"].as_object().expect("figures") {
            let unit = figure["unit"].as_str().unwrap_or_default();
            let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
            let figure_of_page = format!("`{}`{unit}", self.renamed(name));
            if figure["key"] == Value::Bool(true) && !self.figures.contains(&figure_of_page) {
                self.figures.push(figure_of_page);
            }
        }
    }

    fn page(&self) -> String {
        let has_conditions = self.rows.iter().any(|row| !row.condition.is_empty());
        let mut page = String::from(if has_conditions {
            "| file | content | written |\n|---|---|---|\n"
        } else {
            "| file | content |\n|---|---|\n"
        });
        for Row { name, content, condition } in &self.rows {
            match (has_conditions, condition.as_str()) {
                (false, _) => writeln!(page, "| `{name}` | {content} |"),
                (true, "") => writeln!(page, "| `{name}` | {content} | always |"),
                (true, condition) => writeln!(page, "| `{name}` | {content} | {condition} |"),
            }
            .expect("a string");
        }
        if !self.figures.is_empty() {
            writeln!(page, "\nKey figures of the record: {}.", self.figures.join(", ")).expect("a string");
        }
        page
    }
}

/// Runs a command and returns its record.
fn record_of(scratch: &Scratch, command: &str) -> Value {
    let result = scratch.run(command);
    assert_eq!(result.code, 0, "arcuate {command}: {}", result.errors);
    let out = command.split(' ').skip_while(|word| *word != "--out").nth(1).expect("an output");
    let folder = format!("{out}/arcuate.json");
    let name = if scratch.path(&folder).is_file() { folder } else { format!("{out}.json") };
    scratch.json(&name)
}

/// Returns the record of the simulated brain with meshes. Other tests use the same brain.
fn record_with_meshes() -> Value {
    serde_json::from_slice(&brain_with_meshes()["arcuate.json"]).expect("a record")
}

/// Returns the page: the template with the files of its commands.
fn generated() -> String {
    let scratch = Scratch::with(small_brain());
    let mut page = String::new();
    let mut lines = TEMPLATE.lines();
    while let Some(line) = lines.next() {
        let is_table = line == "{{files";
        if !is_table && line != "{{run" {
            page.push_str(line);
            page.push('\n');
            continue;
        }
        let mut block = Block::default();
        for line in lines.by_ref().take_while(|line| *line != "}}") {
            if let Some(names) = line.strip_prefix("name ") {
                let (from, to) = names.split_once(' ').expect("two names");
                block.names.push([from, to].map(str::to_owned));
            } else if let Some(part) = line.strip_prefix("omit ") {
                block.omitted.extend(part.split(' ').map(str::to_owned));
            } else {
                let (condition, command) = line.split_once(": ").unwrap_or(("", line));
                let has_meshes = command.ends_with(WITH_MESHES);
                let record = if has_meshes { record_with_meshes() } else { record_of(&scratch, command) };
                block.add(&record, condition);
            }
        }
        if is_table {
            page.push_str(&block.page());
        }
    }
    page
}

#[test]
fn the_page_on_results_lists_the_files_of_the_records() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference/results.md");
    let due = generated();
    if std::env::var_os("ARCUATE_WRITE_PYTHON").is_some() {
        std::fs::write(&path, &due).expect("the page");
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        page == due,
        "results.md is not current; run this test with ARCUATE_WRITE_PYTHON=1 and commit the page"
    );
}

#[test]
fn names_are_replaced_as_whole_words() {
    let names = [["f", "NAME"], ["arcuate_left", "TRACT"]].map(|names| names.map(str::to_owned)).to_vec();
    let block = Block { names, ..Block::default() };
    assert_eq!(
        block.renamed("f_error.nii.gz of f, fa and arcuate_left/f"),
        "NAME_error.nii.gz of NAME, fa and TRACT/NAME"
    );
}
