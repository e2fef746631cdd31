//! Test: an option has the same meaning in every command that has this option.
//!
//! The meaning of an option is the beginning of its help, up to a semicolon, colon or full stop. It must be
//! equal in all commands. The rest of the help may differ: for example, the default and the accepted formats.
//! Between the commands `arcuate track SOURCE`, only the defaults may differ.

use crate::cli::Cli;
use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};
use std::collections::{BTreeMap, BTreeSet};

/// Options whose value has different names in different commands, each with the reason. Options may be
/// removed from this list, but none may be added.
const OTHER_VALUES: &[(&str, &str)] = &[
    ("--out", "a folder where a command writes several files, a file where it writes one"),
    (
        "--resume",
        "chains end in a file that has any name, a run that is interrupted in the folder of its results",
    ),
];

/// The commands that track streamlines. An option that several of them have must behave in the same way in
/// all.
const SOURCES: [&str; 6] =
    ["track tensor", "track fod", "track samples", "track peaks", "track bootstrap", "track geodesic"];

/// Help text of an option in one command, split into its parts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct OptionText {
    value: String,
    meaning: String,
    detail: String,
}

impl OptionText {
    fn of(argument: &Arg) -> Self {
        let help = argument.get_help().map(StyledStr::to_string).unwrap_or_default();
        let end = ["; ", ". ", ": "].into_iter().filter_map(|mark| help.find(mark)).min();
        let (meaning, detail) = end.map_or((help.as_str(), ""), |end| (&help[..end], &help[end + 2..]));
        let names = argument.get_value_names().unwrap_or_default().join(" ");
        let value = if argument.get_action().takes_values() { names } else { String::new() };
        Self { value, meaning: meaning.to_owned(), detail: detail.to_owned() }
    }
}

/// Returns a detail without its default.
fn without_default(detail: &str) -> String {
    let has_none = |clause: &&str| !(clause.contains("by default") || clause.contains("[default: "));
    detail.split("; ").filter(has_none).collect::<Vec<_>>().join("; ")
}

/// Compares the commands that track streamlines. Returns the options whose help differs between them, apart
/// from the default.
fn behaviours(options: &BTreeMap<String, Vec<(String, OptionText)>>) -> Vec<String> {
    let mut findings = Vec::new();
    for (name, of_all) in options {
        let mut of_sources = of_all.iter().filter(|(command, _)| SOURCES.contains(&command.as_str()));
        let Some((first, known)) = of_sources.next() else { continue };
        let known = without_default(&known.detail);
        for (command, option_text) in of_sources {
            let detail = without_default(&option_text.detail);
            if detail != known {
                findings.push(format!("{name}: in `{first}` ‘{known}’, in `{command}` ‘{detail}’"));
            }
        }
    }
    findings
}

/// Returns all options by name, with their help text in each command. The commands of FSL's programs are
/// excluded, because their options are FSL's.
fn all() -> BTreeMap<String, Vec<(String, OptionText)>> {
    // Uses the value names that the source code states. Later, an option with few possible values gets these
    // as the name of its value.
    let mut waiting = vec![(String::new(), Cli::command())];
    let mut options: BTreeMap<String, Vec<(String, OptionText)>> = BTreeMap::new();
    while let Some((name, command)) = waiting.pop() {
        let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
        for long in shown.filter_map(|argument| Some((argument, argument.get_long()?))) {
            options.entry(format!("--{}", long.1)).or_default().push((name.clone(), OptionText::of(long.0)));
        }
        let below =
            |sub: &Command| (format!("{name} {}", sub.get_name()).trim_start().to_owned(), sub.clone());
        waiting.extend(command.get_subcommands().map(below));
    }
    for of_all in options.values_mut() {
        of_all.sort();
    }
    options
}

/// Returns a message for each option name with two meanings, and for each meaning with two option names.
fn findings(
    options: &BTreeMap<String, Vec<(String, OptionText)>>,
    other_values: &[(&str, &str)],
) -> Vec<String> {
    let mut findings = Vec::new();
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, of_all) in options {
        let (first, known) = &of_all[0];
        let may_differ = other_values.iter().any(|(option, _)| option == name);
        let differs = |(_, option_text): &&(String, OptionText)| option_text.value != known.value;
        match of_all.iter().find(differs) {
            Some((command, option_text)) if !may_differ => findings.push(format!(
                "{name}: the value is {} in `{first}` and {} in `{command}`",
                known.value, option_text.value
            )),
            None if may_differ => {
                findings.push(format!("{name}: its values do not differ: take it off the list"));
            }
            _ => {}
        }
        for (command, option_text) in
            of_all.iter().filter(|(_, option_text)| option_text.meaning != known.meaning)
        {
            findings.push(format!(
                "{name}: in `{first}` it means ‘{}’, in `{command}` ‘{}’: give one of the two another name, or say the same",
                known.meaning, option_text.meaning
            ));
        }
        for meaning in
            of_all.iter().map(|(_, option_text)| option_text.meaning.as_str()).collect::<BTreeSet<_>>()
        {
            if let Some(other) = names.insert(meaning, name) {
                findings.push(format!("{other} and {name} both mean ‘{meaning}’"));
            }
        }
    }
    findings
}

#[test]
fn option_names_have_one_meaning() {
    let options = all();
    assert!(options.len() > 200, "{} are too few: they are not found", options.len());
    let findings = findings(&options, OTHER_VALUES);
    assert!(findings.is_empty(), "{} findings\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn tracking_sources_differ_only_in_defaults() {
    let options = all();
    let is_known = |source: &&str| options.values().flatten().any(|(command, _)| command == source);
    assert!(SOURCES.iter().all(is_known));
    let findings = behaviours(&options);
    assert!(findings.is_empty(), "{} findings\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn differing_option_details_are_detected() {
    let option_text =
        |detail: &str| OptionText { value: "MM".into(), meaning: "How far".into(), detail: detail.into() };
    let with = |detail: &str| {
        let of_all = vec![
            ("track fod".to_owned(), option_text("5 by default")),
            ("track peaks".to_owned(), option_text(detail)),
        ];
        BTreeMap::from([("--far".to_owned(), of_all)])
    };
    assert_eq!(behaviours(&with("[default: 3, with --near 2]")), [""; 0]);
    assert_eq!(
        behaviours(&with("longer ones are discarded; 3 by default")),
        ["--far: in `track fod` ‘’, in `track peaks` ‘longer ones are discarded’"]
    );
}

#[test]
fn options_with_two_meanings_are_detected() {
    let option_text = |value: &str, meaning: &str, detail: &str| OptionText {
        value: value.into(),
        meaning: meaning.into(),
        detail: detail.into(),
    };
    let with = |second: OptionText| {
        let of_all =
            vec![("a".to_owned(), option_text("N", "How many", "5 by default")), ("b".to_owned(), second)];
        BTreeMap::from([("--many".to_owned(), of_all)])
    };
    assert_eq!(findings(&with(option_text("N", "How many", "all by default")), &[]), [""; 0]);
    assert_eq!(
        findings(&with(option_text("N", "How far", "")), &[]),
        [
            "--many: in `a` it means ‘How many’, in `b` ‘How far’: give one of the two another name, or say the same"
        ]
    );
    let of_files = with(option_text("FILE", "How many", ""));
    assert_eq!(findings(&of_files, &[]), ["--many: the value is N in `a` and FILE in `b`"]);
    assert_eq!(findings(&of_files, &[("--many", "a reason")]), [""; 0]);
    let same = with(option_text("N", "How many", ""));
    let idle = findings(&same, &[("--many", "a reason")]);
    assert_eq!(idle, ["--many: its values do not differ: take it off the list"]);
    let mut two = same.clone();
    two.insert("--number".into(), same["--many"].clone());
    assert_eq!(findings(&two, &[]), ["--many and --number both mean ‘How many’"]);
    let argument = Arg::new("x").long("x").value_name("MM").help("How far, in mm; 4 by default. Or so");
    assert_eq!(OptionText::of(&argument), option_text("MM", "How far, in mm", "4 by default. Or so"));
    let argument = Arg::new("x").long("x").action(clap::ArgAction::SetTrue).help("Far. Very; far");
    assert_eq!(OptionText::of(&argument), option_text("", "Far", "Very; far"));
}
