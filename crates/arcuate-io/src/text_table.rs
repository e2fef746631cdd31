//! Reads and writes tables of numbers in text files, such as gradient tables.

use crate::plain_file::LARGEST_TEXT;
use crate::text_file::read_text_file;
use arcuate_core::{Error, Result};
use std::path::Path;

/// Reads the text of a file that contains numbers or names.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    read_text_file(path, LARGEST_TEXT)
}

/// Reads all numbers of a text file, however they are divided into lines.
pub fn read_numbers(path: &Path) -> Result<Vec<f64>> {
    Ok(rows(path, read_text(path)?.lines())?.concat())
}

/// Reads the numbers of each line of a text, like [`row`]. Empty lines are skipped.
pub(crate) fn rows<'a>(path: &Path, lines: impl Iterator<Item = &'a str>) -> Result<Vec<Vec<f64>>> {
    Ok(numbered_rows(path, lines)?.into_iter().map(|(_, row)| row).collect())
}

/// Reads the numbers of each line of a text. Empty lines are skipped. Each result has the line number,
/// counted from 1.
pub(crate) fn numbered_rows<'a>(
    path: &Path,
    lines: impl Iterator<Item = &'a str>,
) -> Result<Vec<(usize, Vec<f64>)>> {
    let mut rows = Vec::new();
    for (index, line) in lines.enumerate() {
        let row = row(path, index + 1, line)?;
        if !row.is_empty() {
            rows.push((index + 1, row));
        }
    }
    Ok(rows)
}

/// Reads the numbers of one line of a text; `number` is the line number, counted from 1. Spaces, tabs, commas
/// or semicolons separate the numbers; `#` begins a comment.
pub(crate) fn row(path: &Path, number: usize, line: &str) -> Result<Vec<f64>> {
    let content = line.split('#').next().unwrap_or_default();
    let words = content.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter(|w| !w.is_empty());
    words.map(|word| word.parse().map_err(|_| not_a_number(path, number, word))).collect()
}

fn not_a_number(path: &Path, line: usize, word: &str) -> Error {
    let shown: String = word.chars().take(20).flat_map(char::escape_debug).collect();
    let problem = format!("line {line} has `{shown}`, which is not a number");
    Error::invalid(path.display(), problem, "check that this is the right file")
}

/// Formats rows of numbers as text, with one line per row and spaces between the numbers.
pub(crate) fn to_text<const N: usize>(rows: impl Iterator<Item = [f64; N]>) -> String {
    let mut text = String::new();
    for row in rows {
        let words: Vec<String> = row.iter().map(ToString::to_string).collect();
        text.push_str(&words.join(" "));
        text.push('\n');
    }
    text
}
