//! Finds the passages of text in string literals.

use super::passages::{Kind, Passage};

/// A literal with fewer words next to placeholders is not a message.
const MIN_WORDS: usize = 3;
/// A help text of at least this length is read in any case.
const LONG_HELP: usize = 40;

/// Returns the passages in the content of a literal that starts in line `first`. If `raw` is true, the
/// content has no escape sequences.
pub(super) fn passages(content: &str, first: usize, kind: Kind, raw: bool) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut passage = Passage::new(kind);
    let mut finish = |passage: &mut Passage| {
        let mut whole = std::mem::replace(passage, Passage::new(kind));
        whole.is_message = passages.is_empty() && !content.starts_with(char::is_whitespace);
        if is_prose(whole.text()) || (kind == Kind::Help && whole.text().len() >= LONG_HELP) {
            passages.push(whole);
        }
    };
    for (number, line) in decoded(content, first, raw) {
        let is_row = line.trim_start().starts_with("- ") || line.trim().contains("  ");
        if line.trim().is_empty() || is_row {
            finish(&mut passage);
        }
        if let Some((name, meaning)) = line.trim().split_once("  ") {
            passage.push(number, name);
            finish(&mut passage);
            passage.push(number, meaning.trim());
        } else {
            passage.push(number, line.trim_start().trim_start_matches("- "));
        }
    }
    finish(&mut passage);
    passages
}

/// Returns the lines of a literal with the numbers of their source lines. Escape sequences and placeholders
/// are replaced.
fn decoded(content: &str, first: usize, raw: bool) -> Vec<(usize, String)> {
    let (mut lines, mut line, mut number) = (Vec::new(), String::new(), first);
    let mut started = first;
    let mut characters = content.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' if !raw => match characters.next() {
                // A line break after a backslash: the text continues in the next source line.
                Some('\n') => {
                    number += 1;
                    while let Some(c) = characters.next_if(|c| c.is_whitespace()) {
                        number += usize::from(c == '\n');
                    }
                }
                Some('n') => {
                    lines.push((started, std::mem::take(&mut line)));
                    started = number;
                }
                Some('t' | 'r') => line.push(' '),
                Some(c) => line.push(c),
                None => {}
            },
            '\n' => {
                lines.push((started, std::mem::take(&mut line)));
                number += 1;
                started = number;
            }
            c => {
                if line.is_empty() {
                    started = number;
                }
                line.push(c);
            }
        }
    }
    lines.push((started, line));
    for (_, line) in &mut lines {
        *line = without_placeholders(line);
    }
    lines
}

/// Replaces each placeholder (`{name}`, `{0:.3}`, `${value}` and `%s`) by a word.
fn without_placeholders(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(open) = rest.find('{') {
        text.push_str(rest[..open].trim_end_matches('$'));
        let inside = &rest[open + 1..];
        let close = inside.find('}').filter(|&close| !inside[..close].contains([' ', '{', '"']));
        if let Some(close) = close {
            text.push_str("CODE");
            rest = &inside[close + 1..];
        } else {
            text.push('{');
            rest = inside;
        }
    }
    text.push_str(rest);
    text
}

/// True if the literal contains successive words, and is not code or numbers.
fn is_prose(text: &str) -> bool {
    let is_word = |word: &&str| {
        let word =
            word.trim_matches(|c: char| c.is_ascii_punctuation() || matches!(c, '‘' | '’' | '“' | '”'));
        word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\''))
            && word.chars().skip(1).all(|c| !c.is_uppercase())
            && (word == "a" || word.chars().count() > 1)
    };
    let parts: Vec<&str> = text.split_whitespace().filter(|part| !part.contains("CODE")).collect();
    let words = parts.iter().copied().filter(is_word).count();
    words >= MIN_WORDS && 10 * words >= 6 * parts.len()
}
