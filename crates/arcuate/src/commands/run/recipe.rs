//! Recipes: TOML files with options for the stages of `arcuate run`.

use super::stage_commands::{definition, is_of_the_run};
use crate::hints;
use arcuate_core::{Error, Result, closest, printable};
use arcuate_io::read_text_file;
use arcuate_pipeline::run::Stage;
use clap::{Arg, ArgAction, Command};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Settings of a recipe, checked against the options of the stages.
#[derive(Debug, Default)]
pub(super) struct Recipe {
    path: PathBuf,
    settings: Vec<Setting>,
    /// Stages that have a table in the recipe, with the line of the table.
    tables: Vec<(Stage, usize)>,
}

/// One option of a stage.
#[derive(Debug)]
struct Setting {
    stage: Stage,
    name: String,
    line: usize,
    words: Vec<OsString>,
}

/// Options that select connections between regions. A recipe cannot set them, because a run keeps every ray.
const OF_CONNECTIONS: [&str; 4] = ["targets", "best", "min-connectivity", "one-per-voxel"];

/// Maximum size of a recipe in bytes. Recipes are typed by hand.
const LARGEST: u64 = 1 << 20;

/// Returns the name of a stage's table.
fn table_name(stage: Stage) -> String {
    stage.name().replace(' ', ".")
}

/// Returns the options of a stage that a recipe may set.
fn settable(stage: Stage) -> Vec<Arg> {
    settable_of(&definition(stage), stage)
}

/// Returns the options of a command definition that a recipe may set for a stage.
pub(crate) fn settable_of(definition: &Command, stage: Stage) -> Vec<Arg> {
    let of_recipe = |argument: &&Arg| {
        let long = argument.get_long();
        let left_out = |long| {
            is_of_the_run(stage, long) || [&OF_CONNECTIONS[..], &["help", "version"]].concat().contains(&long)
        };
        long.is_some_and(|long| !left_out(long)) && !argument.is_global_set()
    };
    definition.get_arguments().filter(of_recipe).cloned().collect()
}

impl Recipe {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = read_text_file(path, LARGEST)?;
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
                let problem = format!("it is not valid TOML ({})", printable(error.message(), 200));
                return refuse(place, problem, "see the output of --show-recipe".into());
            }
        };
        let mut recipe = Self { path: path.to_owned(), ..Self::default() };
        // TOML tables that are still to be read. The name of a table may be only the beginning of a stage
        // name, such as `fit` for `fit.tensor`.
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
                    let problem = format!("`{shown}` is in no table of a stage");
                    return refuse(place, problem, format!("begin one: {}", names_of_tables()));
                };
                if let Some(stage) = Stage::ALL.into_iter().find(|&stage| table_name(stage) == name) {
                    recipe.tables.push((stage, line_of(place)));
                    let arguments = settable(stage);
                    for (key, value) in below {
                        let (place, key) = (key.span().start, key.get_ref().as_ref());
                        let Some(argument) = arguments.iter().find(|a| a.get_long() == Some(key)) else {
                            let key = printable(key, 100);
                            if is_of_the_run(stage, &key) {
                                let problem = format!("`{key}` is set by the run itself");
                                return refuse(place, problem, "leave it out".into());
                            }
                            if OF_CONNECTIONS.contains(&key.as_str()) {
                                let problem =
                                    format!("`{key}` is not possible in a run, which keeps every ray");
                                let advice = "remove it, or run `arcuate track geodesic` separately";
                                return refuse(place, problem, advice.into());
                            }
                            let known = arguments.iter().filter_map(Arg::get_long);
                            let problem = format!("`arcuate {}` has no option `{key}`", stage.name());
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
                                recipe.settings.push(Setting { stage, name, line, words });
                            }
                            Err(problem) => return refuse(place, problem, "see --show-recipe".into()),
                        }
                    }
                } else if Stage::ALL
                    .into_iter()
                    .any(|stage| table_name(stage).starts_with(&format!("{name}.")))
                {
                    open.push((name, below));
                } else {
                    let known = Stage::ALL.map(table_name);
                    let problem = format!("no stage of a run is called `{shown}`");
                    let stages = format!("the stages are {}", names_of_tables());
                    return refuse(place, problem, advice(&name, known.iter().map(String::as_str), &stages));
                }
            }
        }
        Ok(recipe)
    }

    /// Returns true if the recipe sets an option of a stage.
    pub(super) fn sets(&self, stage: Stage, name: &str) -> bool {
        self.settings.iter().any(|setting| setting.stage == stage && setting.name == name)
    }

    /// Returns the options of a stage as command-line arguments, without the options that the run sets.
    pub(super) fn words(&self, stage: Stage, required: &[&str]) -> Vec<OsString> {
        let of_stage =
            self.settings.iter().filter(|s| s.stage == stage && !required.contains(&s.name.as_str()));
        of_stage.flat_map(|setting| setting.words.iter().cloned()).collect()
    }

    /// Warns of tables for stages that the run does not have.
    pub(super) fn warn_of_idle_tables(&self, stages: &[Stage]) {
        for (stage, line) in &self.tables {
            let has_effect = self.settings.iter().any(|s| s.stage == *stage && !s.words.is_empty());
            if has_effect && !stages.contains(stage) {
                let name = table_name(*stage);
                tracing::warn!(
                    "{}, line {line}: [{name}] is ignored: this run does not have this stage",
                    self.path.display()
                );
            }
        }
    }

    /// Adds the line of the recipe to an error of a stage, if the error names an option set there.
    pub(super) fn about(&self, stage: Stage, error: Error) -> Error {
        let text = error.to_string();
        let names = |setting: &&Setting| {
            let option = format!("--{}", setting.name);
            setting.stage == stage
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
    Stage::ALL.map(|stage| format!("[{}]", table_name(stage))).join(", ")
}

/// Returns advice with the nearest known name, if one is similar.
fn advice<'a>(word: &str, known: impl Iterator<Item = &'a str>, otherwise: &str) -> String {
    match closest(word, known) {
        Some(name) => format!("did you mean `{name}`? {otherwise}"),
        None => otherwise.to_owned(),
    }
}

/// Returns a value as command-line arguments; none if it is the default.
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

/// Returns an option and its value, as one argument if the value looks like an option.
fn with_value(option: &OsStr, value: String) -> Vec<OsString> {
    if value.starts_with('-') {
        return vec![[option, OsStr::new("="), OsStr::new(&value)].into_iter().collect()];
    }
    vec![option.to_owned(), value.into()]
}

/// Returns a recipe with all options and their defaults. Options without a default are comments.
pub(super) fn defaults() -> String {
    let mut text = String::from("# Options of the stages of `arcuate run`, with their defaults.\n");
    for stage in Stage::ALL {
        let _ = writeln!(text, "\n[{}]", table_name(stage));
        for argument in settable(stage) {
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

/// Returns a value in TOML syntax: numbers unchanged, other values in quotes.
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
    fn the_default_recipe_changes_nothing() {
        let recipe = parse(&defaults()).unwrap();
        for stage in Stage::ALL {
            assert!(recipe.sets(stage, "mask") || recipe.tables.iter().any(|(known, _)| *known == stage));
            assert_eq!(recipe.words(stage, &[]), Vec::<OsString>::new(), "{stage:?}");
        }
        assert!(recipe.settings.len() > 40, "{}", recipe.settings.len());
    }

    #[test]
    fn values_become_arguments() {
        let recipe = parse(
            "[track.tensor]\ncutoff = 0.15\none-way = true\nmethod = \"fact\"\nselect = 1_000\n\
             [evaluate.commit]\nlambda = [0.1, 0.2]\n[evaluate.life]\nlesion = ['a', 'b']\n",
        )
        .unwrap();
        let words = |stage| arcuate_pipeline::shell::shell_line(&recipe.words(stage, &[]));
        assert_eq!(words(Stage::TrackTensor), "--cutoff 0.15 --method fact --one-way --select 1000");
        assert_eq!(words(Stage::EvaluateCommit), "--lambda 0.1,0.2");
        assert_eq!(words(Stage::EvaluateLife), "--lesion a --lesion b");
        assert!(recipe.sets(Stage::TrackTensor, "select") && !recipe.sets(Stage::TrackTensor, "angle"));
        let left = recipe.words(Stage::TrackTensor, &["select"]);
        assert!(!left.contains(&"--select".into()) && left.contains(&"--cutoff".into()));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, expected) in [
            (
                "[track.tensr]\n",
                "r.toml, line 1: no stage of a run is called `track.tensr`; did you mean `track.tensor`? the stages",
            ),
            ("\n[tensor]\n", "r.toml, line 2: no stage of a run is called `tensor`; "),
            (
                "[mask]\n\n[fit.tensor]\nreweighting = 3\n",
                "r.toml, line 4: `arcuate fit tensor` has no option `reweighting`; did you mean `reweightings`?",
            ),
            ("[fit.tensor]\nout = 'x'\n", "r.toml, line 2: `out` is set by the run itself; leave it out"),
            ("cutoff = 1\n", "r.toml, line 1: `cutoff` is in no table of a stage; begin one: [mask], "),
            (
                "[fit.tensor]\nreweightings = true\n",
                "r.toml, line 2: `reweightings` is neither a number nor a text; ",
            ),
            ("[track.tensor]\none-way = 1\n", "r.toml, line 2: `one-way` is a flag: true or false; "),
            ("[track.tensor]\ncutoff = \n", "r.toml, line 2: it is not valid TOML ("),
            (
                "[track.geodesic]\ntargets = 'b.nii'\n",
                "r.toml, line 2: `targets` is not possible in a run, which keeps every ray; remove it, or run ",
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
    fn stage_errors_name_the_line() {
        let recipe = parse("[track.tensor]\nseed-cutoff = 3\ncutoff = 2\n").unwrap();
        let error = recipe.about(Stage::TrackTensor, Error::usage("--cutoff", "2 is no FA", "give less"));
        assert_eq!(error.to_string(), "r.toml, line 3: --cutoff: 2 is no FA; give less");
        let other = recipe.about(Stage::Mask, Error::usage("--cutoff", "2 is no FA", "give less"));
        assert_eq!(other.to_string(), "--cutoff: 2 is no FA; give less");
    }
}
