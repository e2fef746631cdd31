//! Finds the passages of text in notebooks, JSON schemas and HTML templates.

use super::markdown::{self, Indented};
use super::passages::{Kind, Passage};

/// Returns the passages in the Markdown cells of a notebook. Each line of a cell is a line of the file.
pub(super) fn of_notebook(text: &str) -> Vec<Passage> {
    let (mut passages, mut cell, mut in_markdown, mut in_source) = (Vec::new(), Vec::new(), false, false);
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("\"cell_type\"") {
            in_markdown = line.contains("\"markdown\"");
        } else if line.starts_with("\"source\"") {
            in_source = in_markdown;
        } else if line.starts_with(']') {
            in_source = false;
            let lines: Vec<(usize, String)> = std::mem::take(&mut cell);
            let lines = lines.iter().map(|(number, line)| (*number, line.as_str()));
            passages.extend(markdown::passages(lines, Kind::Docs, Indented::Code));
        } else if in_source {
            let content = line.trim_end_matches(',').trim_matches('"').trim_end_matches("\\n");
            cell.push((n + 1, content.replace("\\\"", "\"").replace("\\\\", "\\")));
        }
    }
    passages
}

/// Returns the titles and descriptions in a JSON schema.
pub(super) fn of_schema(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    for (n, line) in text.lines().enumerate() {
        for name in ["\"title\": \"", "\"description\": \""] {
            for (start, _) in line.match_indices(name) {
                let content = &line[start + name.len()..];
                let end = content.replace("\\\"", "__").find('"').unwrap_or(content.len());
                passages.push(Passage::of_line(Kind::Docs, n + 1, &content[..end]));
            }
        }
    }
    passages
}

/// HTML tags that may be inside a sentence. All other tags end a sentence.
const INLINE: [&str; 9] = ["a", "b", "code", "em", "i", "kbd", "span", "strong", "sub"];

/// Returns the text of an HTML template. A template expression counts as a word, and a template statement
/// ends a sentence.
pub(super) fn of_template(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut passage = Passage::new(Kind::Strings);
    let mut hidden = None;
    let mut rest = Rest { text, line: 1 };
    while !rest.text.is_empty() {
        let line = rest.line;
        if let Some(inside) = rest.enclosed("{{", "}}") {
            if !inside.is_empty() {
                passage.push(line, "CODE");
            }
        } else if rest.enclosed("{%", "%}").is_some() || rest.enclosed("{#", "#}").is_some() {
            passages.push(std::mem::replace(&mut passage, Passage::new(Kind::Strings)));
        } else if let Some(tag) = rest.enclosed("<", ">") {
            let name =
                tag.trim_start_matches('/').split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            if matches!(name, "style" | "script" | "svg") {
                hidden = (!tag.starts_with('/')).then_some(());
            }
            if !INLINE.contains(&name) {
                passages.push(std::mem::replace(&mut passage, Passage::new(Kind::Strings)));
            }
        } else {
            let content = rest.until(['<', '{']);
            if hidden.is_none() {
                passage.push(line, content.trim());
            }
        }
    }
    passages.push(passage);
    passages.retain(|passage| !passage.is_empty());
    passages
}

struct Rest<'a> {
    text: &'a str,
    line: usize,
}

impl<'a> Rest<'a> {
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.text.split_at(length);
        self.line += taken.bytes().filter(|&byte| byte == b'\n').count();
        self.text = rest;
        taken
    }

    /// If the mark `open` is at this position, returns the text between it and the mark `close`.
    fn enclosed(&mut self, open: &str, close: &str) -> Option<&'a str> {
        let inside = self.text.strip_prefix(open)?;
        let length = inside.find(close)?;
        self.take(open.len() + length + close.len());
        Some(&inside[..length])
    }

    /// Takes at least one character, and all further ones before a mark.
    fn until(&mut self, marks: [char; 2]) -> &'a str {
        let first = self.text.chars().next().map_or(0, char::len_utf8);
        let length = self.text[first..].find(marks).map_or(self.text.len(), |length| first + length);
        self.take(length)
    }
}
