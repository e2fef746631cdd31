//! Help, usage errors, shell completions and manual pages.

use crate::common::{Scratch, listed};
use insta::assert_snapshot;
use std::collections::{BTreeMap, BTreeSet};

/// Programs of FSL, which `arcuate --help` does not list.
const FSL: [&str; 4] = ["bedpostx", "xfibres", "dtifit", "probtrackx2"];

/// Every command that `--help` lists, as it is typed.
fn commands(scratch: &Scratch) -> Vec<String> {
    let mut waiting = listed(&scratch.succeed("--help"));
    let mut found = Vec::new();
    while let Some(command) = waiting.pop() {
        let below = listed(&scratch.succeed(&format!("{command} --help")));
        waiting.extend(below.into_iter().map(|name| format!("{command} {name}")));
        found.push(command);
    }
    found.sort();
    found
}

#[test]
fn top_level_help_fits_one_screen() {
    let scratch = Scratch::new();
    let help = scratch.succeed("--help");
    let lines = help.lines().count();
    assert!((24..=50).contains(&lines), "{lines} lines");
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    let commands = listed(&help);
    assert!(commands.len() <= 22 && commands.contains(&"run".to_owned()), "{commands:?}");
    assert!(FSL.iter().all(|name| !commands.contains(&(*name).to_owned())));
    let names = scratch.succeed("setup names");
    assert!(FSL.iter().all(|name| names.lines().any(|line| line == *name)), "{names}");
    assert_snapshot!("arcuate", help);
}

#[test]
fn short_help_of_each_command_has_24_lines_and_an_example() {
    let scratch = Scratch::new();
    let mut all = commands(&scratch);
    assert!(all.len() > 30, "{all:?}");
    all.push(String::new());
    for command in all {
        let name = format!("arcuate {command}");
        let help = scratch.succeed(&format!("{command} -h"));
        assert!(help.lines().count() <= 24, "{name} -h: {} lines\n{help}", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        let example = help.split("Example:\n  ").nth(1).unwrap_or_default();
        let begins = example.starts_with(name.trim_end());
        assert!(begins || command == "setup" && example.is_empty(), "{name} -h has no example\n{help}");
        assert!(help.contains("--help"), "{help}");
    }
}

/// Splits a help text into parts: headings, options and arguments, each with its text.
fn parts(help: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for line in help.lines() {
        let is_heading = line.ends_with(':') && !line.starts_with(' ');
        let is_option = ["  -", "      --", "  <", "  ["].iter().any(|start| line.starts_with(start));
        if is_heading || is_option {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            *part += line.trim_end();
            part.push('\n');
        }
    }
    parts
}

/// Each command has one snapshot. If several commands describe an option with the same text, only the
/// snapshot `shared` contains this text.
#[test]
fn help_of_each_command() {
    let scratch = Scratch::new();
    let mut helps: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for command in commands(&scratch) {
        let parts = parts(&scratch.succeed(&format!("{command} --help")));
        helps.insert(command, parts);
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for part in helps.values().flatten().filter(|part| part.starts_with(' ')) {
        *counts.entry(part.trim_end()).or_default() += 1;
    }
    let is_shared = |part: &str| counts.get(part.trim_end()).is_some_and(|count| *count > 1);
    for (command, parts) in &helps {
        let shown: String = parts
            .iter()
            .map(|part| match part.lines().next() {
                Some(name) if is_shared(part) => format!("{name} …\n"),
                _ => part.clone(),
            })
            .collect();
        assert_snapshot!(command.replace(' ', "-"), shown);
    }
    let shared: BTreeSet<&str> = counts.keys().copied().filter(|part| is_shared(part)).collect();
    assert!(shared.len() > 20, "{shared:?}");
    assert_snapshot!("shared", shared.into_iter().collect::<Vec<_>>().join("\n\n"));
    for program in FSL {
        let help = scratch.succeed(&format!("{program} --help"));
        assert_eq!(help, scratch.succeed(&format!("{program} -h")));
        assert_snapshot!(program, help);
    }
}

#[test]
fn former_names_of_commands_still_work() {
    let scratch = Scratch::new();
    for (former, present) in [
        ("devices --device cpu", "setup devices --device cpu"),
        ("names --list", "setup names"),
        ("models", "fit --list"),
        ("models ball-1-stick", "fit --list ball-1-stick"),
        ("models --graph ball-1-stick", "fit ball-1-stick --list --graph"),
        ("--quiet completions bash", "setup completions bash"),
        ("help man", "help setup man"),
        ("status --help", "bids status --help"),
    ] {
        let result = scratch.succeed(former);
        assert!(!result.is_empty() && result == scratch.succeed(present), "{former}");
    }
    scratch.fail("fit --list --out x", 2, "error: --list: cannot be used with --out; use only one of them");
    assert_eq!(scratch.run("fit --graph").code, 2);
}

#[test]
fn help_of_methods_cites_sources() {
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
        "bids",
        "recon",
        "5tt",
        "parcellate",
        "simulate kspace",
    ] {
        assert!(scratch.succeed(&format!("{command} --help")).contains("--cite"), "{command}");
        let cited = scratch.succeed(&format!("{command} --cite"));
        let papers = cited.matches("\n@").count();
        assert!(papers > 0 && cited.contains("doi:10.") && cited.contains("  doi = {10."), "{cited}");
        let texts = cited.lines().filter(|line| line.contains(") ") && !line.starts_with(' ')).count();
        assert_eq!(papers, texts, "{cited}");
    }
    assert!(!scratch.succeed("track tensor --help").contains("doi:"));
    scratch.fail("info --cite", 2, "error: --cite: unknown option; see `arcuate info --help`");
    scratch.fail(
        "mask d.nii --cite",
        2,
        "error: --cite: this argument cannot be used with other arguments; \
                                          use it alone",
    );
}

#[test]
fn invalid_command_lines_exit_with_2() {
    let scratch = Scratch::new();
    for (name, arguments) in [
        ("nothing", ""),
        ("unknown-command", "tensr"),
        ("unknown-option", "fit tensor dwi.nii.gz --out out --foo"),
        ("missing-argument", "run dwi.nii.gz"),
        ("bvec-without-bval", "fit tensor dwi.nii.gz --out out --bvec dwi.bvec"),
        ("track-nothing", "track"),
        ("bad-number", "run dwi.nii.gz --out out --select many"),
        ("quiet-and-verbose", "setup devices --quiet -v"),
        ("bad-value", "density t.trx --like a.nii --out b.nii --kind fa"),
    ] {
        let result = scratch.run(arguments);
        assert_eq!((result.code, result.output.as_str()), (2, ""), "arcuate {arguments}");
        assert_snapshot!(format!("usage-{name}"), result.errors);
    }
}

#[test]
fn foreign_command_names_give_hints() {
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
        (
            "noddi dwi.nii",
            "noddi: unknown command; use `arcuate fit noddi-watson DWI --names amico --out FOLDER`",
        ),
        (
            "dwidenoise dwi.mif out.mif",
            "dwidenoise: a command of MRtrix without a counterpart in Arcuate; use MRtrix's dwidenoise before `arcuate run`",
        ),
        (
            "dipy_fit_dti dwi.nii dwi.bval",
            "dipy_fit_dti: a command of DIPY; use `arcuate fit tensor DWI --out FOLDER`",
        ),
        ("mask dwi.mif -force --out m.mif", "-force: long options begin with two dashes; write --force"),
        ("mask dwi.mif -o m.mif", "-o: unknown option; did you mean --out?"),
        (
            "mask -i dwi.mif --out m.mif",
            "-i: inputs have no option; give the file as an argument without an option, as `Usage` in \
             --help shows",
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
fn former_option_names_give_the_new_name() {
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
        let result = format!("error: {old}: unknown option; did you mean {new}?");
        scratch.fail(&format!("{line} {old} x"), 2, &result);
    }
}

#[test]
fn the_version_is_the_package_version() {
    let scratch = Scratch::new();
    assert_eq!(scratch.succeed("--version"), format!("arcuate {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_cpu_is_listed_as_a_device() {
    let scratch = Scratch::new();
    let result = scratch.succeed("setup devices");
    assert!(result.starts_with("cpu ") && result.contains("hardware threads"), "{result}");
    // The free memory of a GPU may change between the commands, so only the first line is compared.
    let processor = |result: &str| result.lines().next().map(str::to_owned);
    assert_eq!(processor(&scratch.succeed("setup devices --device cpu")), processor(&result));
    assert_eq!(processor(&scratch.succeed("setup devices --device auto")), processor(&result));
}

#[test]
fn unavailable_devices_give_one_line() {
    let scratch = Scratch::new();
    // The reason depends on the machine: there is no driver, or there are fewer GPUs.
    let reasons = ["no NVIDIA driver was found (libcuda)", "no GPU has this number; this machine has cuda:0"];
    let result = scratch.run("setup devices --device cuda:999");
    assert_eq!((result.code, result.output.as_str()), (2, ""));
    let error = result.errors.trim_end();
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(reasons.iter().any(|r| error.starts_with(&format!("error: --device cuda:999: {r}"))), "{error}");
    assert!(error.ends_with("; see `arcuate setup devices`, or use --device cpu"), "{error}");

    scratch.fail(
        "setup devices --device gpu",
        2,
        "error: --device gpu: expected auto, cpu, cuda, cuda:NUMBER or cuda:NUMBER,NUMBER; see `arcuate setup devices --help`",
    );
}

#[test]
fn gpu_memory_must_be_a_size_and_needs_a_gpu() {
    let scratch = Scratch::new();
    scratch.fail(
        "setup devices --device-memory lots",
        2,
        "error: --device-memory lots: `lots` is not an amount of memory; write it as 2GiB, 512MiB, 1.5GB \
         or a number of bytes",
    );
    scratch.fail(
        "setup devices --device cpu --device-memory 2GiB",
        2,
        "error: --device-memory: this option limits GPU memory, but --device cpu uses no GPU; remove one of \
         the two",
    );
    scratch.succeed("setup devices --device-memory 2GiB");
}

#[test]
fn shell_completions_are_generated() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = scratch.succeed(&format!("setup completions {shell}"));
        for word in ["arcuate", "connectome", "streamlines"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let scratch = Scratch::new();
    let result = scratch.succeed("setup man --out pages");
    let mut all = commands(&scratch);
    all.extend(FSL.map(str::to_owned));
    assert_eq!(result, format!("{} manual pages in pages\n", all.len() + 1));
    let mut expected: Vec<String> =
        all.iter().map(|command| format!("arcuate-{}.1", command.replace(' ', "-"))).collect();
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
        ".SH REFERENCES",
    ] {
        assert!(page.contains(part), "arcuate-track-tensor.1 lacks {part}");
    }
    // The synopsis has the command as it is typed.
    assert!(page.contains("\\fBarcuate track tensor\\fR"), "{}", &page[..800.min(page.len())]);
}
