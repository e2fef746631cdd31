//! Names of commands, options and models of other programs, and their replacements in Arcuate. The names are
//! in the file `hints.toml`.

use arcuate_core::{Error, closest};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The content of `hints.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    tasks: Vec<Task>,
    /// For each name of a model in another program, the advice what to use in Arcuate.
    models: BTreeMap<String, String>,
    /// For each option of another program, the options of Arcuate that correspond to it. Different commands
    /// have different ones.
    options: BTreeMap<String, Vec<String>>,
    /// For each option of another program to which no option of Arcuate corresponds, the advice what to do.
    options_without_counterpart: BTreeMap<String, String>,
}

/// A task (for example, computing a brain mask), with the commands of other programs that do it.
#[derive(Deserialize)]
struct Task {
    /// The task in a few words.
    #[cfg_attr(not(test), expect(dead_code, reason = "only the page of the documentation shows the task"))]
    #[serde(rename = "task")]
    title: String,
    /// Advice if Arcuate has a counterpart.
    here: Option<String>,
    /// Advice if Arcuate has no counterpart.
    elsewhere: Option<String>,
    /// Names of Arcuate's commands that would do this task if they existed. A test checks that they do not
    /// exist.
    #[serde(default)]
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "only a test compares the names with the command line")
    )]
    would_be: Vec<String>,
    /// Words for this task that are not commands of any program.
    #[serde(default)]
    words: Vec<String>,
    /// Commands for the task, by program.
    #[serde(flatten)]
    commands: BTreeMap<String, Vec<String>>,
}

#[expect(clippy::expect_used, reason = "the table is part of the program, and a test reads it")]
static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("hints.toml")).expect("a valid table"));

/// Options that other programs use for inputs.
pub(crate) const INPUTS: &[&str] = &["-i", "--in", "--input", "-k", "--data", "--dwi-file"];

impl Task {
    fn advice(&self) -> &str {
        self.here.as_ref().or(self.elsewhere.as_ref()).map_or("", String::as_str)
    }

    /// Returns all names for this task: each command with its program, and each other word with `None`.
    fn names(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        let of_programs = self
            .commands
            .iter()
            .flat_map(|(program, names)| names.iter().map(|name| (Some(program.as_str()), name.as_str())));
        of_programs.chain(self.words.iter().map(|word| (None, word.as_str())))
    }

    /// Returns the error for a word that is a command of another program or another word for this task. The
    /// error contains the advice for the task.
    fn error(&self, name: &str, program: Option<&str>) -> Error {
        let problem = match (program, &self.here) {
            (Some(program), Some(_)) => format!("a command of {program}"),
            (Some(program), None) => format!("a command of {program} without a counterpart in Arcuate"),
            (None, Some(_)) => "unknown command".to_owned(),
            (None, None) => "unknown command without a counterpart in Arcuate".to_owned(),
        };
        Error::usage(name, problem, self.advice())
    }
}

/// Simplifies a name for comparison: lower case, and `_` instead of `-`. Also removes the file name ending of
/// a script, and an opening bracket with the text after it.
fn simplified(name: &str) -> String {
    let name = name.to_lowercase().replace('-', "_");
    let name = name.split('(').next().unwrap_or_default();
    [".py", ".sh"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name).to_owned()
}

/// Returns all names in the table, each with its task and its program.
fn names() -> impl Iterator<Item = (&'static Task, Option<&'static str>, &'static str)> {
    TABLE.tasks.iter().flat_map(|task| task.names().map(move |(program, name)| (task, program, name)))
}

/// If the name is a command of another program, or another word for a task, returns the error with the advice
/// for this task.
pub(crate) fn command_meant(name: &str) -> Option<Error> {
    let simple = simplified(name);
    let (task, program, _) = names().find(|(.., known)| simplified(known) == simple)?;
    Some(task.error(name, program))
}

/// Returns advice for an unknown command with a name similar to a known one. `own` are the subcommands of
/// `command`. If `command` is `arcuate`, the commands of other programs are also compared.
pub(crate) fn similar_command<'a>(
    name: &str,
    command: &str,
    own: impl Iterator<Item = &'a str>,
) -> Option<String> {
    let simple = simplified(name);
    let own: Vec<&str> = own.collect();
    let of_others: Vec<(&Task, Option<&str>, &str, String)> = if command == "arcuate" {
        names().map(|(task, program, known)| (task, program, known, simplified(known))).collect()
    } else {
        Vec::new()
    };
    let all = own.iter().copied().chain(of_others.iter().map(|(.., simple)| simple.as_str()));
    let near = closest(&simple, all)?;
    if own.contains(&near) {
        return Some(format!("did you mean `{command} {near}`?"));
    }
    let (task, program, known, _) = of_others.iter().find(|(.., simple)| simple == near)?;
    let known = match program {
        Some(program) => format!("{known} of {program}"),
        None => (*known).to_owned(),
    };
    Some(format!("did you mean {known}? Then {}", task.advice()))
}

/// If the name is a signal model of another program, returns the error with the advice for this model.
pub(crate) fn model_meant(name: &str) -> Option<Error> {
    let advice = TABLE.models.get(&name.to_lowercase().replace('_', "-"))?;
    Some(Error::usage(name, "no model has this name", advice))
}

/// Returns the option of Arcuate that corresponds to `theirs`, an option of another program. `has` states
/// whether the command has an option.
pub(crate) fn ours(theirs: &str, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    TABLE.options.get(theirs)?.iter().map(String::as_str).find(|ours| has(ours))
}

/// Returns the advice for an option of another program to which no option of Arcuate corresponds.
pub(crate) fn not_available(theirs: &str) -> Option<&'static str> {
    TABLE.options_without_counterpart.get(theirs).map(String::as_str)
}

/// Returns each name in the table with its advice, as one sentence.
#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = String> {
    let commands = names().map(|(task, _, name)| format!("{name}: {}", task.advice()));
    let others = TABLE.models.iter().chain(&TABLE.options_without_counterpart);
    commands.chain(others.map(|(name, advice)| format!("{name}: {advice}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::definition;
    use crate::python_keywords::require_text;
    use arcuate_model::models::model_names;
    use clap::Command;
    use std::collections::BTreeSet;
    use std::fmt::Write;
    use std::path::Path;

    /// The programs whose commands are in the table, in the order in which each row of the documentation page
    /// lists them.
    const PROGRAMS: [&str; 9] =
        ["MRtrix", "FSL", "DIPY", "scilpy", "TractSeg", "COMMIT", "AMICO", "QSIPrep", "QSIRecon"];

    const PAGE: &str = "../../docs/src/reference/commands-of-other-programs.md";

    /// Names of the commands that the other programs install. The name of a program and a colon are before
    /// each list of its commands.
    const INSTALLED: &str = include_str!("../tests/options/commands_of_other_programs.txt");

    fn has(command: &Command, option: &str) -> bool {
        let long = option.trim_start_matches("--");
        command.get_arguments().any(|argument| argument.get_long() == Some(long))
    }

    /// True if the name is one of FSL's programs that Arcuate replaces by a program with the same name.
    fn is_program_of_fsl(name: &str) -> bool {
        arcuate_fsl::page(name).is_some()
    }

    /// True if Arcuate has a command, an option of a command, or a signal model with this name.
    fn exists(name: &str, definition: &Command) -> bool {
        let mut command = definition;
        name.split(' ').all(|word| {
            if word.starts_with("--") {
                return has(command, word);
            }
            let is_model = command.get_name() == "fit" && model_names().any(|model| model == word);
            match command.find_subcommand(word) {
                Some(below) => {
                    command = below;
                    true
                }
                None => is_model,
            }
        })
    }

    #[test]
    fn each_foreign_command_has_one_entry() {
        let definition = definition();
        let mut seen = BTreeSet::new();
        for (task, program, name) in names() {
            assert!(task.here.is_some() != task.elsewhere.is_some(), "{}", task.title);
            assert_eq!(task.elsewhere.is_some(), !task.would_be.is_empty(), "{}", task.title);
            assert!(!task.advice().contains("; "), "{}: the advice follows a semicolon", task.title);
            assert!(program.is_none_or(|program| PROGRAMS.contains(&program)), "{program:?}");
            assert!(seen.insert(simplified(name)), "{name} is in the table twice");
            assert!(definition.find_subcommand(name).is_none(), "{name} is a command of Arcuate");
        }
    }

    #[test]
    fn hints_refer_to_existing_commands() {
        let definition = definition();
        let of_tasks = TABLE.tasks.iter().map(Task::advice);
        for advice in of_tasks.chain(TABLE.models.values().map(String::as_str)) {
            for line in advice.split('`').skip(1).step_by(2) {
                let mut command = &definition;
                let words: Vec<&str> = line.trim_start_matches("arcuate ").split(' ').collect();
                if is_program_of_fsl(words[0]) {
                    continue;
                }
                for (place, word) in words.iter().enumerate() {
                    if let Some(below) = command.find_subcommand(word) {
                        command = below;
                    } else if word.starts_with("--") {
                        assert!(has(command, word), "{advice}: no {word}");
                    } else if place == 1 && command.get_name() == "fit" && !word.starts_with("./") {
                        assert!(model_names().any(|model| model == *word), "{advice}: no model {word}");
                    }
                }
                assert_ne!(command.get_name(), "arcuate", "{advice}: `{line}`");
            }
            // An option in the text of the advice, outside of a command line, belongs to one of the commands
            // that the advice names.
            let first = advice.split('`').nth(1).unwrap_or_default();
            let outside = advice.split('`').step_by(2).flat_map(|text| text.split([' ', ',', ';', '.']));
            for option in outside.filter(|word| word.starts_with("--")) {
                let named = advice.split('`').skip(1).step_by(2);
                let known = named.into_iter().any(|line| {
                    let words: Vec<&str> = line.trim_start_matches("arcuate ").split(' ').collect();
                    let command = words
                        .iter()
                        .try_fold(&definition, |command, word| command.find_subcommand(word).ok_or(command));
                    has(command.unwrap_or_else(|last| last), option)
                });
                assert!(known, "{advice}: `{first}` has no {option}");
            }
        }
    }

    /// If Arcuate has no command for a task, the table lists names of commands that would do it. As soon as
    /// such a command exists, the advice is wrong.
    #[test]
    fn tasks_without_a_counterpart_have_none() {
        let definition = definition();
        for task in &TABLE.tasks {
            for command in &task.would_be {
                assert!(!exists(command, &definition), "{}: `arcuate {command}` exists", task.title);
            }
        }
        assert!(exists("evaluate commit --dwi", &definition) && exists("fit noddi-watson", &definition));
    }

    #[test]
    fn every_foreign_command_has_a_one_line_hint() {
        let definition = definition();
        let mut counts = BTreeMap::new();
        let mut program = "";
        for line in INSTALLED.lines().filter(|line| !line.starts_with('#')) {
            for word in line.split_whitespace() {
                if let Some(named) = word.strip_suffix(':') {
                    program = named;
                    continue;
                }
                if definition.find_subcommand(word).is_some() || is_program_of_fsl(word) {
                    continue;
                }
                let error = command_meant(word).unwrap_or_else(|| panic!("{program}: {word} has no hint"));
                let message = error.to_string();
                assert!(message.starts_with(&format!("{word}: a command of ")), "{message}");
                assert!(message.contains("; ") && !message.contains('\n'), "{message}");
                *counts.entry(program).or_insert(0) += 1;
            }
        }
        assert!(counts["MRtrix"] > 110 && counts["DIPY"] > 55 && counts["scilpy"] > 190, "{counts:?}");
    }

    #[test]
    fn spelling_variants_have_the_same_hint() {
        for [typed, program] in [
            ["dipy_fit_dti", "DIPY"],
            ["scil_dti_metrics.py", "scilpy"],
            ["tractseg", "TractSeg"],
            ["amico.Evaluation()", "AMICO"],
            ["qsiprep_group", "QSIPrep"],
        ] {
            let message = command_meant(typed).unwrap().to_string();
            assert!(message.starts_with(&format!("{typed}: a command of {program}")), "{message}");
        }
    }

    #[test]
    fn similar_names_are_suggested() {
        let own = || ["density", "connectome"].into_iter();
        for (typed, advice) in [
            ("densty", Some("did you mean `arcuate density`?")),
            (
                "dipy_fit_dtii",
                Some("did you mean dipy_fit_dti of DIPY? Then use `arcuate fit tensor DWI --out FOLDER`"),
            ),
            ("tensr", Some("did you mean tensor? Then use `arcuate fit tensor DWI --out FOLDER`")),
            (
                "dwi-denoise",
                Some("did you mean dwidenoise of MRtrix? Then use MRtrix's dwidenoise before `arcuate run`"),
            ),
            ("xyzzyxyzzy", None),
        ] {
            assert_eq!(similar_command(typed, "arcuate", own()).as_deref(), advice, "{typed}");
        }
        assert_eq!(similar_command("dwi2tensr", "arcuate evaluate", own()), None);
    }

    #[test]
    fn every_option_hint_is_used() {
        fn all<'a>(command: &'a Command, found: &mut Vec<&'a Command>) {
            found.push(command);
            command.get_subcommands().for_each(|below| all(below, found));
        }
        let definition = definition();
        let mut commands = Vec::new();
        all(&definition, &mut commands);
        for (theirs, ours) in &TABLE.options {
            for ours in ours {
                let given = commands.iter().any(|command| has(command, ours) && !has(command, theirs));
                assert!(given, "{theirs} for {ours}");
            }
        }
    }

    /// Returns rows of the table on the documentation page: the task, the advice, and the commands of each
    /// program.
    fn rows(tasks: &[&Task]) -> String {
        let mut rows = String::new();
        for task in tasks {
            let of_program = |program: &&str| {
                let names: Vec<String> =
                    task.commands.get(*program)?.iter().map(|name| format!("`{name}`")).collect();
                Some(format!("{program}: {}", names.join(", ")))
            };
            let commands: Vec<String> = PROGRAMS.iter().filter_map(of_program).collect();
            writeln!(rows, "| {} | {} | {} |", task.title, task.advice(), commands.join("<br>")).unwrap();
        }
        rows
    }

    #[test]
    fn the_documentation_has_the_same_hint_table() {
        let (here, elsewhere): (Vec<&Task>, Vec<&Task>) =
            TABLE.tasks.iter().partition(|task| task.here.is_some());
        let page = format!(
            "# Commands of other programs\n\n\
             <!-- Generated from crates/arcuate/src/hints.toml. Do not edit. -->\n\n\
             This page is for users of other programs. It lists their commands by task, and the command of Arcuate for each \
             task. If you type\none of these names after `arcuate`, the error names the same command:\n\n    \
             $ arcuate dipy_fit_dti dwi.nii.gz\n    \
             error: dipy_fit_dti: a command of DIPY; use `arcuate fit tensor DWI --out FOLDER`\n\n\
             Capitals and the endings `.py` and `.sh` do not matter. If a name is misspelt, the error suggests the nearest \
             one. Python calls of\nCOMMIT and AMICO have the names of their examples: `mit` is COMMIT's evaluation, and `ae` \
             is AMICO's.\n\n\
             Programs of FSL that Arcuate replaces, such as `bedpostx`, `probtrackx2` and `dtifit`, have \
             [the same names and\noptions](../how-to/fsl-tools.md) in Arcuate. `arcuate setup names` lists them.\n\n\
             ## Tasks with a command\n\n| task | Arcuate | other programs |\n|---|---|---|\n{}\n\
             ## Tasks that need another program\n\n| task | program to use | commands |\n|---|---|---|\n{}",
            rows(&here),
            rows(&elsewhere)
        );
        require_text(&Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE), &page);
    }
}
