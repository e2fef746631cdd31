//! Examples of each command, which its help and its manual page show.

/// Heading of the examples in the help.
pub(crate) const HEADING: &str = "Examples:";

/// For each command, its name without `arcuate` and its examples: the task of the example and its command line.
/// A test runs all of them.
const EXAMPLES: &str = include_str!("examples.txt");

/// Returns the examples of a command: the task and the command line of each. `command` is its name without
/// `arcuate`. There are no examples for `arcuate` itself and for `help`.
pub(crate) fn of(command: &str) -> Vec<[&'static str; 2]> {
    let mut lines = EXAMPLES.lines().skip_while(|line| *line != command).skip(1);
    let lines = std::iter::from_fn(|| lines.next().and_then(|line| line.strip_prefix("  ")));
    let lines: Vec<&str> = lines.collect();
    lines.chunks_exact(2).map(|pair| [pair[0].trim_end_matches(':'), pair[1].trim_start()]).collect()
}

/// Returns the section with examples for the help of a command.
pub(crate) fn help(command: &str) -> String {
    let lines = of(command).into_iter().map(|[what, line]| format!("\n  {what}:\n    {line}"));
    lines.fold(HEADING.to_owned(), |text, line| text + &line)
}
