//! What the command says about itself.

mod common;

use common::{Scratch, listed};
use insta::assert_snapshot;

/// Every command, as it is typed.
const COMMANDS: &[&str] = &[
    "run",
    "bids",
    "status",
    "recon",
    "mask",
    "5tt",
    "response",
    "fit",
    "fit tensor",
    "fit csd",
    "maps",
    "models",
    "bedpostx",
    "xfibres",
    "dtifit",
    "track",
    "track tensor",
    "track fod",
    "track geodesic",
    "track samples",
    "track peaks",
    "track bootstrap",
    "merge",
    "probtrackx2",
    "evaluate",
    "evaluate life",
    "evaluate commit",
    "density",
    "connectome",
    "parcellate",
    "edit",
    "sample",
    "convert",
    "info",
    "simulate",
    "simulate kspace",
    "demo",
    "report",
    "devices",
    "names",
    "completions",
    "man",
];

#[test]
fn help_of_the_whole() {
    let scratch = Scratch::new();
    assert_snapshot!("arcuate-h", scratch.succeed("-h"));
    assert_snapshot!("arcuate-help", scratch.succeed("--help"));
}

#[test]
fn help_of_each_command() {
    let scratch = Scratch::new();
    for command in COMMANDS {
        let name = command.replace(' ', "-");
        assert_snapshot!(format!("{name}-h"), scratch.succeed(&format!("{command} -h")));
        let long = scratch.succeed(&format!("{command} --help"));
        assert_snapshot!(format!("{name}-help"), long);
    }
}

#[test]
fn every_command_has_its_help_tested() {
    let scratch = Scratch::new();
    let mut found = Vec::new();
    for command in listed(&scratch.succeed("-h")) {
        let below = listed(&scratch.succeed(&format!("{command} -h")));
        found.extend(below.into_iter().map(|name| format!("{command} {name}")));
        found.push(command);
    }
    found.sort();
    let mut known: Vec<&str> = COMMANDS.to_vec();
    known.sort_unstable();
    assert_eq!(found, known);
}

#[test]
fn methods_name_their_sources() {
    let scratch = Scratch::new();
    for command in [
        "run",
        "mask",
        "response",
        "fit tensor",
        "fit csd",
        "maps",
        "track tensor",
        "track fod",
        "track geodesic",
        "track samples",
        "track peaks",
        "track bootstrap",
        "evaluate life",
        "evaluate commit",
        "density",
        "connectome",
        "simulate",
        "demo",
    ] {
        let long = scratch.succeed(&format!("{command} --help"));
        assert!(long.contains("REFERENCES") && long.contains("doi:10."), "{command}");
    }
}

#[test]
fn a_wrong_command_line_exits_with_2() {
    let scratch = Scratch::new();
    for (name, arguments) in [
        ("nothing", ""),
        ("unknown-command", "tensr"),
        ("unknown-option", "fit tensor dwi.nii.gz --out out --foo"),
        ("missing-argument", "run dwi.nii.gz"),
        ("bvec-without-bval", "fit tensor dwi.nii.gz --out out --bvec dwi.bvec"),
        ("track-nothing", "track"),
        ("bad-number", "run dwi.nii.gz --out out --select many"),
        ("quiet-and-verbose", "devices --quiet -v"),
        ("bad-value", "density t.trx --like a.nii --out b.nii --kind fa"),
    ] {
        let said = scratch.run(arguments);
        assert_eq!((said.code, said.output.as_str()), (2, ""), "arcuate {arguments}");
        assert_snapshot!(format!("usage-{name}"), said.errors);
    }
}

#[test]
fn names_of_other_programs_lead_to_ours() {
    let scratch = Scratch::new();
    for (arguments, message) in [
        (
            "dwi2tensor dwi.mif dt.mif",
            "dwi2tensor: a command of MRtrix; use `arcuate fit tensor DWI --out FOLDER`",
        ),
        (
            "dwi2fod csd dwi.mif",
            "dwi2fod: a command of MRtrix; use `arcuate fit csd DWI --responses FOLDER --out FOLDER`",
        ),
        ("noddi dwi.nii", "noddi: unknown command; use `arcuate fit noddi-watson DWI --out FOLDER`"),
        ("mask dwi.mif -force --out m.mif", "-force: long options begin with two dashes; write --force"),
        ("mask dwi.mif -o m.mif", "-o: unknown option; did you mean --out?"),
        (
            "mask -i dwi.mif --out m.mif",
            "-i: inputs have no option; give the file without an option, as `Usage` in --help shows",
        ),
        ("mask dwi.mif --out m.mif -nthreads 4", "-nthreads: unknown option; did you mean --threads?"),
        ("info a.mif -info", "-info: unknown option; did you mean --verbose?"),
        ("run d.nii --out o --seed=1", "--seed: unknown option; did you mean --random-seed?"),
        ("track samples s --out o --exclude e.nii", "--exclude: unknown option; did you mean --avoid?"),
        ("edit t.tck --out u.tck -exclude e.nii", "-exclude: unknown option; did you mean --avoid?"),
        ("connectome t.tck --atlas a.nii --out o", "--atlas: unknown option; did you mean --labels?"),
        (
            "fit noddi d.nii --out o",
            "noddi: no model has this name; it is noddi-watson here (noddi-watson-exvivo for specimens)",
        ),
        (
            "fit DTI d.nii --out o",
            "DTI: no model has this name; `arcuate fit tensor` fits the diffusion tensor, `fit tensor-nonlinear` by nonlinear \
             least squares",
        ),
    ] {
        scratch.fail(arguments, 2, &format!("error: {message}"));
    }
}

#[test]
fn names_that_options_had_say_the_new_one() {
    let scratch = Scratch::new();
    for (line, old, new) in [
        ("edit t.tck --out u.tck", "--include", "--waypoints"),
        ("edit t.tck --out u.tck", "--exclude", "--avoid"),
        ("connectome t.tck --labels l.nii --out o", "--radius", "--assignment-radius"),
        ("track samples s --out o --labels l.nii", "--radius", "--assignment-radius"),
        ("track tensor t.nii --out t.tck", "--radius", "--curvature-radius"),
        ("track tensor t.nii --out t.tck", "--one-direction", "--one-way"),
        ("track geodesic t.nii --all --out o", "--start", "--initial-directions"),
        ("track geodesic t.nii --out o", "--target", "--targets"),
        ("track geodesic t.nii --all --out o", "--directions", "--per-seed"),
        ("track geodesic t.nii --all --out o", "--tolerance", "--step-tolerance"),
        ("track bootstrap d.nii --out o", "--samples", "--replicates"),
        ("evaluate commit t.tck --out o", "--map", "--scalar-map"),
        ("evaluate commit t.tck --dwi d.nii --out o", "--estimated-signal", "--predicted"),
        ("recon k --trajectory t --out i.nii", "--coils", "--sensitivities"),
        ("recon k --trajectory t --out i.nii", "--prior", "--regularise"),
        ("recon k --trajectory t --out i.nii", "--noise", "--sigma"),
        ("simulate kspace --out o", "--trajectory", "--trajectory-kind"),
    ] {
        let said = format!("error: {old}: unknown option; did you mean {new}?");
        scratch.fail(&format!("{line} {old} x"), 2, &said);
    }
}

#[test]
fn the_version_is_the_packages() {
    let scratch = Scratch::new();
    assert_eq!(scratch.succeed("--version"), format!("arcuate {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_processor_is_a_device() {
    let scratch = Scratch::new();
    let said = scratch.succeed("devices");
    assert!(said.starts_with("cpu ") && said.contains("hardware threads"), "{said}");
    // What is free on a GPU may change meanwhile.
    let processor = |said: &str| said.lines().next().map(str::to_owned);
    assert_eq!(processor(&scratch.succeed("devices --device cpu")), processor(&said));
    assert_eq!(processor(&scratch.succeed("devices --device auto")), processor(&said));
}

#[test]
fn a_device_that_is_not_there_is_one_clear_line() {
    let scratch = Scratch::new();
    // Without a driver, or with fewer GPUs: one reason or the other.
    let reasons = ["no NVIDIA driver was found (libcuda)", "there is no such GPU; this machine has cuda:0"];
    let said = scratch.run("devices --device cuda:999");
    assert_eq!((said.code, said.output.as_str()), (2, ""));
    let error = said.errors.trim_end();
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(reasons.iter().any(|r| error.starts_with(&format!("error: --device cuda:999: {r}"))), "{error}");
    assert!(error.ends_with("; see `arcuate devices`, or use --device cpu"), "{error}");

    scratch.fail(
        "devices --device gpu",
        2,
        "error: --device gpu: expected auto, cpu, cuda, cuda:NUMBER or cuda:NUMBER,NUMBER; see `arcuate devices --help`",
    );
}

#[test]
fn memory_of_gpus_is_an_amount_and_needs_a_gpu() {
    let scratch = Scratch::new();
    scratch.fail(
        "devices --device-memory lots",
        2,
        "error: --device-memory lots: `lots` is no amount of memory; write it as 2GiB, 512MiB, 1.5GB or a number of bytes",
    );
    scratch.fail(
        "devices --device cpu --device-memory 2GiB",
        2,
        "error: --device-memory: it limits the memory of GPUs, and --device cpu uses none; leave one of the two out",
    );
    scratch.succeed("devices --device-memory 2GiB");
}

#[test]
fn shells_can_complete() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = scratch.succeed(&format!("completions {shell}"));
        for word in ["arcuate", "connectome", "streamlines"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let scratch = Scratch::new();
    let said = scratch.succeed("man --out pages");
    assert_eq!(said, format!("{} manual pages in pages\n", COMMANDS.len() + 1));
    let mut expected: Vec<String> =
        COMMANDS.iter().map(|command| format!("arcuate-{}.1", command.replace(' ', "-"))).collect();
    expected.push("arcuate.1".to_owned());
    expected.sort();
    assert_eq!(scratch.listing("pages"), expected);
    let page = scratch.text("pages/arcuate-track-tensor.1");
    for part in [
        ".TH arcuate-track-tensor 1",
        ".SH NAME",
        ".SH SYNOPSIS",
        ".SH OPTIONS",
        ".SH EXAMPLES",
        "REFERENCES",
    ] {
        assert!(page.contains(part), "arcuate-track-tensor.1 lacks {part}");
    }
    // The name in the synopsis is what one types.
    assert!(page.contains("\\fBarcuate track tensor\\fR"), "{}", &page[..800.min(page.len())]);
}
