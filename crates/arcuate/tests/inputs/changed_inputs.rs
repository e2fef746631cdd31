//! If an input changes while a command reads it, no result of the command is kept.

#![cfg(target_os = "linux")]

use crate::common::{CommandOutput, Scratch, small_brain};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// Linux's `O_NONBLOCK`.
const NON_BLOCKING: i32 = 0o4000;
/// The size of a memory page. The buffer of a pipe consists of pages.
const PAGE: usize = 4096;

/// Runs a command and stops it at the last of `steps` while `act` runs. The command's standard error is a pipe that
/// has space only for the lines of the earlier steps. The command therefore blocks when it reports the last step.
fn held(scratch: &Scratch, arguments: &str, steps: &[&str], act: impl FnOnce()) -> CommandOutput {
    let command = arguments.split(" --").next().unwrap();
    let known =
        ["fit", "maps", "density", "convert", "recon", "track samples", "track geodesic", "track tensor"];
    let command = known.into_iter().find(|name| command.starts_with(name)).unwrap();
    let lines: Vec<String> = steps.iter().map(|step| format!("arcuate {command}: {step}\n")).collect();
    let room: usize = lines[..lines.len() - 1].iter().map(String::len).sum();
    let (mut reader, writer) = std::io::pipe().unwrap();
    // The pipe is opened a second time in non-blocking mode, so that filling the pipe does not wait.
    let path = format!("/proc/self/fd/{}", writer.as_raw_fd());
    let mut filler = OpenOptions::new().write(true).custom_flags(NON_BLOCKING).open(path).unwrap();
    let mut filled = 0;
    loop {
        match filler.write(&[b'.'; PAGE]) {
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => panic!("{error}"),
        }
    }
    // The kernel frees the buffer of a pipe one page at a time.
    let mut page = [0; PAGE];
    reader.read_exact(&mut page).unwrap();
    filler.write_all(&page[room..]).unwrap();
    drop(filler);
    let child = Command::new(assert_cmd::cargo::cargo_bin!("arcuate"))
        .args(arguments.split(' '))
        .current_dir(scratch.path(""))
        .stdout(Stdio::piped())
        .stderr(writer)
        .spawn()
        .unwrap();
    wait_until_still(&child);
    act();
    let mut errors = Vec::new();
    reader.read_to_end(&mut errors).unwrap();
    let Output { status, stdout, .. } = child.wait_with_output().unwrap();
    let output = Output { status, stdout, stderr: errors[filled - room..].to_vec() };
    let result = CommandOutput::of(arguments, &output);
    assert!(
        result.steps.iter().zip(steps).all(|(result, step)| result.ends_with(step)),
        "{:?}",
        result.steps
    );
    result
}

/// Waits until a process has been idle for some time. The process then waits for its pipe.
fn wait_until_still(child: &Child) {
    let used = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        (fields[0].to_owned(), fields[11].to_owned(), fields[12].to_owned())
    };
    let mut last = (used(), 0);
    while last.1 < 25 {
        std::thread::sleep(Duration::from_millis(20));
        let now = used();
        assert_ne!(now.0, "Z", "it ended before the step");
        last = if now == last.0 && now.0 == "S" { (now, last.1 + 1) } else { (now, 0) };
    }
}

/// Rewrites a file. In an image, which the command has read completely by then, one byte changes. Other files keep
/// their bytes, because damaged data would give another error.
fn change(scratch: &Scratch, name: &str) {
    let mut bytes = scratch.read(name);
    if name.ends_with("nii.gz") {
        let last = bytes.len() - 9;
        bytes[last] ^= 1;
    }
    scratch.write(name, bytes);
}

fn brain() -> Scratch {
    let brain = Scratch::with(small_brain());
    assert_eq!(brain.run("fit tensor dwi.nii.gz --mask mask.nii.gz --out tensors").code, 0);
    brain
}

const CHANGED: &str = "it was changed while it was read; run the command again when the file is complete";

/// Checks that a command fails and adds nothing to the folder if `input` changes when the last of `steps` begins.
fn nothing_stays(brain: &Scratch, command: &str, input: &str, steps: &[&str]) {
    let before = brain.listing(".");
    let kept = brain.read(input);
    let result = held(brain, command, steps, || change(brain, input));
    assert_eq!(result.code, 1, "{command}: {}", result.errors);
    assert!(result.errors.contains(&format!("error: {input}: {CHANGED}")), "{command}: {}", result.errors);
    assert_eq!(brain.listing("."), before, "{command}");
    brain.write(input, kept);
}

#[test]
fn results_of_changed_inputs_are_removed() {
    let brain = brain();
    let mcmc = "--method mcmc --burn-in 5 --jumps 10 --interval 5";
    brain.succeed(&format!("fit ball-1-stick dwi.nii.gz --mask white_matter.nii.gz {mcmc} --out samples"));
    brain.succeed("simulate kspace --size 12,12 --out k");
    for (command, input, steps) in [
        (
            "maps tensors/tensor.nii.gz --out out",
            "tensors/tensor.nii.gz",
            &["read the tensors", "maps", "write the maps"][..],
        ),
        (
            "fit ball-1-stick dwi.nii.gz --mask white_matter.nii.gz --out out",
            "dwi.nii.gz",
            &["read the series", "mask", "look at the scan", "fit", "write the maps"],
        ),
        (
            "density truth_streamlines.trx --like mask.nii.gz --out out.nii",
            "mask.nii.gz",
            &["map the streamlines"],
        ),
        // `convert` writes no record of its input.
        ("convert truth_streamlines.trx out.tck", "truth_streamlines.trx", &["convert"]),
        (
            "track samples samples --per-seed 1 --seed-mask white_matter.nii.gz --out new/out.tck",
            "white_matter.nii.gz",
            &["read the orientations", "follow the streamlines"],
        ),
    ] {
        nothing_stays(&brain, command, input, steps);
    }
}

/// The samples of the first of two models have already been written when the series changes.
#[test]
fn published_results_of_changed_inputs_are_removed() {
    let brain = brain();
    let command = "fit ball-1-stick,tensor-nonlinear dwi.nii.gz --mask white_matter.nii.gz --method mcmc --burn-in 5 --jumps 10 \
                   --interval 5 --out deep/out";
    let steps = ["read the series", "mask", "look at the scan", "sample", "write the samples", "sample"];
    let before = brain.listing(".");
    let result = held(&brain, command, &steps, || {
        assert!(brain.path("deep/out/ball-1-stick/d_samples.nii.gz").exists());
        change(&brain, "dwi.nii.gz");
    });
    assert_eq!(result.code, 1, "{}", result.errors);
    assert!(result.errors.contains(CHANGED), "{}", result.errors);
    assert_eq!(brain.listing("."), before);
}

/// An older result is kept if the new result is rejected.
#[test]
fn older_results_are_kept() {
    let brain = brain();
    brain.succeed("density truth_streamlines.trx --like mask.nii.gz --out out.nii");
    let older = brain.read("out.nii");
    let result = held(
        &brain,
        "density truth_streamlines.trx --like mask.nii.gz --by-length --out out.nii --force",
        &["map the streamlines"],
        || change(&brain, "truth_streamlines.trx"),
    );
    assert_eq!(result.code, 1, "{}", result.errors);
    assert!(brain.read("out.nii") == older);
}
