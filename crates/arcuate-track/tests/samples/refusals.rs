//! What makes no sense is said in one line.

use crate::common::{Formula, field, from_points, region, unit_grid};
use arcuate_compute::Device;
use arcuate_core::{Error, Mask};
use arcuate_track::{
    Jitter, OrientationTable, Region, Regions, SampleOptions, SampleOutputs, SampleSeeds, track_samples,
};

fn message(seeds: &SampleSeeds, regions: &Regions, options: &SampleOptions) -> String {
    let table = field(&unit_grid([10; 3]), |_| [1.0, 0.0, 0.0]);
    let tracked =
        track_samples(&table, seeds, regions, options, SampleOutputs::default(), &Device::Cpu, &|_, _| ());
    one_line(&tracked.unwrap_err())
}

fn one_line(error: &Error) -> String {
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    message
}

#[test]
fn regions_that_cannot_be_met_are_named() {
    let grid = unit_grid([10; 3]);
    let seeds = from_points(&[[5.0; 3]], 1);
    let named = |name: &str, x: usize| region(name, &grid, move |[i, _, _]| i == x);
    let empty = region("nothing.nii.gz", &grid, |_| false);
    let far = region("far.nii.gz", &unit_grid([30, 10, 10]), |[i, _, _]| i > 20);
    let cases: Vec<(&str, Regions)> = vec![
        (
            "nothing.nii.gz: no voxel is inside",
            Regions { waypoints: vec![empty.clone()], ..Regions::default() },
        ),
        ("nothing.nii.gz: no voxel is inside", Regions { avoid: vec![empty], ..Regions::default() }),
        (
            "far.nii.gz: it lies where there are no orientations",
            Regions { waypoints: vec![named("a", 2), far], ..Regions::default() },
        ),
        (
            "a.nii.gz: it lies in what streamlines avoid",
            Regions {
                waypoints: vec![named("a.nii.gz", 2)],
                avoid: vec![named("b", 2)],
                ..Regions::default()
            },
        ),
        (
            "regions: there are more than 32",
            Regions { targets: vec![named("a", 2); 33], ..Regions::default() },
        ),
        (
            "regions: they lie on more than 4 lattices",
            Regions {
                stop: (10..15).map(|n| region("a", &unit_grid([n; 3]), |_| true)).collect::<Vec<Region>>(),
                ..Regions::default()
            },
        ),
    ];
    for (beginning, regions) in cases {
        let message = message(&seeds, &regions, &SampleOptions::default());
        assert!(message.starts_with(beginning), "{message}");
    }
}

#[test]
fn seeds_that_are_none_are_refused() {
    let grid = unit_grid([10; 3]);
    let none = Mask::new(grid, vec![false; grid.len()]).unwrap();
    let voxels = |mask: Mask, each, jitter| SampleSeeds::Voxels { mask, mapping: None, each, jitter };
    let full = Mask::full(grid);
    let cases = [
        ("seed mask: no seed is in it", voxels(none.clone(), 1, Jitter::None)),
        ("seed mask: no seed is in it", SampleSeeds::Random { mask: none, mapping: None, count: 5 }),
        ("seed mask: no seed is in it", from_points(&[], 1)),
        ("seed mask: point 2 holds", from_points(&[[1.0; 3], [f64::NAN; 3]], 1)),
        ("seed mask: no seed lies in a voxel with orientations", from_points(&[[50.0; 3]], 1)),
        ("--per-seed: no streamline is wanted", voxels(full.clone(), 0, Jitter::None)),
        ("--seeds: there is no seed", SampleSeeds::Random { mask: full.clone(), mapping: None, count: 0 }),
        ("--seed-radius: -1 is not", voxels(full, 1, Jitter::BallMm(-1.0))),
    ];
    for (beginning, seeds) in cases {
        let message = message(&seeds, &Regions::default(), &SampleOptions::default());
        assert!(message.starts_with(beginning), "{message}");
    }
}

#[test]
fn sources_that_are_none_are_refused() {
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
