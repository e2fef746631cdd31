//! Converts an option of the command line to a keyword of a Python function, with its name, type and
//! documentation.

use crate::parameters::{as_keyword, options_as_code};
use clap::builder::StyledStr;
use clap::{Arg, ArgAction};
use std::any::TypeId;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Maximum length of a line of Python.
const WIDTH: usize = 140;

/// Returns a text for use in a docstring. Each option in it is replaced by the corresponding keyword.
pub(crate) fn in_keywords(text: &str) -> String {
    options_as_code(text).replace('\\', "\\\\").replace("\"\"\"", "'''")
}

/// Breaks a text into lines of at most [`WIDTH`] characters, indented by `indent` spaces.
pub(crate) fn wrapped(text: &str, indent: usize) -> String {
    let mut out = String::new();
    for paragraph in text.split("\n\n") {
        if !out.is_empty() {
            out.push('\n');
        }
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > WIDTH {
                let _ = writeln!(out, "{:indent$}{line}", "");
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        let _ = writeln!(out, "{:indent$}{line}", "");
    }
    out
}

/// Ends each paragraph of a text with a full stop, because the first line of a help text has none. A default
/// at the end of a line becomes a sentence of its own.
pub(crate) fn as_sentences(text: &str) -> String {
    let ended = |paragraph: &str| {
        let paragraph = paragraph.trim_end();
        let is_open = paragraph.ends_with(|c: char| c.is_alphanumeric() || "\"`)%°²³".contains(c));
        format!("{paragraph}{}", if is_open { "." } else { "" })
    };
    text.replace("; [default", ". [default").split("\n\n").map(ended).collect::<Vec<_>>().join("\n\n")
}

/// An option or argument of a command, as a keyword of a Python function.
pub(crate) struct Keyword {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) is_flag: bool,
    pub(crate) is_required: bool,
    pub(crate) is_positional: bool,
    pub(crate) help: String,
}

impl Keyword {
    /// Returns the keyword of an option.
    pub(crate) fn of(argument: &Arg) -> Self {
        let is_flag = matches!(argument.get_action(), ArgAction::SetTrue);
        let words: Vec<String> = argument
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| format!("\"{}\"", value.get_name()))
            .collect();
        let type_of = argument.get_value_parser().type_id();
        let is = |known: &[TypeId]| known.iter().any(|known| type_of == *known);
        let one = if is_flag {
            "bool".to_owned()
        } else if !words.is_empty() {
            format!("Literal[{}]", words.join(", "))
        } else if is(&[TypeId::of::<PathBuf>()]) {
            "PathLike".to_owned()
        } else if is(&[TypeId::of::<f64>(), TypeId::of::<f32>()]) {
            "float".to_owned()
        } else if is(&[TypeId::of::<u64>(), TypeId::of::<usize>(), TypeId::of::<u32>(), TypeId::of::<u16>()])
        {
            "int".to_owned()
        } else {
            "Word".to_owned()
        };
        let maximum = argument.get_num_args().map_or(1, |range| range.max_values());
        let is_repeated = matches!(argument.get_action(), ArgAction::Append);
        let is_list = argument.get_value_delimiter().is_some() || is_repeated || maximum > 1;
        // If a keyword has several values, the Python function passes the option once for each value. The
        // option must accept this.
        assert!(maximum <= 1 || argument.is_positional() || is_repeated, "{}", argument.get_id());
        let kind = if is_list { format!("Several[{one}]") } else { one };
        let help = argument.get_long_help().or(argument.get_help()).map(StyledStr::to_string);
        let mut help = as_sentences(&help.unwrap_or_default());
        let defaults: Vec<_> =
            argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() && !is_flag {
            let _ = write!(help, " [default: {}]", defaults.join(", "));
        }
        // The meanings of the values are a list.
        let values = argument.get_possible_values();
        for value in values.iter().filter(|value| !value.is_hide_set() && !is_flag) {
            if let Some(meaning) = value.get_help() {
                let meaning = as_sentences(&meaning.to_string());
                let _ = write!(help, "\n\n- ``{}``: {meaning}", value.get_name());
            }
        }
        Self {
            name: argument.get_long().map_or_else(|| as_keyword(argument.get_id().as_str()), as_keyword),
            kind,
            is_flag,
            is_required: argument.is_required_set(),
            is_positional: argument.is_positional(),
            help: in_keywords(&help),
        }
    }

    /// Returns the line for this keyword in the signature of the Python function.
    pub(crate) fn parameter(&self) -> String {
        let Self { name, kind, .. } = self;
        match (self.is_required, self.is_flag) {
            (true, _) => format!("    {name}: {kind},\n"),
            (false, true) => format!("    {name}: bool = False,\n"),
            (false, false) => format!("    {name}: Optional[{kind}] = None,\n"),
        }
    }

    /// Returns the paragraph for this keyword in the docstring of the Python function.
    pub(crate) fn documentation(&self) -> String {
        let kind = self.kind.replace("Several[", "one or several of ").replace("PathLike", "path");
        let kind = kind.trim_end_matches(']').replace("Literal[", "{").replace("Word", "str");
        let kind = if kind.contains('{') { kind + "}" } else { kind };
        let optional = if self.is_required || self.is_flag { "" } else { ", optional" };
        format!("    {} : {kind}{optional}\n{}", self.name, wrapped(&self.help, 8))
    }
}

/// Returns the source text of a Python dictionary, indented by `indent` spaces. Each entry has a name and an
/// expression.
pub(crate) fn dictionary(entries: &[(String, String)], indent: usize) -> String {
    if entries.is_empty() {
        return "{}".to_owned();
    }
    let entries: Vec<String> = entries.iter().map(|(name, value)| format!("\"{name}\": {value},")).collect();
    let lines = wrapped(&entries.join(" "), indent + 4);
    format!("{{\n{lines}{:indent$}}}", "")
}

/// Panics if the file `name` of the Python package does not have the text `expected`. If `ARCUATE_WRITE_PYTHON` is
/// set, writes the text to the file instead.
pub(crate) fn require_file(name: &str, expected: &str) {
    let package = concat!(env!("CARGO_MANIFEST_DIR"), "/../arcuate-python/python/arcuate");
    require_text(&Path::new(package).join(name), expected);
}

/// Panics if the generated file `path` does not have the text `expected`. If `ARCUATE_WRITE_PYTHON` is set, writes
/// the text to the file instead.
pub(crate) fn require_text(path: &Path, expected: &str) {
    if std::env::var_os("ARCUATE_WRITE_PYTHON").is_some() {
        std::fs::write(path, expected).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == expected,
        "{} is not current; run this test with ARCUATE_WRITE_PYTHON=1 and commit the file",
        path.display()
    );
}
