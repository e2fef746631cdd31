//! Streamlines and counts on GPUs are bit-identical to those on the CPU.

use crate::common::samples::{count, follow, oblique, tangled};
use crate::samples::independence::{all_options, regions, seeds, table};
use crate::samples::rules;
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::{Control, Mask, Tractogram};
use arcuate_track::{
    Constraints, InitialFibre, SampleOptions, SampleOutputs, SampleTracker, SampleTracks, Seeds,
    WaypointCondition, track_samples,
};

fn gpus(memory_cap: Option<u64>) -> Device {
    Device::Cuda(Gpus::open(&[0]).unwrap().with_memory_cap(memory_cap))
}

fn several(count: usize) -> Option<Device> {
    let ordinals: Vec<usize> = (0..count).collect();
    Gpus::open(&ordinals).ok().map(Device::Cuda)
}

/// Fails if anything except the device differs. The message does not contain all values.
fn assert_same(found: &SampleTracks, expected: &SampleTracks, which: &str) {
    assert_eq!(found.summary, expected.summary, "{which}");
    assert!(found.map == expected.map, "{which}: other maps");
    assert!(found.target_hits == expected.target_hits, "{which}: other hits of targets");
}

fn assert_same_bits(found: &Tractogram, expected: &Tractogram, which: &str) {
    assert!(bits(found) == bits(expected), "{which}: other streamlines");
}

fn bits(streamlines: &Tractogram) -> (Vec<u64>, Vec<u32>) {
    let positions = streamlines.positions().iter().flatten().map(|c| c.to_bits()).collect();
    (streamlines.offsets().to_vec(), positions)
}

#[test]
fn rules_on_a_gpu() {
    if !arcuate_emulation::available("rules_on_a_gpu") {
        return;
    }
    rules::all(&gpus(None));
}

#[test]
fn gpu_streamlines_are_bit_identical() {
    if !arcuate_emulation::available("gpu_streamlines_are_bit_identical") {
        return;
    }
    let table = table();
    let seeds = seeds(&table, 6);
    let regions = regions(&table);
    let variants = [
        regions.clone(),
        Constraints { condition: WaypointCondition::Any, stop: Vec::new(), ..regions.clone() },
        Constraints { in_order: true, avoid: Vec::new(), ..regions.clone() },
        Constraints { one_way: true, ..regions },
        Constraints::default(),
    ];
    for (n, options) in all_options().into_iter().enumerate() {
        for (m, regions) in variants.iter().enumerate() {
            let (expected, tracks) = follow(&table, &seeds, regions, &options, &Device::Cpu);
            let (found, on_gpu) = follow(&table, &seeds, regions, &options, &gpus(None));
            assert!(tracks.summary.streamlines > 0 && tracks.summary.mean_steps() > 3.0, "{n} {m}");
            let which = format!("options {n}, regions {m}");
            assert_same(&on_gpu, &tracks, &which);
            assert_same_bits(&found, &expected, &which);
            assert_same(&count(&table, &seeds, regions, &options, &gpus(None)), &tracks, &which);
        }
    }
}

#[test]
fn gpu_tracking_with_large_voxels_and_random_seeds_is_bit_identical() {
    if !arcuate_emulation::available("gpu_tracking_with_large_voxels_and_random_seeds_is_bit_identical") {
        return;
    }
    // There are more fibres than kernels read together, and seeds are random.
    let table = tangled(&oblique([18, 20, 16]), 6, 3);
    let mask = table.mask().unwrap();
    let seeds = Seeds::random(mask.clone(), 3000);
    for initial in
        [InitialFibre::Number(5), InitialFibre::Random, InitialFibre::InProportion, InitialFibre::RandomOfAll]
    {
        let options = SampleOptions { initial, step_mm: 0.9, ..SampleOptions::default() };
        let (expected, tracks) = follow(&table, &seeds, &Constraints::default(), &options, &Device::Cpu);
        let (found, on_gpu) = follow(&table, &seeds, &Constraints::default(), &options, &gpus(None));
        assert_same(&on_gpu, &tracks, &format!("{initial:?}"));
        assert_same_bits(&found, &expected, &format!("{initial:?}"));
    }
}

#[test]
fn results_do_not_depend_on_gpus_and_memory() {
    if !arcuate_emulation::available("results_do_not_depend_on_gpus_and_memory") {
        return;
    }
    let table = table();
    let (regions, seeds) = (regions(&table), seeds(&table, 8));
    let options = SampleOptions { loop_check: true, max_steps: 400, ..all_options()[0].clone() };
    let (expected, tracks) = follow(&table, &seeds, &regions, &options, &gpus(None));
    // The first GPU has memory for few lanes. With the second one, the orientations stay in host memory.
    let small = gpus(Some(table.bytes() + (2 << 20)));
    let smaller = gpus(Some(table.bytes() / 3 + (3 << 19)));
    for (device, on_host) in [(Some(small), false), (Some(smaller), true), (several(2), false)] {
        let Some(device) = device else { continue };
        let (found, other) = follow(&table, &seeds, &regions, &options, &device);
        assert_eq!(other.device_name.contains("in the memory of the host"), on_host, "{}", other.device_name);
        assert_same(&other, &tracks, &format!("{device:?}"));
        assert_same_bits(&found, &expected, &format!("{device:?}"));
        assert_same(&count(&table, &seeds, &regions, &options, &device), &tracks, "counted");
    }
    // Few streamlines are tracked at a time.
    let device = gpus(None);
    let mut tracker = SampleTracker::new(&table, &device).unwrap();
    for in_flight in [1, 200] {
        tracker.limit_in_flight(Some(in_flight));
        let map = Some((*table.grid(), None));
        let outputs = SampleOutputs { map, lengths: true, ..SampleOutputs::default() };
        let limited = tracker.track(&seeds, &regions, &options, outputs, &Control::default()).unwrap();
        assert_same(&limited, &tracks, "few in flight");
    }
    // The run stops after the first half of the streamlines.
    let options = SampleOptions { select: Some(tracks.summary.streamlines / 2), ..options };
    let (expected, tracks) = follow(&table, &seeds, &regions, &options, &Device::Cpu);
    for device in [Some(gpus(None)), several(2)].into_iter().flatten() {
        let (found, other) = follow(&table, &seeds, &regions, &options, &device);
        assert_same(&other, &tracks, "the first");
        assert_same_bits(&found, &expected, "the first");
    }
}

#[test]
fn long_streamlines_are_counted_once_per_voxel() {
    if !arcuate_emulation::available("long_streamlines_are_counted_once_per_voxel") {
        return;
    }
    // The map has voxels of 0.125 mm. A streamline passes more voxels than a warp can store. It follows a
    // circle, so it passes these voxels again.
    let grid = crate::common::samples::unit_grid([60, 60, 3]);
    let table = crate::common::samples::field(&grid, |[x, y, _]| [29.5 - y, x - 29.5, 0.0]);
    let fine = arcuate_core::Affine::scaling([0.125, 0.125, 0.5], [0.0; 3]);
    let fine = arcuate_core::Grid::new([480, 480, 6], fine).unwrap();
    let mask = Mask::new(grid, (0..grid.len()).map(|voxel| grid.coordinates(voxel) == [40, 30, 1]).collect())
        .unwrap();
    let seeds = Seeds::Voxels { mask, mapping: None, each: 3, jitter: arcuate_track::Jitter::Voxel };
    let options = SampleOptions { step_mm: 0.125, max_steps: 4000, ..SampleOptions::default() };
    let map = |device: &Device| {
        let outputs = SampleOutputs { map: Some((fine, None)), lengths: true, ..SampleOutputs::default() };
        let tracks = track_samples(
            &table,
            &seeds,
            &Constraints::default(),
            &options,
            outputs,
            device,
            &Control::default(),
        );
        tracks.unwrap()
    };
    let expected = map(&Device::Cpu);
    let passed: u32 = expected.map.as_ref().unwrap().counts().iter().sum();
    assert!(passed > 3 * 600, "{passed}");
    assert_same(&map(&gpus(None)), &expected, "fine voxels");
}
