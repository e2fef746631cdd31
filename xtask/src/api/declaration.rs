//! The declaration of an item: its source text up to the body, in one line.

/// The end of a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Before the body `{ … }` or the semicolon: functions, traits and enumerations.
    Body,
    /// Before the value after `=`: constants.
    Value,
    /// Before the body or the parentheses: structures, whose public fields have lines of their own.
    Fields,
    /// At the end of the source text: fields, enum variants, types and macros.
    Whole,
}

/// Returns the source text of an item in one line, without comments, attributes and visibility.
pub(super) fn declaration(source: &str, end: End) -> String {
    let characters: Vec<char> = source.chars().collect();
    let at = |n: usize| characters.get(n).copied().unwrap_or('\0');
    let mut text = String::new();
    let (mut n, mut depth, mut angles) = (0, 0usize, 0usize);
    while n < characters.len() {
        let c = at(n);
        match c {
            '/' if at(n + 1) == '/' => {
                n = (n..characters.len()).find(|&n| at(n) == '\n').unwrap_or(characters.len());
                continue;
            }
            '#' if at(n + 1) == '[' => {
                n = behind_brackets(&characters, n + 1);
                continue;
            }
            '{' | ';' if depth == 0 && end != End::Whole => break,
            '=' if depth == 0 && end == End::Value => break,
            '(' if depth == 0 && angles == 0 && end == End::Fields => break,
            '<' => angles += 1,
            '>' if !text.ends_with('-') => angles = angles.saturating_sub(1),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c.is_whitespace() {
            if !text.ends_with([' ', '(', '[']) {
                text.push(' ');
            }
        } else {
            if matches!(c, ')' | ']') {
                // rustfmt writes a comma and a line break before a bracket that is in a line of its own.
                let kept = text.trim_end().trim_end_matches(',').len();
                if text.ends_with(' ') {
                    text.truncate(kept);
                }
            }
            text.push(c);
        }
        n += 1;
    }
    let text = text.trim().trim_end_matches(',');
    text.strip_prefix("pub ").unwrap_or(text).to_owned()
}

/// Returns whether a source text is the call of a macro that defines the item.
pub(super) fn is_macro_call(source: &str) -> bool {
    let name = source.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    name.len() < source.trim_start().len() && name.starts_with('!')
}

/// Returns the position after the bracket that closes the bracket at `open`.
fn behind_brackets(characters: &[char], open: usize) -> usize {
    let mut depth = 0;
    for (n, c) in characters.iter().enumerate().skip(open) {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return n + 1;
        }
    }
    characters.len()
}
