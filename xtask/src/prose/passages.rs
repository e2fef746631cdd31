//! Passages of text, and their division into sentences.

/// The kind of a text, by its purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Documentation: Markdown pages, notebooks and schemas.
    Docs,
    /// Help of commands and options, and docstrings of the Python package.
    Help,
    /// Comments in code, and API documentation.
    Comments,
    /// Messages: errors, warnings, progress, and the text of reports.
    Strings,
}

impl Kind {
    pub(super) const ALL: [Self; 4] = [Self::Docs, Self::Help, Self::Comments, Self::Strings];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Docs => "docs",
            Self::Help => "help",
            Self::Comments => "comments",
            Self::Strings => "strings",
        }
    }

    pub(super) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Lines that are read together: a paragraph, a list item, a table cell or a string literal.
#[derive(Debug)]
pub(super) struct Passage {
    pub(super) kind: Kind,
    /// True if the passage is a whole message, which may start with a lower-case letter.
    pub(super) is_message: bool,
    text: String,
    /// For each line, its start in `text` in bytes, and its line number from 1.
    lines: Vec<(usize, usize)>,
}

/// A sentence of at least four words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) words: usize,
}

/// Minimum number of words in a sentence. Shorter texts are headings, names and labels.
const MIN_WORDS: usize = 4;

impl Passage {
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, is_message: false, text: String::new(), lines: Vec::new() }
    }

    /// Returns a passage that consists of one line.
    pub(super) fn of_line(kind: Kind, line: usize, text: &str) -> Self {
        let mut passage = Self::new(kind);
        passage.push(line, text);
        passage
    }

    /// Appends a line to the passage. A space separates the lines.
    pub(super) fn push(&mut self, line: usize, text: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.lines.push((self.text.len(), line));
        self.text.push_str(text);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the sentences of the passage. Code in backquotes and a displayed equation count as one word, and
    /// a link is replaced by its text.
    pub(super) fn sentences(&self) -> Vec<Sentence> {
        let (text, lines) = self.plain();
        let mut sentences = Vec::new();
        let mut start = 0;
        let ends = ends(&text);
        for end in ends.into_iter().chain([text.len()]) {
            let part = &text[start..end];
            let lead = part.len() - part.trim_start_matches(IGNORED).len();
            let trimmed = part.trim_matches(IGNORED);
            let words = trimmed.split(' ').filter(|word| !word.is_empty()).count();
            if words >= MIN_WORDS {
                let at = lines.partition_point(|(offset, _)| *offset <= start + lead);
                let line = lines.get(at.saturating_sub(1)).map_or(0, |(_, line)| *line);
                sentences.push(Sentence { line, text: trimmed.to_owned(), words });
            }
            start = end;
        }
        sentences
    }

    /// Returns the text without markup and with single spaces, and the positions at which its lines start.
    fn plain(&self) -> (String, Vec<(usize, usize)>) {
        let targets = targets_of_links(&self.text);
        let (mut text, mut lines) = (String::new(), Vec::new());
        let (mut next_line, mut next_target) = (0, 0);
        let mut skip_to = 0;
        for (offset, c) in self.text.char_indices() {
            while self.lines.get(next_line).is_some_and(|(start, _)| *start <= offset) {
                lines.push((text.len(), self.lines[next_line].1));
                next_line += 1;
            }
            while targets.get(next_target).is_some_and(|target| target.0 < offset) {
                next_target += 1;
            }
            if offset < skip_to {
                continue;
            }
            if let Some(target) = targets.get(next_target).filter(|target| target.0 == offset) {
                skip_to = target.1;
                continue;
            }
            if let Some(length) = length_of_equation(&self.text[offset..]) {
                let ends_sentence = self.text[..offset + length - EQUATION.1.len()].trim_end().ends_with('.');
                text.push_str(if ends_sentence { "CODE." } else { "CODE" });
                skip_to = offset + length;
                continue;
            }
            match c {
                '`' => {
                    if let Some(length) = self.text[offset + 1..].find('`') {
                        text.push_str("CODE");
                        skip_to = offset + 1 + length + 1;
                    } else {
                        text.push(c);
                    }
                }
                c if c.is_whitespace() => {
                    if !text.is_empty() && !text.ends_with(' ') {
                        text.push(' ');
                    }
                }
                c => text.push(c),
            }
        }
        (text, lines)
    }
}

/// The marks before and after a displayed equation.
const EQUATION: (&str, &str) = (r"\\[", r"\\]");

/// If a text begins with a displayed equation, returns the length of the equation in bytes.
fn length_of_equation(text: &str) -> Option<usize> {
    let inside = text.strip_prefix(EQUATION.0)?;
    inside.find(EQUATION.1).map(|length| EQUATION.0.len() + length + EQUATION.1.len())
}

/// Characters before and after a sentence that do not belong to it.
const IGNORED: [char; 4] = [' ', '*', '_', '>'];

/// Returns the parts of Markdown links that are not text: `[` and `](target)`.
fn targets_of_links(text: &str) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find('[').map(|n| from + n) {
        from = open + 1;
        let Some(close) = text[open..].find(']').map(|n| open + n) else { break };
        if text[close + 1..].starts_with('(')
            && let Some(length) = text[close..].find(')')
        {
            parts.push((open, open + 1));
            parts.push((close, close + length + 1));
            from = close + length + 1;
        }
    }
    parts
}

/// Abbreviations that are followed by a number.
const ABBREVIATIONS: [&str; 12] =
    ["al", "approx", "ca", "Eq", "eq", "Fig", "fig", "No", "no", "p", "pp", "vol"];

/// Returns the positions between two sentences. They are after a sign that ends a sentence. They are before a
/// capital letter, a quotation mark, a bracket, or a number that does not belong to an abbreviation.
fn ends(text: &str) -> Vec<usize> {
    let is_end = |n: usize| {
        let before = text[..n].trim_end_matches(['.', '!', '?', ':', ';']);
        let Some(next) = text[n + 1..].chars().next().filter(|_| before.len() < n) else { return false };
        let last = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let is_number = next.is_ascii_digit() && text[..n].ends_with('.') && !ABBREVIATIONS.contains(&last);
        next.is_uppercase() || matches!(next, '(' | '"' | '\'' | '*' | '[') || is_number
    };
    text.match_indices(' ').map(|(n, _)| n).filter(|&n| is_end(n)).map(|n| n + 1).collect()
}
