//! Tensor tracking in synthetic fields with known streamlines.

use arcuate_compute::Device;
use arcuate_core::{
    Affine, Control, Error, Grid, Mask, Point, Result, StreamlineBatch, StreamlineSink, Tractogram, Volume,
    length,
};
use arcuate_track::{
    Curvature, Integrator, Method, Rejections, Seeds, Terminations, TrackOptions, TrackSummary, track_tensor,
};
use std::sync::{Arc, Mutex};

/// Options of `tckgen -algorithm Tensor_Det`.
fn as_tckgen() -> TrackOptions {
    TrackOptions {
        integrator: Integrator::Euler,
        curvature: Curvature::MaxAngleDegrees(60.0),
        fa_cutoff: 0.1,
        min_length_mm: None,
        max_length_mm: None,
        ..TrackOptions::default()
    }
}

const PARALLEL: f64 = 1.7e-3;
const PERPENDICULAR: f64 = 0.3e-3;

/// λ⊥ I + (λ∥ − λ⊥) e eᵀ.
fn along(e: [f64; 3]) -> [f32; 6] {
    let size = e.iter().map(|c| c * c).sum::<f64>();
    let element = |r: usize, c: usize| {
        let isotropic = if r == c { PERPENDICULAR } else { 0.0 };
        (isotropic + (PARALLEL - PERPENDICULAR) * e[r] * e[c] / size) as f32
    };
    [element(0, 0), element(1, 1), element(2, 2), element(0, 1), element(0, 2), element(1, 2)]
}

/// Creates a tensor image from the tensor at each voxel centre in RAS mm.
fn image(grid: &Grid, tensor: impl Fn([f64; 3]) -> [f32; 6]) -> Volume<f32> {
    let values = (0..grid.len()).flat_map(|voxel| tensor(grid.centre(voxel))).collect();
    Volume::new(*grid, 6, values).unwrap()
}

fn isotropic_grid(shape: [usize; 3], size: f64) -> Grid {
    Grid::new(shape, Affine::scaling([size; 3], [0.0; 3])).unwrap()
}

fn run(tensor: &Volume<f32>, seeds: &Seeds, options: &TrackOptions) -> (Tractogram, TrackSummary) {
    let mut out = Tractogram::new();
    let summary = track_tensor(tensor, seeds, options, &Device::Cpu, &mut out, &Control::default()).unwrap();
    assert_eq!(summary.streamlines, out.len() as u64);
    assert_eq!(summary.points, out.positions().len() as u64);
    let rejected = summary.rejected;
    assert_eq!(summary.seeds, summary.streamlines + rejected.total());
    (out, summary)
}

fn one(point: [f64; 3]) -> Seeds {
    Seeds::points(vec![point])
}

/// Returns the only streamline, starting at its end with lower x.
fn only(tractogram: &Tractogram) -> Vec<Point> {
    assert_eq!(tractogram.len(), 1);
    let mut points = tractogram.streamline(0).to_vec();
    if points[0][0] > points[points.len() - 1][0] {
        points.reverse();
    }
    points
}

fn distance(a: Point, b: [f64; 3]) -> f64 {
    (0..3).map(|n| (f64::from(a[n]) - b[n]).powi(2)).sum::<f64>().sqrt()
}

fn steps(step: f64) -> TrackOptions {
    TrackOptions { step_mm: Some(step), min_length_mm: Some(0.0), ..as_tckgen() }
}

#[test]
fn a_uniform_field_gives_a_straight_line_to_both_edges() {
    let tensor = image(&isotropic_grid([20, 8, 8], 2.0), |_| along([1.0, 0.0, 0.0]));
    for integrator in [Integrator::Euler, Integrator::RungeKutta4] {
        let options = TrackOptions { integrator, ..steps(0.5) };
        let (out, summary) = run(&tensor, &one([10.2, 7.0, 6.0]), &options);
        let points = only(&out);
        // The image reaches from −1 to 39 mm: 22 steps of 0.5 mm fit below the seed, 57 above.
        assert_eq!(points.len(), 22 + 1 + 57);
        for (n, point) in points.iter().enumerate() {
            assert!(distance(*point, [10.2 - 11.0 + 0.5 * n as f64, 7.0, 6.0]) < 1e-5);
        }
        assert_eq!(summary.terminated, Terminations { left_image: 2, ..Terminations::default() });
        assert!((summary.lengths.mean() - 39.5).abs() < 1e-5);
        assert!((length(&points) - 39.5).abs() < 1e-4);
    }
}

/// Trilinear interpolation reproduces this field exactly, so errors come only from integration. Dxx − Dyy is
/// constant and Dxy is linear in x. The angle θ from the x axis satisfies tan 2θ = 0.3·(x − 10).
fn bending(grid: &Grid) -> Volume<f32> {
    image(grid, |p| [1.5e-3, 0.5e-3, 0.2e-3, (1.5e-4 * (p[0] - 10.0)) as f32, 0.0, 0.0])
}

fn bending_angle(x: f64) -> f64 {
    0.5 * (0.3 * (x - 10.0)).atan()
}

#[test]
fn euler_has_order_1_and_runge_kutta_order_4() {
    let tensor = bending(&isotropic_grid([20, 20, 4], 2.0));
    let start = [4.0, 20.0, 3.0];
    // dx/ds = cos θ, dy/ds = sin θ over 24 mm, by the midpoint rule in 240,000 steps.
    let (mut x, mut y) = (start[0], start[1]);
    let h = 24.0 / 240_000.0;
    for _ in 0..240_000 {
        let middle = bending_angle(x + 0.5 * h * bending_angle(x).cos());
        (x, y) = (x + h * middle.cos(), y + h * middle.sin());
    }
    let error = |integrator, step| {
        let options = TrackOptions { integrator, max_length_mm: Some(24.0), ..steps(step) };
        let options = TrackOptions { both_directions: false, ..options };
        // The first direction is random. Use a random seed that goes to higher x.
        (0..64)
            .find_map(|seed| {
                let (out, _) = run(&tensor, &one(start), &TrackOptions { seed, ..options.clone() });
                let last = *out.streamline(0).last().unwrap();
                (f64::from(last[0]) > start[0]).then(|| distance(last, [x, y, 3.0]))
            })
            .unwrap()
    };
    let euler = [2.0, 1.0, 0.5].map(|step| error(Integrator::Euler, step));
    for pair in euler.windows(2) {
        // The ratio is 2, up to higher orders.
        assert!((1.8..2.2).contains(&(pair[0] / pair[1])), "{euler:?}");
    }
    let runge_kutta = [3.0, 1.5].map(|step| error(Integrator::RungeKutta4, step));
    // The ratio is 16, up to higher orders and, at 2e-5 mm, the single precision of tensors.
    assert!((10.0..24.0).contains(&(runge_kutta[0] / runge_kutta[1])), "{runge_kutta:?}");
    assert!(runge_kutta[1] < 1e-4 * euler[1], "{euler:?} {runge_kutta:?}");
}

#[test]
fn euler_drifts_outwards_on_circles_and_runge_kutta_does_not() {
    let tensor = image(&isotropic_grid([61, 61, 3], 1.0), |p| along([30.0 - p[1], p[0] - 30.0, 0.0]));
    let radius = |p: &Point| (f64::from(p[0]) - 30.0).hypot(f64::from(p[1]) - 30.0);
    let options = TrackOptions { both_directions: false, max_length_mm: Some(100.0), ..steps(1.0) };
    let (out, _) = run(&tensor, &one([50.0, 30.0, 1.0]), &options);
    // Each tangential step of h adds h² to r²: √(20² + 100) after 100 steps. Interpolation adds a small
    // error.
    let end = radius(out.streamline(0).last().unwrap());
    assert!((end - 500f64.sqrt()).abs() < 0.1, "{end}");
    let options = TrackOptions { integrator: Integrator::RungeKutta4, ..options };
    let (out, _) = run(&tensor, &one([50.0, 30.0, 1.0]), &options);
    for point in out.streamline(0) {
        // The remaining error comes from the interpolation of a curved field on 1 mm voxels.
        assert!((radius(point) - 20.0).abs() < 0.02, "{}", radius(point));
    }
}

#[test]
fn every_termination_reason_is_reported() {
    let grid = isotropic_grid([20, 6, 6], 2.0);
    let seed = one([10.0, 5.0, 5.0]);
    let straight = image(&grid, |_| along([1.0, 0.0, 0.0]));
    let ends = |tensor: &Volume<f32>, options: &TrackOptions| run(tensor, &seed, options).1.terminated;

    let mask = Mask::new(grid, (0..grid.len()).map(|v| grid.coordinates(v)[0] < 8).collect()).unwrap();
    let (out, summary) = run(&straight, &seed, &TrackOptions { mask: Some(mask), ..steps(0.5) });
    assert_eq!(summary.terminated, Terminations { left_image: 1, left_mask: 1, ..Terminations::default() });
    // Voxel 7 ends at 15 mm. This position belongs to the next voxel.
    assert_eq!(only(&out).last(), Some(&[14.5, 5.0, 5.0]));

    let fading =
        image(&grid, |p| if p[0] < 20.0 { along([1.0, 0.0, 0.0]) } else { [1e-3, 1e-3, 1e-3, 0., 0., 0.] });
    let (out, summary) = run(&fading, &seed, &steps(0.5));
    assert_eq!(summary.terminated, Terminations { left_image: 1, anisotropy: 1, ..Terminations::default() });
    let end = only(&out).last().unwrap()[0];
    assert!((18.0..20.0).contains(&end), "{end}");

    let unknown = image(&grid, |p| if p[0] < 20.0 { along([1.0, 0.0, 0.0]) } else { [f32::NAN; 6] });
    let (out, summary) = run(&unknown, &seed, &steps(0.5));
    assert_eq!(summary.terminated, Terminations { left_image: 1, anisotropy: 1, ..Terminations::default() });
    assert!(out.positions().iter().flatten().all(|c| c.is_finite()));
    // Beyond the voxel centre at 18 mm, interpolation needs the NaN voxel at 20 mm.
    assert_eq!(only(&out).last().unwrap()[0], 17.5);

    let corner = image(&grid, |p| if p[0] < 19.0 { along([1.0, 0.0, 0.0]) } else { along([0.2, 1.0, 0.0]) });
    let sharp = TrackOptions { curvature: Curvature::MaxAngleDegrees(20.0), ..steps(1.0) };
    assert_eq!(ends(&corner, &sharp), Terminations { left_image: 1, angle: 1, ..Terminations::default() });
    let radius = TrackOptions { curvature: Curvature::MinRadiusMm(3.0), ..steps(1.0) };
    assert_eq!(ends(&corner, &radius), Terminations { left_image: 1, angle: 1, ..Terminations::default() });

    let short = TrackOptions { max_length_mm: Some(10.0), ..steps(0.5) };
    let (out, summary) = run(&straight, &seed, &short);
    assert_eq!(summary.terminated, Terminations { max_length: 2, ..Terminations::default() });
    assert!((length(out.streamline(0)) - 10.0).abs() < 1e-5);

    // The same reasons apply to FACT and to every stage of a Runge–Kutta step.
    let rk4 = TrackOptions { integrator: Integrator::RungeKutta4, ..steps(0.5) };
    assert_eq!(ends(&fading, &rk4), Terminations { left_image: 1, anisotropy: 1, ..Terminations::default() });
    let fact = TrackOptions { method: Method::Fact, min_length_mm: Some(0.0), ..as_tckgen() };
    assert_eq!(
        ends(&unknown, &fact),
        Terminations { left_image: 1, anisotropy: 1, ..Terminations::default() }
    );
    assert_eq!(ends(&corner, &fact), Terminations { left_image: 1, angle: 1, ..Terminations::default() });
}

#[test]
fn one_way_streamlines_start_at_the_seed_and_others_pass_through_it() {
    let tensor = image(&isotropic_grid([20, 6, 6], 2.0), |_| along([1.0, 0.0, 0.0]));
    let seed = [10.0, 5.0, 5.0];
    let mut upwards = 0;
    for number in 0..64 {
        let options = TrackOptions { both_directions: false, seed: number, ..steps(0.5) };
        let (out, summary) = run(&tensor, &one(seed), &options);
        let points = out.streamline(0);
        assert_eq!(distance(points[0], seed), 0.0);
        assert_eq!(summary.terminated.left_image, 1);
        upwards += u32::from(points.iter().any(|p| p[0] > 10.0));
    }
    // Both directions are equally likely: 32 of 64, with a standard deviation of 4.
    assert!((16..=48).contains(&upwards), "{upwards}");
    let (out, _) = run(&tensor, &one(seed), &steps(0.5));
    assert!(out.streamline(0)[1..out.streamline(0).len() - 1].contains(&[10.0, 5.0, 5.0]));
}

#[test]
fn short_streamlines_and_bad_seeds_are_rejected_and_counted() {
    let grid = isotropic_grid([20, 6, 6], 2.0);
    let tensor = image(&grid, |p| match p[1] {
        y if y < 4.0 => along([1.0, 0.0, 0.0]),
        y if y < 8.0 => [1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0],
        _ => [f32::NAN; 6],
    });
    let mask = Mask::new(grid, (0..grid.len()).map(|v| grid.coordinates(v)[2] > 0).collect()).unwrap();
    let seeds = Seeds::points(vec![
        [10.0, 1.0, 5.0],
        [10.0, 6.0, 5.0],
        [10.0, 9.0, 5.0],
        [1e6, 1.0, 5.0],
        [-1.5, 1.0, 5.0],
        [10.0, 1.0, 0.0],
        [20.0, 2.0, 5.0],
    ]);
    for method in [Method::Tensor, Method::Fact] {
        let options = TrackOptions { method, mask: Some(mask.clone()), ..as_tckgen() };
        let (out, summary) = run(&tensor, &seeds, &options);
        assert_eq!(out.len(), 2);
        assert_eq!(summary.seeds, 7);
        assert_eq!(
            summary.rejected,
            Rejections { seed_outside: 3, seed_anisotropy: 2, ..Rejections::default() }
        );
        let options = TrackOptions { min_length_mm: Some(41.0), ..options };
        let (out, summary) = run(&tensor, &seeds, &options);
        assert!(out.is_empty());
        assert_eq!(
            summary.rejected,
            Rejections { seed_outside: 3, seed_anisotropy: 2, too_short: 2, ..Rejections::default() }
        );
        assert_eq!(summary.terminated.left_image, 4);
        assert!(summary.lengths.values().is_empty());
    }
}

#[test]
fn a_minimum_length_in_whole_steps_is_reached_despite_rounding() {
    // The sum of 50 steps of 0.2 mm is not exactly 10 mm in binary arithmetic.
    let tensor = image(&isotropic_grid([20, 6, 6], 2.0), |_| along([1.0, 0.0, 0.0]));
    let options = TrackOptions {
        step_mm: Some(0.2),
        min_length_mm: Some(10.0),
        max_length_mm: Some(10.0),
        ..as_tckgen()
    };
    let (out, _) = run(&tensor, &one([19.0, 5.0, 5.0]), &options);
    assert_eq!(out.streamline(0).len(), 51);
}

#[test]
fn lengths_are_computed_from_points_and_respect_the_minimum() {
    // Runge–Kutta steps are shorter than their nominal length in bends: 20 steps of 1 mm are 19.99 mm here.
    let grid = isotropic_grid([20, 20, 4], 2.0);
    let tensor = bending(&grid);
    let seeds = Seeds::Grid { mask: Mask::full(grid), mapping: None, per_axis: 2 };
    for step in [1.0, 2.0] {
        let options = TrackOptions {
            integrator: Integrator::RungeKutta4,
            curvature: Curvature::MaxAngleDegrees(90.0),
            min_length_mm: Some(20.0),
            ..steps(step)
        };
        let (out, summary) = run(&tensor, &seeds, &options);
        let lengths: Vec<f32> = out.iter().map(|streamline| length(streamline) as f32).collect();
        let steps = |streamline: &[Point]| (streamline.len() - 1) as f32 * step as f32;
        assert!(out.iter().zip(&lengths).any(|(streamline, length)| steps(streamline) - length > 1e-3));
        assert!(lengths.len() > 100 && lengths.iter().all(|&length| length > 19.9999), "{lengths:?}");
        assert_eq!(summary.lengths.values(), lengths);
    }
}

#[test]
fn fact_turns_on_faces_only() {
    let rows = [[-1.9, 0.3, 0.2, 20.0], [0.25, 1.8, -0.5, -12.0], [0.15, 0.45, 2.4, -6.0]];
    let grid = Grid::new([16, 15, 14], Affine::from_rows(rows).unwrap()).unwrap();
    let tensor = image(&grid, |p| along([1.0, (0.2 * p[0]).sin(), (0.15 * p[1]).cos()]));
    let options = TrackOptions { method: Method::Fact, min_length_mm: Some(0.0), ..as_tckgen() };
    let seeds = Seeds::Grid { mask: Mask::full(grid), mapping: None, per_axis: 1 };
    let (out, summary) = run(&tensor, &seeds, &options);
    assert_eq!(summary.seeds, grid.len() as u64);
    assert!(out.len() as f64 > 0.9 * grid.len() as f64);
    let mut total = 0.0;
    for streamline in out.iter() {
        total += length(streamline);
        let voxel: Vec<[f64; 3]> =
            streamline.iter().map(|p| grid.inverse().apply(p.map(f64::from))).collect();
        // Output has single precision: 4e-6 mm at 40 mm, and slightly more after the transform.
        let on_face = |v: &[f64; 3]| v.iter().any(|c| ((c - 0.5) - (c - 0.5).round()).abs() < 1e-5);
        let off = voxel.iter().filter(|v| !on_face(v)).count();
        assert_eq!(off, 1, "only the seed, a voxel's centre, lies off the faces");
        for pair in voxel.windows(2) {
            // A segment stays in one voxel: both ends are within ½ of the centre that is nearest to its
            // middle.
            let middle: [f64; 3] = std::array::from_fn(|n| 0.5 * (pair[0][n] + pair[1][n]));
            for n in 0..3 {
                let centre = middle[n].round();
                assert!((pair[0][n] - centre).abs() < 0.5 + 1e-5 && (pair[1][n] - centre).abs() < 0.5 + 1e-5);
            }
        }
    }
    assert!((total / summary.lengths.mean() / out.len() as f64 - 1.0).abs() < 1e-6);
}

#[test]
fn fact_slides_along_a_face_that_both_sides_point_at() {
    let tensor = image(&isotropic_grid([20, 8, 8], 2.0), |p| {
        if p[1] < 7.0 { along([1.0, 0.2, 0.0]) } else { along([1.0, -0.2, 0.0]) }
    });
    let options = TrackOptions { method: Method::Fact, min_length_mm: Some(0.0), ..as_tckgen() };
    let (out, summary) = run(&tensor, &one([10.3, 5.5, 4.0]), &options);
    let points = only(&out);
    assert_eq!(summary.terminated.left_image, 2);
    let last = points[points.len() - 1];
    assert!(distance(last, [39.0, 7.0, 4.0]) < 1e-5, "{last:?}");
    assert_eq!(summary.lengths.values(), [length(&points) as f32]);
}

#[test]
fn fact_stops_where_directions_converge_to_an_edge() {
    // The voxel centres surround an edge at (20, 20) mm. All directions turn around this edge and towards it.
    let affine = Affine::scaling([2.0; 3], [1.0, 1.0, 0.0]);
    let tensor = image(&Grid::new([20, 20, 3], affine).unwrap(), |p| {
        let (x, y) = (p[0] - 20.0, p[1] - 20.0);
        along([-y - 0.6 * x, x - 0.6 * y, 0.0])
    });
    let options = TrackOptions {
        method: Method::Fact,
        curvature: Curvature::MaxAngleDegrees(90.0),
        min_length_mm: Some(0.0),
        max_length_mm: Some(1e6),
        both_directions: false,
        ..as_tckgen()
    };
    let mut swirled = 0;
    for seed in 0..16 {
        let (out, summary) = run(&tensor, &one([24.3, 21.0, 2.0]), &TrackOptions { seed, ..options.clone() });
        assert!(out.streamline(0).len() < 200);
        swirled += summary.terminated.angle;
        assert_eq!(summary.terminated.angle + summary.terminated.left_image, 1);
    }
    assert!((2..=14).contains(&swirled), "half of the first directions lead inwards: {swirled}");
}

#[test]
fn an_oblique_flipped_anisotropic_grid_gives_the_same_streamlines() {
    let plain = isotropic_grid([24, 24, 24], 2.0);
    let (s, c) = (0.4f64.sin(), 0.4f64.cos());
    let rows = [[-1.5 * c, 2.5 * s, 0.0, 50.0], [1.5 * s, 2.5 * c, 0.0, -20.0], [0.0, 0.0, -3.0, 55.0]];
    let oblique = Grid::new([50, 40, 25], Affine::from_rows(rows).unwrap()).unwrap();
    assert!(oblique.affine().determinant() > 0.0);
    // The elements are linear in space, so every grid interpolates them exactly, up to single precision.
    let tensor = |p: [f64; 3]| {
        let (x, y, z) = (p[0] - 20.0, p[1] - 20.0, p[2] - 20.0);
        [1.5e-3, 0.6e-3, 0.4e-3, 3e-5 * x, 2e-5 * z, 1e-5 * y].map(|v| v as f32)
    };
    let seeds = Seeds::points(vec![[20.0, 20.0, 20.0], [14.5, 22.5, 18.0], [24.0, 17.5, 24.5]]);
    for method in [Method::Tensor, Method::TensorDeflection { f: 0.3, g: 0.5 }] {
        let options = TrackOptions { method, max_length_mm: Some(20.0), ..steps(0.5) };
        let (a, _) = run(&image(&plain, tensor), &seeds, &options);
        let (b, _) = run(&image(&oblique, tensor), &seeds, &options);
        assert_eq!((a.len(), a.offsets()), (3, b.offsets()));
        for (p, q) in a.positions().iter().zip(b.positions()) {
            // Errors of single precision are 1e-7 for tensors and slightly more for directions, over 20 mm.
            assert!(distance(*p, q.map(f64::from)) < 3e-5, "{p:?} {q:?}");
        }
    }
}

#[test]
fn deflection_turns_by_the_ratio_of_the_diffusivities() {
    // Beyond x = 20 mm the fibres turn by 30°. φ is the angle between the streamline and the fibres. With
    // pure deflection, tan φ' = (λ⊥ / λ∥) tan φ at each step. With f = 1 the streamline follows the fibres at
    // once. If both weights are 0, it never does.
    let (s, c) = 30f64.to_radians().sin_cos();
    let tensor = image(&isotropic_grid([30, 30, 4], 2.0), |p| {
        if p[0] < 20.0 { along([1.0, 0.0, 0.0]) } else { along([c, s, 0.0]) }
    });
    let track = |f, g| {
        let method = Method::TensorDeflection { f, g };
        only(&run(&tensor, &one([6.0, 20.0, 3.0]), &TrackOptions { method, ..steps(0.5) }).0)
    };
    let tangents = |points: &[Point]| -> Vec<f64> {
        let beyond = points.iter().skip_while(|p| p[0] < 20.0).map(|p| p.map(f64::from)).collect::<Vec<_>>();
        beyond
            .windows(2)
            .map(|pair| {
                let (dx, dy) = (pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]);
                (c * dy - s * dx) / (c * dx + s * dy)
            })
            .collect()
    };
    let deflected = tangents(&track(0.0, 1.0));
    for pair in deflected[..3].windows(2) {
        // The tolerance is for differences of points in single precision, 4e-6 mm over 0.5 mm.
        assert!((pair[1] - pair[0] * PERPENDICULAR / PARALLEL).abs() < 2e-5, "{deflected:?}");
    }
    assert!(deflected[0].abs() > 1e-3);
    assert!(tangents(&track(1.0, 0.0)).iter().all(|t| t.abs() < 2e-5));
    assert!(tangents(&track(0.0, 0.0)).iter().all(|t| (t + s / c).abs() < 2e-5));

    let (a, _) = run(&tensor, &one([6.0, 20.0, 3.0]), &TrackOptions { method: Method::Tensor, ..steps(0.5) });
    assert_eq!(only(&a), track(1.0, 0.0));
}

/// Field with many ends, so streamlines have different lengths.
fn waves() -> Volume<f32> {
    image(&isotropic_grid([24, 24, 12], 2.0), |p| {
        if (0.9 * p[0]).sin() * (0.7 * p[1]).cos() > 0.8 {
            [1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0]
        } else {
            along([(0.1 * p[1]).cos(), (0.12 * p[0]).sin(), 0.3 * (0.2 * p[2]).sin()])
        }
    })
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let tensor = waves();
    let seeds = Seeds::random(Mask::full(*tensor.grid()), 3000);
    for (method, integrator, select) in [
        (Method::Tensor, Integrator::Euler, None),
        (Method::Tensor, Integrator::Euler, Some(700)),
        (Method::Tensor, Integrator::RungeKutta4, Some(400)),
        (Method::Fact, Integrator::Euler, Some(500)),
    ] {
        let options = TrackOptions { method, integrator, select, seed: 11, ..as_tckgen() };
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(&tensor, &seeds, &options))
        };
        let (one, summary) = with(1);
        assert_eq!(one.len() as u64, select.unwrap_or(one.len() as u64));
        for threads in [2, 3] {
            let (other, other_summary) = with(threads);
            assert_eq!(one.offsets(), other.offsets());
            assert_eq!(one.positions(), other.positions());
            assert_eq!(summary, other_summary);
        }
    }
}

#[test]
fn selected_streamlines_are_the_first_of_all() {
    let tensor = waves();
    let seeds = Seeds::random(Mask::full(*tensor.grid()), 4000);
    let (all, whole) = run(&tensor, &seeds, &as_tckgen());
    let (some, part) = run(&tensor, &seeds, &TrackOptions { select: Some(300), ..as_tckgen() });
    assert_eq!(some.len(), 300);
    assert_eq!(some.positions(), &all.positions()[..some.positions().len()]);
    assert!(part.seeds < whole.seeds && whole.seeds == 4000);
    // More streamlines are requested than there are. Every seed is used, without an error.
    let (few, summary) = run(&tensor, &seeds, &TrackOptions { select: Some(1 << 40), ..as_tckgen() });
    assert_eq!((few.len(), summary), (all.len(), whole));
    let (other, _) = run(&tensor, &seeds, &TrackOptions { seed: 1, select: Some(300), ..as_tckgen() });
    assert_ne!(some.positions(), other.positions());
}

#[test]
fn progress_increases_to_the_total() {
    let tensor = waves();
    for (select, total) in [(None, 2000), (Some(300), 300)] {
        let seeds = Seeds::random(Mask::full(*tensor.grid()), 2000);
        let told = Arc::new(Mutex::new(Vec::new()));
        let options = TrackOptions { select, ..as_tckgen() };
        let control = Control::default().with_progress({
            let told = Arc::clone(&told);
            move |done, of| told.lock().unwrap().push((done, of))
        });
        track_tensor(&tensor, &seeds, &options, &Device::Cpu, &mut Tractogram::new(), &control).unwrap();
        let told = told.lock().unwrap();
        assert!(told.is_sorted() && told.iter().all(|&(_, of)| of == total));
        assert_eq!(told.last(), Some(&(total, total)));
    }
}

#[test]
fn failing_sinks_stop_the_run() {
    struct Full(u32);
    impl StreamlineSink for Full {
        fn take(&mut self, _: StreamlineBatch<'_>) -> Result<()> {
            self.0 += 1;
            if self.0 == 2 {
                Err(Error::invalid("out.tck", "the disk is full", "free some space"))
            } else {
                Ok(())
            }
        }
    }
    let tensor = waves();
    let seeds = Seeds::random_until(Mask::full(*tensor.grid()), 1000);
    let mut sink = Full(0);
    let options = TrackOptions { select: Some(1000), ..as_tckgen() };
    let error =
        track_tensor(&tensor, &seeds, &options, &Device::Cpu, &mut sink, &Control::default()).unwrap_err();
    assert_eq!((error.to_string().as_str(), sink.0), ("out.tck: the disk is full; free some space", 2));
}

#[test]
fn invalid_inputs_give_one_line_errors() {
    let tensor = waves();
    let grid = *tensor.grid();
    let fails = |tensor: &Volume<f32>, seeds: &Seeds, options: &TrackOptions| {
        let mut none = Tractogram::new();
        let error =
            track_tensor(tensor, seeds, options, &Device::Cpu, &mut none, &Control::default()).unwrap_err();
        assert!(none.is_empty());
        error.to_string()
    };
    let options = as_tckgen();
    let nowhere = Mask::new(grid, vec![false; grid.len()]).unwrap();
    assert_eq!(
        fails(&tensor, &Seeds::random(nowhere, 10), &options),
        "seed mask: no voxel is inside; give a mask with voxels above 0.5 where streamlines shall begin"
    );
    assert_eq!(
        fails(&tensor, &one([0.0; 3]), &TrackOptions { step_mm: Some(-0.5), ..options.clone() }),
        "‘step_mm’: -0.5 is not a length above 0 mm; give a length above 0 mm"
    );
    assert_eq!(
        fails(&tensor.channel(0), &one([0.0; 3]), &options),
        "tensor image: the tensor image has 1 values per voxel; give six values per voxel: D11 D22 D33 D12 \
         D13 D23"
    );
}
