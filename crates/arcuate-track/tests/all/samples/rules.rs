//! Tests each rule alone, with results computed by hand in a straight field. The field has x from 0 to
//! 39 mm. Steps of 1 mm start at x = 20, so points have integer x. Every case runs on the CPU and on a GPU.

use crate::common::samples::{Formula, field, follow, from_points, points, region, unit_grid};
use arcuate_compute::Device;
use arcuate_core::{Affine, Grid, Mask, Tractogram, Volume};
use arcuate_track::{
    AtMaxLength, Constraints, InitialFibre, Jitter, Mapping, OrientationTable, Region, SampleOptions,
    SampleTracks, Seeds, Termination, WaypointCondition,
};
use std::sync::Arc;

const SHAPE: [usize; 3] = [40, 3, 3];

fn straight() -> OrientationTable {
    field(&unit_grid(SHAPE), |_| [1.0, 0.0, 0.0])
}

fn options() -> SampleOptions {
    SampleOptions { step_mm: 1.0, nearest: true, ..SampleOptions::default() }
}

/// A region of all voxels whose x is in this range.
fn at(x: std::ops::RangeInclusive<usize>) -> Region {
    region("region", &unit_grid(SHAPE), |[i, _, _]| x.contains(&i))
}

/// Returns both ends along x of the streamline from x = 20, in ascending order, or `None` if it is rejected.
fn ends(regions: &Constraints, options: &SampleOptions, device: &Device) -> Option<[f32; 2]> {
    ends_from(20.0, regions, options, device)
}

fn ends_from(x: f64, regions: &Constraints, options: &SampleOptions, device: &Device) -> Option<[f32; 2]> {
    let seeds = from_points(&[[x, 1.0, 1.0]], 1);
    let (streamlines, tracks) = follow(&straight(), &seeds, regions, options, device);
    assert_eq!(tracks.summary.streamlines, streamlines.len() as u64);
    if streamlines.is_empty() {
        return None;
    }
    let points = points(&streamlines, 0);
    let mut ends = [points[0][0], points[points.len() - 1][0]].map(f32::round);
    ends.sort_by(f32::total_cmp);
    Some(ends)
}

fn reasons(tracks: &SampleTracks) -> Vec<(Termination, u64)> {
    tracks.summary.terminated.by_reason().filter(|(_, count)| *count > 0).collect()
}

fn regions_stop_streamlines(device: &Device) {
    let plain = options();
    // The first point outside the image is kept, as in probtrackx2. Both ends are one voxel outside the
    // image.
    assert_eq!(ends(&Constraints::default(), &plain, device), Some([-1.0, 40.0]));
    let stop = |x| Constraints { stop: vec![at(x)], ..Constraints::default() };
    // The point inside is kept.
    assert_eq!(ends(&stop(30..=32), &plain, device), Some([-1.0, 30.0]));
    assert_eq!(ends(&stop(5..=5), &plain, device), Some([5.0, 40.0]));
    // The seed does not count, but the points after it do.
    assert_eq!(ends(&stop(20..=20), &plain, device), Some([-1.0, 40.0]));
    assert_eq!(ends(&stop(19..=21), &plain, device), Some([19.0, 21.0]));
}

fn regions_end_streamlines_that_leave_them(device: &Device) {
    let plain = options();
    let exit = |x| Constraints { stop_on_exit: vec![at(x)], ..Constraints::default() };
    // The streamline enters at 25 and leaves at 31. The point outside is removed.
    assert_eq!(ends(&exit(25..=30), &plain, device), Some([-1.0, 30.0]));
    // A streamline that begins inside leaves freely.
    assert_eq!(ends(&exit(15..=25), &plain, device), Some([-1.0, 40.0]));
    // Each of two regions applies separately.
    let two = Constraints { stop_on_exit: vec![at(15..=25), at(5..=8)], ..Constraints::default() };
    assert_eq!(ends(&two, &plain, device), Some([5.0, 40.0]));
    // Two adjacent regions remain separate.
    let two = Constraints { stop_on_exit: vec![at(25..=27), at(28..=30)], ..Constraints::default() };
    assert_eq!(ends(&two, &plain, device), Some([-1.0, 27.0]));
}

fn regions_to_avoid_reject_a_half(device: &Device) {
    let plain = options();
    let avoid = |x| Constraints { avoid: vec![at(x)], ..Constraints::default() };
    // One half is rejected, and the other half is kept.
    assert_eq!(ends(&avoid(30..=30), &plain, device), Some([-1.0, 20.0]));
    assert_eq!(ends(&avoid(10..=10), &plain, device), Some([20.0, 40.0]));
    // The seed counts for both halves. Both halves can be rejected.
    assert_eq!(ends(&avoid(20..=20), &plain, device), None);
    let both = Constraints { avoid: vec![at(30..=30), at(10..=10)], ..Constraints::default() };
    assert_eq!(ends(&both, &plain, device), None);
    // A streamline does not reach a region beyond a region to stop in.
    let behind = Constraints { avoid: vec![at(30..=30)], stop: vec![at(28..=28)], ..Constraints::default() };
    assert_eq!(ends(&behind, &plain, device), Some([-1.0, 28.0]));
}

fn waypoints_must_be_passed(device: &Device) {
    let plain = options();
    let ways = |regions: Vec<Region>| Constraints { waypoints: regions, ..Constraints::default() };
    // If the first half passes the waypoint, both halves are kept. If only the second half passes it, the
    // first half is removed. The first half of this streamline goes to lower x.
    assert_eq!(ends(&ways(vec![at(30..=30)]), &plain, device), Some([20.0, 40.0]));
    assert_eq!(ends(&ways(vec![at(10..=10)]), &plain, device), Some([-1.0, 40.0]));
    // A seed does not satisfy a waypoint. The two halves can pass waypoints together.
    assert_eq!(ends(&ways(vec![at(20..=20)]), &plain, device), None);
    assert_eq!(ends(&ways(vec![at(30..=30), at(10..=10)]), &plain, device), Some([-1.0, 40.0]));
    // One half must pass all waypoints if `one_way` is set.
    let both_in_one = Constraints { one_way: true, ..ways(vec![at(30..=30), at(10..=10)]) };
    assert_eq!(ends(&both_in_one, &plain, device), None);
    let on_one_side = Constraints { one_way: true, ..ways(vec![at(30..=30), at(35..=35)]) };
    assert_eq!(ends(&on_one_side, &plain, device), Some([20.0, 40.0]));
    // Waypoints must be passed in the order of the list.
    let ordered = |a: usize, b: usize| Constraints { in_order: true, ..ways(vec![at(a..=a), at(b..=b)]) };
    assert!(ends(&ordered(25, 30), &plain, device).is_some());
    assert_eq!(ends(&ordered(30, 25), &plain, device), None);
    // With `Any`, one of two waypoints is enough, but at least one must be passed.
    let any = |regions| Constraints { condition: WaypointCondition::Any, ..ways(regions) };
    let stopped = Constraints { stop: vec![at(8..=8)], ..any(vec![at(30..=30), at(5..=5)]) };
    assert!(ends(&stopped, &plain, device).is_some());
    let all = Constraints { condition: WaypointCondition::All, ..stopped.clone() };
    assert_eq!(ends(&all, &plain, device), None);
    let none = Constraints { stop: vec![at(8..=8), at(28..=28)], ..stopped };
    assert_eq!(ends(&none, &plain, device), None);
    // Waypoints of a half that enters a region to avoid do not count.
    let avoided = Constraints { avoid: vec![at(35..=35)], ..ways(vec![at(30..=30)]) };
    assert_eq!(ends(&avoided, &plain, device), None);
    // Waypoints of a half that is too short do not count, in any order of halves.
    let forty = from_points(&[[20.0, 1.0, 1.0]], 40);
    let short = Constraints { stop: vec![at(25..=25)], ..ways(vec![at(25..=25)]) };
    let long = SampleOptions { min_half_length_mm: 8.0, ..plain.clone() };
    assert_eq!(follow(&straight(), &forty, &short, &long, device).0.len(), 0);
    // A half with the wrong order is rejected. Streamlines with the right order of halves are kept
    // completely.
    let (kept, _) = follow(&straight(), &forty, &ordered(25, 12), &plain, device);
    assert!((1..40).contains(&kept.len()), "{}", kept.len());
    assert!(kept.as_batch().iter().all(|points| points.len() == 42));
}

fn targets_are_counted_by_seed(device: &Device) {
    let regions = Constraints {
        targets: vec![at(30..=30), at(10..=10), at(12..=12)],
        stop: vec![at(11..=11)],
        ..Constraints::default()
    };
    let seeds = from_points(&[[20.0, 1.0, 1.0], [30.0, 1.0, 1.0], [35.0, 0.0, 1.0]], 4);
    let (_, tracks) = follow(&straight(), &seeds, &regions, &options(), device);
    // Targets beyond the stop region are not passed. The seed does not count.
    assert_eq!(tracks.target_hits, [vec![4, 0, 4], vec![0, 0, 0], vec![4, 4, 4]]);
}

fn lengths_and_turns_have_limits(device: &Device) {
    let none = Constraints::default();
    // The streamline is 41 mm long. Limits have a tolerance of 0.1 % for rounding errors of steps.
    for (minimum, maximum, expected) in [
        (40.95, 41.05, Some([-1.0, 40.0])),
        (41.0, 50.0, None),
        (42.0, 50.0, None),
        (0.0, 41.0, None),
        (0.0, 40.0, None),
    ] {
        let limits = SampleOptions {
            min_length_mm: minimum,
            max_length_mm: Some(maximum),
            at_max_length: AtMaxLength::Discard,
            ..options()
        };
        assert_eq!(ends(&none, &limits, device), expected, "{minimum} to {maximum} mm");
    }
    // The halves from x = 20 have 20 mm and 21 mm. The half of 20 mm is too short.
    let halves = SampleOptions { min_half_length_mm: 21.0, ..options() };
    assert_eq!(ends(&none, &halves, device), Some([-1.0, 20.0]));
    // Each half has at most five points, including the seed.
    let few = SampleOptions { max_steps: 10, ..options() };
    assert_eq!(ends(&none, &few, device), Some([16.0, 24.0]));

    // The field has a corner of 60 degrees at x = 30.
    let bent =
        field(
            &unit_grid([60, 60, 3]),
            |[x, _, _]| if x < 29.5 { [1.0, 0.0, 0.0] } else { [0.5, 0.75_f64.sqrt(), 0.0] },
        );
    let seeds = from_points(&[[20.0, 10.0, 1.0]], 1);
    let last = |degrees: f64| {
        let options = SampleOptions { min_cosine: degrees.to_radians().cos(), ..options() };
        let (streamlines, tracks) = follow(&bent, &seeds, &none, &options, device);
        let points = points(&streamlines, 0);
        let furthest = points.iter().map(|p| p[1]).fold(0.0, f32::max);
        (furthest.round(), tracks.summary.terminated.angle)
    };
    // The point where the turn is too sharp is kept.
    assert_eq!(last(59.0), (10.0, 1));
    assert!(last(61.0).0 > 25.0 && last(61.0).1 == 0);
}

fn fractions_end_streamlines(device: &Device) {
    // Each step continues with probability 0.5, the fraction of the fibre.
    let at = |_: [f64; 3], _, _| ([1.0, 0.0, 0.0], 0.5);
    let source = Formula { mask: Mask::full(unit_grid(SHAPE)), fibres: 1, samples: 1, at };
    let table = OrientationTable::new(&source).unwrap();
    let seeds = from_points(&[[20.0, 1.0, 1.0]], 4000);
    let options = SampleOptions { fraction_stops: true, ..options() };
    let (streamlines, _) = follow(&table, &seeds, &Constraints::default(), &options, device);
    // The number of steps of each half has a geometric distribution with mean 1 and variance 2.
    let steps = streamlines.positions().len() as f64 / 4000.0 - 1.0;
    assert!((steps - 2.0).abs() < 6.0 * (4.0_f64 / 4000.0).sqrt(), "{steps}");
}

/// Two fibres that cross, and a third along z that is too weak to count.
fn crossing() -> OrientationTable {
    let at = |_: [f64; 3], _, fibre: usize| match fibre {
        0 => ([1.0, 0.0, 0.0], 0.3),
        1 => ([0.0, 1.0, 0.0], 0.6),
        _ => ([0.0, 0.0, 1.0], 0.05),
    };
    let source = Formula { mask: Mask::full(unit_grid([21, 21, 21])), fibres: 3, samples: 2, at };
    OrientationTable::new(&source).unwrap()
}

/// Returns the numbers of 3000 streamlines that run along x, y and z.
fn along(initial: InitialFibre, device: &Device) -> [f64; 3] {
    let options = SampleOptions { initial, min_fraction: 0.1, ..options() };
    let seeds = from_points(&[[10.0; 3]], 3000);
    let (streamlines, _) = follow(&crossing(), &seeds, &Constraints::default(), &options, device);
    let mut counts = [0.0; 3];
    for streamline in streamlines.as_batch().iter() {
        // Each half counts as 0.5.
        for end in [streamline[0], streamline[streamline.len() - 1]] {
            let moved = end.map(|c| (c - 10.0).abs());
            let axis = (0..3).find(|&axis| moved[axis] > 0.5).unwrap();
            counts[axis] += 0.5;
        }
    }
    counts
}

fn the_initial_fibre_is_the_requested_one(device: &Device) {
    assert_eq!(along(InitialFibre::Number(0), device), [3000.0, 0.0, 0.0]);
    assert_eq!(along(InitialFibre::Number(2), device)[2], 3000.0);
    // The tolerance is six standard deviations. If the halves draw crossing fibres, the turn of the second
    // half is too sharp. Only first halves are counted then.
    let near = |found: f64, expected: f64, all: f64| {
        assert!(
            (found - expected).abs() < 6.0 * (expected * (1.0 - expected / all)).sqrt(),
            "{found} {expected}"
        );
    };
    let of_all = along(InitialFibre::RandomOfAll, device);
    for count in of_all {
        near(count, 1000.0, 3000.0);
    }
    let random = first_halves(InitialFibre::Random, device);
    near(random[0], 1500.0, 3000.0);
    assert_eq!(random[2], 0.0);
    let in_proportion = first_halves(InitialFibre::InProportion, device);
    near(in_proportion[0], 1000.0, 3000.0);
    near(in_proportion[1], 2000.0, 3000.0);
}

/// Returns the numbers of first halves of 3000 streamlines that run along x, y and z.
fn first_halves(initial: InitialFibre, device: &Device) -> [f64; 3] {
    let options = SampleOptions { initial, min_fraction: 0.1, ..options() };
    let seeds = from_points(&[[10.0; 3]], 3000);
    let (streamlines, _) = follow(&crossing(), &seeds, &Constraints::default(), &options, device);
    let mut counts = [0.0; 3];
    for streamline in streamlines.as_batch().iter() {
        let moved = streamline[0].map(|c| (c - 10.0).abs());
        counts[(0..3).find(|&axis| moved[axis] > 0.5).unwrap()] += 1.0;
    }
    counts
}

fn fibres_nearest_to_the_direction_are_followed(device: &Device) {
    // Streamlines follow the second of two fibres along y. If no fibre exceeds the minimum fraction, the
    // first fibre is used, and its turn is too sharp.
    let weak = |[_, y, _]: [f64; 3], _: usize, fibre: usize| match fibre {
        0 => ([1.0, 0.0, 0.0], 0.05),
        _ => ([0.0, 1.0, 0.0], if y > 14.5 { 0.05 } else { 0.6 }),
    };
    let source = Formula { mask: Mask::full(unit_grid([21, 21, 3])), fibres: 2, samples: 1, at: weak };
    let table = OrientationTable::new(&source).unwrap();
    let options = SampleOptions { initial: InitialFibre::Number(1), min_fraction: 0.1, ..options() };
    let seeds = from_points(&[[10.0, 10.0, 1.0]], 1);
    let (streamlines, tracks) = follow(&table, &seeds, &Constraints::default(), &options, device);
    let reached = streamlines.positions().iter().map(|p| p[1].round()).fold(0.0, f32::max);
    assert_eq!(reached, 15.0);
    assert_eq!(reasons(&tracks), [(Termination::Fraction, 1), (Termination::Angle, 1)]);
}

fn voxels_around_are_drawn_by_how_near_they_are(device: &Device) {
    // At x = 20.25, a quarter of the first steps use voxel 21, whose fibre is along y.
    let table =
        field(&unit_grid([40, 40, 3]), |[x, _, _]| if x < 20.5 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] });
    let options = SampleOptions { nearest: false, max_steps: 4, ..options() };
    let seeds = from_points(&[[20.25, 20.0, 1.0]], 4000);
    let (streamlines, _) = follow(&table, &seeds, &Constraints::default(), &options, device);
    let along_y = streamlines.as_batch().iter().filter(|s| (s[0][1] - 20.0).abs() > 0.5).count() as f64;
    assert!((along_y - 1000.0).abs() < 6.0 * 750.0_f64.sqrt(), "{along_y}");
}

fn samples_are_drawn_evenly_but_for_the_first_and_the_last(device: &Device) {
    let at = |_: [f64; 3], sample: usize, _| {
        let angle = 0.3 * sample as f64;
        ([angle.cos(), angle.sin(), 0.0], 1.0)
    };
    let source = Formula { mask: Mask::full(unit_grid([21, 21, 3])), fibres: 1, samples: 5, at };
    let table = OrientationTable::new(&source).unwrap();
    let options = SampleOptions { max_steps: 4, ..options() };
    let seeds = from_points(&[[10.0, 10.0, 1.0]], 8000);
    let (streamlines, _) = follow(&table, &seeds, &Constraints::default(), &options, device);
    let mut counts = [0.0_f64; 5];
    for streamline in streamlines.as_batch().iter() {
        let [x, y, _] = streamline[0].map(|c| f64::from(c) - 10.0);
        let angle = (y.atan2(x) + std::f64::consts::TAU) % std::f64::consts::PI;
        counts[(angle / 0.3).round() as usize] += 1.0;
    }
    for (count, share) in counts.iter().zip([0.125, 0.25, 0.25, 0.25, 0.125]) {
        let expected = 8000.0 * share;
        assert!((count - expected).abs() < 6.0 * (expected * (1.0 - share)).sqrt(), "{counts:?}");
    }
}

fn loops_end_where_they_come_back(device: &Device) {
    // A cell covers x = −2.5 to 0 mm and y = −1.25 to 1.25 mm. A streamline around the origin starts at (−1,
    // 0) and leaves the cell at (0, ∓1). It returns at (0, ±1) against its direction, after three quarters of
    // a turn or 94 steps.
    let grid = Grid::new([64, 64, 3], Affine::scaling([0.5, 0.5, 1.0], [-16.25, -15.0, -1.0])).unwrap();
    let table = field(&grid, |[x, y, _]| [-y, x, 0.0]);
    let seeds = from_points(&[[-1.0, 0.0, 0.0]], 1);
    let followed = |loop_check| {
        let options = SampleOptions { step_mm: 0.05, loop_check, max_steps: 600, ..options() };
        let (streamlines, tracks) = follow(&table, &seeds, &Constraints::default(), &options, device);
        (streamlines.positions().len(), tracks.summary.terminated.loops)
    };
    assert_eq!(followed(false), (599, 0));
    let (points, loops) = followed(true);
    assert!(loops == 2 && (2 * 85..2 * 105).contains(&points), "{points} {loops}");
}

fn maps_count_each_voxel_once(device: &Device) {
    let seeds = from_points(&[[20.0, 1.0, 1.0], [20.2, 1.0, 1.0]], 5);
    let options = SampleOptions { step_mm: 0.25, ..options() };
    let (_, tracks) = follow(&straight(), &seeds, &Constraints::default(), &options, device);
    let map = tracks.map.unwrap();
    let row: Vec<u32> = (0..40).map(|x| map.counts()[map.grid().index([x, 1, 1])]).collect();
    assert_eq!(row, [10; 40]);
    assert_eq!(map.counts().iter().sum::<u32>(), 400);
    let normalised = map.normalised(20, 0.51).unwrap();
    assert!(normalised.values().iter().all(|&value| value == 0.0));
    assert_eq!(map.normalised(20, 0.5).unwrap().values()[map.grid().index([3, 1, 1])], 0.5);
    // Lengths start in the voxel of the seed. From both seeds, the first point in the voxel at x = 25 is 4.5
    // mm away.
    let lengths = map.lengths().unwrap().unwrap();
    assert_eq!(lengths.values()[map.grid().index([20, 1, 1])], 0.0);
    assert_eq!(lengths.values()[map.grid().index([25, 1, 1])], 4.5);
    let corrected = map.distance_corrected().unwrap().unwrap();
    assert_eq!(corrected.values()[map.grid().index([25, 1, 1])], 45.0);
}

fn masks_may_lie_in_another_space(device: &Device) {
    // The other space is rotated by 90 degrees about z and shifted, and has voxels of 2 mm: x' = y + 100, y'
    // = −x.
    let turn =
        Affine::from_rows([[0.0, 1.0, 0.0, 100.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]).unwrap();
    let grid = Grid::new([4, 25, 3], Affine::scaling([2.0; 3], [98.0, -44.0, -2.0])).unwrap();
    let there = |displacement| Some(Arc::new(Mapping { affine: turn, displacement }));
    // The voxels have y' = −30, so x is above 29 and at most 31.
    let stop = |mapping| {
        let region = Region { mapping, ..region("stop", &grid, |[_, j, _]| j == 7) };
        Constraints { stop: vec![region], ..Constraints::default() }
    };
    assert_eq!(ends(&stop(there(None)), &options(), device), Some([-1.0, 30.0]));
    // A displacement of 4 mm along y' moves x = 34 into the region.
    let lattice = Grid::new([2; 3], Affine::scaling([100.0; 3], [-30.0; 3])).unwrap();
    let values = [0.0, 4.0, 0.0].repeat(8);
    let moved = Volume::new(lattice, 3, values).unwrap();
    assert_eq!(ends(&stop(there(Some(moved))), &options(), device), Some([-1.0, 34.0]));
    // This displacement grows along x: u = 4 mm · (x + 30) / 100. It is 2.5 mm near the region, so x = 32 is
    // the first point inside.
    let values = (0..8).flat_map(|n| [0.0, if n % 2 == 1 { 4.0 } else { 0.0 }, 0.0]).collect();
    let growing = Volume::new(lattice, 3, values).unwrap();
    assert_eq!(ends(&stop(there(Some(growing))), &options(), device), Some([-1.0, 32.0]));
    // The inverse mapping transforms seeds from that space.
    let back = turn.inverse().unwrap();
    let mask = region("seeds", &grid, |[i, j, k]| [i, j, k] == [2, 12, 1]).mask().unwrap().clone();
    let mapping = Some(Arc::new(Mapping::affine(back)));
    let seeds = Seeds::Voxels { mask, mapping, each: 1, jitter: Jitter::None };
    let options = SampleOptions { max_steps: 4, ..options() };
    let (streamlines, _) = follow(&straight(), &seeds, &Constraints::default(), &options, device);
    // y' = −20 is x = 20, x' = 102 is y = 2, and z' = 0 is z = 0.
    assert_eq!(points(&streamlines, 0)[1], [20.0, 2.0, 0.0]);
}

fn seeds_lie_where_they_are_drawn(device: &Device) {
    let grid = unit_grid(SHAPE);
    let options = SampleOptions { max_steps: 4, ..options() };
    let mask =
        region("seeds", &grid, |[i, j, k]| j == 1 && k == 1 && (i == 10 || i == 30)).mask().unwrap().clone();
    let begin = |seeds: &Seeds| -> Vec<[f32; 3]> {
        let (streamlines, _) = follow(&straight(), seeds, &Constraints::default(), &options, device);
        streamlines.as_batch().iter().map(|s| s[1]).collect()
    };
    let voxels = |jitter| Seeds::Voxels { mask: mask.clone(), mapping: None, each: 500, jitter };
    let none = begin(&voxels(Jitter::None));
    assert!(
        none[..500].iter().all(|p| *p == [10.0, 1.0, 1.0])
            && none[500..].iter().all(|p| *p == [30.0, 1.0, 1.0])
    );
    let spread = |points: &[[f32; 3]], x: f32| {
        let offsets: Vec<[f32; 3]> = points.iter().map(|p| [p[0] - x, p[1] - 1.0, p[2] - 1.0]).collect();
        let square = offsets.iter().flatten().map(|c| f64::from(c * c)).sum::<f64>() / offsets.len() as f64;
        let furthest = offsets.iter().flatten().fold(0.0, |maximum: f32, c| maximum.max(c.abs()));
        let radius =
            offsets.iter().map(|o| (o[0] * o[0] + o[1] * o[1] + o[2] * o[2]).sqrt()).fold(0.0, f32::max);
        (square, furthest, radius)
    };
    // The mean square distance is 1/4 in a cube of edge 1, and 3/5 · 0.16 in a ball of radius 0.4.
    let (square, furthest, _) = spread(&begin(&voxels(Jitter::Voxel))[..500], 10.0);
    assert!((square - 0.25).abs() < 0.03 && furthest <= 0.5, "{square} {furthest}");
    let (square, _, radius) = spread(&begin(&voxels(Jitter::BallMm(0.4)))[500..], 30.0);
    assert!((square - 0.096).abs() < 0.012 && radius <= 0.4001, "{square} {radius}");
    let random = begin(&Seeds::Random { mask, mapping: None, count: 1000 });
    let low = random.iter().filter(|p| p[0] < 20.0).count() as f64;
    assert!(random.len() == 1000 && (low - 500.0).abs() < 6.0 * 250.0_f64.sqrt(), "{low}");
}

fn seeds_outside_are_counted(device: &Device) {
    let seeds = from_points(&[[20.0, 1.0, 1.0], [100.0, 1.0, 1.0]], 2);
    let (streamlines, tracks): (Tractogram, _) =
        follow(&straight(), &seeds, &Constraints::default(), &options(), device);
    assert_eq!((streamlines.len(), tracks.summary.seeds), (2, 4));
    assert_eq!(tracks.summary.rejected.seed_outside, 2);
}

type Case = fn(&Device);

const CASES: [(&str, Case); 16] = [
    ("stop", regions_stop_streamlines),
    ("stop on exit", regions_end_streamlines_that_leave_them),
    ("avoid", regions_to_avoid_reject_a_half),
    ("waypoints", waypoints_must_be_passed),
    ("targets", targets_are_counted_by_seed),
    ("lengths and turns", lengths_and_turns_have_limits),
    ("fractions", fractions_end_streamlines),
    ("initial fibres", the_initial_fibre_is_the_requested_one),
    ("nearest fibres", fibres_nearest_to_the_direction_are_followed),
    ("voxels around", voxels_around_are_drawn_by_how_near_they_are),
    ("samples", samples_are_drawn_evenly_but_for_the_first_and_the_last),
    ("loops", loops_end_where_they_come_back),
    ("maps", maps_count_each_voxel_once),
    ("spaces", masks_may_lie_in_another_space),
    ("seeds", seeds_lie_where_they_are_drawn),
    ("seeds outside", seeds_outside_are_counted),
];

pub(crate) fn all(device: &Device) {
    for (name, case) in CASES {
        eprintln!("{name}");
        case(device);
    }
}

#[test]
fn rules_on_the_cpu() {
    all(&Device::Cpu);
}
