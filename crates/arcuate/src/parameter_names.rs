//! Test: every parameter that an error of the libraries names has an option, and a command has this option.

use crate::definition::definition;
use crate::parameters::{
    OF_COMMANDS, OPTIONS, in_keywords, in_options, option, options_as_code, options_as_keywords,
    text_in_options,
};
use arcuate_core::Error;
use std::collections::BTreeSet;
use std::path::Path;

/// Parameters of the libraries that no option sets. Only programs that call the libraries directly can get an
/// error about them.
const OF_THE_LIBRARY: &[&str] = &["filter", "grey_share", "negative_lambda", "number", "rays"];

/// Returns the source files of the libraries as texts, without comments and tests.
fn library_sources() -> Vec<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let mut folders: Vec<_> = crates
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !["arcuate", "arcuate-bench", "arcuate-fsl"].iter().any(|name| path.ends_with(name)))
        .map(|path| path.join("src"))
        .collect();
    let mut source_text = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
                source_text.push(code.collect::<Vec<_>>().join("\n"));
            }
        }
    }
    source_text
}

fn named(source_text: &str) -> impl Iterator<Item = &str> {
    let words = source_text.split('‘').skip(1).filter_map(|rest| Some(rest.split_once('’')?.0));
    words.filter(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
}

#[test]
fn every_library_parameter_has_an_option() {
    let source_text = library_sources();
    let all: BTreeSet<&str> = source_text.iter().flat_map(|source_text| named(source_text)).collect();
    assert!(all.len() > 50, "{all:?}");
    for parameter in &all {
        let is_known = option("", parameter).is_some() || OF_THE_LIBRARY.contains(parameter);
        assert!(
            is_known,
            "an error of a library contains ‘{parameter}’: name its option in OPTIONS, or the parameter in OF_THE_LIBRARY"
        );
    }
    for (parameter, _) in OPTIONS {
        assert!(all.contains(parameter), "no library names ‘{parameter}’");
    }
    for (_, parameter, _) in OF_COMMANDS.iter().chain(arcuate_fsl::OPTIONS) {
        assert!(all.contains(parameter), "no library names ‘{parameter}’");
    }
}

#[test]
fn every_mapped_option_exists() {
    let definition = definition();
    let mut commands = vec![&definition];
    let mut known = BTreeSet::new();
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands());
        known.extend(command.get_arguments().filter_map(|a| a.get_long()).map(|long| format!("--{long}")));
        known.extend(command.get_positionals().map(|a| a.get_id().as_str().to_uppercase()));
    }
    let own = OF_COMMANDS.iter().map(|&(_, name, option)| (name, option));
    for (parameter, option) in OPTIONS.iter().copied().chain(own) {
        assert!(known.contains(option), "‘{parameter}’ is {option}, which no command has");
    }
}

#[test]
fn libraries_do_not_name_command_line_options() {
    for source_text in library_sources() {
        let words = source_text
            .match_indices("\"--")
            .map(|(at, _)| source_text[at + 3..].lines().next().unwrap_or_default());
        // Text in the source code that begins with `--` is not always an option of this program. It can be a
        // CSS property in the page of a report, or an argument in a command line of a workflow.
        let of_workflows =
            ["scan\"", "session-label\"", "participant-label\"", "threads ", "device\"", "device=\""];
        let is_option = |word: &&str| {
            let is_other =
                word.starts_with("share:") || of_workflows.iter().any(|known| word.starts_with(known));
            word.starts_with(|c: char| c.is_ascii_lowercase()) && !is_other
        };
        let option = words.into_iter().find(is_option);
        assert_eq!(option, None, "a library names an option; name the parameter in ‘single quotes’");
    }
}

#[test]
fn errors_name_the_options_of_the_command() {
    let error = || Error::usage("‘jumps’", "1 is fewer than ‘interval’", "use ‘device’ cpu");
    let source_text = |command: &str| in_options(error(), command).to_string();
    assert_eq!(source_text("fit noddi"), "--jumps: 1 is fewer than --interval; use --device cpu");
    assert_eq!(source_text("xfibres"), "--njumps: 1 is fewer than --sampleevery; use --device cpu");
    assert_eq!(text_in_options("‘shells’ and ‘nothing’"), "--shells and ‘nothing’");
    assert_eq!(in_keywords(error()).to_string(), "jumps: 1 is fewer than interval; use device cpu");
    let lengths = Error::usage("‘min_length_mm’", "it is above ‘max_length_mm’", "use ‘lambda’");
    assert_eq!(in_keywords(lengths).to_string(), "min_length: it is above max_length; use lambda_");
}

#[test]
fn options_in_texts_become_python_keywords() {
    let text = "give --min-length, or --lambda; a--b, -- and --2 are none";
    assert_eq!(options_as_keywords(text), "give min_length, or lambda_; a--b, -- and --2 are none");
    assert_eq!(options_as_code("with --force `x --out y`"), "with ``force`` `x out y`");
}
