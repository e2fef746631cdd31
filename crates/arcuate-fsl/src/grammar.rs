//! Syntax of FSL's command lines: `--name=value`, `-x value`, and flags of one letter that may be combined
//! after one dash. If an option occurs twice, the last one is used.

use arcuate_core::{Error, Result, closest};
use arcuate_pipeline::numbers::invalid_number;
use serde_json::Value;
use std::str::FromStr;

/// An option of a program.
pub(super) struct Rule {
    /// Names of the option without dashes. An option with a name of one letter takes the next argument as its
    /// value. Any other option takes the text after `=`. The code of the program uses the last of the names.
    pub(super) names: &'static [&'static str],
    pub(super) takes: Takes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    AValue,
}

/// Creates a flag.
pub(super) const fn flag(names: &'static [&'static str]) -> Rule {
    Rule { names, takes: Takes::Nothing }
}

/// Creates an option with a value.
pub(super) const fn valued(names: &'static [&'static str]) -> Rule {
    Rule { names, takes: Takes::AValue }
}

impl Rule {
    fn name(&self) -> &'static str {
        self.names[self.names.len() - 1]
    }
}

/// Options of a command line.
#[derive(Debug, Clone, Default)]
pub(super) struct Found(Vec<(&'static str, Option<String>)>);

/// Parses a command line. `rules` are the options of the program.
pub(super) fn read(rules: &'static [Rule], arguments: &[String]) -> Result<Found> {
    let mut found = Found::default();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let rule = rule(rules, name, &format!("--{name}"), |name| name.chars().count() > 1)?;
            match (rule.takes, value) {
                // A value of a flag is accepted and ignored, because existing scripts contain `--usef=0.05`.
                (Takes::Nothing, _) => found.add(rule, None),
                (Takes::AValue, Some(value)) if !value.is_empty() => found.add(rule, Some(value)),
                (Takes::AValue, _) => return Err(without_value(&format!("--{name}"), "=VALUE after it")),
            }
        } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            let count = letters.chars().count();
            for (place, letter) in letters.chars().enumerate() {
                let name = letter.to_string();
                let rule = rule(rules, &name, word, |name| name.chars().count() == 1)?;
                match rule.takes {
                    Takes::Nothing => found.add(rule, None),
                    Takes::AValue if place + 1 == count => match rest.next() {
                        Some(value) => found.add(rule, Some(value)),
                        None => return Err(without_value(&format!("-{name}"), "its value after it")),
                    },
                    Takes::AValue => return Err(unknown(rules, word)),
                }
            }
        } else {
            return Err(unknown(rules, word));
        }
    }
    Ok(found)
}

fn rule(
    rules: &'static [Rule],
    name: &str,
    typed: &str,
    is_of_kind: impl Fn(&str) -> bool,
) -> Result<&'static Rule> {
    let has = |rule: &&Rule| rule.names.iter().any(|known| *known == name && is_of_kind(known));
    rules.iter().find(has).ok_or_else(|| unknown(rules, typed))
}

fn unknown(rules: &'static [Rule], word: &str) -> Error {
    let long = rules.iter().flat_map(|rule| rule.names).copied().filter(|name| name.chars().count() > 1);
    let near = word.strip_prefix('-').and_then(|typed| closest(typed.trim_start_matches('-'), long));
    match near {
        Some(near) => Error::usage(word, "unknown option", format!("did you mean --{near}?")),
        None => {
            Error::usage(word, "unknown option", "write long options as --name=value; -h lists all options")
        }
    }
}

fn without_value(name: &str, what: &str) -> Error {
    Error::usage(name, "it has no value", format!("write {what}"))
}

impl Found {
    fn add(&mut self, rule: &'static Rule, value: Option<&str>) {
        self.0.retain(|(name, _)| *name != rule.name());
        self.0.push((rule.name(), value.map(str::to_owned)));
    }

    /// Checks whether a flag is set.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == name)
    }

    /// Returns the value of an option.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).and_then(|(_, value)| value.as_deref())
    }

    /// Returns the value of an option that takes a number. If the option was not given, returns the default
    /// `usual`.
    pub(super) fn number<T: FromStr>(&self, name: &str, usual: T) -> Result<T> {
        let Some(text) = self.text(name) else { return Ok(usual) };
        let refused = |problem: &str, advice: &str| {
            let dashes = if name.chars().count() == 1 { "-" } else { "--" };
            Error::usage(format!("{dashes}{name}"), format!("`{text}` {problem}"), advice)
        };
        if let Some(found) = text.trim().parse().ok().and_then(invalid_number) {
            return Err(refused(found.problem, &found.advice));
        }
        text.trim().parse().map_err(|_| refused("is not a valid number for this option", "give another"))
    }

    /// Returns the names and the values of the given options for the record of the run (a JSON file).
    pub(super) fn record(&self) -> Vec<(String, Value)> {
        let value = |text: &Option<String>| text.clone().map_or(Value::Bool(true), Value::String);
        self.0.iter().map(|(name, text)| ((*name).to_owned(), value(text))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[Rule] = &[
        flag(&["l", "loopcheck"]),
        flag(&["f", "usef"]),
        valued(&["P", "nsamples"]),
        valued(&["stop"]),
        valued(&["ld", "logdir"]),
    ];

    fn arguments(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn message(line: &str) -> String {
        read(RULES, &arguments(line)).unwrap_err().to_string()
    }

    #[test]
    fn options_are_parsed_as_in_fsl() {
        let found = read(RULES, &arguments("-lf -P 500 --stop=a=b --ld=x --logdir=y")).unwrap();
        assert!(found.is_set("loopcheck") && found.is_set("usef"));
        assert_eq!(found.number("nsamples", 1).unwrap(), 500);
        assert_eq!(found.text("stop"), Some("a=b"));
        assert_eq!(found.text("logdir"), Some("y"), "the last one counts");
        let found = read(RULES, &arguments("--usef=0.05 -lP -5")).unwrap();
        assert_eq!((found.is_set("usef"), found.text("nsamples")), (true, Some("-5")));
        assert_eq!(read(RULES, &[]).unwrap().number("nsamples", 7).unwrap(), 7);
    }

    #[test]
    fn errors_name_the_typed_argument() {
        let advice = "unknown option; write long options as --name=value; -h lists all options";
        for (line, word) in [
            ("--stop value", "--stop: it has no value; write =VALUE after it"),
            ("--stop=", "--stop: it has no value; write =VALUE after it"),
            ("-P", "-P: it has no value; write its value after it"),
        ] {
            assert_eq!(message(line), word);
        }
        for (line, word) in [("value", "value"), ("--P=5", "--P"), ("-Pl 5", "-Pl"), ("-", "-")] {
            assert_eq!(message(line), format!("{word}: {advice}"), "{line}");
        }
        for (line, word) in [("-stop a", "-stop"), ("--ston=a", "--ston")] {
            assert_eq!(message(line), format!("{word}: unknown option; did you mean --stop?"), "{line}");
        }
        let found = read(RULES, &arguments("--nsamples=many")).unwrap();
        let refused = found.number::<u32>("nsamples", 1).unwrap_err().to_string();
        assert_eq!(refused, "--nsamples: `many` is not a valid number for this option; give another");
    }
}
