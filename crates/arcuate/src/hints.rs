//! What was meant: names that other programs have for what is here, and what to do where it is not.

use arcuate_core::Error;
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// Commands of other programs: the name, whose it is, and what to do here. The table of `docs/src/reference/command-line.md` is made of
/// these; a test compares the two.
const COMMANDS: &[[&str; 3]] = &[
    ["dwi2tensor", "MRtrix", "use `arcuate fit tensor DWI --out FOLDER`"],
    ["tensor2metric", "MRtrix", "use `arcuate maps TENSOR --tensor-order mrtrix --out FOLDER`"],
    ["dwi2mask", "MRtrix", "use `arcuate mask DWI --out IMAGE`"],
    [
        "tckgen",
        "MRtrix",
        "use `arcuate track fod FOD --out TRACKS`, or `track tensor`, `track peaks`, `track samples`",
    ],
    ["tckmap", "MRtrix", "use `arcuate density TRACKS --like IMAGE --out IMAGE`"],
    ["tckedit", "MRtrix", "use `arcuate edit TRACKS --out TRACKS`"],
    ["tcksample", "MRtrix", "use `arcuate sample TRACKS IMAGE --out FILE`"],
    ["tck2connectome", "MRtrix", "use `arcuate connectome TRACKS --labels IMAGE --out FOLDER`"],
    [
        "tcksift",
        "MRtrix",
        "not here; weigh streamlines by `arcuate evaluate commit TRACKS --dwi DWI --out FOLDER`",
    ],
    [
        "tcksift2",
        "MRtrix",
        "not here; weigh streamlines by `arcuate evaluate commit TRACKS --dwi DWI --out FOLDER`",
    ],
    ["mrinfo", "MRtrix", "use `arcuate info FILE`"],
    [
        "dwigradcheck",
        "MRtrix",
        "`arcuate fit tensor` and `run` do it, and say which --gradient-axes would be better",
    ],
    ["tckinfo", "MRtrix", "use `arcuate info FILE`"],
    ["mrconvert", "MRtrix", "use `arcuate convert INPUT OUTPUT`"],
    ["tckconvert", "MRtrix", "use `arcuate convert INPUT OUTPUT`"],
    ["dwiextract", "MRtrix", "use `arcuate convert DWI OUTPUT --shells 0,1000`"],
    ["mrview", "MRtrix", "look at report.html, which `arcuate report FOLDER` makes of results"],
    ["dwi2response", "MRtrix", "use `arcuate response DWI --out FOLDER`"],
    ["dwi2fod", "MRtrix", "use `arcuate fit csd DWI --responses FOLDER --out FOLDER`"],
    ["5ttgen", "MRtrix", "use `arcuate 5tt aparc+aseg.mgz --lut FreeSurfer --out IMAGE`, or maps of tissues"],
    [
        "5tt2gmwmi",
        "MRtrix",
        "use `arcuate 5tt aparc+aseg.mgz --lut FreeSurfer --out IMAGE --interface IMAGE`",
    ],
    ["dwidenoise", "MRtrix", "not here; run it before `arcuate run`"],
    ["mrdegibbs", "MRtrix", "not here; run it before `arcuate run`"],
    ["dwifslpreproc", "MRtrix", "not here; run it before `arcuate run`"],
    ["dwibiascorrect", "MRtrix", "not here; run it before `arcuate run`"],
    [
        "probtrackx",
        "FSL",
        "use `arcuate probtrackx2`, or `arcuate track samples FOLDER --seed-mask IMAGE --out FOLDER`",
    ],
    ["vecreg", "FSL", "not here yet; FSL's own program has it"],
    ["bet", "FSL", "use `arcuate mask DWI --out IMAGE`"],
    ["fslinfo", "FSL", "use `arcuate info FILE`"],
    ["fslroi", "FSL", "use `arcuate convert DWI OUTPUT --volumes 0-9`"],
    ["eddy", "FSL", "not here; run it before `arcuate run`"],
    ["topup", "FSL", "not here; run it before `arcuate run`"],
    ["xtract", "FSL", "use `arcuate track samples X.bedpostX --protocols FOLDER --out FOLDER`"],
    ["dipy_fit_dti", "DIPY", "use `arcuate fit tensor DWI --out FOLDER`"],
    ["dipy_median_otsu", "DIPY", "use `arcuate mask DWI --out IMAGE`"],
    ["dipy_track", "DIPY", "use `arcuate track peaks PEAKS --out TRACKS`, or `track tensor`"],
    ["dipy_track_det", "DIPY", "use `arcuate track peaks PEAKS --out TRACKS`, or `track tensor`"],
    ["dipy_info", "DIPY", "use `arcuate info FILE`"],
    ["dipy_convert_tractogram", "DIPY", "use `arcuate convert INPUT OUTPUT`"],
    ["dipy_horizon", "DIPY", "look at report.html, which `arcuate report FOLDER` makes of results"],
    ["dipy_fit_csd", "DIPY", "use `arcuate fit csd DWI --responses FOLDER --out FOLDER`"],
    ["dipy_fit_dki", "DIPY", "not here yet; use DIPY's"],
    ["dipy_denoise_mppca", "DIPY", "not here; run it before `arcuate run`"],
];

/// Words that are nobody's command, and what is probably meant.
const WORDS: &[[&str; 2]] = &[
    ["tensor", "use `arcuate fit tensor DWI --out FOLDER`"],
    ["dti", "use `arcuate fit tensor DWI --out FOLDER`"],
    ["noddi", "use `arcuate fit noddi-watson DWI --out FOLDER`"],
    ["life", "use `arcuate evaluate life TRACKS --dwi DWI --out FOLDER`"],
    ["commit", "use `arcuate evaluate commit TRACKS --dwi DWI --out FOLDER`"],
    ["tracking", "use `arcuate track tensor TENSOR --out TRACKS`, or `track peaks`, `track samples`"],
    ["denoise", "not here; run MRtrix's dwidenoise before `arcuate run`"],
    ["csd", "use `arcuate fit csd DWI --responses FOLDER --out FOLDER`"],
    ["view", "look at report.html, which `arcuate report FOLDER` makes of results"],
];

/// Models by the names that others have for them.
const MODELS: &[[&str; 2]] = &[
    [
        "dti",
        "`arcuate fit tensor` fits the diffusion tensor, `fit tensor-nonlinear` by nonlinear least squares",
    ],
    ["noddi", "it is noddi-watson here (noddi-watson-exvivo for specimens)"],
    ["noddi-watson-in-vivo", "it is noddi-watson here"],
    ["bingham-noddi", "it is noddi-bingham here"],
    ["dki", "not here yet; DIPY's dipy_fit_dki has it"],
    ["kurtosis", "not here yet; DIPY's dipy_fit_dki has it"],
    ["deconvolution", "use `arcuate fit csd DWI --responses FOLDER --out FOLDER`"],
    ["bedpostx", "use `arcuate bedpostx SUBJECT`, or `arcuate fit ball-2-sticks --method mcmc`"],
    ["ball-and-stick", "it is ball-1-stick here, with more fibres ball-2-sticks and ball-3-sticks"],
    ["ball-stick", "it is ball-1-stick here, with more fibres ball-2-sticks and ball-3-sticks"],
    ["ballstick", "it is ball-1-stick here, with more fibres ball-2-sticks and ball-3-sticks"],
];

/// Options by the names that others have for them, or that they had here once, and ours: the first that the command has is
/// meant.
const OPTIONS: &[(&str, &[&str])] = &[
    ("-o", &["--out"]),
    ("--output", &["--out"]),
    ("--outdir", &["--out"]),
    ("--out-dir", &["--out"]),
    ("--out_dir", &["--out"]),
    ("-f", &["--force"]),
    ("--overwrite", &["--force"]),
    ("-m", &["--mask"]),
    ("-nthreads", &["--threads"]),
    ("--nthreads", &["--threads"]),
    ("--num-threads", &["--threads"]),
    ("--n_jobs", &["--threads"]),
    ("--jobs", &["--threads"]),
    ("-info", &["--verbose"]),
    ("-debug", &["--verbose"]),
    ("--info", &["--verbose"]),
    ("--seed", &["--random-seed"]),
    ("-seed", &["--random-seed"]),
    ("--gpu", &["--device"]),
    ("--cuda", &["--device"]),
    ("--atlas", &["--labels"]),
    ("--parcellation", &["--labels"]),
    ("--parc", &["--labels"]),
    ("--nodes", &["--labels"]),
    ("--exclude", &["--avoid"]),
    ("-exclude", &["--avoid"]),
    ("--include", &["--waypoints"]),
    ("-include", &["--waypoints"]),
    ("-include_ordered", &["--waypoints-in-order"]),
    ("--target", &["--targets"]),
    ("-seed_image", &["--seed-mask"]),
    ("-seed_gmwmi", &["--seed-interface"]),
    ("-act", &["--five-tissues"]),
    ("--act", &["--five-tissues"]),
    ("--anatomy", &["--five-tissues"]),
    ("--seed-image", &["--seed-mask"]),
    ("-x", &["--seed-mask"]),
    ("--roi", &["--seed-mask", "--waypoints"]),
    ("-minlength", &["--min-length"]),
    ("-maxlength", &["--max-length"]),
    ("--minlength", &["--min-length"]),
    ("--maxlength", &["--max-length"]),
    ("-template", &["--like", "--reference"]),
    ("--template", &["--like", "--reference"]),
    ("--reference", &["--like"]),
    ("--like", &["--reference"]),
    ("-tck_weights_in", &["--weights"]),
    ("-grad", &["--gradients"]),
    ("-fslgrad", &["--bvec"]),
    ("--bvals", &["--bval"]),
    ("--bvecs", &["--bvec"]),
    ("-b", &["--bval"]),
    ("-r", &["--bvec"]),
    ("--step-size", &["--step"]),
    ("--step_size", &["--step"]),
    ("--number", &["--select"]),
    ("-number", &["--select"]),
    ("--radius", &["--assignment-radius", "--curvature-radius"]),
    ("--start", &["--initial-directions"]),
    ("--directions", &["--per-seed"]),
    ("--one-direction", &["--one-way"]),
    ("--tolerance", &["--step-tolerance"]),
    ("--samples", &["--replicates"]),
    ("--map", &["--scalar-map"]),
    ("--estimated-signal", &["--predicted"]),
    ("--coils", &["--sensitivities"]),
    ("--prior", &["--regularise"]),
    ("--noise", &["--sigma"]),
    ("--trajectory", &["--trajectory-kind"]),
];

/// Names of inputs, which have no options.
const INPUTS: &[&str] = &["-i", "--in", "--input", "-k", "--data", "--dwi-file"];

/// An error of the command line, said of what was meant, where that is known.
pub(crate) fn explained(error: clap::Error, words: &[OsString], definition: &Command) -> clap::Error {
    let meant = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            text(&error, ContextKind::InvalidSubcommand).and_then(|name| command_meant(&name))
        }
        ErrorKind::UnknownArgument => option_meant(words, definition),
        _ => None,
    };
    if let Some(meant) = meant {
        return clap::Error::raw(error.kind(), format!("{meant}\n"));
    }
    let mut error = error;
    // That a word that begins with a dash could be a value helps nobody here.
    error.remove(ContextKind::Suggested);
    error
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    }
}

fn command_meant(name: &str) -> Option<Error> {
    let of_others = COMMANDS.iter().find(|[theirs, ..]| *theirs == name);
    let of_others = of_others.map(|[_, whose, advice]| (format!("it is a command of {whose}"), *advice));
    let word = WORDS.iter().find(|[word, _]| *word == name);
    let word = word.map(|[_, advice]| ("there is no such command".to_owned(), *advice));
    of_others.or(word).map(|(problem, advice)| Error::usage(name, problem, advice))
}

/// What is said of a model by a name that others have for it.
pub(crate) fn model_meant(name: &str) -> Option<Error> {
    let simple = name.to_lowercase().replace('_', "-");
    let known = MODELS.iter().find(|[theirs, _]| *theirs == simple);
    known.map(|[_, advice]| Error::usage(name, "no model has this name", *advice))
}

/// The option of a command that is meant by one that it does not have.
pub(crate) fn ours(theirs: &str, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let (_, ours) = OPTIONS.iter().find(|(known, _)| *known == theirs)?;
    ours.iter().find(|ours| has(ours)).copied()
}

/// The first word that is no option of its command and whose meaning is known.
fn option_meant(words: &[OsString], definition: &Command) -> Option<Error> {
    let mut command = definition;
    for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(below) = command.find_subcommand(word) {
            command = below;
        }
    }
    let has = |option: &str| {
        command
            .get_arguments()
            .any(|argument| argument.get_long().is_some_and(|long| option == format!("--{long}")))
    };
    for word in words.iter().skip(1).filter_map(|word| word.to_str()).take_while(|word| *word != "--") {
        let option = word.split_once('=').map_or(word, |(option, _)| option);
        if has(option) || !option.starts_with('-') {
            continue;
        }
        let ours = ours(option, has);
        let doubled = format!("-{option}");
        // A single letter may be one of several behind one dash.
        let is_word = option.len() > 2 && !option.starts_with("--");
        if is_word && has(&doubled) {
            return Some(Error::usage(
                option,
                "options of more than a letter have two dashes",
                format!("write {doubled}"),
            ));
        }
        if let Some(ours) = ours {
            return Some(Error::usage(
                option,
                "there is no such option",
                format!("{ours} is what is called so here"),
            ));
        }
        if INPUTS.contains(&option) {
            return Some(Error::usage(
                option,
                "inputs have no option",
                "write the file alone, as Usage in --help has it",
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::definition;
    use std::fmt::Write;

    /// What is between two marks of the page, and the rows that belong there.
    #[test]
    fn the_book_has_the_same_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/reference/command-line.md");
        let page = std::fs::read_to_string(path).unwrap();
        let mut rows = "| theirs | whose | here |\n|---|---|---|\n".to_owned();
        for [theirs, whose, advice] in COMMANDS {
            writeln!(rows, "| `{theirs}` | {whose} | {advice} |").unwrap();
        }
        assert!(page.contains(&rows), "put this into {path}:\n{rows}");
    }

    #[test]
    fn what_hints_name_is_there() {
        let definition = definition();
        let advice =
            COMMANDS.iter().map(|[.., advice]| *advice).chain(WORDS.iter().map(|[_, advice]| *advice));
        for advice in advice.chain(MODELS.iter().map(|[_, advice]| *advice)) {
            for line in advice.split('`').skip(1).step_by(2) {
                let mut command = &definition;
                for word in line.trim_start_matches("arcuate ").split(' ') {
                    if let Some(below) = command.find_subcommand(word) {
                        command = below;
                    } else if let Some(option) = word.strip_prefix("--") {
                        let known =
                            command.get_arguments().any(|argument| argument.get_long() == Some(option));
                        assert!(known, "{advice}: no --{option}");
                    }
                }
                assert_ne!(command.get_name(), "arcuate", "{advice}: `{line}`");
            }
        }
        let all: Vec<&str> =
            COMMANDS.iter().map(|[name, ..]| *name).chain(WORDS.iter().map(|[name, _]| *name)).collect();
        assert!(all.iter().all(|name| definition.find_subcommand(name).is_none()));
    }

    #[test]
    fn every_hint_of_an_option_is_given_somewhere() {
        fn all<'a>(command: &'a Command, found: &mut Vec<&'a Command>) {
            found.push(command);
            command.get_subcommands().for_each(|below| all(below, found));
        }
        let definition = definition();
        let mut commands = Vec::new();
        all(&definition, &mut commands);
        let has = |command: &Command, option: &str| {
            command
                .get_arguments()
                .any(|argument| argument.get_long().is_some_and(|long| option == format!("--{long}")))
        };
        for (theirs, ours) in OPTIONS {
            for ours in *ours {
                let given = commands.iter().any(|command| has(command, ours) && !has(command, theirs));
                assert!(given, "{theirs} for {ours}");
            }
        }
    }
}
