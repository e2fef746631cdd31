//! Finds the comments and strings of Python, TOML, YAML and shell scripts.

use super::code::Kinds;
use super::literals;
use super::markdown::{self, Indented};
use super::passages::{Kind, Passage};

/// The content of a literal with three quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LongLiteral {
    /// Documentation of the package, in which an indented line describes a parameter.
    Docstring,
    /// Documentation of a script, in which an indented block after an empty line is code or a table.
    Script,
    /// The formula of a model, in which only comments are read.
    Formula,
}

/// Returns the passages of a Python or TOML file.
pub(super) fn with_literals(text: &str, kinds: Kinds, long: LongLiteral) -> Vec<Passage> {
    let mut passages = Vec::new();
    // Lines of a comment, each with its line number.
    let mut block: Vec<(usize, &str)> = Vec::new();
    // String literals that form one message, because only white space separates them. For each: its content,
    // its line, and whether it is raw.
    let mut message: Vec<(String, usize, bool)> = Vec::new();
    let (mut at, mut line, mut word) = (0, 1, String::new());
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut length = c.len_utf8();
        match c {
            '#' => {
                length = rest.find('\n').unwrap_or(rest.len());
                if block.last().is_some_and(|(last, _)| last + 1 != line) {
                    finish_block(&mut block, kinds.comments, &mut passages);
                }
                block.push((line, comment(&rest[..length])));
            }
            '"' | '\'' => {
                let literal = Literal::read(rest, c);
                length = literal.length;
                let raw = word.ends_with(['r', 'R']);
                if literal.is_long && c == '"' {
                    passages.append(&mut of_long_literal(literal.content, line, kinds, long));
                } else {
                    message.push((literal.content.to_owned(), line, raw));
                }
            }
            c if !c.is_whitespace() && !is_prefix(rest) => {
                finish_message(&mut message, kinds.strings, &mut passages);
            }
            _ => {}
        }
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            word.clear();
        }
        line += rest[..length].bytes().filter(|&byte| byte == b'\n').count();
        at += length;
    }
    finish_message(&mut message, kinds.strings, &mut passages);
    finish_block(&mut block, kinds.comments, &mut passages);
    passages
}

/// Returns the passages of a literal with three quotes that starts in line `first`.
fn of_long_literal(content: &str, first: usize, kinds: Kinds, long: LongLiteral) -> Vec<Passage> {
    let lines = content.lines().enumerate().map(|(n, text)| (first + n, text));
    match long {
        LongLiteral::Docstring => markdown::passages(lines, kinds.documentation, Indented::Text),
        LongLiteral::Formula => comments_in(content, first, kinds.comments),
        LongLiteral::Script => {
            let indentation = |line: &str| line.len() - line.trim_start().len();
            let filled = content.lines().skip(1).filter(|line| !line.trim().is_empty());
            let common = filled.map(indentation).min().unwrap_or(0);
            let lines = lines.map(|(number, line)| (number, &line[common.min(indentation(line))..]));
            markdown::passages(lines, kinds.documentation, Indented::Code)
        }
    }
}

/// Returns the passages of a file in which only comments are read.
pub(super) fn comments(text: &str, kind: Kind) -> Vec<Passage> {
    comments_in(text, 1, kind)
}

/// Returns the comments of a text that starts in line `first`.
fn comments_in(text: &str, first: usize, kind: Kind) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut block: Vec<(usize, &str)> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.trim_start();
        if line.starts_with('#') && !line.starts_with("#!") {
            block.push((first + n, comment(line)));
        } else {
            finish_block(&mut block, kind, &mut passages);
        }
    }
    finish_block(&mut block, kind, &mut passages);
    passages
}

fn comment(text: &str) -> &str {
    text.trim_start_matches(['#', '!']).trim_start()
}

/// True if the prefix of a literal starts here, such as the `f` in `f"..."`.
fn is_prefix(rest: &str) -> bool {
    rest.trim_start_matches(|c: char| "rRbBfFuU".contains(c)).starts_with(['"', '\''])
}

fn finish_block(block: &mut Vec<(usize, &str)>, kind: Kind, passages: &mut Vec<Passage>) {
    passages.extend(markdown::passages(block.drain(..), kind, Indented::Text));
}

fn finish_message(message: &mut Vec<(String, usize, bool)>, kind: Option<Kind>, passages: &mut Vec<Passage>) {
    let parts = std::mem::take(message);
    let (Some(kind), Some(&(_, line, raw))) = (kind, parts.first()) else { return };
    let content: String = parts.into_iter().map(|(content, ..)| content).collect();
    passages.extend(literals::passages(&content, line, kind, raw));
}

struct Literal<'a> {
    content: &'a str,
    is_long: bool,
    /// The number of bytes of the literal with its quotes.
    length: usize,
}

impl<'a> Literal<'a> {
    fn read(text: &'a str, quote: char) -> Self {
        let long = quote.to_string().repeat(3);
        let is_long = text.starts_with(&long);
        let marks = if is_long { 3 } else { 1 };
        let mut escaped = false;
        for (n, c) in text.char_indices().skip(marks) {
            let is_end = if is_long { text[n..].starts_with(&long) } else { c == quote || c == '\n' };
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if is_end => {
                    let length = if c == '\n' { n } else { n + marks };
                    return Self { content: &text[marks..n], is_long, length };
                }
                _ => {}
            }
        }
        Self { content: &text[marks.min(text.len())..], is_long, length: text.len() }
    }
}
