//! Every option of every command changes something or is an error. `table.txt` states the effect of each
//! option. The test fails if an option is not in the table.

pub(crate) mod inputs;
mod same_meaning;

use crate::common::{CommandOutput, Files, Scratch, listed};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

const TABLE: &str = include_str!("../../options/table.txt");

/// A valid command line, and the options of its command.
struct Section {
    command: String,
    base: Vec<String>,
    rows: Vec<Row>,
}

/// An option of the table.
struct Row {
    name: String,
    value: Option<String>,
    clauses: BTreeMap<String, Vec<String>>,
}

impl Row {
    fn read(line: &str) -> Self {
        let (option, clauses) = line.split_once(" | ").unwrap_or((line, ""));
        let (name, value) = match option.split_once(' ') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option, None),
        };
        let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for clause in clauses.split(';').map(str::trim).filter(|clause| !clause.is_empty()) {
            let (word, rest) = clause.split_once(' ').unwrap_or((clause, ""));
            let known = [
                "with",
                "together",
                "without",
                "instead",
                "needed",
                "fails",
                "alone",
                "not",
                "takes",
                "required",
                "says",
                "same",
                "refused",
                "elsewhere",
            ];
            assert!(known.contains(&word), "table.txt: `{word}` of {name} is no clause");
            all.entry(word.to_owned())
                .or_default()
                .extend(rest.split(' ').filter(|w| !w.is_empty()).map(str::to_owned));
        }
        Self { name: name.to_owned(), value, clauses: all }
    }

    fn has(&self, clause: &str) -> bool {
        self.clauses.contains_key(clause)
    }

    fn words(&self, clause: &str) -> &[String] {
        self.clauses.get(clause).map_or(&[], Vec::as_slice)
    }

    fn option(&self) -> Vec<String> {
        std::iter::once(self.name.clone()).chain(self.value.clone()).collect()
    }

    /// Values that must be rejected. For a number, these are nan, inf and -1, unless the table permits them.
    /// The table can contain further values.
    fn refused_values(&self) -> Vec<String> {
        let is_number = |value: &String| value.split(',').all(|part| part.parse::<f64>().is_ok());
        let usual: &[&str] =
            if self.value.as_ref().is_some_and(is_number) { &["nan", "inf", "-1"] } else { &[] };
        let taken = |value: &&&str| !self.words("takes").iter().any(|word| word == **value);
        let usual = usual.iter().filter(taken).map(|&value| value.to_owned());
        usual.chain(self.words("not").iter().cloned()).collect()
    }
}

fn table() -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix('[') {
            let (command, base) = header.split_once(']').expect("a section");
            let base = base.split_whitespace().map(str::to_owned).collect();
            sections.push(Section { command: command.to_owned(), base, rows: Vec::new() });
        } else {
            sections.last_mut().expect("a section before its options").rows.push(Row::read(line));
        }
    }
    sections
}

/// The files and the messages of a command.
struct Outcome {
    result: CommandOutput,
    /// Results without the parts that differ between runs: times and the command line.
    results: Files,
}

struct Fixture {
    inputs: Files,
    /// Folders with the inputs in which no command runs. Thousands of commands reuse a few folders.
    idle: Mutex<Vec<Scratch>>,
    /// Outcomes of command lines without the tested option. Many options have the same line.
    known: Mutex<BTreeMap<String, Arc<OnceLock<Arc<Outcome>>>>>,
    findings: Mutex<Vec<String>>,
}

impl Fixture {
    fn run(&self, words: &[String]) -> Outcome {
        let idle = self.idle.lock().unwrap().pop();
        let scratch = idle.unwrap_or_else(|| Scratch::with(&self.inputs));
        let result = scratch.run(&words.join(" "));
        let mut results = scratch.files(".");
        scratch.restore(&self.inputs);
        self.idle.lock().unwrap().push(scratch);
        results.retain(|name, bytes| self.inputs.get(name) != Some(bytes));
        for (name, bytes) in &mut results {
            *bytes = timeless(name, bytes);
        }
        Outcome { result, results }
    }

    fn run_once(&self, words: &[String]) -> Arc<Outcome> {
        let known = Arc::clone(self.known.lock().unwrap().entry(words.join(" ")).or_default());
        // Several threads can need the same line at the same time.
        Arc::clone(known.get_or_init(|| Arc::new(self.run(words))))
    }

    fn finding(&self, what: String) {
        self.findings.lock().unwrap().push(what);
    }

    /// Tries one option.
    fn try_row(&self, section: &Section, row: &Row) {
        let command = section.command.split(' ').map(str::to_owned);
        let mut line: Vec<String> = if section.command == "*" { Vec::new() } else { command.collect() };
        line.extend(section.base.iter().cloned());
        for word in row.words("without") {
            let place = line.iter().position(|known| known == word);
            line.remove(place.unwrap_or_else(|| panic!("{}: `{word}` is not in the line", row.name)));
        }
        if let [old, new] = row.words("instead") {
            let word =
                line.iter_mut().find(|word| *word == old).unwrap_or_else(|| panic!("{}: no {old}", row.name));
            word.clone_from(new);
        }
        let named = format!("[{}] {}", section.command, row.option().join(" "));
        if row.has("elsewhere") {
            return;
        }
        if row.has("required") {
            let place = line.iter().position(|word| *word == row.name).unwrap_or_else(|| panic!("{named}"));
            line.drain(place..place + row.option().len());
            self.must_refuse(&line, &[], &format!("{named}: left out"), true);
            return;
        }
        let with = [&line[..], row.words("with")].concat();
        let whole = [&with[..], row.words("together")].concat();
        if row.has("refused") {
            self.must_refuse(&whole, &row.option(), &named, true);
            return;
        }
        let with_option = [&whole[..], &row.option()].concat();
        if row.has("needed") {
            self.must_refuse(&with, &[], &format!("{named}: left out"), false);
            let result = self.run(&with_option).result;
            if result.code != 0 {
                self.finding(format!("{named}: the command fails: {}", result.errors));
            }
        } else if row.has("fails") {
            let (before, after) = (self.run_once(&with), self.run(&with_option));
            if (before.result.code, after.result.code) != (0, 1) {
                self.finding(format!("{named}: it does not make the command fail: {}", after.result.errors));
            }
        } else {
            self.must_matter(row, &with, &with_option, &named);
        }
        for value in row.refused_values() {
            let option = [format!("{}={value}", row.name)];
            self.must_refuse(&whole, &option, &format!("{named}: {value}"), false);
        }
        if row.has("alone") {
            self.must_refuse(&line, &row.option(), &format!("{named}: alone"), true);
        }
    }

    fn must_refuse(&self, line: &[String], option: &[String], what: &str, as_usage: bool) {
        let Outcome { result, results } = self.run(&[line, option].concat());
        let errors = result.errors.lines().filter(|line| line.starts_with("error: ")).count();
        // The exit code is 1 if a number is rejected by a file or a library instead of the command line.
        let is_refused = result.code == 2 || !as_usage && result.code == 1;
        if !is_refused || errors != 1 || !results.is_empty() {
            let left: Vec<&String> = results.keys().collect();
            self.finding(format!(
                "{what}: is not refused: code {}, leaves {left:?}: {}",
                result.code, result.errors
            ));
        }
    }

    fn must_matter(&self, row: &Row, line: &[String], with_option: &[String], what: &str) {
        let (before, after) = (self.run_once(line), self.run(with_option));
        for (outcome, which) in [(&*before, "without it"), (&after, "with it")] {
            if outcome.result.code != 0 {
                self.finding(format!("{what}: {which} the command fails: {}", outcome.result.errors));
                return;
            }
        }
        let other_results = before.results != after.results;
        let other_words =
            before.result.output != after.result.output || before.result.errors != after.result.errors;
        let (wrong, how) = if row.has("same") {
            (other_results, "changes results")
        } else if row.has("says") {
            (!other_words, "changes nothing that is said")
        } else {
            (!other_results && (!after.results.is_empty() || !other_words), "changes nothing")
        };
        if wrong {
            self.finding(format!("{what}: {how}"));
        }
    }
}

/// A result without the parts that differ between runs.
fn timeless(name: &str, bytes: &[u8]) -> Vec<u8> {
    let ending = name.rsplit('.').next().unwrap_or_default();
    if ending == "json" && !name.contains(".trx/") {
        let record: Value = serde_json::from_slice(bytes).expect("a record");
        let figures = record["figures"].as_object().cloned().unwrap_or_default();
        let figures: Vec<_> = figures.into_iter().filter(|(_, figure)| figure["unit"] != "s").collect();
        let kept = ["files", "warnings", "lesions", "tables"].map(|key| record[key].clone());
        return format!("{figures:?} {kept:?}").into_bytes();
    }
    if ending == "html" {
        // Only the pictures are compared, because the text contains times and the command line.
        let page = String::from_utf8_lossy(bytes);
        let pictures = page.split("<img src=\"").skip(1).filter_map(|rest| rest.split('"').next());
        return pictures.collect::<Vec<_>>().join("\n").into_bytes();
    }
    if name.ends_with("_trace.csv") {
        let text = String::from_utf8_lossy(bytes);
        let rows = text.lines().map(|line| line.rsplit_once(',').map_or(line, |(row, _)| row));
        return rows.collect::<Vec<_>>().join("\n").into_bytes();
    }
    bytes.to_vec()
}

/// The options of each command in its help, and the options of every command. `help.rs` tests `--cite`. FSL's
/// programs are not included. `bedpostx.rs`, `probtrackx2.rs` and `fsl_tools.rs` test them.
fn options_of_all() -> (BTreeMap<String, BTreeSet<String>>, BTreeSet<String>) {
    let scratch = Scratch::new();
    let options = |help: &str| -> BTreeSet<String> {
        // Lines of text can also begin with an option, but further to the right.
        let starts = help.lines().filter(|line| line.starts_with("      --") || line.starts_with("  -"));
        // The names of repeatable options end with dots.
        let name = |word: &str| word.trim_end_matches("...").to_owned();
        let long = |line: &str| line.split_whitespace().find(|word| word.starts_with("--")).map(name);
        let untested = ["--help", "--version", "--cite"];
        starts.filter_map(long).filter(|name| !untested.contains(&name.as_str())).collect()
    };
    let everywhere = "Options of every command:\n";
    let mut of_each = BTreeMap::new();
    let mut of_every = BTreeSet::new();
    let mut waiting = listed(&scratch.succeed("--help"));
    while let Some(command) = waiting.pop() {
        let help = scratch.succeed(&format!("{command} --help"));
        waiting.extend(listed(&help).into_iter().map(|name| format!("{command} {name}")));
        let (own, global) = help.split_once(everywhere).unwrap_or_else(|| panic!("{command}: {help}"));
        of_every.extend(options(global));
        // A command that only has subcommands has no options of its own.
        let is_a_group = !listed(&help).is_empty() && options(own).is_empty();
        if !is_a_group {
            of_each.insert(command, options(own));
        }
    }
    (of_each, of_every)
}

#[test]
fn every_option_is_in_the_table() {
    let (of_each, of_every) = options_of_all();
    assert!(of_each.len() > 20 && of_every.len() > 5, "{of_each:?} {of_every:?}");
    let sections = table();
    let names = |section: &Section| section.rows.iter().map(|row| row.name.clone()).collect::<BTreeSet<_>>();
    let shared = sections.iter().find(|section| section.command == "*").map(names).expect("a section [*]");
    let mut known = BTreeMap::new();
    for section in sections.iter().filter(|section| section.command != "*") {
        known
            .insert(section.command.clone(), names(section).union(&shared).cloned().collect::<BTreeSet<_>>());
    }
    let mut findings = Vec::new();
    for (command, own) in &of_each {
        let all: BTreeSet<String> = own.union(&of_every).cloned().collect();
        let Some(known) = known.remove(command) else {
            findings.push(format!("[{command}] is not in table.txt"));
            continue;
        };
        for option in all.difference(&known) {
            findings.push(format!("[{command}] {option} is not in table.txt: say there what it changes"));
        }
        for option in known.difference(&all) {
            findings.push(format!("[{command}] {option} is in table.txt, and no option"));
        }
    }
    findings.extend(known.into_keys().map(|command| format!("[{command}] is no command")));
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn tests_listed_in_the_table_exist() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let mut texts = String::new();
    let mut folders = vec![crates.join("arcuate/tests")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                texts += &std::fs::read_to_string(path).unwrap();
            }
        }
    }
    let mut seen = 0;
    for row in table().iter().flat_map(|section| &section.rows) {
        for named in row.words("elsewhere") {
            let name = named.trim_matches('`');
            let is_there = if name.contains('/') {
                crates.join(name).is_file()
            } else {
                texts.contains(&format!("fn {name}()"))
            };
            assert!(is_there, "table.txt: {}: there is no test {name}", row.name);
            seen += 1;
        }
    }
    assert!(seen > 5, "{seen} are too few: they are not found");
}

#[test]
fn every_option_changes_something_or_is_an_error() {
    let fixture = Fixture {
        inputs: inputs::make(),
        idle: Mutex::default(),
        known: Mutex::default(),
        findings: Mutex::default(),
    };
    let sections = table();
    let rows: Vec<(&Section, &Row)> =
        sections.iter().flat_map(|section| section.rows.iter().map(move |row| (section, row))).collect();
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((section, row)) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    fixture.try_row(section, row);
                }
            });
        }
    });
    let findings = fixture.findings.into_inner().unwrap();
    assert!(findings.is_empty(), "{} findings\n{}", findings.len(), findings.join("\n"));
}
