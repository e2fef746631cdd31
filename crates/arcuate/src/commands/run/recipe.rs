//! Recipes: options of the steps of a run, in a file.

use super::steps::{FIT_SAMPLES, STEPS, Step, definition};
use crate::hints;
use crate::parameters::in_options;
use arcuate_core::{Error, Result, printable};
use clap::{Arg, ArgAction};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a recipe sets, checked against the options that the steps have.
#[derive(Debug, Default)]
pub(super) struct Recipe {
    path: PathBuf,
    settings: Vec<Setting>,
    /// The steps that have a table, with its line.
    tables: Vec<(&'static str, usize)>,
}

/// An option of a step.
#[derive(Debug)]
struct Setting {
    command: &'static str,
    name: String,
    line: usize,
    words: Vec<OsString>,
}

/// Options that the run itself must set, since its steps would not fit together otherwise.
const OF_THE_RUN: [&str; 6] = ["out", "dwi", "labels", "like", "all", "format"];

/// Whether the run itself must set an option of a step; the names of a tensor's maps too, which later steps read.
fn is_of_the_run(command: &str, option: &str) -> bool {
    OF_THE_RUN.contains(&option) || (command, option) == ("fit tensor", "names")
}

/// Options of connections between regions: a run follows every ray.
const OF_CONNECTIONS: [&str; 4] = ["targets", "best", "min-connectivity", "one-per-voxel"];

/// Bytes of a recipe, at most: it is typed by hand.
const LARGEST: u64 = 1 << 20;

/// The name of a step's table.
fn table_name(command: &str) -> String {
    command.replace(' ', ".")
}

/// The options of a step that a recipe may set.
fn settable(command: &'static str) -> Vec<Arg> {
    let definition = definition(command);
    let of_recipe = |argument: &&Arg| {
        let long = argument.get_long();
        let left_out = |long| {
            is_of_the_run(command, long)
                || [&OF_CONNECTIONS[..], &["help", "version"]].concat().contains(&long)
        };
        // What the step before tracking through samples is for.
        let is_fixed = command == FIT_SAMPLES && long == Some("method");
        long.is_some_and(|long| !left_out(long)) && !is_fixed && !argument.is_global_set()
    };
    definition.get_arguments().filter(of_recipe).cloned().collect()
}

impl Recipe {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let size = std::fs::metadata(path).map_err(|e| Error::read(path, e))?.len();
        if size > LARGEST {
            let problem = format!("a recipe of {size} bytes is none");
            return Err(Error::invalid(path.display(), problem, "give the file that --show-recipe printed"));
        }
        let text = std::fs::read_to_string(path).map_err(|e| Error::read(path, e))?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self> {
        let line_of = |place: usize| 1 + text[..place.min(text.len())].matches('\n').count();
        let refuse = |place: usize, problem: String, advice: String| {
            Err(Error::invalid(format!("{}, line {}", path.display(), line_of(place)), problem, advice))
        };
        let parsed = match DeTable::parse(text) {
            Ok(table) => table,
            Err(error) => {
                let place = error.span().map_or(0, |span| span.start);
                let problem = format!("it is no TOML ({})", printable(error.message(), 200));
                return refuse(place, problem, "see the output of --show-recipe".into());
            }
        };
        let mut recipe = Self { path: path.to_owned(), ..Self::default() };
        // Tables whose name is not yet that of a step: `fit` on the way to `fit.tensor`.
        let mut open: Vec<(String, &DeTable<'_>)> = vec![(String::new(), parsed.get_ref())];
        while let Some((prefix, table)) = open.pop() {
            for (key, value) in table {
                let name = if prefix.is_empty() {
                    key.get_ref().to_string()
                } else {
                    format!("{prefix}.{}", key.get_ref())
                };
                let place = key.span().start;
                let shown = printable(&name, 100);
                let DeValue::Table(below) = value.get_ref() else {
                    let problem = format!("`{shown}` is in no table of a step");
                    return refuse(place, problem, format!("begin one: {}", names_of_tables()));
                };
                if let Some(&command) = STEPS.iter().find(|step| table_name(step) == name) {
                    recipe.tables.push((command, line_of(place)));
                    let arguments = settable(command);
                    for (key, value) in below {
                        let (place, key) = (key.span().start, key.get_ref().as_ref());
                        let Some(argument) = arguments.iter().find(|a| a.get_long() == Some(key)) else {
                            let key = printable(key, 100);
                            if is_of_the_run(command, &key) {
                                let problem = format!("`{key}` is set by the run itself");
                                return refuse(place, problem, "leave it out".into());
                            }
                            if OF_CONNECTIONS.contains(&key.as_str()) {
                                let problem =
                                    format!("`{key}` makes no sense in a run, which keeps every ray");
                                let advice = "leave it out, or run `arcuate track geodesic` by itself";
                                return refuse(place, problem, advice.into());
                            }
                            let known = arguments.iter().filter_map(Arg::get_long);
                            let problem = format!("`arcuate {command}` has no option `{key}`");
                            let has = |option: &str| known.clone().any(|long| option == format!("--{long}"));
                            let advice = match hints::ours(&format!("--{key}"), has) {
                                Some(ours) => format!("it is `{}` here", ours.trim_start_matches('-')),
                                None => advice(&key, known, "see --show-recipe"),
                            };
                            return refuse(place, problem, advice);
                        };
                        match words_of(argument, key, value) {
                            Ok(words) => {
                                let (line, name) = (line_of(place), key.to_owned());
                                recipe.settings.push(Setting { command, name, line, words });
                            }
                            Err(problem) => return refuse(place, problem, "see --show-recipe".into()),
                        }
                    }
                } else if STEPS.iter().any(|step| table_name(step).starts_with(&format!("{name}."))) {
                    open.push((name, below));
                } else {
                    let known = STEPS.map(table_name);
                    let problem = format!("no step of a run is called `{shown}`");
                    let steps = format!("the steps are {}", names_of_tables());
                    return refuse(place, problem, advice(&name, known.iter().map(String::as_str), &steps));
                }
            }
        }
        Ok(recipe)
    }

    /// Whether an option of a step is set.
    pub(super) fn sets(&self, command: &str, name: &str) -> bool {
        self.settings.iter().any(|setting| setting.command == command && setting.name == name)
    }

    /// The words of a step's options, but for `except`.
    pub(super) fn words(&self, command: &str, except: Option<&str>) -> Vec<OsString> {
        let of_step =
            self.settings.iter().filter(|s| s.command == command && Some(s.name.as_str()) != except);
        of_step.flat_map(|setting| setting.words.iter().cloned()).collect()
    }

    /// Says which tables are of steps that this run does not have.
    pub(super) fn warn_of_idle_tables(&self, steps: &[Step]) {
        for (command, line) in &self.tables {
            let has_effect = self.settings.iter().any(|s| s.command == *command && !s.words.is_empty());
            if has_effect && !steps.iter().any(|step| step.command == *command) {
                let name = table_name(command);
                tracing::warn!(
                    "{}, line {line}: [{name}] is not used: this run has no such step",
                    self.path.display()
                );
            }
        }
    }

    /// An error of a step, said of the line that set its option.
    pub(super) fn about(&self, command: &str, error: Error) -> Error {
        let error = in_options(error, command);
        let text = error.to_string();
        let names = |setting: &&Setting| {
            let option = format!("--{}", setting.name);
            setting.command == command
                && text.match_indices(&option).any(|(place, found)| {
                    !text[place + found.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-')
                })
        };
        let is_subject =
            |setting: &&Setting| names(setting) && error.subject() == format!("--{}", setting.name);
        let settings = || self.settings.iter();
        match settings().find(is_subject).or_else(|| settings().find(names)) {
            Some(setting) => {
                let subject = format!("{}, line {}: {}", self.path.display(), setting.line, error.subject());
                error.about(subject)
            }
            None => error,
        }
    }
}

fn names_of_tables() -> String {
    STEPS.map(|step| format!("[{}]", table_name(step))).join(", ")
}

/// The nearest of the known names, where one is near.
fn advice<'a>(word: &str, known: impl Iterator<Item = &'a str>, otherwise: &str) -> String {
    let nearest = known.map(|name| (strsim::damerau_levenshtein(word, name), name)).min();
    match nearest {
        Some((distance, name)) if distance <= 2.max(word.chars().count() / 3) => {
            format!("did you mean `{name}`? {otherwise}")
        }
        _ => otherwise.to_owned(),
    }
}

/// A value as words of the command line; none where it is the default.
fn words_of(
    argument: &Arg,
    key: &str,
    value: &Spanned<DeValue<'_>>,
) -> std::result::Result<Vec<OsString>, String> {
    let option = OsString::from(format!("--{key}"));
    if matches!(argument.get_action(), ArgAction::SetTrue) {
        return match value.get_ref() {
            DeValue::Boolean(true) => Ok(vec![option]),
            DeValue::Boolean(false) => Ok(Vec::new()),
            _ => Err(format!("`{key}` is a flag: true or false")),
        };
    }
    let plain = |value: &DeValue<'_>| match value {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => Ok(number.to_string()),
        DeValue::Float(number) => Ok(number.to_string()),
        _ => Err(format!("`{key}` is neither a number nor a text")),
    };
    let values = match value.get_ref() {
        DeValue::Array(values) => values.iter().map(|value| plain(value.get_ref())).collect(),
        other => plain(other).map(|text| vec![text]),
    }?;
    if matches!(argument.get_action(), ArgAction::Append) && argument.get_value_delimiter().is_none() {
        return Ok(values.into_iter().flat_map(|value| with_value(&option, value)).collect());
    }
    let value = values.join(",");
    let default: Vec<_> = argument.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
    if default.join(",") == value && !default.is_empty() {
        Ok(Vec::new())
    } else {
        Ok(with_value(&option, value))
    }
}

/// An option with its value; in one word where the value would be taken for an option.
fn with_value(option: &OsStr, value: String) -> Vec<OsString> {
    if value.starts_with('-') {
        return vec![[option, OsStr::new("="), OsStr::new(&value)].into_iter().collect()];
    }
    vec![option.to_owned(), value.into()]
}

/// A recipe of all options with their defaults, those without one as comments.
pub(super) fn defaults() -> String {
    let mut text = String::from("# Options of the steps of `arcuate run`, with their defaults.\n");
    for step in STEPS {
        let _ = writeln!(text, "\n[{}]", table_name(step));
        for argument in settable(step) {
            let name = argument.get_long().unwrap_or_default().to_owned();
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "# {}", help.replace('\n', " "));
            let choices: Vec<String> =
                argument.get_possible_values().iter().map(|v| v.get_name().to_owned()).collect();
            let is_flag = matches!(argument.get_action(), ArgAction::SetTrue);
            if !choices.is_empty() && !is_flag {
                let _ = writeln!(text, "# One of: {}", choices.join(", "));
            }
            let defaults: Vec<_> =
                argument.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
            if is_flag {
                let _ = writeln!(text, "{name} = false");
            } else if defaults.is_empty() {
                let placeholder =
                    argument.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
                let _ = writeln!(text, "# {name} = {}", placeholder.unwrap_or_default());
            } else {
                let _ = writeln!(text, "{name} = {}", literal(&defaults.join(",")));
            }
        }
    }
    text
}

/// A value as TOML writes it: numbers as they are, all else in quotes.
fn literal(value: &str) -> String {
    let is_number =
        value.parse::<f64>().is_ok() && value.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    if is_number { value.to_owned() } else { format!("{value:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Recipe> {
        Recipe::parse(Path::new("r.toml"), text)
    }

    #[test]
    fn the_defaults_are_a_recipe_that_changes_nothing() {
        let recipe = parse(&defaults()).unwrap();
        for step in STEPS {
            assert!(recipe.sets(step, "mask") || recipe.tables.iter().any(|(command, _)| *command == step));
            assert_eq!(recipe.words(step, None), Vec::<OsString>::new(), "{step}");
        }
        assert!(recipe.settings.len() > 40, "{}", recipe.settings.len());
    }

    #[test]
    fn values_become_words() {
        let recipe = parse(
            "[track.tensor]\ncutoff = 0.15\none-way = true\nmethod = \"fact\"\nselect = 1_000\n\
             [evaluate.commit]\nlambda = [0.1, 0.2]\n[evaluate.life]\nlesion = ['a', 'b']\n",
        )
        .unwrap();
        let words = |step| crate::invocation::shell_line(&recipe.words(step, None));
        assert_eq!(words("track tensor"), "--cutoff 0.15 --method fact --one-way --select 1000");
        assert_eq!(words("evaluate commit"), "--lambda 0.1,0.2");
        assert_eq!(words("evaluate life"), "--lesion a --lesion b");
        assert!(recipe.sets("track tensor", "select") && !recipe.sets("track tensor", "angle"));
        let left = recipe.words("track tensor", Some("select"));
        assert!(!left.contains(&"--select".into()) && left.contains(&"--cutoff".into()));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, expected) in [
            (
                "[track.tensr]\n",
                "r.toml, line 1: no step of a run is called `track.tensr`; did you mean `track.tensor`? the steps",
            ),
            ("\n[tensor]\n", "r.toml, line 2: no step of a run is called `tensor`; "),
            (
                "[mask]\n\n[fit.tensor]\nreweighting = 3\n",
                "r.toml, line 4: `arcuate fit tensor` has no option `reweighting`; did you mean `reweightings`?",
            ),
            ("[fit.tensor]\nout = 'x'\n", "r.toml, line 2: `out` is set by the run itself; leave it out"),
            ("cutoff = 1\n", "r.toml, line 1: `cutoff` is in no table of a step; begin one: [mask], "),
            (
                "[fit.tensor]\nreweightings = true\n",
                "r.toml, line 2: `reweightings` is neither a number nor a text; ",
            ),
            ("[track.tensor]\none-way = 1\n", "r.toml, line 2: `one-way` is a flag: true or false; "),
            ("[track.tensor]\ncutoff = \n", "r.toml, line 2: it is no TOML ("),
            (
                "[track.geodesic]\ntargets = 'b.nii'\n",
                "r.toml, line 2: `targets` makes no sense in a run, which keeps every ray; leave it out, or run ",
            ),
            (
                "[track.tensor]\nradius = 5\n",
                "r.toml, line 2: `arcuate track tensor` has no option `radius`; it is `curvature-radius` here",
            ),
            (
                "[track.tensor]\nrandom-seed = 1\n",
                "r.toml, line 2: `arcuate track tensor` has no option `random-seed`; ",
            ),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn errors_of_steps_name_the_line() {
        let recipe = parse("[track.tensor]\nseed-cutoff = 3\ncutoff = 2\n").unwrap();
        let error = recipe.about("track tensor", Error::usage("--cutoff", "2 is no FA", "give less"));
        assert_eq!(error.to_string(), "r.toml, line 3: --cutoff: 2 is no FA; give less");
        let other = recipe.about("mask", Error::usage("--cutoff", "2 is no FA", "give less"));
        assert_eq!(other.to_string(), "--cutoff: 2 is no FA; give less");
    }
}
