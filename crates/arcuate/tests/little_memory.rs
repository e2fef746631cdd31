//! Where neither memory nor threads can be had, commands say so in one line; no thread is begun that may not be there.

#![cfg(target_os = "linux")]

mod common;

use common::{Said, Scratch, small_brain};
use std::process::Command;

/// Runs a command with so much address space, of which every thread takes some.
fn within(scratch: &Scratch, mebibytes: u64, arguments: &str) -> Said {
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {}; exec \"$0\" \"$@\"", mebibytes << 10))
        .arg(assert_cmd::cargo::cargo_bin!("arcuate"))
        .args(arguments.split(' '))
        .current_dir(scratch.path(""))
        .output()
        .unwrap();
    // It fails where anything panicked.
    Said::of(arguments, &output)
}

#[test]
fn no_command_panics_for_want_of_a_thread() {
    let brain = Scratch::with(small_brain());
    for (name, from) in [("data.nii.gz", "dwi.nii.gz"), ("nodif_brain_mask.nii.gz", "white_matter.nii.gz")] {
        brain.write(&format!("subject/{name}"), brain.read(from));
    }
    for (name, from) in [("bvals", "dwi.bval"), ("bvecs", "dwi.bvec")] {
        brain.write(&format!("subject/{name}"), brain.read(from));
    }
    let chains = "--method mcmc --burn-in 2 --jumps 10 --interval 5";
    for command in [
        "fit ball-1-stick dwi.nii.gz --mask white_matter.nii.gz --evaluations 2 --out out --force --threads 2".to_owned(),
        format!("fit ball-1-stick dwi.nii.gz --mask white_matter.nii.gz {chains} --out out --force --threads 2"),
        "track bootstrap dwi.nii.gz --mask white_matter.nii.gz --samples 2 --per-seed 1 --out out --force --threads 2".to_owned(),
        "bedpostx subject -n 1 -b 2 -j 10 -s 5".to_owned(),
    ] {
        let mut done = 0;
        for mebibytes in (24..1000).step_by(3) {
            let said = within(&brain, mebibytes, &command);
            assert_ne!(said.code, 101, "{mebibytes} MiB: {command}: {}", said.errors);
            if said.code == 1 || said.code == 2 {
                assert_eq!(said.errors.matches("error: ").count(), 1, "{mebibytes} MiB: {command}: {}", said.errors);
            }
            done = if said.code == 0 { done + 1 } else { 0 };
            // What `bedpostx` has done it does not do again.
            let _ = std::fs::remove_dir_all(brain.path("subject.bedpostX"));
            if done == 3 {
                break;
            }
        }
        assert_eq!(done, 3, "{command}");
    }
}
