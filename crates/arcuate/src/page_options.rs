//! Test of the documentation page for users of other tracking programs. Each option on the page must exist
//! and accept the value that the page shows.
//!
//! The page has tables with the column `arcuate track`. If a cell of this column names a command ("of
//! `track tensor`"), its options must belong to this command. If not, they may belong to any command
//! `arcuate track SOURCE`. The options of a command line in code must belong to the command of that line.

use crate::definition::definition;
use clap::{Arg, Command};
use std::path::Path;

const PAGE: &str = "../../docs/src/how-to/from-other-trackers.md";

/// Heading of the column with options of `arcuate track`.
const COLUMN: &str = "arcuate track";

/// Returns the parts of a line that are code.
fn code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Returns the option of a command with this name, unless the help hides it.
fn option<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|argument| argument.get_long() == Some(name) && !argument.is_hide_set())
}

fn accepts(argument: &Arg, value: &str) -> bool {
    let values = argument.get_possible_values();
    let is_listed = |word: &str| values.iter().any(|possible| possible.matches(word, false));
    argument.get_action().takes_values() && (values.is_empty() || value.split(',').all(is_listed))
}

/// Returns the problems of the options in a list of arguments without a command.
fn wrong_options(words: &[&str], commands: &[&Command]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let Some(name) = word.strip_prefix("--") else { continue };
        let found: Vec<&Arg> = commands.iter().filter_map(|command| option(command, name)).collect();
        if found.is_empty() {
            wrong.push(format!("no option --{name}"));
        } else if let Some(value) = words.get(place + 1).filter(|next| !next.starts_with("--"))
            && !found.iter().any(|argument| accepts(argument, value))
        {
            wrong.push(format!("--{name} does not take {value}"));
        }
    }
    wrong
}

/// Returns the problems of a command line, which starts with the word after `arcuate`.
fn wrong_line(line: &str, table: &Command) -> Vec<String> {
    let mut command = table;
    let mut words = line.split_whitespace().peekable();
    while let Some(below) = words.peek().and_then(|word| command.find_subcommand(word)) {
        command = below;
        words.next();
    }
    let words: Vec<&str> = words.collect();
    if command.get_name() == table.get_name() && !words.is_empty() {
        return vec![format!("no command {}", words[0])];
    }
    wrong_options(&words, &[command, table])
}

/// Returns the problems of a cell of the column.
fn wrong_cell(cell: &str, table: &Command) -> Vec<String> {
    let track = table.find_subcommand("track").unwrap();
    let named: Vec<&Command> =
        code(cell).filter_map(|piece| track.find_subcommand(piece.strip_prefix("track ")?)).collect();
    let mut commands = if named.is_empty() { track.get_subcommands().collect() } else { named };
    commands.push(table);
    code(cell)
        .filter(|piece| piece.starts_with("--"))
        .flat_map(|piece| wrong_options(&piece.split_whitespace().collect::<Vec<_>>(), &commands))
        .collect()
}

/// Returns the problems of a page, each with its line.
fn findings(page: &str, table: &Command) -> Vec<String> {
    let mut findings = Vec::new();
    let mut column = None;
    for line in page.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if !line.starts_with('|') {
            column = None;
        } else if let Some(place) = cells.iter().position(|cell| *cell == COLUMN) {
            column = Some(place);
        } else if let Some(cell) = column.and_then(|place| cells.get(place)) {
            findings.extend(wrong_cell(cell, table).into_iter().map(|wrong| format!("{wrong}: {line}")));
        }
        let lines = line.strip_prefix("    arcuate ").into_iter();
        let lines = lines.chain(code(line).filter_map(|piece| piece.strip_prefix("arcuate ")));
        for command in lines.filter(|command| *command != "track") {
            findings.extend(wrong_line(command, table).into_iter().map(|wrong| format!("{wrong}: {line}")));
        }
    }
    findings
}

#[test]
fn options_on_the_page_for_users_of_other_trackers_exist() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page.matches(&format!("| {COLUMN} |")).count() >= 4, "the page has lost its tables");
    let wrong = findings(&page, &definition());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn unknown_options_values_and_commands_on_a_page_are_detected() {
    let table = definition();
    let rows = |cell: &str| format!("| theirs | arcuate track |\n|---|---|\n| `--x` | {cell} |\n");
    for page in [
        rows("`--stride`"),
        rows("`--angle` and `--stride`"),
        rows("`--waypoint-condition some`"),
        rows("`--five-tissues` of `track geodesic`"),
        "`arcuate follow x`".to_owned(),
        "`arcuate track fod wm.nii.gz --stride 1`".to_owned(),
        "    arcuate track tensor tensor.nii.gz --method arcs\n".to_owned(),
    ] {
        assert!(!findings(&page, &table).is_empty(), "{page}");
    }
    for page in [
        rows("`--waypoint-condition all`, half a voxel"),
        rows("none; `--threads`"),
        "| `--stride` | other |\n`arcuate track fod wm.nii.gz --method arcs`".to_owned(),
    ] {
        assert_eq!(findings(&page, &table), Vec::<String>::new(), "{page}");
    }
}
