//! Finds the comments and strings of Rust, CUDA C++, C++, JavaScript, CSS and JSON.

use super::literals;
use super::markdown::{self, Indented};
use super::passages::{Kind, Passage};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    Cpp,
    /// JavaScript, JSON and Nextflow, which have the same syntax of comments and strings.
    JavaScript,
    Css,
}

/// The kinds to which the texts of a file are assigned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kinds {
    /// Documentation of items in Rust.
    pub(super) documentation: Kind,
    pub(super) comments: Kind,
    /// The kind of strings. `None` if strings are not read.
    pub(super) strings: Option<Kind>,
    /// True if strings in code for tests are also read.
    pub(super) strings_of_tests: bool,
}

/// Returns the passages of text in a file.
pub(super) fn passages(text: &str, language: Language, kinds: Kinds) -> Vec<Passage> {
    let mut reader = Reader {
        text,
        language,
        kinds,
        at: 0,
        line: 1,
        code: String::new(),
        block: None,
        tests: None,
        passages: Vec::new(),
    };
    reader.read();
    reader.finish_block();
    reader.passages
}

/// Line comments in successive lines, which form one text.
struct Block {
    mark: &'static str,
    lines: Vec<(usize, String)>,
}

/// Code that is compiled only for tests.
enum Tests {
    /// The attribute `#[cfg(test)]` was read, but not yet the body of its item.
    Announced,
    /// The body is open. The number is that of the open brackets.
    Inside(usize),
}

struct Reader<'a> {
    text: &'a str,
    language: Language,
    kinds: Kinds,
    /// The position in the text, in bytes.
    at: usize,
    line: usize,
    /// The code of the current line up to this position, without indentation and literals.
    code: String,
    block: Option<Block>,
    tests: Option<Tests>,
    passages: Vec<Passage>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Advances by `length` bytes, and returns the text of these bytes.
    fn take(&mut self, length: usize) -> &'a str {
        let taken = &self.rest()[..length];
        self.at += length;
        self.line += taken.bytes().filter(|&byte| byte == b'\n').count();
        taken
    }

    fn read(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            if self.rest().starts_with("//") && self.language != Language::Css {
                self.line_comment();
            } else if self.rest().starts_with("/*") {
                self.block_comment();
            } else if !self.literal(c) {
                self.take(c.len_utf8());
                if c == '\n' {
                    self.code.clear();
                } else if !c.is_whitespace() {
                    self.code.push(c);
                    self.follow_tests(c);
                } else if !self.code.is_empty() {
                    self.code.push(' ');
                }
            }
        }
    }

    fn line_comment(&mut self) {
        let number = self.line;
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        let comment = self.take(length);
        let is_rust = self.language == Language::Rust;
        let mark = match comment.as_bytes().get(2) {
            Some(b'/') if is_rust && !comment.starts_with("////") => "///",
            Some(b'!') if is_rust => "//!",
            _ => "//",
        };
        let content = comment[mark.len()..].trim_start_matches('/');
        let content = content.strip_prefix(' ').unwrap_or(content);
        let is_alone = self.code.is_empty();
        let continues = self.block.as_ref().is_some_and(|block| {
            block.mark == mark && is_alone && block.lines.last().is_some_and(|(last, _)| last + 1 == number)
        });
        if !continues {
            self.finish_block();
        }
        let block = self.block.get_or_insert_with(|| Block { mark, lines: Vec::new() });
        block.lines.push((number, content.to_owned()));
    }

    fn block_comment(&mut self) {
        self.finish_block();
        let number = self.line;
        let length = self.rest().find("*/").map_or(self.rest().len(), |end| end + 2);
        let comment = self.take(length);
        let inside = comment.trim_start_matches("/*").trim_end_matches("*/");
        let lines =
            inside.lines().enumerate().map(|(n, line)| (number + n, line.trim().trim_start_matches('*')));
        self.passages.extend(markdown::passages(lines, self.kinds.comments, Indented::Text));
    }

    fn finish_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        let (kind, indented) = match block.mark {
            "///" => (self.kinds.documentation, Indented::Code),
            _ => (self.kinds.comments, Indented::Code),
        };
        let lines = block.lines.iter().map(|(number, line)| (*number, line.as_str()));
        self.passages.extend(markdown::passages(lines, kind, indented));
    }

    /// If a literal begins at this position, reads it and returns true.
    fn literal(&mut self, c: char) -> bool {
        let number = self.line;
        match c {
            '"' if self.is_raw() => {
                let hashes = self.code.bytes().rev().take_while(|&byte| byte == b'#').count();
                let close = format!("\"{}", "#".repeat(hashes));
                let length = self.rest()[1..].find(&close).unwrap_or(self.rest().len() - 1);
                self.take(1);
                let content = self.take(length);
                self.take(close.len().min(self.rest().len()));
                self.string(content, number, true);
                true
            }
            '"' => self.quoted('"', number),
            '\'' if matches!(self.language, Language::JavaScript | Language::Css) => {
                self.quoted('\'', number)
            }
            '`' if self.language == Language::JavaScript => self.quoted('`', number),
            '\'' => {
                let length = length_of_quote(self.rest());
                self.take(length);
                self.code.push('\'');
                true
            }
            '/' if self.language == Language::JavaScript && self.is_before_pattern() => {
                let length = length_of_pattern(self.rest());
                self.take(length);
                self.code.push('/');
                true
            }
            _ => false,
        }
    }

    /// True if the code before this position ends with the prefix `r` or `br` of a raw string, and not with a
    /// name.
    fn is_raw(&self) -> bool {
        let before = self.code.trim_end_matches('#');
        let Some(before) = before.strip_suffix('r') else { return false };
        let before = before.strip_suffix(['b', 'c']).unwrap_or(before);
        self.language == Language::Rust && !before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
    }

    /// True if a slash at this position begins a regular expression, and is not a division.
    fn is_before_pattern(&self) -> bool {
        let code = self.code.trim_end();
        code.is_empty()
            || code.ends_with(['(', ',', '=', ':', '[', '!', '&', '|', '?', '{', '}', ';'])
            || code.ends_with("return")
    }

    fn quoted(&mut self, quote: char, number: usize) -> bool {
        let length = length_of_quoted(&self.rest()[1..], quote);
        self.take(1);
        let content = self.take(length);
        self.take(1.min(self.rest().len()));
        self.string(content, number, false);
        true
    }

    fn string(&mut self, content: &str, number: usize, raw: bool) {
        self.code.push('"');
        if let Some(kind) = self.kinds.strings
            && (self.kinds.strings_of_tests || !matches!(self.tests, Some(Tests::Inside(_))))
        {
            self.passages.extend(literals::passages(content, number, kind, raw));
        }
    }

    /// Finds the items that `#[cfg(test)]` announces.
    fn follow_tests(&mut self, c: char) {
        self.tests = match (self.tests.take(), c) {
            (None, ']') if self.code.ends_with("#[cfg(test)]") => Some(Tests::Announced),
            (Some(Tests::Announced), ';') | (Some(Tests::Inside(1)), '}') => None,
            (Some(Tests::Announced), '{') => Some(Tests::Inside(1)),
            (Some(Tests::Inside(depth)), '{') => Some(Tests::Inside(depth + 1)),
            (Some(Tests::Inside(depth)), '}') => Some(Tests::Inside(depth - 1)),
            (tests, _) => tests,
        };
    }
}

/// Returns the length of a literal's content, up to the closing quote.
fn length_of_quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (n, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return n,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of a character literal. For a lifetime, returns the length of its quote.
fn length_of_quote(text: &str) -> usize {
    let inside = &text[1..];
    if inside.starts_with('\\') {
        return length_of_quoted(inside, '\'') + 2;
    }
    let first = inside.chars().next().map_or(0, char::len_utf8);
    if inside[first..].starts_with('\'') { first + 2 } else { 1 }
}

/// Returns the length of a regular expression. If it does not end in this line, returns one byte.
fn length_of_pattern(text: &str) -> usize {
    let line = text.lines().next().unwrap_or_default();
    let length = length_of_quoted(&line[1..], '/') + 2;
    if length <= line.len() { length } else { 1 }
}
