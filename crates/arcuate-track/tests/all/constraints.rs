//! Regions with tensor streamlines and geodesic rays. These are straight along x, so the results are known.

use arcuate_compute::Device;
use arcuate_core::{Affine, Control, Grid, Labels, Mask, Point, Scalars, Tractogram, Volume, length};
use arcuate_track::{
    CONNECTIVITY, ConstraintUnit, Constraints, GeodesicOptions, Geodesics, Integrator, Jitter, LENGTH,
    Mapping, Method, Region, Seeds, Selection, Targets, TrackOptions, TrackSummary, WaypointCondition,
    track_tensor,
};
use std::collections::BTreeMap;
use std::sync::Arc;

const SHAPE: [usize; 3] = [41, 5, 5];

fn grid() -> Grid {
    Grid::new(SHAPE, Affine::identity()).unwrap()
}

/// Creates tensors along x, rotated in the x–y plane by `turn` in radians.
fn along_x(turn: impl Fn([f64; 3]) -> f64) -> Volume<f32> {
    let tensor = |voxel: usize| {
        let (sin, cos) = turn(grid().centre(voxel)).sin_cos();
        let part = |a: f64, b: f64| (1.4e-3 * a * b) as f32;
        [3e-4 + part(cos, cos), 3e-4 + part(sin, sin), 3e-4, part(sin, cos), 0.0, 0.0]
    };
    Volume::new(grid(), 6, (0..grid().len()).flat_map(tensor).collect()).unwrap()
}

/// Region of all voxels whose x is in this range.
fn at(x: std::ops::RangeInclusive<usize>) -> Region {
    let inside = |voxel: usize| x.contains(&grid().coordinates(voxel)[0]);
    let mask = Mask::new(grid(), (0..grid().len()).map(inside).collect()).unwrap();
    Region::of_mask(&format!("{x:?}"), mask, None)
}

fn plain() -> Constraints {
    Constraints::default()
}

/// The lowest and the highest x of a streamline.
fn extent(line: &[Point]) -> [f32; 2] {
    line.iter().map(|p| p[0]).fold([f32::MAX, f32::MIN], |[a, b], x| [a.min(x), b.max(x)])
}

/// All methods of tensor tracking, each with its maximum step in mm.
fn ways() -> Vec<(TrackOptions, f32)> {
    let with = |method, integrator, step_mm| TrackOptions {
        method,
        integrator,
        step_mm,
        min_length_mm: Some(0.0),
        ..TrackOptions::default()
    };
    vec![
        (with(Method::Fact, Integrator::Euler, None), 1.0),
        (with(Method::Tensor, Integrator::Euler, Some(0.3)), 0.3),
        (with(Method::Tensor, Integrator::RungeKutta4, Some(0.3)), 0.3),
        (with(Method::TensorDeflection { f: 0.2, g: 0.8 }, Integrator::RungeKutta4, Some(0.3)), 0.3),
    ]
}

fn track(
    tensor: &Volume<f32>,
    seeds: Vec<[f64; 3]>,
    options: &TrackOptions,
    constraints: Constraints,
) -> (Tractogram, TrackSummary) {
    let mut lines = Tractogram::new();
    let options = TrackOptions { constraints, ..options.clone() };
    let seeds = Seeds::points(seeds);
    let summary =
        track_tensor(tensor, &seeds, &options, &Device::Cpu, &mut lines, &Control::default()).unwrap();
    assert_eq!(summary.seeds, summary.streamlines + summary.rejected.total());
    (lines, summary)
}

/// Tracks three streamlines from seeds near x = 20. Returns the extent of the first streamline, and the
/// summary.
type Follow<'a> = &'a dyn Fn(Constraints) -> (Option<[f32; 2]>, TrackSummary);

/// Tests that constraints have the same effect with every method. Points are up to `step` mm apart.
fn constraints_hold(follow: Follow<'_>, step: f32) {
    let (free, _) = follow(plain());
    let [low, high] = free.unwrap();
    assert!(low < 1.0 && high > 39.0, "{low} {high}");
    let near = |found: Option<[f32; 2]>, wanted: [f32; 2]| {
        let found = found.unwrap();
        (0..2).all(|n| (found[n] - wanted[n]).abs() <= step + 0.01)
    };

    let (stopped, summary) = follow(Constraints { stop: vec![at(30..=32), at(5..=5)], ..plain() });
    assert!(near(stopped, [5.5, 29.5]) && summary.terminated.stop == 6, "{stopped:?}");
    let (left, summary) = follow(Constraints { stop_on_exit: vec![at(25..=27), at(18..=22)], ..plain() });
    // Streamlines can leave the region around the seeds without stopping.
    assert!(near(left, [low, 27.5]) && summary.terminated.exit == 3, "{left:?}");

    let half = |constraints| Constraints { judged_by: ConstraintUnit::Half, ..constraints };
    let whole = |constraints| Constraints { judged_by: ConstraintUnit::Whole, ..constraints };
    let avoid = Constraints { avoid: vec![at(33..=34)], ..plain() };
    let (rest, summary) = follow(half(avoid.clone()));
    let [from, to] = rest.unwrap();
    // The other half is complete.
    assert!(from == low && (19.0..=21.0).contains(&to), "{rest:?}");
    assert_eq!((summary.streamlines, summary.terminated.avoid), (3, 3));
    let (rest, summary) = follow(whole(avoid));
    assert!(rest.is_none() && summary.rejected.avoided == 3);
    let (_, summary) = follow(half(Constraints { avoid: vec![at(18..=22)], ..plain() }));
    assert_eq!((summary.rejected.avoided, summary.terminated.avoid), (3, 6), "the seeds lie in it");
    // A streamline does not enter a region beyond a region to stop in.
    let behind = Constraints { avoid: vec![at(33..=34)], stop: vec![at(31..=31)], ..plain() };
    assert!(near(follow(whole(behind)).0, [low, 30.5]));

    let ways = |regions: Vec<Region>| Constraints { waypoints: regions, ..plain() };
    let (both, _) = follow(half(ways(vec![at(30..=31), at(8..=9)])));
    assert_eq!(both, free);
    assert_eq!(follow(whole(ways(vec![at(30..=31), at(8..=9)]))).0, free);
    let alone = Constraints { one_way: true, ..half(ways(vec![at(30..=31), at(8..=9)])) };
    assert_eq!(follow(alone).1.rejected.waypoints, 3);
    let one_side = Constraints { one_way: true, ..half(ways(vec![at(30..=31), at(34..=35)])) };
    let [from, to] = follow(one_side).0.unwrap();
    assert!(from > 19.0 && to == high, "{from} {to}");
    let one_of = |regions| Constraints { condition: WaypointCondition::Any, ..whole(ways(regions)) };
    assert_eq!(follow(one_of(vec![at(30..=31), at(9..=9)])).0, free);
    let stopped =
        Constraints { stop: vec![at(28..=28), at(12..=12)], ..one_of(vec![at(30..=31), at(9..=9)]) };
    assert_eq!(follow(stopped).1.rejected.waypoints, 3);
    let order = |a: usize, b: usize| Constraints { in_order: true, ..half(ways(vec![at(a..=a), at(b..=b)])) };
    assert_eq!(follow(order(30, 35)).1.streamlines, 3);
    assert_eq!(follow(order(35, 30)).1.rejected.waypoints, 3);
}

const SEEDS: [[f64; 3]; 3] = [[20.2, 2.1, 2.0], [20.1, 1.9, 2.2], [19.9, 2.0, 1.8]];

#[test]
fn tensor_tracking_respects_all_constraints() {
    let tensor = along_x(|_| 0.0);
    for (options, step) in ways() {
        constraints_hold(
            &|constraints| {
                let (lines, summary) = track(&tensor, SEEDS.to_vec(), &options, constraints);
                (lines.iter().next().map(extent), summary)
            },
            step,
        );
        let targets = Constraints { targets: vec![at(30..=31), at(20..=20), at(0..=0)], ..plain() };
        let cut = Constraints { stop: vec![at(5..=5)], ..targets };
        assert_eq!(track(&tensor, SEEDS.to_vec(), &options, cut).1.targets, [3, 3, 0]);
    }
}

#[test]
fn one_way_tracking_passes_the_same_regions() {
    let tensor = along_x(|_| 0.0);
    let seeds: Vec<[f64; 3]> = (0..40).map(|n| [20.0, 2.0, 1.5 + 0.02 * f64::from(n)]).collect();
    for (options, _) in ways() {
        let options = TrackOptions { both_directions: false, ..options };
        let run = |constraints| track(&tensor, seeds.clone(), &options, constraints).1;
        let up = run(Constraints { waypoints: vec![at(30..=30)], ..plain() });
        let down = run(Constraints { avoid: vec![at(30..=30)], ..plain() });
        assert!(up.streamlines > 5 && down.streamlines > 5);
        assert_eq!(up.streamlines + down.streamlines, 40);
        assert_eq!((up.rejected.waypoints, down.rejected.avoided), (down.streamlines, up.streamlines));
        let neither = run(Constraints { waypoints: vec![at(30..=30), at(10..=10)], ..plain() });
        assert_eq!((neither.streamlines, neither.rejected.waypoints), (0, 40));
    }
}

#[test]
fn regions_remove_points_without_changing_others() {
    let tensor = along_x(|[x, y, _]| 0.12 * (0.4 * x + y).sin());
    let seeds: Vec<[f64; 3]> = (0..60).map(|n| [5.0 + 0.5 * f64::from(n), 2.0, 2.0]).collect();
    for (options, _) in ways() {
        let (free, _) = track(&tensor, seeds.clone(), &options, plain());
        // Constraints without effect do not change streamlines.
        let idle = Constraints { waypoints: vec![at(0..=40)], judged_by: ConstraintUnit::Whole, ..plain() };
        assert_eq!(track(&tensor, seeds.clone(), &options, idle).0, free);
        let stop = Constraints { stop: vec![at(31..=33), at(9..=11)], ..plain() };
        let (cut, summary) = track(&tensor, seeds.clone(), &options, stop);
        assert!(summary.terminated.stop > 60 && cut.positions().len() < free.positions().len());
        for (line, whole) in cut.iter().zip(free.iter()) {
            let begin = whole.windows(line.len()).position(|part| part == line);
            assert!(begin.is_some(), "{} points of {}", line.len(), whole.len());
        }
    }
}

#[test]
fn geodesic_tracking_respects_all_constraints() {
    let tensor = along_x(|_| 0.0);
    let step_mm = Some(0.3);
    let rays = |constraints: Constraints| {
        let options = GeodesicOptions { step_mm, constraints, ..GeodesicOptions::default() };
        let geodesics = Geodesics::new(&tensor, &options, &Device::Cpu).unwrap();
        let mut lines = Kept::default();
        let (summary, _) =
            geodesics.all(&Seeds::points(SEEDS.to_vec()), &mut lines, &Control::default()).unwrap();
        assert_eq!(summary.seeds, summary.streamlines + summary.rejected.total());
        assert_eq!(summary.streamlines, lines.0.len() as u64);
        // The reported length of a ray that regions cut is the length of the remaining ray.
        for (n, line) in lines.0.iter().enumerate() {
            let own = length(line);
            assert!((own - f64::from(lines.1[n])).abs() < 1e-3 * own, "{own} {}", lines.1[n]);
        }
        (lines.0.iter().next().map(extent), summary)
    };
    constraints_hold(&rays, 0.3);
}

/// Mapping that shifts positions by `x` mm along x.
fn shifted(x: f64) -> Arc<Mapping> {
    let rows = [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    Arc::new(Mapping::affine(Affine::from_rows(rows).unwrap()))
}

#[test]
fn regions_and_seeds_of_another_space_are_mapped() {
    let tensor = along_x(|_| 0.0);
    // The masks are shifted by 5 mm: x = 33 in the tensor image is x = 38 in the masks. In the masks, label 7
    // is at x = 35 and 36, and label 9 is at x = 15.
    let values = (0..grid().len()).map(|voxel| match grid().coordinates(voxel)[0] {
        35..=36 => 7,
        15 => 9,
        20 => 3,
        _ => 0,
    });
    let labels = Labels::new(grid(), values.collect(), BTreeMap::default()).unwrap();
    let to_masks = shifted(5.0);
    let label = |number| Region::of_label(&labels, number, "atlas", Some(&to_masks)).unwrap();
    assert_eq!(label(9).name, "atlas:9");
    assert!(Region::of_label(&labels, 8, "atlas", None).unwrap_err().to_string().starts_with("atlas: "));
    let constraints = Constraints { stop: vec![label(7)], targets: vec![label(9), label(3)], ..plain() };

    // The seed voxel is at x = 25 in the masks, so the seed is at x = 20 in the tensor image.
    let seed = |voxel: usize| grid().coordinates(voxel) == [25, 2, 2];
    let mask = Mask::new(grid(), (0..grid().len()).map(seed).collect()).unwrap();
    let image =
        Volume::new(grid(), 1, mask.flags().iter().map(|&inside| f32::from(u8::from(inside))).collect());
    let mapping = Some(shifted(-5.0));
    let points = vec![[25.0, 2.0, 2.0]];
    let all = [
        Seeds::Grid { mask: mask.clone(), mapping: mapping.clone(), per_axis: 1 },
        Seeds::Weighted { image: image.unwrap(), mapping: mapping.clone(), count: 1 },
        Seeds::Random { mask, mapping: mapping.clone(), count: 1 },
        Seeds::Points { points, mapping, each: 1, jitter: Jitter::None },
    ];
    for seeds in all {
        for (options, step) in ways() {
            let mut lines = Tractogram::new();
            let options = TrackOptions { constraints: constraints.clone(), ..options };
            let summary =
                track_tensor(&tensor, &seeds, &options, &Device::Cpu, &mut lines, &Control::default())
                    .unwrap();
            let [low, high] = extent(lines.iter().next().unwrap());
            assert!(low < 1.0 && (high - 29.5).abs() <= step + 0.01, "{seeds:?}: {low} {high}");
            // The targets are at x = 10 and x = 15 in the tensor image, toward the other end.
            assert_eq!(summary.targets, [1, 1]);
        }
        let constraints = Constraints { targets: Vec::new(), ..constraints.clone() };
        let options = GeodesicOptions { step_mm: Some(0.3), constraints, ..GeodesicOptions::default() };
        let geodesics = Geodesics::new(&tensor, &options, &Device::Cpu).unwrap();
        let mut lines = Kept::default();
        geodesics.all(&seeds, &mut lines, &Control::default()).unwrap();
        let [low, high] = extent(lines.0.iter().next().unwrap());
        assert!(low < 1.0 && (high - 29.5).abs() <= 0.31, "{seeds:?}: {low} {high}");
    }
}

/// Streamlines and their reported lengths.
#[derive(Default)]
struct Kept(Tractogram, Vec<f32>);

impl arcuate_core::StreamlineSink for Kept {
    fn take(&mut self, batch: arcuate_core::StreamlineBatch<'_>) -> arcuate_core::Result<()> {
        batch.iter().for_each(|line| self.0.push(line));
        let points: usize =
            batch.per_point().map(|(name, of)| if name == CONNECTIVITY { of.rows.len() } else { 0 }).sum();
        assert_eq!(points, batch.points().len());
        for (_, of) in batch.per_streamline().filter(|(name, _)| *name == LENGTH) {
            let Scalars::F32(values) = of.column.values() else { panic!("lengths in another precision") };
            self.1.extend_from_slice(&values[of.rows]);
        }
        Ok(())
    }
}

#[test]
fn connections_respect_waypoints_and_exclusion_regions() {
    let tensor = along_x(|_| 0.0);
    let targets = Targets::from_masks(vec![("far".into(), at(35..=36).mask().unwrap().clone())]).unwrap();
    let connect = |constraints: Constraints| {
        let options = GeodesicOptions { constraints, ..GeodesicOptions::default() };
        let geodesics = Geodesics::new(&tensor, &options, &Device::Cpu).unwrap();
        let seeds = Seeds::points(SEEDS.to_vec());
        geodesics.connect(&seeds, &targets, &Selection::default(), &Control::default()).unwrap()
    };
    let free = connect(plain());
    assert_eq!(free.targets[0].reached, 3);
    let through = connect(Constraints { waypoints: vec![at(30..=30)], ..plain() });
    assert_eq!(through.tractogram, free.tractogram);
    for constraints in [
        Constraints { waypoints: vec![at(10..=10)], ..plain() },
        Constraints { avoid: vec![at(30..=30)], ..plain() },
        Constraints { stop: vec![at(30..=30)], ..plain() },
    ] {
        let none = connect(constraints);
        assert_eq!(none.targets[0].reached, 0);
        // No accepted ray is closer to the target than the region at x = 30.
        assert!(none.targets[0].nearest_mm.is_none_or(|mm| mm >= 4.0), "{:?}", none.targets);
    }
    // Targets do not reject rays.
    let options = GeodesicOptions {
        constraints: Constraints { targets: vec![at(1..=1)], ..plain() },
        ..GeodesicOptions::default()
    };
    let geodesics = Geodesics::new(&tensor, &options, &Device::Cpu).unwrap();
    let mut kept = Tractogram::new();
    geodesics.all(&Seeds::points(SEEDS.to_vec()), &mut kept, &Control::default()).unwrap();
    assert_eq!(kept.len(), SEEDS.len());
}
