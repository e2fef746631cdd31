//! Fields with known streamlines. The error falls with the order of the integrator.

use crate::common::samples::{Formula, field, follow, from_points, points, unit_grid};
use arcuate_compute::Device;
use arcuate_core::{Affine, Grid, Mask};
use arcuate_track::{Constraints, OrientationTable, SampleIntegrator, SampleOptions};

#[test]
fn straight_fields_are_followed_from_end_to_end() {
    let table = field(&unit_grid([40, 5, 5]), |_| [1.0, 0.0, 0.0]);
    let options = SampleOptions { step_mm: 0.25, ..SampleOptions::default() };
    let seeds = from_points(&[[20.0, 2.0, 2.0]], 3);
    let (streamlines, tracks) = follow(&table, &seeds, &Constraints::default(), &options, &Device::Cpu);
    assert_eq!((tracks.summary.seeds, tracks.summary.streamlines), (3, 3));
    for n in 0..3 {
        let points = points(&streamlines, n);
        for (n, pair) in points.windows(2).enumerate() {
            assert!(((pair[1][0] - pair[0][0]).abs() - 0.25).abs() < 1e-4, "{n}");
            assert!(pair[1][1] == 2.0 && pair[1][2] == 2.0);
        }
        let mut ends = [points[0][0], points[points.len() - 1][0]];
        ends.sort_by(f32::total_cmp);
        // Beyond the last voxel centre, the probability of a draw outside the image rises. This stops
        // the streamline.
        assert!(ends[0] < 0.3 && ends[0] > -0.8 && ends[1] > 38.7 && ends[1] < 39.8, "{ends:?}");
    }
}

/// Returns the distance in mm from a circle of 12 mm radius at the ends of a streamline of 20 mm. The voxels
/// are so fine that the error comes from the integrator.
fn circle_error(integrator: SampleIntegrator, step_mm: f64) -> f64 {
    let grid = Grid::new([320, 320, 3], Affine::scaling([0.1, 0.1, 40.0], [-16.0, -16.0, -40.0])).unwrap();
    let table = field(&grid, |[x, y, _]| [-y, x, 0.0]);
    let max_steps = 2 * ((10.0 / step_mm).round() as u32 + 1);
    let options = SampleOptions { step_mm, integrator, max_steps, nearest: true, ..SampleOptions::default() };
    let seeds = from_points(&[[12.0, 0.0, 0.0]], 1);
    let (streamlines, _) = follow(&table, &seeds, &Constraints::default(), &options, &Device::Cpu);
    let points = points(&streamlines, 0);
    let ends = [points[0], points[points.len() - 1]];
    ends.iter().map(|p| (f64::from(p[0]).hypot(f64::from(p[1])) - 12.0).abs()).fold(0.0, f64::max)
}

#[test]
fn errors_fall_with_the_order_of_the_integrator() {
    // A step of h leaves the circle by h²/2R, so the radius grows by h/2R per mm: 0.4 mm after 10 mm for h =
    // 1.
    let euler = [1.0, 0.5].map(|step| circle_error(SampleIntegrator::Euler, step));
    assert!((euler[0] - 10.0 / 24.0).abs() < 0.05, "{euler:?}");
    assert!((euler[0] / euler[1] - 2.0).abs() < 0.25, "{euler:?}");
    let heun = [4.0 / 3.0, 2.0 / 3.0].map(|step| circle_error(SampleIntegrator::ModifiedEuler, step));
    assert!(heun[0] < 0.05 && heun[1] < heun[0] / 2.5, "{heun:?}");
}

#[test]
fn a_helix_keeps_its_radius_and_its_pitch() {
    let grid =
        Grid::new([200, 200, 120], Affine::scaling([0.12, 0.12, 0.25], [-12.0, -12.0, -15.0])).unwrap();
    // One turn of radius 8 mm rises by 2π · 2 mm.
    let table = field(&grid, |[x, y, _]| [-y, x, 2.0]);
    let options = SampleOptions {
        step_mm: 0.25,
        integrator: SampleIntegrator::ModifiedEuler,
        nearest: true,
        max_steps: 202,
        ..SampleOptions::default()
    };
    let seeds = from_points(&[[8.0, 0.0, 0.0]], 1);
    let (streamlines, _) = follow(&table, &seeds, &Constraints::default(), &options, &Device::Cpu);
    let points = points(&streamlines, 0);
    assert_eq!(points.len(), 201);
    for p in &points {
        let [x, y, z] = p.map(f64::from);
        assert!((x.hypot(y) - 8.0).abs() < 0.05, "{p:?}");
        // The height rises by 2 mm per radian.
        let angle = y.atan2(x);
        let turns = ((z / 2.0 - angle) / std::f64::consts::TAU).round();
        assert!((z - 2.0 * (angle + turns * std::f64::consts::TAU)).abs() < 0.1, "{p:?}");
    }
}

#[test]
fn mean_orientations_are_the_axes_of_samples() {
    let grid = unit_grid([3, 2, 2]);
    let inside = |voxel: usize| grid.coordinates(voxel)[0] < 2;
    let mask = Mask::new(grid, (0..grid.len()).map(inside).collect()).unwrap();
    // The first fibre leans by 0.2 to either side of x, with either sign. The second fibre exists only at x =
    // 1, in half of the samples.
    let at = |[x, _, _]: [f64; 3], sample: usize, fibre: usize| {
        let side = if sample.is_multiple_of(2) { 0.2 } else { -0.2 };
        let sign = if sample < 2 { 1.0 } else { -1.0 };
        match fibre {
            0 => ([sign, sign * side, 0.0], 0.5),
            _ if x > 0.5 && sample < 2 => ([0.0, 0.0, -1.0], 0.4),
            _ => ([0.0; 3], 0.0),
        }
    };
    let table = OrientationTable::new(&Formula { mask, fibres: 2, samples: 4, at }).unwrap();
    let means = table.mean_orientations().unwrap();
    assert_eq!(means.channels(), 6);
    let near = |found: &[f32], expected: [f32; 3]| {
        let sign = if found.iter().zip(expected).map(|(a, b)| a * b).sum::<f32>() < 0.0 { -1.0 } else { 1.0 };
        found.iter().zip(expected).all(|(a, b)| (a * sign - b).abs() < 1e-4)
    };
    for voxel in 0..grid.len() {
        let (x, found) = (grid.coordinates(voxel)[0], means.voxel(voxel));
        assert!(near(&found[..3], if x < 2 { [0.5, 0.0, 0.0] } else { [0.0; 3] }), "{found:?}");
        assert!(near(&found[3..], if x == 1 { [0.0, 0.0, 0.2] } else { [0.0; 3] }), "{found:?}");
    }
}
