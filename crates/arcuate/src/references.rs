//! The papers behind the methods, once for `--help` and for the report.

/// The REFERENCES part of a command's help.
pub(crate) fn help(references: &[&str]) -> String {
    let mut text = String::from("REFERENCES");
    for reference in references {
        text.push_str("\n  ");
        text.push_str(reference);
    }
    text
}
