//! The papers behind the methods, once for `--help` and for the report.

/// What stands above them in the help.
const HEADING: &str = "REFERENCES";

/// The REFERENCES part of a command's help.
pub(crate) fn help<T: AsRef<str>>(references: &[T]) -> String {
    let mut text = String::from(HEADING);
    for reference in references {
        text.push_str("\n  ");
        text.push_str(reference.as_ref());
    }
    text
}

/// The references in the help of a command.
pub(crate) fn of_command(definition: &clap::Command) -> Vec<String> {
    let help = definition.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    help.lines().filter(|line| *line != HEADING).map(|line| line.trim().to_owned()).collect()
}
