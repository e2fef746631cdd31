//! If memory or threads are not available, commands report it in one line. Commands that read streamlines in
//! batches need no more memory for many streamlines than for few.

#![cfg(target_os = "linux")]

use crate::common::{CommandOutput, Scratch, small_brain};
use arcuate_core::{Column, Columns, Point, Scalars, StreamlineBatch, StreamlineGroups, StreamlineSink};
use arcuate_io::{TractogramOptions, TractogramWriter};
use std::process::Command;

/// Runs a command with an address space of `mebibytes`. Every thread needs a part of it.
fn within(scratch: &Scratch, mebibytes: u64, arguments: &str) -> CommandOutput {
    begun_within(scratch, mebibytes, arguments).expect("room to begin in")
}

/// Runs a command like [`within`]. Returns `None` if Rust's runtime had no memory for the signal stack of a
/// thread. The runtime needs this stack before `main` and before the function of each new thread, and panics
/// if it gets none. The program cannot prevent this panic.
fn begun_within(scratch: &Scratch, mebibytes: u64, arguments: &str) -> Option<CommandOutput> {
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {}; exec \"$0\" \"$@\"", mebibytes << 10))
        .arg(assert_cmd::cargo::cargo_bin!("arcuate"))
        .args(arguments.split(' '))
        .current_dir(scratch.path(""))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("failed to allocate an alternative stack") {
        return None;
    }
    // This call fails if any thread panicked.
    Some(CommandOutput::of(arguments, &output))
}

#[test]
fn no_command_panics_without_threads() {
    let brain = Scratch::with(small_brain());
    // The mask has only enough voxels for two threads, because each command runs hundreds of times.
    let mut few = brain.volume("white_matter.nii.gz");
    for value in few.values_mut().iter_mut().filter(|value| **value > 0.5).skip(40) {
        *value = 0.0;
    }
    brain.write_image("few.nii.gz", &few);
    for (name, from) in [("data.nii.gz", "dwi.nii.gz"), ("nodif_brain_mask.nii.gz", "few.nii.gz")] {
        brain.write(&format!("subject/{name}"), brain.read(from));
    }
    for (name, from) in [("bvals", "dwi.bval"), ("bvecs", "dwi.bvec")] {
        brain.write(&format!("subject/{name}"), brain.read(from));
    }
    let chains = "--method mcmc --burn-in 2 --jumps 10 --interval 5";
    for command in [
        "fit ball-1-stick dwi.nii.gz --mask few.nii.gz --evaluations 2 --out out --force --threads 2".to_owned(),
        format!("fit ball-1-stick dwi.nii.gz --mask few.nii.gz {chains} --out out --force --threads 2"),
        "track bootstrap dwi.nii.gz --mask few.nii.gz --replicates 2 --per-seed 1 --out out --force --threads 2".to_owned(),
        "bedpostx subject -n 1 -b 2 -j 10 -s 5".to_owned(),
    ] {
        let mut done = 0;
        for mebibytes in (24..1000).step_by(3) {
            let Some(result) = begun_within(&brain, mebibytes, &command) else { continue };
            assert_ne!(result.code, 101, "{mebibytes} MiB: {command}: {}", result.errors);
            if result.code == 1 || result.code == 2 {
                assert_eq!(result.errors.matches("error: ").count(), 1, "{mebibytes} MiB: {command}: {}", result.errors);
            }
            done = if result.code == 0 { done + 1 } else { 0 };
            // If the results exist, `bedpostx` does not compute them again.
            let _ = std::fs::remove_dir_all(brain.path("subject.bedpostX"));
            if done == 3 {
                break;
            }
        }
        assert_eq!(done, 3, "{command}");
    }
}

/// The number of points of each streamline below.
const POINTS: u64 = 200;

/// Writes this number of streamlines through the small brain, with data and a group.
fn write_streamlines(scratch: &Scratch, name: &str, streamlines: u64) {
    const BATCH: u64 = 500;
    let grid = *scratch.volume("mask.nii.gz").grid();
    let options = TractogramOptions::default();
    let mut writer = TractogramWriter::create(&scratch.path(name), Some(&grid), &options).unwrap();
    let offsets: Vec<u64> = (0..=BATCH).map(|n| n * POINTS).collect();
    for first in (0..streamlines).step_by(BATCH as usize) {
        let at = |n: u64, point: u64| -> Point {
            let along = point as f64 / POINTS as f64;
            let across = (n % 89) as f64 / 89.0;
            grid.affine().apply([2.0 + 14.0 * along, 4.0 + 10.0 * across, 9.0]).map(|c| c as f32)
        };
        let numbers = first..first + BATCH;
        let positions: Vec<Point> =
            numbers.clone().flat_map(|n| (0..POINTS).map(move |point| at(n, point))).collect();
        let column = |values: Vec<f32>| Column::new(1, Scalars::F32(values)).unwrap();
        let per_point = Columns::from([("value".to_owned(), column(vec![1.5; positions.len()]))]);
        let per_streamline =
            Columns::from([("number".to_owned(), column(numbers.map(|n| n as f32).collect()))]);
        let batch = StreamlineBatch::new(&offsets, &positions);
        writer.take(batch.with_per_point(&per_point).with_per_streamline(&per_streamline)).unwrap();
    }
    let mut groups = StreamlineGroups::default();
    groups.members.insert("hundredths".to_owned(), (0..streamlines as u32).step_by(100).collect());
    writer.finish_with_groups(&groups).unwrap();
}

#[test]
fn commands_stream_streamlines() {
    let brain = Scratch::with(small_brain());
    // The tracking command writes the record for the report. Then the streamlines are replaced.
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out maps");
    brain.succeed("track tensor maps/tensor.nii.gz --select 20 --out many.trx");
    // The streamlines and their values take 256 MB. The positions take 192 MB of these.
    write_streamlines(&brain, "many.trx", 80_000);
    let mut regions = brain.volume("mask.nii.gz");
    let [nx, ..] = regions.grid().shape();
    for (voxel, value) in regions.values_mut().iter_mut().enumerate() {
        *value = if voxel % nx < nx / 2 { 1.0 } else { 2.0 };
    }
    brain.write_image("regions.nii.gz", &regions);
    // The program file also takes address space.
    let program =
        std::fs::metadata(assert_cmd::cargo::cargo_bin!("arcuate")).unwrap().len().div_ceil(1 << 20);
    for (command, output) in [
        ("convert many.trx out.tck", "out.tck"),
        ("convert many.trx out.trk", "out.trk"),
        ("convert many.trx out.trx --positions f16", "out.trx"),
        ("edit many.trx --out out.trx --min-length 1 --skip 1", "out.trx"),
        ("density many.trx --like mask.nii.gz --out out.nii.gz", "out.nii.gz"),
        ("connectome many.trx --labels regions.nii.gz --out out", "out/connectome_counts.csv"),
        ("sample many.trx mask.nii.gz --out out.trx", "out.trx"),
        ("sample many.trx mask.nii.gz --statistic mean --out out.trx", "out.trx"),
        ("info many.trx", ""),
        ("report many.trx", "many.trx.html"),
    ] {
        // The limit is too small for the positions of all streamlines and the minimum for the program and its
        // threads.
        let result = within(&brain, 232 + program, &format!("{command} --threads 2"));
        assert_eq!(result.code, 0, "{command}: {}", result.errors);
        if !output.is_empty() {
            assert!(brain.path(output).exists(), "{command}");
            std::fs::remove_file(brain.path(output)).unwrap();
        }
    }
}
