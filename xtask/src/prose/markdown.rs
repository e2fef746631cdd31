//! Finds the passages of text in Markdown: on pages, in API documentation, and in comments.

use super::passages::{Kind, Passage};

/// The meaning of four spaces at the start of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indented {
    Code,
    Text,
}

/// A table cell with fewer words is a name or a value.
const MIN_CELL_WORDS: usize = 6;

/// Returns the passages in numbered lines of Markdown.
pub(super) fn passages<'a>(
    lines: impl IntoIterator<Item = (usize, &'a str)>,
    kind: Kind,
    indented: Indented,
) -> Vec<Passage> {
    let mut reader = Reader::new(kind, indented);
    for (number, line) in lines {
        reader.read(number, line);
    }
    reader.finish_passage();
    reader.passages
}

struct Reader {
    kind: Kind,
    indented: Indented,
    passages: Vec<Passage>,
    passage: Passage,
    /// The characters that close the current block of code.
    fence: Option<&'static str>,
    in_comment: bool,
    in_list: bool,
    /// True inside a Python session, which lasts until an empty line.
    in_session: bool,
}

impl Reader {
    fn new(kind: Kind, indented: Indented) -> Self {
        Self {
            kind,
            indented,
            passages: Vec::new(),
            passage: Passage::new(kind),
            fence: None,
            in_comment: false,
            in_list: false,
            in_session: false,
        }
    }

    fn finish_passage(&mut self) {
        let passage = std::mem::replace(&mut self.passage, Passage::new(self.kind));
        if !passage.is_empty() {
            self.passages.push(passage);
        }
    }

    fn read(&mut self, number: usize, line: &str) {
        let text = line.trim();
        if self.is_code(line, text) {
            self.finish_passage();
            return;
        }
        if text.starts_with('|') {
            self.finish_passage();
            let cells = text.trim_matches('|').split('|');
            let long = cells.filter(|cell| cell.split_whitespace().count() >= MIN_CELL_WORDS);
            self.passages.extend(long.map(|cell| Passage::of_line(self.kind, number, cell)));
            return;
        }
        if let Some(heading) = text.strip_prefix('#').map(|text| text.trim_start_matches('#'))
            && heading.starts_with(' ')
        {
            self.finish_passage();
            self.passage.push(number, heading);
            self.finish_passage();
            self.in_list = false;
            return;
        }
        if is_parameter(text) {
            self.finish_passage();
            self.passage.push(number, text);
            self.finish_passage();
            // The indented lines below the parameter describe it.
            self.in_list = true;
            return;
        }
        if !line.starts_with([' ', '\t']) && self.passage.is_empty() {
            self.in_list = false;
        }
        if text.strip_prefix('@').is_some_and(|tag| tag.starts_with(char::is_alphabetic)) {
            self.finish_passage();
        }
        let item = without_bullet(text);
        if item.is_some() {
            self.finish_passage();
            self.in_list = true;
        }
        let text = item.unwrap_or(text);
        self.passage.push(number, text.trim_start_matches('>'));
    }

    /// True if a line has no text to check: code, an empty line, a divider, or an HTML comment.
    fn is_code(&mut self, line: &str, text: &str) -> bool {
        if let Some(fence) = self.fence {
            if text.starts_with(fence) {
                self.fence = None;
            }
            return true;
        }
        if self.in_comment || text.starts_with("<!--") {
            self.in_comment = !text.contains("-->");
            return true;
        }
        if text.is_empty() {
            self.in_session = false;
            return true;
        }
        if let Some(fence) = ["```", "~~~"].into_iter().find(|fence| text.starts_with(fence)) {
            self.fence = Some(fence);
            return true;
        }
        self.in_session |= text.starts_with(">>>");
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        let is_block =
            self.indented == Indented::Code && is_indented && self.passage.is_empty() && !self.in_list;
        self.in_session || is_block || is_divider(text)
    }
}

/// If the line is a list item, returns its text. If not, returns `None`.
fn without_bullet(text: &str) -> Option<&str> {
    if let Some(item) = ["- ", "* ", "+ "].into_iter().find_map(|bullet| text.strip_prefix(bullet)) {
        return Some(item);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text[digits..].strip_prefix(['.', ')'])?;
    (1..=3).contains(&digits).then_some(rest)?.strip_prefix(' ')
}

/// True if a line of a docstring names a parameter, as in `mask : image, optional`.
fn is_parameter(text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '*' | ',' | ' ');
    text.split_once(" : ").is_some_and(|(names, _)| names.chars().all(is_name))
}

fn is_divider(text: &str) -> bool {
    text.len() >= 3 && text.chars().all(|c| matches!(c, '=' | '-' | '*' | '#' | '!' | '/' | '_' | '~'))
}
