//! Tracking through samples on a GPU that fails gives one warning and bit-identical results.

use crate::alone;
use crate::common::kept::Kept;
use crate::common::samples::{oblique, region, tangled};
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::{Control, Tractogram};
use arcuate_emulation::{Faults, available_with_fallback, emulated};
use arcuate_test_support::with_captured_log;
use arcuate_track::{
    Constraints, Jitter, OrientationTable, SampleOptions, SampleOutputs, SampleTracks, Seeds, track_samples,
};
use tracing::Level;

struct Problem {
    table: OrientationTable,
    seeds: Seeds,
    regions: Constraints,
    options: SampleOptions,
}

impl Problem {
    fn new() -> Self {
        let table = tangled(&oblique([20, 18, 16]), 2, 3);
        let grid = *table.grid();
        let mask = region("seeds", &grid, |[i, j, k]| i > 6 && i < 12 && j > 6 && j < 10 && k == 8)
            .mask()
            .unwrap()
            .clone();
        let seeds = Seeds::Voxels { mask, mapping: None, each: 300, jitter: Jitter::Voxel };
        let regions = Constraints {
            waypoints: vec![region("way", &grid, |[i, _, _]| i == 6)],
            targets: vec![region("target", &grid, |[_, j, _]| j == 12)],
            ..Constraints::default()
        };
        Self {
            table,
            seeds,
            regions,
            options: SampleOptions { seed: 3, max_steps: 100, ..SampleOptions::default() },
        }
    }

    fn follow(&self, outputs: SampleOutputs<'_>, device: &Device) -> SampleTracks {
        let outputs = SampleOutputs { map: Some((*self.table.grid(), None)), lengths: true, ..outputs };
        let Self { table, seeds, regions, options } = self;
        track_samples(table, seeds, regions, options, outputs, device, &Control::default()).unwrap()
    }

    /// Returns a GPU with memory for few lanes, so streamlines arrive in several batches.
    fn gpu(&self) -> Device {
        Device::Cuda(Gpus::open(&[0]).unwrap().with_memory_cap(Some(self.table.bytes() + (2 << 20))))
    }
}

fn assert_same(found: &SampleTracks, expected: &SampleTracks, which: &str) {
    assert_eq!(found.summary, expected.summary, "{which}");
    assert!(found.map == expected.map, "{which}: other maps");
    assert!(found.target_hits == expected.target_hits, "{which}: other hits of targets");
}

const LINE: &str = "tracking: the GPU failed";

#[test]
fn failing_kernels_give_a_warning_and_the_same_results() {
    let _alone = alone();
    if !available_with_fallback("failing kernels of samples") || !emulated() {
        return;
    }
    let problem = Problem::new();
    let mut streamlines = Tractogram::new();
    let outputs = SampleOutputs { sink: Some(&mut streamlines), ..SampleOutputs::default() };
    let expected = problem.follow(outputs, &Device::Cpu);
    assert!(expected.summary.streamlines > 100);

    // The first launch fails without points. With points, the launches for records, for points or for counts
    // fail.
    for (nth, points) in [(1, false), (1, true), (2, true), (3, true)] {
        let faults = Faults::begin();
        faults.fail_launch("samples_follow_narrow", nth);
        let mut found = Tractogram::new();
        let (tracks, log) = with_captured_log(Level::WARN, || {
            let sink = if points { Some(&mut found as &mut dyn arcuate_core::StreamlineSink) } else { None };
            problem.follow(SampleOutputs { sink, ..SampleOutputs::default() }, &problem.gpu())
        });
        drop(faults);
        let which = format!("launch {nth}, points: {points}");
        assert_same(&tracks, &expected, &which);
        assert!(!points || found == streamlines, "{which}");
        assert_eq!(log.matches(LINE).count(), 1, "{which}: {log}");
    }
    // Streamlines that were delivered before the failure are discarded.
    for nth in [1, 2] {
        let faults = Faults::begin();
        faults.fail_launch("samples_gather_narrow", nth);
        let mut kept = Kept::default();
        let (tracks, log) = with_captured_log(Level::WARN, || {
            let outputs = SampleOutputs { device_sink: Some(&mut kept), ..SampleOutputs::default() };
            problem.follow(outputs, &problem.gpu())
        });
        drop(faults);
        assert_same(&tracks, &expected, "given away");
        assert!(kept.on_host == streamlines && kept.on_gpus.is_empty(), "launch {nth}");
        assert_eq!((kept.forgotten, kept.collected), (1, false), "launch {nth}");
        assert_eq!(log.matches(LINE).count(), 1, "launch {nth}: {log}");
    }
}

#[test]
fn earlier_batches_are_counted_again_after_a_failure() {
    let _alone = alone();
    if !available_with_fallback("failing kernels of samples") || !emulated() {
        return;
    }
    let mut problem = Problem::new();
    // Few such long streamlines fit in memory, so there are several chunks.
    problem.options.max_steps = 60_000;
    if let Seeds::Voxels { each, .. } = &mut problem.seeds {
        *each = 400;
    }
    let gpu =
        Device::Cuda(Gpus::open(&[0]).unwrap().with_memory_cap(Some(problem.table.bytes() + (64 << 20))));
    let mut streamlines = Tractogram::new();
    let outputs = SampleOutputs { sink: Some(&mut streamlines), ..SampleOutputs::default() };
    let expected = problem.follow(outputs, &Device::Cpu);
    // A chunk has three launches: records, points and counts. Counting overlaps with the next chunk.
    for nth in 1..10 {
        let faults = Faults::begin();
        faults.fail_launch("samples_follow_narrow", nth);
        let mut found = Tractogram::new();
        // Warnings may come from any thread, so they are not counted here.
        let tracks =
            problem.follow(SampleOutputs { sink: Some(&mut found), ..SampleOutputs::default() }, &gpu);
        assert!(
            arcuate_emulation::last_report().contains("samples_follow_narrow fails"),
            "launch {nth} was none"
        );
        drop(faults);
        assert_same(&tracks, &expected, &format!("launch {nth}"));
        assert!(found == streamlines, "launch {nth}");
    }
}

#[test]
fn running_out_of_memory_does_not_change_results() {
    let _alone = alone();
    if !available_with_fallback("failing allocations of samples") || !emulated() {
        return;
    }
    let problem = Problem::new();
    let mut streamlines = Tractogram::new();
    let outputs = SampleOutputs { sink: Some(&mut streamlines), ..SampleOutputs::default() };
    let expected = problem.follow(outputs, &Device::Cpu);
    let mut fell_back = 0;
    for successes in 0..40 {
        let faults = Faults::begin();
        faults.fail_allocation_after(successes);
        let mut kept = Kept::default();
        let (tracks, log) = with_captured_log(Level::WARN, || {
            let outputs = SampleOutputs { device_sink: Some(&mut kept), ..SampleOutputs::default() };
            problem.follow(outputs, &problem.gpu())
        });
        drop(faults);
        assert_same(&tracks, &expected, &format!("after {successes}"));
        let fell = log.contains(LINE);
        fell_back += usize::from(fell);
        let found = if fell { &kept.on_host } else { &kept.streamlines() };
        assert!(*found == streamlines, "after {successes}");
    }
    // With few successful allocations memory always runs out. With many it never does.
    assert!((10..40).contains(&fell_back), "{fell_back}");
}
