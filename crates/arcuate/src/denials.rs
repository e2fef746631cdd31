//! Test of the documentation and of the hints. They must not deny a capability that the definition of the
//! command line has.
//!
//! If a sentence contains "not available" or another phrase of [`PHRASES`], it must name a capability of
//! [`CAPABILITIES`]. The sentence is wrong as soon as the command line provides this capability. A sentence
//! that denies another capability needs a new row in that table.

use crate::definition::definition;
use crate::hints;
use arcuate_model::models::model_names;
use clap::Command;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Phrases by which a sentence denies a capability, in lower case.
const PHRASES: &[&str] = &[
    "not available",
    "not here",
    "nothing of that",
    "not there yet",
    "not implemented",
    "not supported",
    "not done here",
    "arcuate does not",
    "arcuate has no",
    "left to others",
];

/// The command, option or model by which the command line would provide a capability.
enum Provider {
    /// Any of these commands.
    Commands(&'static [&'static str]),
    /// An option of a command.
    Option(&'static str, &'static str),
    /// A built-in model.
    Models(&'static [&'static str]),
    /// The definition of the command line cannot show whether the capability exists. The reason is in a
    /// comment next to the row.
    Outside,
}

use Provider::{Commands, Models, Option as OptionOf, Outside};

/// Words that name a capability, in lower case, and the provider that the command line would have for this
/// capability.
const CAPABILITIES: &[(&[&str], Provider)] = &[
    (&["response function", "dwi2response"], Commands(&["response"])),
    (&["orientation distribution", "deconvolution", "dwi2fod"], Commands(&["fit csd"])),
    (&["posterior", "markov chain", "mcmc"], OptionOf("fit", "--method")),
    (&["xtract:", "bundles by name"], OptionOf("track samples", "--protocols")),
    (&["connectome:", "dense connectome"], Commands(&["connectome"])),
    (&["geodesic"], Commands(&["track geodesic"])),
    (&["surfaces"], OptionOf("track samples", "--white")),
    (&["kurtosis", "dki"], Models(&["kurtosis", "dki"])),
    (&["denoise", "denois"], Commands(&["denoise"])),
    (&["mrdegibbs", "gibbs"], Commands(&["degibbs"])),
    (&["dwifslpreproc", "eddy", "topup", "motion"], Commands(&["preprocess", "eddy", "topup"])),
    (&["dwibiascorrect"], Commands(&["biascorrect"])),
    (&["register", "flirt", "fnirt"], Commands(&["register"])),
    (&["tcksift"], Commands(&["evaluate sift", "evaluate sift2"])),
    (&["fod2fixel"], Commands(&["fixels", "fit fixels"])),
    (&["population_template"], Commands(&["template"])),
    (&["statistics of groups"], Commands(&["statistics"])),
    (&["tckresample"], OptionOf("edit", "--resample")),
    (&["mrcalc", "mrstats", "fslmaths"], Commands(&["calc", "stats"])),
    (&["mrtransform", "mrgrid"], Commands(&["transform", "regrid"])),
    (&["vecreg"], Commands(&["vecreg"])),
    (&["bedpostx_datacheck"], Commands(&["bedpostx_datacheck"])),
    (&["tractseg", "recobundles"], Commands(&["recognise", "bundles"])),
    (&["depend on the streamlines"], OptionOf("track fod", "--seed-dynamic")),
    (&["seeds in proportion to an image"], OptionOf("track fod", "--seed-weights")),
    // These are options of FSL's programs, and keywords of the Python class that replaces dmri-commit. Other
    // tests check that they are rejected.
    (&["--closestvertex", "isotropic compartments"], Outside),
    // Messages quoted on a page.
    (&["rustc", "is a link to", "threads are"], Outside),
    // The definition of the command line does not show what a GPU computes.
    (&["on a gpu"], Outside),
    // "Narrow bridge" is not a capability. The documentation of the brain mask uses it to describe which
    // voxels the mask keeps.
    (&["narrow bridge"], Outside),
];

impl Provider {
    /// Returns the name of the command, option or model that provides the capability. Returns `None` if the
    /// command line has none.
    fn found(&self, table: &Command) -> Option<String> {
        match self {
            Commands(names) => {
                names.iter().find(|name| at(table, name).is_some()).map(|&name| name.to_owned())
            }
            OptionOf(command, option) => {
                let long = option.trim_start_matches("--");
                let has =
                    at(table, command)?.get_arguments().any(|argument| argument.get_long() == Some(long));
                has.then(|| format!("{command} {option}"))
            }
            Models(names) => names
                .iter()
                .find(|name| model_names().any(|model| model == **name))
                .map(|name| format!("fit {name}")),
            Outside => None,
        }
    }
}

fn at<'a>(table: &'a Command, name: &str) -> Option<&'a Command> {
    name.split(' ').try_fold(table, |command, word| command.find_subcommand(word))
}

/// Finds denials in a text that are wrong or that no row of [`CAPABILITIES`] covers. Returns one message for
/// each sentence or table row.
fn findings(text: &str, table: &Command) -> Vec<String> {
    let mut findings = Vec::new();
    for sentence in sentences(text) {
        // A heading is not checked. The sentences below it are.
        if sentence.starts_with('#') {
            continue;
        }
        // A command that a sentence recommends does not count as denied.
        let denied = without_recommended_commands(&sentence).to_lowercase();
        if !PHRASES.iter().any(|phrase| denied.contains(phrase)) {
            continue;
        }
        let named = CAPABILITIES.iter().filter(|(words, _)| words.iter().any(|word| denied.contains(word)));
        let named: Vec<&Provider> = named.map(|(_, provider)| provider).collect();
        if named.is_empty() {
            findings.push(format!("no row of CAPABILITIES has a word of: {sentence}"));
        }
        for name in named.into_iter().filter_map(|provider| provider.found(table)) {
            findings.push(format!("`arcuate {name}` provides what this denies: {sentence}"));
        }
    }
    findings
}

/// Splits a text into sentences and table rows, each on one line.
fn sentences(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    for paragraph in text.split("\n\n") {
        let rows = paragraph.lines().any(|line| line.starts_with('|'));
        let pieces: Vec<String> = if rows {
            paragraph.lines().map(str::to_owned).collect()
        } else {
            let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
            line.split_inclusive(". ").map(|piece| piece.trim().to_owned()).collect()
        };
        sentences.extend(pieces.into_iter().filter(|piece| !piece.is_empty()));
    }
    sentences
}

fn without_recommended_commands(sentence: &str) -> String {
    let pieces = sentence.split('`').enumerate();
    pieces
        .filter(|(number, piece)| number % 2 == 0 || !piece.starts_with("arcuate "))
        .map(|(_, piece)| piece)
        .collect()
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

#[test]
fn no_page_denies_an_existing_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![root.join("README.md")];
    pages(&root.join("docs/src"), &mut files);
    assert!(files.len() > 40, "{}", files.len());
    let table = definition();
    let mut wrong = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        wrong.extend(
            findings(&text, &table).into_iter().map(|finding| format!("{}: {finding}", file.display())),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_hint_denies_an_existing_command() {
    let table = definition();
    let wrong: Vec<String> = hints::all().flat_map(|hint| findings(&hint, &table)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Sentences that were wrong in the past.
#[test]
fn false_and_unknown_denials_are_detected() {
    let table = definition();
    for text in [
        "**Not here, but in other programs**: response functions and fibre orientation distributions (MRtrix's).",
        "It also samples\nposteriors (Markov chains, with priors): there is nothing of that here.",
        "| `xtract` | FSL | not available; xtract: use FSL's program |",
        "Arcuate has no such thing as a time machine.",
    ] {
        assert!(!findings(text, &table).is_empty(), "{text}");
    }
    assert!(findings("| `dwi2fod` | MRtrix | use `arcuate fit csd DWI` |", &table).is_empty());
    assert!(findings("Denoising is not available; run it before `arcuate response`.", &table).is_empty());
}
