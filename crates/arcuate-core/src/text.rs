//! Display of text from files and names on terminals, in reports and in tables.

use std::borrow::Cow;

/// Returns whether a character affects a terminal or the reading order: control characters, Unicode line
/// ends, and changes of the writing direction.
pub fn disturbs_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the text that is displayed for a character.
fn spelled_out(c: char) -> String {
    if disturbs_terminal(c) { c.escape_default().to_string() } else { c.to_string() }
}

/// Prepares text from a file or a name for display on a terminal. Characters that affect the terminal are
/// escaped (`\n`, `\u{1b}`). If the escaped text is longer than `longest` characters, its middle is replaced
/// by `…`.
pub fn printable(text: &str, longest: usize) -> String {
    // The loop stops at the maximum length, so that only a small part of a very long text is examined.
    let (whole, all) = spelled(text.chars(), longest);
    if all {
        return whole.concat();
    }
    let end = longest / 3;
    let (start, _) = spelled(text.chars(), longest - end);
    let (mut last, _) = spelled(text.chars().rev(), end);
    last.reverse();
    format!("{}…{}", start.concat(), last.concat())
}

/// Escapes characters up to the limit `room`. Also returns whether these are all.
fn spelled(mut text: impl Iterator<Item = char>, room: usize) -> (Vec<String>, bool) {
    let (mut shown, mut length) = (Vec::new(), 0);
    let fits = text.all(|c| {
        let piece = spelled_out(c);
        length += piece.chars().count();
        let fits = length <= room;
        if fits {
            shown.push(piece);
        }
        fits
    });
    (shown, fits)
}

/// Prepares lines of text for a terminal: like [`printable`], but line ends and tabs are kept and nothing is
/// shortened.
pub fn printable_lines(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\t') { c.to_string() } else { spelled_out(c) }).collect()
}

/// Characters that mark a formula if a cell of a spreadsheet begins with one of them.
const RUN_BY_SPREADSHEETS: [char; 4] = ['=', '+', '-', '@'];

/// Writes a name as a cell of a table (CSV, TSV). Control characters, line ends and tabs are escaped. If a
/// spreadsheet would run the name as a formula, an apostrophe is put in front of the name, which makes it
/// text.
///
/// [`from_cell`] removes the apostrophe. If a name already has apostrophes in front of a formula, the name
/// gets one more apostrophe. So different names always have different cells.
pub fn cell(name: &str) -> String {
    let guard = if name.trim_start_matches('\'').starts_with(RUN_BY_SPREADSHEETS) { "'" } else { "" };
    let spelled: String = name.chars().map(spelled_out).collect();
    format!("{guard}{spelled}")
}

/// Returns the name that [`cell`] wrote to a cell of a table: removes the apostrophe before a formula.
pub fn from_cell(cell: &str) -> &str {
    let is_guarded = cell.starts_with('\'') && cell.trim_start_matches('\'').starts_with(RUN_BY_SPREADSHEETS);
    if is_guarded { &cell[1..] } else { cell }
}

/// Replaces each parameter in ‘single quotes’ with the name that `name` returns for it; parameters for which
/// `name` returns `None` are unchanged.
pub fn name_parameters<'n>(text: &str, name: impl Fn(&str) -> Option<&'n str>) -> Cow<'_, str> {
    let (mut named, mut rest, mut has_changed) = (String::new(), text, false);
    while let Some(open) = rest.find('‘') {
        let (before, behind) = rest.split_at(open);
        named.push_str(before);
        let inner = &behind['‘'.len_utf8()..];
        let found = inner
            .find('’')
            .and_then(|close| Some((name(&inner[..close])?, &inner[close + '’'.len_utf8()..])));
        if let Some((name, behind)) = found {
            named.push_str(name);
            (rest, has_changed) = (behind, true);
        } else {
            named.push('‘');
            rest = inner;
        }
    }
    named.push_str(rest);
    if has_changed { Cow::Owned(named) } else { Cow::Borrowed(text) }
}

/// Returns the known name that is most similar to a word, if the word can be a misspelling of the name. If
/// several names are equally similar, returns the first one.
///
/// ```
/// use arcuate_core::closest;
///
/// assert_eq!(closest("densty", ["density", "mask"]), Some("density"));
/// assert_eq!(closest("tractogram", ["density", "mask"]), None);
/// ```
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(word, name), name))
        .filter(|(distance, name)| *distance <= 1 + name.chars().count() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_text_is_bounded_and_escapes_control_characters() {
        assert_eq!(printable("0123456789", 10), "0123456789");
        assert_eq!(printable("0123456789ä", 9), "012345…89ä");
        assert_eq!(printable("a\u{202e}b\u{200f}", 20), "a\\u{202e}b\\u{200f}");
        assert_eq!(printable("a\u{2028}b\n", 20), "a\\u{2028}b\\n");
        // Shortening never splits an escape sequence.
        assert_eq!(printable("\0\0\0\0", 16), "\\u{0}\\u{0}…\\u{0}");
        assert_eq!(printable_lines("a\tb\u{1b}[31m\nµ\r\n"), "a\tb\\u{1b}[31m\nµ\\r\n");
    }

    #[test]
    fn spreadsheet_cells_are_escaped_and_read_back() {
        for (name, expected) in [
            ("plain", "plain"),
            ("=1+1", "'=1+1"),
            ("-5", "'-5"),
            ("+a", "'+a"),
            ("@sum", "'@sum"),
            ("'=1", "''=1"),
            ("'quoted'", "'quoted'"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(cell(name), expected);
            assert_eq!(from_cell(expected), name);
        }
        assert_eq!(cell("a\tb\u{202e}\u{1b}"), "a\\tb\\u{202e}\\u{1b}");
    }
}
