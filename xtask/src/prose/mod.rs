//! `cargo xtask prose`: checks that the text of the project is plain English.
//!
//! The command reads documentation, help, comments and messages, splits them into sentences, and flags sentences that break a rule
//! of plain language. `--check` fails if more sentences break a rule than its limit allows.

mod code;
mod files;
mod limits;
mod literals;
mod markdown;
mod pages;
mod passages;
mod rules;
mod script;
#[cfg(test)]
mod tests;

use crate::process::{self, Outcome};
use limits::{Count, Counts};
use passages::{Kind, Sentence};
use rules::{Flag, Rules};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

const HELP: &str = "\
cargo xtask prose [OPTIONS] [PATH...]

Prints the sentences that break a rule of plain language, with file and line, and the totals by kind.

  --kind KIND   only docs, help, comments or strings
  --worst N     the N files with the most flagged sentences, instead of the sentences
  --check       fail if more sentences break a rule than its limit allows; most limits are 0
  --rules       print the rules
";

#[derive(Default)]
struct Options {
    paths: Vec<String>,
    kind: Option<Kind>,
    worst: Option<usize>,
    check: bool,
}

/// A sentence that breaks rules.
struct Flagged {
    file: String,
    kind: Kind,
    sentence: Sentence,
    flags: Vec<Flag>,
}

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{HELP}");
        return Ok(());
    }
    if arguments == ["--rules"] {
        print!("{}", list_of_rules());
        return Ok(());
    }
    let options = Options::read(arguments)?;
    let (counts, flagged) = read(&options)?;
    if options.check {
        let result = check(&flagged);
        print!("{}", totals(&counts));
        return result;
    }
    match options.worst {
        Some(maximum) => print!("{}", worst(&counts, maximum)),
        None => flagged.iter().for_each(|flagged| print!("{}", flagged.text())),
    }
    print!("{}", totals(&counts));
    Ok(())
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--check" => options.check = true,
                "--kind" => {
                    let kind = arguments.next().and_then(|name| Kind::of_name(name));
                    options.kind = Some(kind.ok_or("--kind needs docs, help, comments or strings")?);
                }
                "--worst" => {
                    let maximum = arguments.next().and_then(|number| number.parse().ok());
                    options.worst = Some(maximum.ok_or("--worst needs a number")?);
                }
                other if other.starts_with('-') => {
                    return Err(format!("prose has no option {other}\n\n{HELP}"));
                }
                path => options.paths.push(path.to_owned()),
            }
        }
        let is_part = options.kind.is_some() || options.worst.is_some() || !options.paths.is_empty();
        if options.check && is_part {
            return Err("--check reads all files; give it alone".to_owned());
        }
        Ok(options)
    }
}

/// Returns the numbers of sentences of all selected files, and their flagged sentences in order.
fn read(options: &Options) -> Result<(Counts, Vec<Flagged>), String> {
    let (root, rules) = (process::root(), Rules::new());
    let (mut counts, mut flagged) = (Counts::new(), Vec::new());
    let names = files::names(&options.paths)?;
    if names.is_empty() {
        return Err(format!(
            "{}: no file with text; give paths from the root of the checkout",
            options.paths.join(" ")
        ));
    }
    for name in names {
        let file = root.join(&name);
        // The file was deleted, but the deletion is not committed.
        if !file.is_file() {
            continue;
        }
        let bytes = fs::read(&file).map_err(|e| format!("{name}: {e}"))?;
        let text = String::from_utf8_lossy(&bytes);
        if files::is_generated(&text) {
            continue;
        }
        let (kinds, mut found) = flagged_of(&rules, &name, &text, options.kind);
        if !kinds.is_empty() {
            counts.insert(name, kinds);
        }
        found.sort_by_key(|flagged| flagged.sentence.line);
        flagged.append(&mut found);
    }
    Ok((counts, flagged))
}

/// Returns the numbers of sentences of a file, and its flagged sentences.
fn flagged_of(
    rules: &Rules,
    name: &str,
    text: &str,
    only: Option<Kind>,
) -> (BTreeMap<Kind, Count>, Vec<Flagged>) {
    let (mut counts, mut flagged) = (BTreeMap::<Kind, Count>::new(), Vec::new());
    for passage in files::passages(name, text) {
        let kind = passage.kind;
        if only.is_some_and(|only| only != kind) {
            continue;
        }
        for sentence in passage.sentences() {
            let flags = rules.flags(&sentence, &passage);
            let count =
                Count { sentences: 1, flagged: usize::from(!flags.is_empty()), words: sentence.words };
            counts.entry(kind).or_default().add(count);
            if !flags.is_empty() {
                flagged.push(Flagged { file: name.to_owned(), kind, sentence, flags });
            }
        }
    }
    (counts, flagged)
}

impl Flagged {
    fn rules(&self) -> Vec<&'static str> {
        self.flags.iter().map(|flag| flag.rule).collect()
    }

    fn text(&self) -> String {
        let flags: Vec<String> =
            self.flags.iter().map(|flag| format!("{}: {}", flag.rule, flag.advice)).collect();
        let Self { file, kind, sentence, .. } = self;
        format!("{file}:{}: {} ({})\n    {}\n", sentence.line, flags.join("; "), kind.name(), sentence.text)
    }
}

fn share(count: Count) -> f64 {
    100.0 * count.flagged as f64 / count.sentences.max(1) as f64
}

/// Returns a table with the numbers for each kind of text.
fn totals(counts: &Counts) -> String {
    let mut text =
        format!("{:<9} {:>9} {:>8} {:>7} {:>8}\n", "kind", "sentences", "flagged", "share", "words");
    let mut all = Count::default();
    let totals = limits::totals(counts);
    let rows = totals.iter().map(|(kind, count)| (kind.name(), *count));
    for count in totals.values() {
        all.add(*count);
    }
    for (name, count) in rows.chain([("all", all)]) {
        let Count { sentences, flagged, words } = count;
        let _ = writeln!(text, "{name:<9} {sentences:>9} {flagged:>8} {:>5.1} % {words:>8}", share(count));
    }
    text
}

/// Lists the files with the most flagged sentences, for each kind of text.
fn worst(counts: &Counts, maximum: usize) -> String {
    let mut files: Vec<(&str, Kind, Count)> = counts
        .iter()
        .flat_map(|(file, kinds)| kinds.iter().map(move |(kind, count)| (file.as_str(), *kind, *count)))
        .filter(|(_, _, count)| count.flagged > 0)
        .collect();
    files.sort_by_key(|(_, _, count)| std::cmp::Reverse(count.flagged));
    files.iter().take(maximum).fold(String::new(), |mut text, (file, kind, count)| {
        let _ = writeln!(text, "{:>5} of {:>5} {:<8} {file}", count.flagged, count.sentences, kind.name());
        text
    })
}

/// Lists every rule with its advice.
fn list_of_rules() -> String {
    let mut text = String::new();
    for (rule, advice) in rules::RULES {
        let _ = writeln!(text, "{rule:<9} {advice}");
    }
    for (phrase, better) in rules::WORDS {
        let _ = writeln!(text, "  {phrase}  →  {better}");
    }
    text
}

/// Prints the flagged sentences. Returns an error if more sentences break a rule than its limit allows.
fn check(flagged: &[Flagged]) -> Outcome {
    for flagged in flagged {
        print!("{}", flagged.text());
    }
    let exceeded = limits::exceeded(flagged.iter().map(Flagged::rules));
    if exceeded.is_empty() { Ok(()) } else { Err(format!("sentences are hard to read\n\n{exceeded}")) }
}
