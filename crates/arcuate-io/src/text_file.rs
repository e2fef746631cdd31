//! Reads text files that were written by people and other programs. All readers of text formats use this
//! module, so that all accept the same encodings.
//!
//! Text files may be encoded in UTF-8, with or without a byte order mark, or in UTF-16 with a byte order
//! mark. Lines end with LF, CRLF or CR. Callers get UTF-8 text without a byte order mark, with LF line ends.

use crate::plain_file::{LARGEST_TEXT, open_file, read_small_file};
use arcuate_core::{Error, Result};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The byte order marks at the beginning of a file in UTF-8 and in UTF-16 (little-endian and big-endian).
const UTF_8: &[u8] = &[0xef, 0xbb, 0xbf];
const UTF_16_LITTLE: &[u8] = &[0xff, 0xfe];
const UTF_16_BIG: &[u8] = &[0xfe, 0xff];

/// Reads a plain text file of at most `largest` bytes. The lines of the returned text end with LF.
///
/// # Errors
/// Returns an error if [`read_small_file`] fails, or if the bytes are neither UTF-8 nor UTF-16 with a byte
/// order mark.
pub fn read_text_file(path: &Path, largest: u64) -> Result<String> {
    decode(path, read_small_file(path, largest)?)
}

/// Calls `visit` for each line of a plain text file of any size. The arguments are the line number (counted
/// from 1) and the text of the line.
///
/// # Errors
/// Returns an error if [`read_text_file`] would return one for this file, or if `visit` returns an error.
pub(crate) fn for_each_line(path: &Path, mut visit: impl FnMut(usize, &str) -> Result<()>) -> Result<()> {
    let mut reader = BufReader::new(open_file(path)?);
    let start = reader.fill_buf().map_err(|e| Error::read(path, e))?;
    if is_utf_16(start) {
        let text = read_text_file(path, LARGEST_TEXT)?;
        return text.lines().enumerate().try_for_each(|(index, line)| visit(index + 1, line));
    }
    let mark = if start.starts_with(UTF_8) { UTF_8.len() } else { 0 };
    reader.consume(mark);
    let (mut bytes, mut number) = (Vec::new(), 0);
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(|e| Error::read(path, e))? == 0 {
            return Ok(());
        }
        let line = utf_8(path, &bytes, number)?;
        let line = line.strip_suffix('\n').unwrap_or(line);
        for line in line.strip_suffix('\r').unwrap_or(line).split('\r') {
            number += 1;
            visit(number, line)?;
        }
    }
}

fn is_utf_16(bytes: &[u8]) -> bool {
    bytes.starts_with(UTF_16_LITTLE) || bytes.starts_with(UTF_16_BIG)
}

/// Converts the bytes of a whole text file to a text.
fn decode(path: &Path, bytes: Vec<u8>) -> Result<String> {
    let text = if is_utf_16(&bytes) {
        let number = if bytes.starts_with(UTF_16_LITTLE) { u16::from_le_bytes } else { u16::from_be_bytes };
        utf_16(path, &bytes[2..], number)?
    } else {
        let text = String::from_utf8(bytes)
            .map_err(|error| not_utf_8(path, error.as_bytes(), error.utf8_error().valid_up_to(), 0))?;
        require_no_zeros(path, &text)?;
        if text.starts_with('\u{feff}') { text['\u{feff}'.len_utf8()..].to_owned() } else { text }
    };
    Ok(with_line_feeds(text))
}

/// Checks that these bytes of a file are UTF-8 text. `before` is the number of lines before these bytes, from
/// which the line number in an error message is computed.
fn utf_8<'a>(path: &Path, bytes: &'a [u8], before: usize) -> Result<&'a str> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| not_utf_8(path, bytes, error.valid_up_to(), before))?;
    require_no_zeros(path, text)?;
    Ok(text)
}

fn require_no_zeros(path: &Path, text: &str) -> Result<()> {
    if text.contains('\0') {
        return Err(refused(path, "it holds zero bytes, as text in UTF-16 without a byte order mark does"));
    }
    Ok(())
}

/// Returns the error for bytes that are not UTF-8 text from position `at` on.
fn not_utf_8(path: &Path, bytes: &[u8], at: usize, before: usize) -> Error {
    let line = before + bytes[..at].split(|byte| *byte == b'\n').count();
    refused(path, format!("it is not UTF-8 text: line {line} has the byte 0x{:02X}", bytes[at]))
}

fn utf_16(path: &Path, bytes: &[u8], number: fn([u8; 2]) -> u16) -> Result<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let text: Option<String> = char::decode_utf16(pairs.iter().map(|pair| number(*pair)))
        .map(|character| character.ok().filter(|character| *character != '\0'))
        .collect();
    let text = text.filter(|_| rest.is_empty());
    text.ok_or_else(|| refused(path, "it begins with the byte order mark of UTF-16, but is not UTF-16 text"))
}

fn refused(path: &Path, problem: impl Into<String>) -> Error {
    Error::invalid(
        path.display(),
        problem,
        "save the file as text in UTF-8, or check that this is the right file",
    )
}

/// Converts the line ends CRLF and CR of a text to LF.
fn with_line_feeds(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Größe α\n1 2\n\n3 4\n";

    fn utf_16_of(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    /// Returns the results of both reading functions.
    fn read(bytes: &[u8]) -> [Result<String>; 2] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, bytes).unwrap();
        let mut lines = String::new();
        let by_line = for_each_line(&path, |number, line| {
            assert_eq!(number, lines.lines().count() + 1);
            lines = format!("{lines}{line}\n");
            Ok(())
        });
        [read_text_file(&path, 2048), by_line.map(|()| lines)]
    }

    #[test]
    fn text_does_not_depend_on_encoding_and_line_ends() {
        for end in ["\n", "\r\n", "\r"] {
            let text = TEXT.replace('\n', end);
            let marked = format!("\u{feff}{text}");
            for bytes in [
                text.clone().into_bytes(),
                marked.clone().into_bytes(),
                utf_16_of(&marked, u16::to_le_bytes),
                utf_16_of(&marked, u16::to_be_bytes),
            ] {
                for text in read(&bytes) {
                    assert_eq!(text.unwrap(), TEXT, "{bytes:?}");
                }
            }
        }
        for bytes in [&b""[..], UTF_8, UTF_16_LITTLE] {
            for text in read(bytes) {
                assert_eq!(text.unwrap(), "", "{bytes:?}");
            }
        }
    }

    #[test]
    fn other_encodings_are_rejected_with_advice() {
        let latin_1 = b"# ok\r\n# Gr\xf6\xdfe\n";
        let zeros = "it holds zero bytes, as text in UTF-16 without a byte order mark does";
        let damaged = "it begins with the byte order mark of UTF-16, but is not UTF-16 text";
        for (bytes, problem) in [
            (latin_1.to_vec(), "it is not UTF-8 text: line 2 has the byte 0xF6"),
            (utf_16_of(TEXT, u16::to_be_bytes).split_off(20), zeros),
            (utf_16_of("\u{feff}1", u16::to_le_bytes)[..3].to_vec(), damaged),
            (utf_16_of("\u{feff}1\0", u16::to_le_bytes), damaged),
            (vec![0xff, 0xfe, 0x00, 0xd8], damaged),
        ] {
            for refused in read(&bytes) {
                let error = refused.unwrap_err().to_string();
                let expected = format!(
                    "{problem}; save the file as text in UTF-8, or check that this is the right file"
                );
                assert!(error.ends_with(&expected), "{error}");
            }
        }
    }
}
