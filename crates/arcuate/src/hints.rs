//! Names of commands, options and models in other programs, and their counterparts in Arcuate.

use arcuate_core::Error;

/// Commands of other programs: name, program and counterpart. A test compares them with the table in
/// `docs/src/reference/command-line.md`. If there is no counterpart, the advice begins with "not available".
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
        "not available; `arcuate evaluate commit TRACKS --dwi DWI --out FOLDER` weights streamlines",
    ],
    [
        "tcksift2",
        "MRtrix",
        "not available; `arcuate evaluate commit TRACKS --dwi DWI --out FOLDER` weights streamlines",
    ],
    ["mrinfo", "MRtrix", "use `arcuate info FILE`"],
    [
        "dwigradcheck",
        "MRtrix",
        "`arcuate fit tensor` and `arcuate run` check the directions and report a better --gradient-axes",
    ],
    ["tckinfo", "MRtrix", "use `arcuate info FILE`"],
    ["mrconvert", "MRtrix", "use `arcuate convert INPUT OUTPUT`"],
    ["tckconvert", "MRtrix", "use `arcuate convert INPUT OUTPUT`"],
    ["dwiextract", "MRtrix", "use `arcuate convert DWI OUTPUT --shells 0,1000`"],
    ["mrview", "MRtrix", "look at report.html, which `arcuate report FOLDER` writes for results"],
    ["dwi2response", "MRtrix", "use `arcuate response DWI --out FOLDER`"],
    ["dwi2fod", "MRtrix", "use `arcuate fit csd DWI --responses FOLDER --out FOLDER`"],
    ["5ttgen", "MRtrix", "use `arcuate 5tt aparc+aseg.mgz --lut FreeSurfer --out IMAGE`, or maps of tissues"],
    [
        "5tt2gmwmi",
        "MRtrix",
        "use `arcuate 5tt aparc+aseg.mgz --lut FreeSurfer --out IMAGE --interface IMAGE`",
    ],
    ["dwidenoise", "MRtrix", "not available; run it before `arcuate run`"],
    ["mrdegibbs", "MRtrix", "not available; run it before `arcuate run`"],
    ["dwifslpreproc", "MRtrix", "not available; run it before `arcuate run`"],
    ["dwibiascorrect", "MRtrix", "not available; run it before `arcuate run`"],
    ["mtnormalise", "MRtrix", "use `arcuate fit csd DWI --responses FOLDER --normalise --out FOLDER`"],
    ["sh2peaks", "MRtrix", "`arcuate fit csd` writes peaks.nii.gz"],
    ["tckstats", "MRtrix", "use `arcuate info TRACKS`"],
    [
        "labelconvert",
        "MRtrix",
        "not needed; use `arcuate connectome TRACKS --labels IMAGE --label-names FILE --out FOLDER`",
    ],
    [
        "connectome2tck",
        "MRtrix",
        "use `arcuate edit TRACKS --waypoints IMAGE --region-test ends --out TRACKS`",
    ],
    ["fod2fixel", "MRtrix", "not available; use MRtrix's command on wm_fod.nii.gz"],
    ["population_template", "MRtrix", "not available; use MRtrix's command on wm_fod.nii.gz"],
    ["tckresample", "MRtrix", "not available; use MRtrix's command"],
    ["mrcalc", "MRtrix", "not available; use MRtrix's command"],
    ["mrstats", "MRtrix", "not available; use MRtrix's command"],
    ["mrtransform", "MRtrix", "not available; use MRtrix's command"],
    ["mrgrid", "MRtrix", "not available; use MRtrix's command"],
    [
        "probtrackx",
        "FSL",
        "use `arcuate probtrackx2`, or `arcuate track samples FOLDER --seed-mask IMAGE --out FOLDER`",
    ],
    ["vecreg", "FSL", "not available; use FSL's program"],
    ["bet", "FSL", "use `arcuate mask DWI --out IMAGE`"],
    ["fslinfo", "FSL", "use `arcuate info FILE`"],
    ["fslroi", "FSL", "use `arcuate convert DWI OUTPUT --volumes 0-9`"],
    ["eddy", "FSL", "not available; run it before `arcuate run`"],
    ["topup", "FSL", "not available; run it before `arcuate run`"],
    ["xtract", "FSL", "use `arcuate track samples X.bedpostX --protocols FOLDER --out FOLDER`"],
    ["bedpostx_datacheck", "FSL", "not available; `arcuate bedpostx SUBJECT` checks its input"],
    ["fslmaths", "FSL", "not available; use FSL's program"],
    ["flirt", "FSL", "not available; `arcuate track samples` takes its transforms with --masks-to-dwi"],
    ["fnirt", "FSL", "not available; `arcuate track samples` takes its transforms with --masks-to-dwi"],
    ["dipy_fit_dti", "DIPY", "use `arcuate fit tensor DWI --out FOLDER`"],
    ["dipy_median_otsu", "DIPY", "use `arcuate mask DWI --out IMAGE`"],
    ["dipy_track", "DIPY", "use `arcuate track peaks PEAKS --out TRACKS`, or `track tensor`"],
    ["dipy_track_det", "DIPY", "use `arcuate track peaks PEAKS --out TRACKS`, or `track tensor`"],
    ["dipy_info", "DIPY", "use `arcuate info FILE`"],
    ["dipy_convert_tractogram", "DIPY", "use `arcuate convert INPUT OUTPUT`"],
    ["dipy_horizon", "DIPY", "look at report.html, which `arcuate report FOLDER` writes for results"],
    ["dipy_fit_csd", "DIPY", "use `arcuate fit csd DWI --responses FOLDER --out FOLDER`"],
    [
        "dipy_fit_dki",
        "DIPY",
        "not built in; fit the documentation's model file: `arcuate fit ./kurtosis.toml DWI --out FOLDER`",
    ],
    ["dipy_denoise_mppca", "DIPY", "not available; run it before `arcuate run`"],
    [
        "tractseg",
        "TractSeg",
        "not available; `arcuate track samples X.bedpostX --protocols FOLDER --out FOLDER` tracks bundles by XTRACT's masks",
    ],
    [
        "recobundles",
        "DIPY",
        "not available; `arcuate track samples X.bedpostX --protocols FOLDER --out FOLDER` tracks bundles by XTRACT's masks",
    ],
];

/// Words that are not commands of any program, and their probable meaning.
const WORDS: &[[&str; 2]] = &[
    ["tensor", "use `arcuate fit tensor DWI --out FOLDER`"],
    ["dti", "use `arcuate fit tensor DWI --out FOLDER`"],
    ["noddi", "use `arcuate fit noddi-watson DWI --out FOLDER`"],
    ["life", "use `arcuate evaluate life TRACKS --dwi DWI --out FOLDER`"],
    ["commit", "use `arcuate evaluate commit TRACKS --dwi DWI --out FOLDER`"],
    ["tracking", "use `arcuate track tensor TENSOR --out TRACKS`, or `track peaks`, `track samples`"],
    ["denoise", "not available; run MRtrix's dwidenoise before `arcuate run`"],
    ["csd", "use `arcuate fit csd DWI --responses FOLDER --out FOLDER`"],
    [
        "dki",
        "not built in; fit the documentation's model file: `arcuate fit ./kurtosis.toml DWI --out FOLDER`",
    ],
    [
        "register",
        "not available; `arcuate track samples` takes transforms of FSL, ANTs and ITK with --masks-to-dwi",
    ],
    ["view", "look at report.html, which `arcuate report FOLDER` writes for results"],
];

/// Names of models in other programs.
const MODELS: &[[&str; 2]] = &[
    [
        "dti",
        "`arcuate fit tensor` fits the diffusion tensor, `fit tensor-nonlinear` by nonlinear least squares",
    ],
    ["noddi", "it is noddi-watson here (noddi-watson-exvivo for specimens)"],
    ["noddi-watson-in-vivo", "it is noddi-watson here"],
    ["bingham-noddi", "it is noddi-bingham here"],
    [
        "dki",
        "it is the documentation's model file kurtosis: save docs/src/models/kurtosis.toml, and give ./kurtosis.toml",
    ],
    ["deconvolution", "use `arcuate fit csd DWI --responses FOLDER --out FOLDER`"],
    ["bedpostx", "use `arcuate bedpostx SUBJECT`, or `arcuate fit ball-2-sticks --method mcmc`"],
    ["ball-and-stick", "it is ball-1-stick here, with more fibres ball-2-sticks and ball-3-sticks"],
    ["ball-stick", "it is ball-1-stick here, with more fibres ball-2-sticks and ball-3-sticks"],
    ["ballstick", "it is ball-1-stick here, with more fibres ball-2-sticks and ball-3-sticks"],
];

/// Options of other programs and former options, each with Arcuate's options. The first one that the command
/// has is suggested.
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
    ("--radius", &["--curvature-radius", "--assignment-radius"]),
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

/// Options of other programs whose function is not available, and what to use instead.
const OPTIONS_NOT_AVAILABLE: &[[&str; 2]] = &[
    ["-seed_dynamic", SEEDS],
    ["--seed-dynamic", SEEDS],
    ["-seed_rejection", SEEDS],
    ["--seed-rejection", SEEDS],
];

const SEEDS: &str =
    "not available: seeds that depend on the streamlines so far; use --seed-mask or --seed-interface";

/// Options that other programs use for inputs.
pub(crate) const INPUTS: &[&str] = &["-i", "--in", "--input", "-k", "--data", "--dwi-file"];

/// Returns the hint for a command name of another program, or for a similar word.
pub(crate) fn command_meant(name: &str) -> Option<Error> {
    let of_others = COMMANDS.iter().find(|[theirs, ..]| *theirs == name);
    let of_others = of_others.map(|[_, whose, advice]| (format!("a command of {whose}"), *advice));
    let word = WORDS.iter().find(|[word, _]| *word == name);
    let word = word.map(|[_, advice]| ("unknown command".to_owned(), *advice));
    of_others.or(word).map(|(problem, advice)| Error::usage(name, problem, advice))
}

/// Returns the hint for a model name of another program.
pub(crate) fn model_meant(name: &str) -> Option<Error> {
    let simple = name.to_lowercase().replace('_', "-");
    let known = MODELS.iter().find(|[theirs, _]| *theirs == simple);
    known.map(|[_, advice]| Error::usage(name, "no model has this name", *advice))
}

/// Returns the option of a command that corresponds to an unknown option.
pub(crate) fn ours(theirs: &str, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let (_, ours) = OPTIONS.iter().find(|(known, _)| *known == theirs)?;
    ours.iter().find(|ours| has(ours)).copied()
}

/// Returns the advice for an option of other programs whose function is not available.
pub(crate) fn not_available(theirs: &str) -> Option<&'static str> {
    OPTIONS_NOT_AVAILABLE.iter().find(|[known, _]| *known == theirs).map(|[_, advice]| *advice)
}

/// Returns each name with its advice, as a sentence.
#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = String> {
    let commands = COMMANDS.iter().map(|[theirs, _, advice]| format!("{theirs}: {advice}"));
    let others = [WORDS, MODELS, OPTIONS_NOT_AVAILABLE].into_iter().flatten();
    commands.chain(others.map(|[theirs, advice]| format!("{theirs}: {advice}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::definition;
    use clap::Command;
    use std::fmt::Write;

    /// The page has the rows of this table between two marks.
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
