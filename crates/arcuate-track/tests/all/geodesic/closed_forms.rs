//! Rays in metrics with known geodesics, in double precision.

use crate::geodesic::common::{Collected, all, cubes, difference, dot, image, wide};
use arcuate_core::{Grid, Mask, Volume};
use arcuate_track::{Directions, Field, GeodesicIntegrator as Integrator, GeodesicOptions};

/// Returns the tensors D of the metric φ² I. Their unit has no effect.
fn conformally_flat(grid: &Grid, phi: impl Fn([f64; 3]) -> f64) -> Volume<f32> {
    image(grid, |at| {
        let element = phi(at).powi(-2);
        [element, element, element, 0.0, 0.0, 0.0]
    })
}

fn options(integrator: Integrator, step: f64) -> GeodesicOptions {
    GeodesicOptions {
        field: Field::Spline,
        integrator,
        step_mm: Some(step),
        double: true,
        directions: Directions::Sphere(12),
        // The spline mirrors the image at its edges, where these metrics are not symmetric. Rays must stay
        // away from the edges.
        max_length_mm: Some(9.0),
        ..GeodesicOptions::default()
    }
}

/// Stereographic projection of a hemisphere of radius 1: φ = 2 / (1 + r²). This is the unit of length in mm.
const UNIT: f64 = 8.0;
const MIDDLE: [f64; 3] = [15.0; 3];

fn sphere() -> Volume<f32> {
    sphere_of(UNIT)
}

fn sphere_of(unit: f64) -> Volume<f32> {
    conformally_flat(&cubes([31, 31, 31], 1.0), |at| {
        let from = difference(at, MIDDLE).map(|c| c / unit);
        2.0 / (1.0 + dot(from, from))
    })
}

/// Returns the maximum distance in mm of a ray's points from the great circle with the same initial
/// direction.
///
/// In this projection, a great circle is a circle that meets the equator r = 1 at opposite points. If its
/// centre is m, its radius is √(1 + m²).
fn off_the_great_circle(rays: &Collected, seed: [f64; 3]) -> f64 {
    let at = difference(seed, MIDDLE).map(|c| c / UNIT);
    let mut worst = 0.0f64;
    for (n, line) in rays.streamlines.iter().enumerate() {
        // The directions are the twelve points of a Fibonacci sphere.
        let height = 1.0 - (2 * n + 1) as f64 / 12.0;
        let (sin, cos) = (n as f64 * 0.381_966_011_250_105_1 * std::f64::consts::TAU).sin_cos();
        let ring = (1.0 - height * height).sqrt();
        let unit = [ring * cos, ring * sin, height];
        // The centre is m = at + s n. The unit vector n is perpendicular to the direction, in the plane with
        // the pole. The condition |at − m|² = 1 + m² gives at² − 2 at·m = 1.
        let along = dot(at, unit);
        let across: [f64; 3] = std::array::from_fn(|n| at[n] - along * unit[n]);
        let size = dot(across, across).sqrt();
        if size < 0.05 {
            continue;
        }
        let normal = across.map(|c| c / size);
        let s = -(1.0 + dot(at, at)) / (2.0 * size);
        let middle: [f64; 3] = std::array::from_fn(|n| at[n] + s * normal[n]);
        let radius = (1.0 + dot(middle, middle)).sqrt();
        for &point in line {
            let from = difference(difference(wide(point), MIDDLE).map(|c| c / UNIT), middle);
            worst = worst.max((dot(from, from).sqrt() - radius).abs() * UNIT);
        }
    }
    worst
}

#[test]
fn rays_on_a_sphere_are_great_circles() {
    let tensor = sphere();
    let seed = [12.0, 14.0, 17.0];
    let (rays, summary) = all(&tensor, &options(Integrator::Adaptive { tolerance: 1e-7 }, 0.25), vec![seed]);
    assert_eq!(summary.streamlines, 12);
    let (fine, _) = all(&tensor, &options(Integrator::RungeKutta4, 0.02), vec![seed]);
    let off = off_the_great_circle(&fine, seed);
    // The tolerance is the error of the spline with voxels of 1 mm and a unit of 8 mm.
    assert!(off < 2e-3, "{off}");
    // Both integrators follow the same curve.
    for (line, fine) in rays.streamlines.iter().zip(fine.streamlines.iter()) {
        // The last step exceeds the maximum length of rays.
        for &point in &line[..line.len() - 1] {
            let nearest = fine
                .iter()
                .map(|&other| difference(wide(other), wide(point)))
                .map(|d| dot(d, d))
                .fold(f64::INFINITY, f64::min);
            // The points of the fine ray are 0.02 mm apart.
            assert!(nearest.sqrt() < 0.0101, "{}", nearest.sqrt());
        }
    }
    assert!(summary.drift.largest() < 1e-6, "{}", summary.drift.largest());
}

#[test]
fn geodesics_of_the_half_space_are_half_circles() {
    // Poincaré's half-space z > 0, φ = 1 / z, with the border 6 mm below the image.
    let below = 6.0;
    let tensor = conformally_flat(&cubes([36, 36, 24], 1.0), |at| 10.0 / (at[2] + below));
    let seed = [17.0, 18.0, 10.0];
    let (rays, _) = all(&tensor, &options(Integrator::Adaptive { tolerance: 1e-8 }, 0.25), vec![seed]);
    let mut checked = 0;
    for line in rays.streamlines.iter() {
        let end = wide(line[line.len() - 1]);
        let start = wide(line[0]);
        let across = [end[0] - start[0], end[1] - start[1], 0.0];
        let width = dot(across, across).sqrt();
        if width < 3.0 {
            continue;
        }
        // In the plane of the ray: x along `across`, z above the border. (x − m)² + z² = R² through both ends.
        let height = |p: [f64; 3]| p[2] + below;
        let along = |p: [f64; 3]| dot(difference(p, start), across) / width;
        let m = (width * width + height(end).powi(2) - height(start).powi(2)) / (2.0 * width);
        let radius = (m * m + height(start).powi(2)).sqrt();
        for &point in line {
            let p = wide(point);
            let found = ((along(p) - m).powi(2) + height(p).powi(2)).sqrt();
            // The tolerance is the error of the spline of ln z between voxels of 1 mm.
            assert!((found - radius).abs() < 1e-3, "{found} {radius}");
        }
        checked += 1;
    }
    assert!(checked >= 6, "{checked}");
}

/// Each diagonal element of this metric depends only on the coordinate of its axis. Geodesics are straight
/// lines in the coordinates ∫ √g dx.
#[test]
fn separable_metrics_are_flat() {
    let slow = |x: f64| 1.0 + 0.3 * (0.35 * x).sin();
    let grid = cubes([30, 30, 30], 1.0);
    let tensor =
        image(&grid, |at| [slow(at[0]).powi(-2), slow(at[1]).powi(-2), slow(at[2]).powi(-2), 0.0, 0.0, 0.0]);
    // ∫ (1 + 0.3 sin 0.35 x) dx.
    let flat = |p: [f64; 3]| p.map(|x| x - 0.3 / 0.35 * ((0.35 * x).cos() - 1.0));
    let seed = [14.0, 15.0, 13.0];
    let (rays, _) = all(&tensor, &options(Integrator::Adaptive { tolerance: 1e-8 }, 0.25), vec![seed]);
    for line in rays.streamlines.iter() {
        let (first, last) = (flat(wide(line[0])), flat(wide(line[line.len() - 1])));
        let way = difference(last, first);
        let length = dot(way, way).sqrt();
        for &point in line {
            let from = difference(flat(wide(point)), first);
            let along = dot(from, way) / length;
            let across = (dot(from, from) - along * along).max(0.0).sqrt();
            // The tolerance is the error of the spline of ln g with voxels of 1 mm. The period of g is 18 mm.
            assert!(across < 1e-3, "{across}");
        }
    }
}

/// Returns the root-mean-square distance of the ends of rays from exact curves, for steps that are halved.
fn errors(integrator: Integrator, tensor: &Volume<f32>, field: Field) -> Vec<f64> {
    let base = GeodesicOptions { field, max_length_mm: Some(1e4), ..options(integrator, 0.4) };
    let end = |integrator: Integrator, step: f64, steps: u32| {
        let options =
            GeodesicOptions { integrator, step_mm: Some(step), max_steps: Some(steps), ..base.clone() };
        all(tensor, &options, vec![[12.0, 14.0, 17.0]]).0
    };
    // The curve parameter depends on the step. The end of a ray is therefore compared with the curve of a
    // much finer ray.
    let exact = end(Integrator::RungeKutta4, 0.01, 1100);
    let mut errors = Vec::new();
    for halvings in 0..4 {
        let step = 0.5f64.powi(halvings);
        let found = end(integrator, step, 8 << halvings);
        let mut sum = 0.0;
        for n in 0..12 {
            let last = wide(found.last(n));
            let curve = exact.streamlines.streamline(n);
            let to = |pair: &[[f32; 3]]| {
                let (a, b) = (wide(pair[0]), wide(pair[1]));
                let (way, from) = (difference(b, a), difference(last, a));
                let along = (dot(from, way) / dot(way, way)).clamp(0.0, 1.0);
                let off = difference(from, way.map(|c| along * c));
                dot(off, off)
            };
            sum += curve.windows(2).map(to).fold(f64::INFINITY, f64::min);
        }
        errors.push((sum / 12.0).sqrt());
    }
    errors
}

#[test]
fn errors_fall_with_the_order_of_the_scheme() {
    let tensor = sphere_of(4.0);
    for (integrator, order, slack) in
        [(Integrator::Euler, 1.0, 0.15), (Integrator::Heun, 2.0, 0.25), (Integrator::RungeKutta4, 4.0, 1.0)]
    {
        let errors = errors(integrator, &tensor, Field::Spline);
        // The finest steps of the fourth-order scheme are exact up to the single precision of the points.
        let pairs = if order > 3.0 { 1 } else { 3 };
        for pair in errors.windows(2).take(pairs) {
            let slope = (pair[0] / pair[1]).log2();
            assert!((slope - order).abs() < slack, "{integrator:?} {errors:?}");
        }
    }
}

#[test]
fn energy_is_conserved_in_smooth_fields() {
    // Fibres that turn, as in a bundle.
    let tensor = image(&cubes([30, 30, 12], 2.0), |at| {
        let axis = [(0.025 * at[1]).cos(), (0.025 * at[1]).sin() + 0.2, 0.2 * (0.02 * at[0]).sin()];
        crate::geodesic::processor::stick(axis)
    });
    let seeds: Vec<[f64; 3]> =
        (0..40).map(|n| [12.0 + f64::from(n % 8) * 4.3, 14.0 + f64::from(n / 8) * 6.1, 11.0]).collect();
    // The spline mirrors the image at its edges. The phantom is not symmetric there, so the field is not
    // smooth.
    let grid = *tensor.grid();
    let inside = |voxel| {
        let at = grid.coordinates(voxel);
        (0..3).all(|axis| at[axis] >= 3 && at[axis] + 3 < grid.shape()[axis])
    };
    let inner = Mask::new(grid, (0..grid.len()).map(inside).collect()).unwrap();
    let drift = |field: Field, double: bool| {
        let options = GeodesicOptions {
            field,
            double,
            integrator: Integrator::RungeKutta4,
            step_mm: Some(0.2),
            mask: Some(inner.clone()),
            directions: Directions::Principal,
            max_length_mm: Some(100.0),
            ..GeodesicOptions::default()
        };
        all(&tensor, &options, seeds.clone()).1.drift.largest()
    };
    let (spline, single) = (drift(Field::Spline, true), drift(Field::Spline, false));
    let (trilinear, thesis) = (drift(Field::Trilinear, true), drift(Field::Thesis, true));
    // The required bound is 1e-6. In single precision, rounding adds a few 1e-7 per ten steps.
    assert!(spline < 1e-6, "{spline:e}");
    assert!(single < 2e-5, "{single:e}");
    // The scheme has first order across the kinks of the trilinear metric. The two interpolants of the thesis
    // conserve no energy. Shorter steps improve both less than they improve the spline.
    assert!(trilinear > 1e3 * spline && trilinear < 1e-2, "{trilinear:e}");
    assert!(thesis > 1e3 * spline && thesis < 1e-2, "{thesis:e}");
}
