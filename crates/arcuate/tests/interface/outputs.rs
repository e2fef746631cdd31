//! Existing files are protected, and unfinished results are removed.

use crate::common::{Scratch, brain};

/// No command overwrites its inputs, even with `--force` or under another path to the same file.
#[test]
fn inputs_are_never_destroyed() {
    let brain = brain();
    assert_eq!(brain.run("fit tensor dwi.nii.gz --out maps").code, 0);
    assert_eq!(brain.run("convert truth_streamlines.trx t.tck").code, 0);
    brain.write("weights.txt", "1\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink(brain.path("t.tck"), brain.path("link.tck")).unwrap();
    #[cfg(not(unix))]
    std::fs::copy(brain.path("t.tck"), brain.path("link.tck")).unwrap();
    std::fs::create_dir(brain.path("c")).unwrap();
    std::fs::copy(brain.path("labels.nii.gz"), brain.path("c/connectome_counts.csv")).unwrap();
    std::fs::copy(brain.path("dwi.nii.gz"), brain.path("maps/s0.nii.gz")).unwrap();
    std::fs::copy(brain.path("dwi.bval"), brain.path("maps/s0.bval")).unwrap();
    std::fs::copy(brain.path("dwi.bvec"), brain.path("maps/s0.bvec")).unwrap();
    assert_eq!(brain.run("convert truth_streamlines.trx whole.trx --folder").code, 0);
    brain.succeed("mask dwi.nii.gz --out m.nii.gz");
    for (command, input) in [
        ("report maps --out maps/fa.nii.gz", "maps/fa.nii.gz"),
        ("report maps --out maps/arcuate.json", "maps/arcuate.json"),
        // The record in `maps` names this file as an input of the command that wrote the maps.
        ("report maps --out ./maps/../dwi.nii.gz", "dwi.nii.gz"),
        ("report m.nii.gz --out m.nii.gz", "m.nii.gz"),
        ("report m.nii.gz --out m.nii.gz.json", "m.nii.gz.json"),
        ("density whole.trx --like m.nii.gz --out whole.trx/header.json", "whole.trx/header.json"),
        ("density whole.trx --like m.nii.gz --out whole.trx/new.nii", "whole.trx/header.json"),
        ("mask dwi.nii.gz --out dwi.nii.gz", "dwi.nii.gz"),
        ("mask dwi.nii.gz --out ./maps/../dwi.nii.gz", "dwi.nii.gz"),
        ("mask dwi.nii.gz --out dwi.bval", "dwi.bval"),
        ("fit tensor maps/s0.nii.gz --out maps", "maps/s0.nii.gz"),
        ("fit tensor dwi.nii.gz --mask maps/fa.nii.gz --out maps", "maps/fa.nii.gz"),
        ("track tensor maps/tensor.nii.gz --seed-mask t.tck --out t.tck", "t.tck"),
        ("convert t.tck t.tck", "t.tck"),
        ("convert t.tck link.tck", "t.tck"),
        ("convert dwi.bvec dwi.bval --reference dwi.nii.gz", "dwi.bvec"),
        (
            "connectome t.tck --labels labels.nii.gz --weights c/connectome_counts.csv --out c",
            "c/connectome_counts.csv",
        ),
    ] {
        // On systems without symbolic links, `link.tck` is a copy, which is another file.
        if cfg!(not(unix)) && command.contains("link") {
            continue;
        }
        let before = brain.read(input);
        let result = brain.run(&format!("{command} --force"));
        let name = if command.starts_with("convert") { "OUTPUT" } else { "--out" };
        let expected =
            format!("it is an input, and the results would be written over it; choose another {name}");
        assert!(result.errors.contains(&expected), "{command}: {}", result.errors);
        assert_eq!(result.code, 2, "{command}");
        assert!(brain.read(input) == before, "{command}");
    }
}

/// A folder that contains an input, and a table that belongs to an input matrix, are inputs as well.
#[test]
fn folders_and_tables_of_inputs_are_never_destroyed() {
    let brain = brain();
    let mcmc = "--method mcmc --burn-in 5 --jumps 10 --interval 5";
    brain.succeed(&format!("fit ball-1-stick dwi.nii.gz --mask white_matter.nii.gz {mcmc} --out samples"));
    // The estimation of a response needs more directions than the small brain has.
    brain.succeed("simulate --out sim --voxel-size 5 --directions 32 --b0s 2 --streamlines-per-bundle 2");
    let response =
        "response sim/dwi.nii.gz --method single-fibre --voxels 40 --mask sim/white_matter.nii.gz --out resp";
    assert_eq!(brain.run(response).code, 0);
    brain.succeed("connectome truth_streamlines.trx --labels labels.nii.gz --out mat/c.npz");
    std::fs::create_dir(brain.path("samples/new")).unwrap();
    for (command, folder) in [
        ("track samples samples --seed-mask white_matter.nii.gz --per-seed 2 --out samples", "samples"),
        (
            "track samples samples --seed-mask white_matter.nii.gz --per-seed 2 --out ./resp/../samples",
            "samples",
        ),
        ("fit csd sim/dwi.nii.gz --responses resp --mask sim/mask.nii.gz --out resp", "resp"),
        ("fit csd sim/dwi.nii.gz --responses resp/response_wm.txt --mask sim/mask.nii.gz --out resp", "resp"),
        ("parcellate mat/c_counts.npz --out mat/c_regions.tsv", "mat"),
    ] {
        let before: Vec<_> = files_of(&brain, folder);
        for force in ["", " --force"] {
            let result = brain.run(&format!("{command}{force}"));
            let expected = "it is an input, and the results would be written over it; choose another --out";
            assert!(result.errors.contains(expected), "{command}: {}", result.errors);
            assert_eq!(result.code, 2, "{command}");
            assert!(files_of(&brain, folder) == before, "{command}");
        }
    }
}

/// The files of a folder with their content.
fn files_of(brain: &Scratch, folder: &str) -> Vec<(String, Vec<u8>)> {
    let names = brain.listing(folder).into_iter().filter(|name| brain.path(folder).join(name).is_file());
    names.map(|name| (name.clone(), brain.read(&format!("{folder}/{name}")))).collect()
}

/// If two commands have the same result, the second one fails at once. A killed command does not block later
/// commands.
#[test]
fn two_commands_cannot_write_the_same_file() {
    let brain = brain();
    brain.succeed("fit tensor dwi.nii.gz --out maps");
    std::fs::create_dir(brain.path("new")).unwrap();
    let words = "track tensor maps/tensor.nii.gz --select 1000000000 --seeds 100000000000 --out new/t.tck --threads 1";
    let mut first = std::process::Command::new(assert_cmd::cargo::cargo_bin!("arcuate"))
        .args(words.split(' '))
        .current_dir(brain.path(""))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !brain.listing("new").iter().any(|name| name.ends_with(".partial")) {
        std::thread::yield_now();
    }
    let result = brain.run("track tensor maps/tensor.nii.gz --select 5 --out new/t.tck --random-seed 2");
    let refusal = "error: new/t.tck: another arcuate is writing it; wait until the other arcuate process has \
                   finished, or choose another --out";
    assert!(result.errors.contains(refusal), "{}", result.errors);
    assert_eq!(result.code, 2);
    // Another file in the same folder can be written.
    brain.succeed("track tensor maps/tensor.nii.gz --select 5 --out new/other.tck");
    first.kill().unwrap();
    first.wait().unwrap();
    brain.succeed("track tensor maps/tensor.nii.gz --select 5 --out new/t.tck");
    assert_eq!(brain.listing("new"), ["other.tck", "other.tck.json", "t.tck", "t.tck.json"]);
}

#[test]
fn logs_cannot_be_results() {
    let brain = brain();
    std::fs::create_dir(brain.path("maps")).unwrap();
    for (command, name) in [
        ("convert truth_streamlines.trx a.tck --log ./a.tck", "a.tck"),
        ("mask dwi.nii.gz --out m.nii --log m.nii.json", "m.nii.json"),
        ("density truth_streamlines.trx --like mask.nii.gz --out d.nii --log d.nii --force", "d.nii"),
        ("fit tensor dwi.nii.gz --out maps --log maps/fa.nii.gz", "maps/fa.nii.gz"),
    ] {
        let result = brain.run(command);
        let sentence = "the log is written there, and a result would be written over it; give another file \
                        name for --log or for the result";
        assert!(
            result.errors.contains(&format!("error: {name}: {sentence}")),
            "{command}: {}",
            result.errors
        );
        assert_eq!(result.code, 2, "{command}");
    }
    std::fs::remove_file(brain.path("maps/fa.nii.gz")).unwrap();
    brain.succeed("fit tensor dwi.nii.gz --out maps --log maps/log.txt");
}

#[test]
fn verbose_reports_the_time_of_each_step() {
    let brain = brain();
    let took = |options: &str| {
        let result = brain.run(&format!("mask dwi.nii.gz --out m.nii --force{options}"));
        assert_eq!(result.code, 0, "{}", result.errors);
        let is_time = |line: &&str| line.starts_with("find the brain: ") && line.ends_with(" s");
        result.errors.lines().filter(is_time).count()
    };
    assert_eq!((took(""), took(" --verbose"), took(" -v")), (0, 1, 1));
}

#[test]
fn force_removes_all_results_of_an_older_run() {
    let brain = brain();
    assert_eq!(brain.run("fit tensor dwi.nii.gz --out results").code, 0);
    brain.write("results/notes.txt", "mine");
    let command = "connectome truth_streamlines.trx --labels labels.nii.gz --out results";
    assert_eq!(brain.run(command).code, 2);
    assert!(brain.path("results/fa.nii.gz").exists());
    // A missing input is reported before any file is removed.
    let failing = brain.run("connectome truth_streamlines.trx --labels none.nii.gz --out results --force");
    assert_eq!(failing.code, 1);
    assert!(brain.path("results/fa.nii.gz").exists() && brain.path("results/arcuate.json").exists());
    assert_eq!(brain.run(&format!("{command} --force")).code, 0);
    let listing = brain.listing("results");
    assert!(listing.contains(&"notes.txt".to_owned()), "{listing:?}");
    let others: Vec<&String> = listing
        .iter()
        .filter(|name| !name.starts_with("connectome_") && *name != "arcuate.json" && *name != "notes.txt")
        .collect();
    assert!(others.is_empty(), "{others:?}");
}

/// These tests send signals with the program `kill`.
#[cfg(unix)]
mod signals {
    use super::brain;
    use crate::common::Scratch;
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, ExitStatus, Stdio};

    /// Starts a command that writes one file until it is stopped. Returns when the file has content.
    fn endless(brain: &Scratch) -> Child {
        assert_eq!(brain.run("fit tensor dwi.nii.gz --out maps --force").code, 0);
        let words = "track tensor maps/tensor.nii.gz --select 1000000000 --seeds 100000000000 --out new/t.tck --threads 1";
        std::fs::create_dir_all(brain.path("new")).unwrap();
        // The new command removes the unfinished files of a killed command.
        let older = unfinished(brain);
        let child = Command::new(assert_cmd::cargo::cargo_bin!("arcuate"))
            .args(words.split(' '))
            .current_dir(brain.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The command first creates an empty file to test that it can write there. That file does not count.
        let begun = |name: &String| {
            !older.contains(name)
                && std::fs::metadata(brain.path("new").join(name)).is_ok_and(|file| file.len() > 0)
        };
        while !unfinished(brain).iter().any(begun) {
            std::thread::yield_now();
        }
        child
    }

    fn unfinished(brain: &Scratch) -> Vec<String> {
        brain.listing("new").into_iter().filter(|name| name.ends_with(".partial")).collect()
    }

    fn end(mut child: Child, signal: &str) -> ExitStatus {
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        child.wait().unwrap()
    }

    #[test]
    fn interrupted_commands_leave_no_files() {
        for signal in ["-INT", "-TERM", "-HUP"] {
            let brain = brain();
            let status = end(endless(&brain), signal);
            assert_eq!(status.code(), Some(130), "{signal}");
            assert!(brain.listing("new").is_empty(), "{signal}: {:?}", brain.listing("new"));
        }
    }

    #[test]
    fn cancelled_calls_leave_no_files() {
        let brain = brain();
        let words = "fit ball-1-stick dwi.nii.gz --method mcmc --jumps 4000 --out new/chains --threads 1";
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("arcuate"))
            .args(words.split(' '))
            .current_dir(brain.path(""))
            .env("ARCUATE_LOG_INTERVAL", "0.02")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Waits until the command reports the progress of the chains.
        let mut result = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let told = result.find(|line| line.contains('%'));
        assert!(told.is_some());
        let rest = std::thread::spawn(move || result.collect::<Vec<_>>());
        assert_eq!(end(child, "-INT").code(), Some(130));
        let rest = rest.join().unwrap();
        assert!(!rest.iter().any(|line| line.contains("error") || line.contains("warning")), "{rest:?}");
        assert!(!brain.path("new/chains").exists());
    }

    #[test]
    fn files_of_killed_commands_are_removed_by_the_next_command() {
        let brain = brain();
        end(endless(&brain), "-KILL");
        assert_eq!(unfinished(&brain).len(), 1);
        let running = endless(&brain);
        assert_eq!(unfinished(&brain).len(), 1, "that of the one that runs");
        assert_eq!(brain.run("mask dwi.nii.gz --out new/mask.nii.gz").code, 0);
        assert_eq!(unfinished(&brain).len(), 1);
        end(running, "-TERM");
        assert_eq!(brain.listing("new"), ["mask.nii.gz", "mask.nii.gz.json"]);
    }
}
