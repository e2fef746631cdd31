//! Kernels that succeed without doing any work give an error instead of an endless loop.

use crate::common::fod;
use crate::common::kept::Kept;
use crate::common::samples::{oblique, region, tangled};
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::{Control, StreamlineSink, Tractogram};
use arcuate_track::{Constraints, SampleOptions, SampleOutputs, Seeds, track_samples};
use std::process::{Command, Output};

/// Tracks a few streamlines on a GPU. The sets of regions have one or two words.
fn follow(words: usize, outputs: SampleOutputs<'_>) {
    let table = tangled(&oblique([20, 18, 16]), 2, 3);
    let target = |n: usize| region("target", table.grid(), move |[i, j, k]| (i + j + k) % 20 == n % 20);
    let targets = (0..20 * words).map(target).collect();
    let constraints = Constraints { targets, ..Constraints::default() };
    let seeds = Seeds::random(table.mask().unwrap(), 200);
    let (options, device) = (SampleOptions::default(), Device::Cuda(Gpus::open(&[0]).unwrap()));
    let tracks =
        track_samples(&table, &seeds, &constraints, &options, outputs, &device, &Control::default()).unwrap();
    assert!(tracks.summary.streamlines > 10);
}

fn count(words: usize) {
    follow(words, SampleOutputs::default());
}

fn give(words: usize) {
    let mut kept = Kept::default();
    follow(words, SampleOutputs { device_sink: Some(&mut kept), ..SampleOutputs::default() });
    assert!(!kept.on_gpus.is_empty());
}

fn in_order(words: usize) {
    let mut streamlines = Tractogram::new();
    let sink: &mut dyn StreamlineSink = &mut streamlines;
    follow(words, SampleOutputs { sink: Some(sink), ..SampleOutputs::default() });
}

#[test]
fn few_streamlines_are_counted() {
    if arcuate_emulation::available("few_streamlines_are_counted") {
        count(1);
    }
}

#[test]
fn few_streamlines_are_counted_among_many_regions() {
    if arcuate_emulation::available("few_streamlines_are_counted_among_many_regions") {
        count(2);
    }
}

#[test]
fn few_streamlines_are_given_away() {
    if arcuate_emulation::available("few_streamlines_are_given_away") {
        give(1);
    }
}

#[test]
fn few_streamlines_are_given_away_among_many_regions() {
    if arcuate_emulation::available("few_streamlines_are_given_away_among_many_regions") {
        give(2);
    }
}

#[test]
#[ignore = "run by the test below"]
fn few_streamlines_in_their_order() {
    if arcuate_emulation::available("few_streamlines_in_their_order") {
        in_order(1);
    }
}

#[test]
#[ignore = "run by the test below"]
fn few_streamlines_through_distributions() {
    if arcuate_emulation::available("few_streamlines_through_distributions") {
        let problem = fod::Problem::new();
        problem.follow(&fod::gpu(None));
    }
}

#[test]
#[ignore = "run by the test below"]
fn few_streamlines_through_distributions_in_tissues() {
    if arcuate_emulation::available("few_streamlines_through_distributions_in_tissues") {
        let problem = fod::Problem::in_tissues();
        problem.follow(&fod::gpu(None));
    }
}

/// Runs a test in a process in which a kernel does nothing. Returns `None` if the tested device is not the
/// emulated one.
fn with_idle(kernel: &str, test: &str) -> Option<Output> {
    let there = arcuate_emulation::available("idle kernels") && arcuate_emulation::emulated();
    there.then(|| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--include-ignored", "--exact", &format!("idle::{test}"), "--nocapture"])
            // Settings of this test process must not apply to the child process.
            .env_remove("ARCUATE_EMULATION_BREAK")
            .env_remove("ARCUATE_EMULATION_LAUNCHES")
            .env("ARCUATE_EMULATION_IDLE", kernel)
            .output()
            .unwrap()
    })
}

#[test]
fn kernels_that_do_nothing_are_an_error() {
    for (kernel, test, found) in [
        ("samples_follow_narrow", "few_streamlines_are_counted", "0 of at least 200 streamlines"),
        ("samples_follow_narrow", "few_streamlines_in_their_order", "0 of at least 200 streamlines"),
        (
            "samples_follow_wide",
            "few_streamlines_are_counted_among_many_regions",
            "0 of at least 200 streamlines",
        ),
        ("samples_gather_narrow", "few_streamlines_are_given_away", "0 of at least 1 streamlines"),
        (
            "samples_gather_wide",
            "few_streamlines_are_given_away_among_many_regions",
            "0 of at least 1 streamlines",
        ),
        ("fod_follow_arcs", "few_streamlines_through_distributions", "0 of at least 150 streamlines"),
        (
            "fod_follow_arcs_in_tissues",
            "few_streamlines_through_distributions_in_tissues",
            "0 of at least 150 streamlines",
        ),
    ] {
        let Some(output) = with_idle(kernel, test) else { return };
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{kernel}: {errors}");
        assert!(
            errors.contains(&format!("a GPU kernel stopped without an error after {found}")),
            "{kernel}: \
            {errors}"
        );
    }
}
