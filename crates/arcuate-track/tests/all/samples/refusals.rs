//! Invalid input gives a message of one line.

use crate::common::samples::{Formula, field, from_points, region, unit_grid};
use arcuate_compute::Device;
use arcuate_core::{Affine, Control, Error, Grid, Mask};
use arcuate_test_support::with_captured_log;
use arcuate_track::{
    ConstraintUnit, Constraints, Jitter, Mapping, OrientationTable, Region, SampleOptions, SampleOutputs,
    Seeds, track_samples,
};
use std::sync::Arc;
use tracing::Level;

fn message(seeds: &Seeds, regions: &Constraints, options: &SampleOptions) -> String {
    let table = field(&unit_grid([10; 3]), |_| [1.0, 0.0, 0.0]);
    let tracked = track_samples(
        &table,
        seeds,
        regions,
        options,
        SampleOutputs::default(),
        &Device::Cpu,
        &Control::default(),
    );
    one_line(&tracked.unwrap_err())
}

fn one_line(error: &Error) -> String {
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    message
}

#[test]
fn unreachable_regions_are_reported() {
    let grid = unit_grid([10; 3]);
    let seeds = from_points(&[[5.0; 3]], 1);
    let named = |name: &str, x: usize| region(name, &grid, move |[i, _, _]| i == x);
    let empty = region("nothing.nii.gz", &grid, |_| false);
    let far = region("far.nii.gz", &unit_grid([30, 10, 10]), |[i, _, _]| i > 20);
    let cases: Vec<(&str, Constraints)> = vec![
        (
            "nothing.nii.gz: no voxel is inside",
            Constraints { waypoints: vec![empty.clone()], ..Constraints::default() },
        ),
        ("nothing.nii.gz: no voxel is inside", Constraints { avoid: vec![empty], ..Constraints::default() }),
        (
            "far.nii.gz: this waypoint region is outside the voxels that have fibre orientations",
            Constraints { waypoints: vec![named("a", 2), far], ..Constraints::default() },
        ),
        (
            "a.nii.gz: this waypoint region is inside the regions that streamlines must avoid",
            Constraints {
                waypoints: vec![named("a.nii.gz", 2)],
                avoid: vec![named("b", 2)],
                ..Constraints::default()
            },
        ),
        (
            "‘in_order’: it applies to halves",
            Constraints {
                waypoints: vec![named("a", 2)],
                in_order: true,
                judged_by: ConstraintUnit::Whole,
                ..Constraints::default()
            },
        ),
    ];
    for (beginning, regions) in cases {
        let message = message(&seeds, &regions, &SampleOptions::default());
        assert!(message.starts_with(beginning), "{message}");
    }
}

#[test]
fn invalid_seeds_are_rejected() {
    let grid = unit_grid([10; 3]);
    let none = Mask::new(grid, vec![false; grid.len()]).unwrap();
    let voxels = |mask: Mask, each, jitter| Seeds::Voxels { mask, mapping: None, each, jitter };
    let full = Mask::full(grid);
    let cases = [
        ("seed mask: no voxel is inside", voxels(none.clone(), 1, Jitter::None)),
        ("seed mask: no voxel is inside", Seeds::random(none, 5)),
        ("‘seeds’: there are no seeds", from_points(&[], 1)),
        ("seed points: seed point 2 has", from_points(&[[1.0; 3], [f64::NAN; 3]], 1)),
        ("seed mask: no seed is in a voxel with orientations", from_points(&[[50.0; 3]], 1)),
        ("‘per_seed’: the number of streamlines", voxels(full.clone(), 0, Jitter::None)),
        ("‘seeds’: there are no seeds", Seeds::random(full.clone(), 0)),
        ("‘seed_radius’: the radius -1 mm is not", voxels(full, 1, Jitter::BallMm(-1.0))),
    ];
    for (beginning, seeds) in cases {
        let message = message(&seeds, &Constraints::default(), &SampleOptions::default());
        assert!(message.starts_with(beginning), "{message}");
    }
}

#[test]
fn invalid_orientation_sources_are_rejected() {
    let at = |_: [f64; 3], _: usize, _: usize| ([1.0, 0.0, 0.0], 1.0);
    let table = |mask, fibres, samples| OrientationTable::new(&Formula { mask, fibres, samples, at });
    let grid = unit_grid([3; 3]);
    let none = Mask::new(grid, vec![false; grid.len()]).unwrap();
    assert!(one_line(&table(none, 1, 1).unwrap_err()).starts_with("mask: no voxel is inside"));
    for (fibres, samples) in [(0, 1), (1, 0), (1 << 17, 1)] {
        let message = one_line(&table(Mask::full(grid), fibres, samples).unwrap_err());
        assert!(message.starts_with("orientations: there are "), "{message}");
    }
}

/// Orientations in half of the grid: x is less than 10, or at least 10.
fn half(low: bool) -> OrientationTable {
    let grid = unit_grid([20, 5, 5]);
    let inside = |voxel: usize| (grid.coordinates(voxel)[0] < 10) == low;
    let mask = Mask::new(grid, (0..grid.len()).map(inside).collect()).unwrap();
    let at = |_: [f64; 3], _, _| ([1.0, 0.0, 0.0], 1.0);
    OrientationTable::new(&Formula { mask, fibres: 1, samples: 1, at }).unwrap()
}

#[test]
fn regions_next_to_the_orientations_can_be_passed() {
    // The last point of a streamline is outside the orientations by less than one step, at either end.
    let options = SampleOptions { step_mm: 0.7, ..SampleOptions::default() };
    for (low, beside, beyond) in [(true, 10, 12), (false, 9, 7)] {
        let table = half(low);
        let grid = *table.grid();
        let seeds = from_points(&[[if low { 5.0 } else { 15.0 }, 2.0, 2.0]], 4);
        let track = |x: usize| {
            let waypoints = vec![region("way.nii.gz", &grid, |[i, _, _]| i == x)];
            let regions = Constraints { waypoints, ..Constraints::default() };
            track_samples(
                &table,
                &seeds,
                &regions,
                &options,
                SampleOutputs::default(),
                &Device::Cpu,
                &Control::default(),
            )
        };
        assert_eq!(track(beside).unwrap().summary.streamlines, 4, "{low}");
        let message = one_line(&track(beyond).unwrap_err());
        assert!(
            message.starts_with(
                "way.nii.gz: this waypoint region is outside the voxels that have fibre orientations"
            ),
            "{message}"
        );
    }
}

#[test]
fn regions_without_effect_are_reported() {
    let table = half(true);
    let grid = *table.grid();
    let there = |name: &str| vec![region(name, &grid, |[i, _, _]| i == 15)];
    let shifted = Affine::scaling([1.0; 3], [11.0, 0.0, 0.0]);
    let regions = Constraints {
        avoid: there("avoid"),
        stop: there("stop"),
        stop_on_exit: there("exit"),
        targets: vec![
            // The mapping moves the first target into the tracked image, and the second one out of it.
            Region { mapping: Some(Arc::new(Mapping::affine(shifted))), ..there("reached").remove(0) },
            Region {
                mapping: Some(Arc::new(Mapping::affine(shifted))),
                ..region("missed", &grid, |[i, _, _]| i == 5)
            },
        ],
        ..Constraints::default()
    };
    let seeds = from_points(&[[5.0, 2.0, 2.0]], 4);
    let (tracks, log) = with_captured_log(Level::WARN, || {
        let outputs = SampleOutputs::default();
        track_samples(
            &table,
            &seeds,
            &regions,
            &SampleOptions::default(),
            outputs,
            &Device::Cpu,
            &Control::default(),
        )
    });
    assert_eq!(tracks.unwrap().summary.streamlines, 4);
    for name in ["avoid", "stop", "exit", "missed"] {
        assert_eq!(
            log.matches(&format!("{name}: all voxels of this region are outside the tracked image")).count(),
            1,
            "{log}"
        );
    }
    assert!(!log.contains("reached"), "{log}");
}

#[test]
fn seeds_count_if_some_of_their_positions_have_orientations() {
    let table = half(true);
    // The centre of the voxel is outside the orientations, but a quarter of the voxel is inside.
    let coarse = Grid::new([1; 3], Affine::scaling([4.0, 1.0, 1.0], [10.5, 2.0, 2.0])).unwrap();
    let seeds = |jitter| Seeds::Voxels { mask: Mask::full(coarse), mapping: None, each: 40, jitter };
    let track = |jitter| {
        let outputs = SampleOutputs::default();
        let (regions, options) = (Constraints::default(), SampleOptions::default());
        track_samples(&table, &seeds(jitter), &regions, &options, outputs, &Device::Cpu, &Control::default())
    };
    let accepted = track(Jitter::Voxel).unwrap().summary.streamlines;
    assert!((2..30).contains(&accepted), "{accepted}");
    assert!(one_line(&track(Jitter::None).unwrap_err()).starts_with("seed mask: no seed is"));
}
