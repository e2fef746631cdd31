//! Tracking through the user-defined field of the example, with all constraints.

#[allow(dead_code)]
#[path = "../../examples/new_field.rs"]
mod example;

use arcuate_core::{Affine, Control, Grid, Mask, Point, Tractogram};
use arcuate_track::{
    ConstraintUnit, Constraints, Draws, Region, RegionTest, Seeds, TrackSummary, WalkOptions, WalkRule,
    WaypointCondition, track,
};
use example::{Circles, options};

fn grid() -> Grid {
    Grid::new([41; 3], Affine::identity()).unwrap()
}

/// Region of all voxels whose y is in this range.
fn rows(y: std::ops::RangeInclusive<usize>) -> Region {
    let inside = |voxel: usize| y.contains(&grid().coordinates(voxel)[1]);
    let mask = Mask::new(grid(), (0..grid().len()).map(inside).collect()).unwrap();
    Region::of_mask(&format!("{y:?}"), mask, None)
}

/// Tracks streamlines from (30, 20, 20). Their halves go up and down in y along a circle of 10 mm radius.
/// Each half is 24.5 mm long, between a quarter and a half of the circle.
fn follow_by(constraints: &Constraints, options: &WalkOptions) -> (Tractogram, TrackSummary) {
    let mut lines = Tractogram::new();
    let seeds = Seeds::points(vec![[30.0, 20.0, 20.0]; 5]);
    let summary =
        track(&Circles(grid()), &seeds, constraints, options, &mut lines, &Control::default()).unwrap();
    assert_eq!((summary.seeds, summary.streamlines), (5, lines.len() as u64));
    (lines, summary)
}

fn follow(constraints: &Constraints) -> (Tractogram, TrackSummary) {
    follow_by(constraints, &options())
}

/// The lowest and the highest y of the first streamline.
fn extent(lines: &Tractogram) -> [f32; 2] {
    let y = |line: &[Point]| {
        line.iter().map(|p| p[1]).fold([f32::MAX, f32::MIN], |[a, b], y| [a.min(y), b.max(y)])
    };
    lines.iter().next().map_or([0.0; 2], y)
}

#[test]
fn integration_errors_on_circles_follow_the_order() {
    let worst = |rule| {
        let (lines, _) = follow_by(&Constraints::default(), &WalkOptions { rule, ..options() });
        let radius = |p: &Point| (p[0] - 20.0).hypot(p[1] - 20.0) - 10.0;
        lines.positions().iter().map(radius).fold(0.0f32, |worst, off| worst.max(off.abs()))
    };
    // Euler leaves a circle of radius r by h² / 2r per step. This is 0.0125 mm for each of 49 steps.
    assert!((worst(WalkRule::Euler) - 0.6).abs() < 0.05, "{}", worst(WalkRule::Euler));
    assert!(worst(WalkRule::ModifiedEuler) < 0.02, "{}", worst(WalkRule::ModifiedEuler));
    assert!(worst(WalkRule::RungeKutta4) < 2e-4, "{}", worst(WalkRule::RungeKutta4));
}

#[test]
fn all_constraints_hold_in_a_new_field() {
    let plain = Constraints::default();
    let (lines, summary) = follow(&plain);
    let [low, high] = extent(&lines);
    assert!(low < 10.1 && high > 29.9 && summary.terminated.max_steps == 10, "{low} {high}");

    let (lines, summary) = follow(&Constraints { stop: vec![rows(26..=40)], ..plain.clone() });
    assert!((extent(&lines)[1] - 25.75).abs() < 0.3 && extent(&lines)[0] < 10.1, "{:?}", extent(&lines));
    assert_eq!((summary.terminated.stop, summary.terminated.max_steps), (5, 5));

    // Streamlines leave the region beyond y = 23. The point outside is not kept.
    let (lines, summary) = follow(&Constraints { stop_on_exit: vec![rows(22..=23)], ..plain.clone() });
    assert!((extent(&lines)[1] - 23.25).abs() < 0.3, "{:?}", extent(&lines));
    assert_eq!(summary.terminated.exit, 5);

    // Either one half or the whole streamline is rejected.
    let avoid = Constraints { avoid: vec![rows(25..=40)], ..plain.clone() };
    let (lines, summary) = follow(&avoid);
    assert!(extent(&lines)[1] <= 20.0 && extent(&lines)[0] < 10.1, "{:?}", extent(&lines));
    assert_eq!(summary.terminated.avoid, 5);
    let (_, summary) = follow(&Constraints { judged_by: ConstraintUnit::Whole, ..avoid });
    assert_eq!((summary.streamlines, summary.rejected.avoided), (0, 5));

    // Both halves together must pass both sides.
    let both = Constraints { waypoints: vec![rows(26..=40), rows(0..=14)], ..plain.clone() };
    assert_eq!(follow(&both).1.streamlines, 5);
    assert_eq!(follow(&Constraints { judged_by: ConstraintUnit::Whole, ..both.clone() }).1.streamlines, 5);
    let (_, summary) = follow(&Constraints { one_way: true, ..both.clone() });
    assert_eq!((summary.streamlines, summary.rejected.waypoints), (0, 5));
    // Halves pass one side, but none reaches y = 1.
    let nowhere = Constraints { waypoints: vec![rows(26..=40), rows(0..=1)], ..plain.clone() };
    assert_eq!(follow(&nowhere).1.streamlines, 0);
    let any = Constraints { condition: WaypointCondition::Any, ..nowhere };
    let (lines, _) = follow(&any);
    assert!(extent(&lines)[0] >= 20.0 - 1e-4 || extent(&lines)[0] < 10.1);
    let (lines, _) = follow(&Constraints { judged_by: ConstraintUnit::Whole, ..any });
    assert!(extent(&lines)[0] < 10.1 && extent(&lines)[1] > 29.9, "the whole is kept");
    // The half that passes both regions must pass them in the order of the list.
    let order =
        |first, second| Constraints { waypoints: vec![first, second], in_order: true, ..plain.clone() };
    assert_eq!(follow(&order(rows(22..=23), rows(26..=27))).1.streamlines, 5);
    assert_eq!(follow(&order(rows(26..=27), rows(22..=23))).1.streamlines, 0);
}

#[test]
fn many_regions_and_grids_are_supported() {
    // There are seventy rows of voxels. Each is a region, and half of them have their own grid. Streamlines
    // pass only the rows on their path.
    let region = |n: usize| {
        let shape = if n.is_multiple_of(2) { [41; 3] } else { [41, 41, 42 + n] };
        let grid = Grid::new(shape, Affine::identity()).unwrap();
        let inside = |voxel: usize| grid.coordinates(voxel)[1] == n % 41;
        let mask = Mask::new(grid, (0..grid.len()).map(inside).collect()).unwrap();
        Region::of_mask(&n.to_string(), mask, None)
    };
    let constraints = Constraints { targets: (0..70).map(region).collect(), ..Constraints::default() };
    let (_, summary) = follow(&constraints);
    for (n, &count) in summary.targets.iter().enumerate() {
        // The seed does not count, but both halves pass its row.
        let passed = (10..=30).contains(&(n % 41));
        assert_eq!(count, if passed { 5 } else { 0 }, "{n}");
    }
    // The regions are waypoints. The last one can be out of reach.
    let some = |last: usize| (11..=29).chain([52 + last]).map(region).collect::<Vec<_>>();
    let ways =
        |waypoints| Constraints { waypoints, judged_by: ConstraintUnit::Whole, ..Constraints::default() };
    assert_eq!(follow(&ways(some(0))).1.streamlines, 5);
    assert_eq!(follow(&ways(some(24))).1.streamlines, 0);
}

#[test]
fn existing_streamlines_are_tested_against_constraints() {
    let (lines, _) = follow(&Constraints::default());
    let line = lines.iter().next().unwrap();
    let fits = |constraints: Constraints| constraints.place().unwrap().fit(line, RegionTest::Points);
    let plain = Constraints::default();
    assert!(fits(Constraints { waypoints: vec![rows(26..=40), rows(0..=14)], ..plain.clone() }));
    assert!(!fits(Constraints { waypoints: vec![rows(26..=40), rows(0..=1)], ..plain.clone() }));
    assert!(!fits(Constraints { avoid: vec![rows(26..=40)], ..plain.clone() }));
    // Either direction is accepted, but the order must be that along the streamline.
    let order = |y: [usize; 3]| Constraints {
        waypoints: y.map(|y| rows(y..=y)).to_vec(),
        in_order: true,
        ..plain.clone()
    };
    assert!(fits(order([12, 20, 28])) && fits(order([28, 20, 12])) && !fits(order([20, 12, 28])));
}

#[test]
fn random_draws_depend_only_on_position_and_stage() {
    /// Goes along x with small random deviations in y.
    struct Shaking(Grid);

    impl arcuate_track::DirectionField for Shaking {
        fn grid(&self) -> &Grid {
            &self.0
        }

        fn holds(&self, place: [f32; 3]) -> bool {
            place[0] > -0.5 && place[0] < 40.5
        }

        fn direction(
            &self,
            _: [f32; 3],
            _: [f32; 3],
            draws: &Draws,
        ) -> Result<[f32; 3], arcuate_track::Termination> {
            let [y, ..] = draws.uniform().map(|u| 0.2 * (u - 0.5));
            Ok([(1.0 - y * y).sqrt(), y, 0.0])
        }
    }

    let run = |seed| {
        let mut lines = Tractogram::new();
        let options = WalkOptions { seed, ..options() };
        let seeds = Seeds::points(vec![[20.0; 3]; 300]);
        track(&Shaking(grid()), &seeds, &Constraints::default(), &options, &mut lines, &Control::default())
            .unwrap();
        lines
    };
    let one = run(1);
    assert_eq!(one, run(1));
    assert_ne!(one, run(2));
    // No other streamline has the same deviation as the first.
    let second = |n: usize| one.streamline(n)[1];
    assert!((1..300).all(|n| second(n) != second(0)));
}
