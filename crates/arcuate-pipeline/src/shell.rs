//! Command lines in shell syntax.

use std::ffi::OsString;

/// Joins a program name and its arguments to a command line. Arguments with spaces or special characters are
/// quoted.
pub fn shell_line<'a>(words: impl IntoIterator<Item = &'a OsString>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| quoted(&word.to_string_lossy())).collect();
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_quoted_for_the_shell() {
        let words = ["arcuate", "run", "my scan.nii", "it's", "", "--out=a/b_1.2"].map(OsString::from);
        assert_eq!(shell_line(&words), r"arcuate run 'my scan.nii' 'it'\''s' '' --out=a/b_1.2");
    }
}
