//! Any number of regions and grids, also on GPUs.

use crate::common::kept::Kept;
use crate::common::samples::{follow, oblique, region, tangled};
use crate::samples::independence::{all_options, regions, seeds, table};
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::{Affine, Control, Grid, Tractogram};
use arcuate_track::{
    ConstraintUnit, Constraints, Mapping, OrientationTable, Region, SampleOptions, SampleOutputs,
    SampleTracks, Seeds, WaypointCondition, track_samples,
};
use std::sync::Arc;

fn gpu() -> Device {
    Device::Cuda(Gpus::open(&[0]).unwrap())
}

/// Tracks on a GPU with each kind of output, and compares the results with those of the CPU.
pub(crate) fn compare(
    table: &OrientationTable,
    seeds: &Seeds,
    regions: &Constraints,
    options: &SampleOptions,
    which: &str,
) -> SampleTracks {
    let (expected, tracks) = follow(table, seeds, regions, options, &Device::Cpu);
    let (found, on_gpu) = follow(table, seeds, regions, options, &gpu());
    let mut kept = Kept::default();
    let map = Some((*table.grid(), None));
    let outputs =
        SampleOutputs { map, lengths: true, device_sink: Some(&mut kept), ..SampleOutputs::default() };
    let given = track_samples(table, seeds, regions, options, outputs, &gpu(), &Control::default()).unwrap();
    let bits = |t: &Tractogram| -> (Vec<u64>, Vec<u32>) {
        (t.offsets().to_vec(), t.positions().iter().flatten().map(|c| c.to_bits()).collect())
    };
    for (streamlines, other) in [(&found, &on_gpu), (&kept.streamlines(), &given)] {
        assert!(other.device_name != "the processor", "{which}");
        assert_eq!(other.summary, tracks.summary, "{which}");
        assert!(other.map == tracks.map && other.target_hits == tracks.target_hits, "{which}: other counts");
        assert!(bits(streamlines) == bits(&expected), "{which}: other streamlines");
    }
    tracks
}

/// Creates `count` sheets through the voxels with j ≥ `minimum`. Neighbouring sheets have neighbouring
/// numbers.
pub(crate) fn sheets(grid: &Grid, count: usize, minimum: usize) -> Vec<Region> {
    let sheet =
        |n: usize| region("sheet", grid, |[i, j, k]| j >= minimum && (i + 2 * j + 3 * k) % count == n);
    (0..count).map(sheet).collect()
}

#[test]
fn words_of_regions_on_a_gpu() {
    if !arcuate_emulation::available("words_of_regions_on_a_gpu") {
        return;
    }
    let table = table();
    let seeds = seeds(&table, 2);
    // The sets of regions need one, two or four bytes, or more than one word.
    for count in [7, 12, 30, 33, 40, 65] {
        let targets = sheets(table.grid(), count, 0);
        let regions = Constraints { targets, ..Constraints::default() };
        let tracks = compare(&table, &seeds, &regions, &all_options()[0], &format!("{count} targets"));
        assert!(tracks.target_hits.iter().all(|hits| hits.iter().sum::<u32>() > 0), "{count}");
    }
}

#[test]
fn rules_of_regions_beyond_the_first_word_on_a_gpu() {
    if !arcuate_emulation::available("rules_of_regions_beyond_the_first_word_on_a_gpu") {
        return;
    }
    let table = table();
    let (seeds, few) = (seeds(&table, 6), regions(&table));
    let grid = *table.grid();
    // The order of bits is: avoid, stop, exit, waypoint and target regions. The number of exit regions moves
    // the bits of waypoints to later words.
    let exits = |count: usize| [few.stop_on_exit.clone(), sheets(&grid, count, 20)].concat();
    let far = [
        Constraints { targets: sheets(&grid, 28, 0), ..few.clone() },
        Constraints { stop_on_exit: exits(28), ..few.clone() },
        Constraints { stop_on_exit: exits(60), ..few.clone() },
    ];
    let mut rejected = 0;
    for (n, regions) in far.into_iter().enumerate() {
        let variants = [
            regions.clone(),
            Constraints { condition: WaypointCondition::Any, ..regions.clone() },
            Constraints { in_order: true, ..regions.clone() },
            Constraints { one_way: true, ..regions.clone() },
            Constraints { judged_by: ConstraintUnit::Whole, ..regions },
        ];
        for (m, regions) in variants.iter().enumerate() {
            let options = &all_options()[m % 2];
            let tracks = compare(&table, &seeds, regions, options, &format!("regions {n}, {m}"));
            assert!(tracks.summary.streamlines > 0, "{n} {m}");
            rejected += tracks.summary.rejected.waypoints;
            assert!(tracks.summary.terminated.exit > 0 && tracks.summary.terminated.avoid > 0, "{n} {m}");
        }
    }
    assert!(rejected > 0);
}

#[test]
fn whole_streamlines_are_tested_against_regions_on_a_gpu() {
    if !arcuate_emulation::available("whole_streamlines_are_tested_against_regions_on_a_gpu") {
        return;
    }
    let table = table();
    let (seeds, regions) = (seeds(&table, 6), regions(&table));
    for condition in [WaypointCondition::All, WaypointCondition::Any] {
        let whole = Constraints { condition, judged_by: ConstraintUnit::Whole, ..regions.clone() };
        let tracks = compare(&table, &seeds, &whole, &all_options()[0], &format!("{condition:?}"));
        let half = Constraints { judged_by: ConstraintUnit::Half, ..whole };
        let (_, other) = follow(&table, &seeds, &half, &all_options()[0], &Device::Cpu);
        assert_ne!(tracks.summary.rejected, other.summary.rejected, "{condition:?}");
    }
}

#[test]
fn many_region_grids_on_a_gpu() {
    if !arcuate_emulation::available("many_region_grids_on_a_gpu") {
        return;
    }
    let table = tangled(&oblique([24, 22, 20]), 2, 3);
    let mask = region("seeds", table.grid(), |[i, j, k]| i == 12 && j > 5 && (6..14).contains(&k))
        .mask()
        .unwrap()
        .clone();
    let seeds = Seeds::Voxels { mask, mapping: None, each: 2, jitter: arcuate_track::Jitter::None };
    for count in [5, 12] {
        // Each target has its own grid, and every second target has its own space.
        let target = |n: usize| {
            let size = 1.1 + 0.17 * n as f64;
            let grid = Grid::new([40; 3], Affine::scaling([size; 3], [-34.0, -24.0, -22.0])).unwrap();
            let shift = [[1.0, 0.0, 0.0, 0.3 * n as f64], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
            let mapping = Mapping::affine(Affine::from_rows(shift).unwrap());
            let own = region("target", &grid, |[i, j, k]| (i + j + k) % 11 == n % 11);
            Region { mapping: (n % 2 == 1).then(|| Arc::new(mapping)), ..own }
        };
        let targets: Vec<Region> = (0..count).map(target).collect();
        let stop = targets[1].clone();
        let regions = Constraints { targets, stop: vec![stop], ..Constraints::default() };
        let tracks = compare(&table, &seeds, &regions, &all_options()[0], &format!("{count} lattices"));
        assert!(tracks.target_hits.iter().all(|hits| hits.iter().sum::<u32>() > 0), "{count}");
        assert!(tracks.summary.terminated.stop > 0, "{count}");
    }
}
