//! Examples of each command, which its help and its manual page show.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Heading of the examples in the help.
pub(crate) const HEADING: &str = "Examples:";

/// For each command, its name without `arcuate` and its examples: the task of the example and its command line.
/// A test runs all of them.
const EXAMPLES: &str = include_str!("examples.txt");

/// The lines of each command in [`EXAMPLES`]. Each start of the program reads the examples of all commands.
static LINES: LazyLock<BTreeMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut all: BTreeMap<&'static str, Vec<&'static str>> = BTreeMap::new();
    let mut of_command = &mut Vec::new();
    for line in EXAMPLES.lines() {
        match line.strip_prefix("  ") {
            Some(line) => of_command.push(line),
            None => of_command = all.entry(line).or_default(),
        }
    }
    all
});

/// Returns the examples of a command: the task and the command line of each. `command` is its name without
/// `arcuate`. There are no examples for `arcuate` itself and for `help`.
pub(crate) fn of(command: &str) -> Vec<[&'static str; 2]> {
    let lines = LINES.get(command).map_or(&[][..], Vec::as_slice);
    lines.chunks_exact(2).map(|pair| [pair[0].trim_end_matches(':'), pair[1].trim_start()]).collect()
}

/// Returns the section with examples for the help of a command.
pub(crate) fn help(command: &str) -> String {
    let lines = of(command).into_iter().map(|[what, line]| format!("\n  {what}:\n    {line}"));
    lines.fold(HEADING.to_owned(), |text, line| text + &line)
}
