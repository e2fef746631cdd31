//! Properties of rays, tested on the CPU.

use crate::geodesic::common::{all, cubes, difference, dot, image, oblique, wide};
use arcuate_core::{Control, Mask};
use arcuate_track::{
    Directions, Field, GeodesicIntegrator as Integrator, GeodesicOptions, Metric, SharpenedSide, Sharpening,
};

pub(crate) const FIELDS: [Field; 3] = [Field::Spline, Field::Trilinear, Field::Thesis];
pub(crate) const INTEGRATORS: [Integrator; 4] =
    [Integrator::Euler, Integrator::Heun, Integrator::RungeKutta4, Integrator::Adaptive { tolerance: 1e-5 }];

/// λ = 1.7, 0.3, 0.3 in units of 1e-3 mm²/s about an oblique axis.
pub(crate) fn stick(axis: [f64; 3]) -> [f64; 6] {
    let norm = dot(axis, axis);
    let [x, y, z] = axis;
    let part = |a: f64, b: f64| 1.4e-3 * a * b / norm;
    [part(x, x) + 3e-4, part(y, y) + 3e-4, part(z, z) + 3e-4, part(x, y), part(x, z), part(y, z)]
}

#[test]
fn rays_are_straight_in_uniform_fields() {
    let grid = oblique([14, 12, 10]);
    let axis = [0.6, 0.64, 0.48];
    let tensor = image(&grid, |_| stick(axis));
    let seed = grid.centre(grid.len() / 2 + 5);
    for field in FIELDS {
        for integrator in INTEGRATORS {
            for double in [false, true] {
                let directions = Directions::Sphere(37);
                let options =
                    GeodesicOptions { field, integrator, double, directions, ..GeodesicOptions::default() };
                let (rays, summary) = all(&tensor, &options, vec![seed]);
                let ends = summary.terminated;
                assert_eq!((ends.total(), ends.left_image, rays.measures.len()), (37, 37, 37));
                assert!(
                    summary.drift.largest() < if double { 1e-13 } else { 1e-5 },
                    "{field:?} {integrator:?} {summary:?}"
                );
                for (n, line) in rays.streamlines.iter().enumerate() {
                    let (first, last) = (wide(line[0]), wide(line[line.len() - 1]));
                    assert!(dot(difference(first, seed), difference(first, seed)).sqrt() < 1e-4);
                    let way = difference(last, first);
                    let length = dot(way, way).sqrt();
                    for &point in line {
                        let from = difference(wide(point), first);
                        let along = dot(from, way) / length;
                        let across = (dot(from, from) - along * along).max(0.0).sqrt();
                        // Points have single precision. Up to 150 mm from the origin, their rounding error is
                        // 8e-6 mm.
                        assert!(across < 3e-3, "{field:?} {integrator:?} {across}");
                    }
                    // CM = ‖v‖ / √(vᵀ D⁻¹ v · MD).
                    let unit = way.map(|c| c / length);
                    let cosine = dot(unit, axis);
                    let inverse = cosine * cosine / 1.7e-3 + (1.0 - cosine * cosine) / 3e-4;
                    let expected = (1.0 / (inverse * (2.3e-3 / 3.0))).sqrt();
                    let found = f64::from(rays.measures[n].connectivity);
                    assert!((found / expected - 1.0).abs() < 1e-4, "{found} {expected}");
                    assert!((f64::from(rays.measures[n].length_mm) / length - 1.0).abs() < 1e-4);
                }
            }
        }
    }
}

#[test]
fn both_directions_form_one_streamline_through_the_seed() {
    let grid = cubes([20, 8, 8], 2.0);
    let tensor = image(&grid, |_| stick([1.0, 0.0, 0.0]));
    let options = GeodesicOptions::default();
    let (rays, summary) = all(&tensor, &options, vec![[18.0, 8.0, 8.0]]);
    assert_eq!((summary.seeds, summary.terminated.total(), summary.streamlines), (1, 2, 1));
    let line = rays.streamlines.streamline(0);
    assert_eq!(line.iter().filter(|point| **point == [18.0, 8.0, 8.0]).count(), 1);
    let ordered = line.windows(2).all(|pair| pair[0][0] < pair[1][0])
        || line.windows(2).all(|pair| pair[0][0] > pair[1][0]);
    assert!(ordered && line.len() > 30);
    assert_eq!((rays.seeds[0].number, line[rays.seeds[0].point as usize]), (0, [18.0, 8.0, 8.0]));
    let one = GeodesicOptions { both_ways: false, ..options };
    let (half, summary) = all(&tensor, &one, vec![[18.0, 8.0, 8.0]]);
    assert_eq!((summary.terminated.total(), summary.streamlines), (1, 1));
    assert_eq!((half.streamlines.streamline(0)[0], half.seeds[0].point), ([18.0, 8.0, 8.0], 0));
    // Rays report the number of their seed. A seed outside the image gives no rays.
    let sphere = GeodesicOptions { directions: Directions::Sphere(3), ..GeodesicOptions::default() };
    let (several, _) = all(&tensor, &sphere, vec![[18.0, 8.0, 8.0], [-90.0, 0.0, 0.0], [20.0, 8.0, 8.0]]);
    assert_eq!(several.seeds.iter().map(|seed| seed.number).collect::<Vec<_>>(), [0, 0, 0, 2, 2, 2]);
}

#[test]
fn each_termination_reason_is_reported() {
    let grid = cubes([20, 9, 9], 2.0);
    // The tensors are anisotropic in the first fourteen slices along x and isotropic in the others.
    let tensor =
        image(
            &grid,
            |at| if at[0] < 27.0 { stick([1.0, 0.0, 0.0]) } else { stick([1.0, 1.0, 1.0]).map(|_| 0.0) },
        );
    let tensor = {
        let mut tensor = tensor;
        for voxel in 0..grid.len() {
            let values = tensor.voxel_mut(voxel);
            if values[0] == 0.0 {
                values[..3].fill(7e-4);
            }
        }
        tensor
    };
    let seed = vec![[8.0, 8.0, 8.0]];
    let plain = GeodesicOptions { both_ways: false, ..GeodesicOptions::default() };
    let ended = |options: GeodesicOptions| {
        let (rays, summary) = all(&tensor, &options, seed.clone());
        (rays.last(0)[0], summary.terminated)
    };
    assert_eq!(ended(plain.clone()).1.left_image, 1);
    let (at, endings) = ended(GeodesicOptions { max_length_mm: Some(6.0), ..plain.clone() });
    assert!(endings.max_length == 1 && ((at - 8.0).abs() - 6.5).abs() < 0.6, "{at}");
    let (at, endings) =
        ended(GeodesicOptions { max_steps: Some(4), integrator: Integrator::Heun, ..plain.clone() });
    assert!(endings.max_steps == 1 && ((at - 8.0).abs() - 0.8).abs() < 1e-3, "{at}");
    let near = |voxel: usize| (grid.centre(voxel)[0] - 8.0).abs() < 5.0;
    let mask = Mask::new(grid, (0..grid.len()).map(near).collect()).unwrap();
    let (at, endings) = ended(GeodesicOptions { mask: Some(mask), ..plain.clone() });
    assert!(endings.left_mask == 1 && (at - 8.0).abs() <= 5.0 && (at - 8.0).abs() > 3.9, "{at}");
    let both = GeodesicOptions { fa_cutoff: Some(0.3), both_ways: true, ..plain.clone() };
    let (rays, summary) = all(&tensor, &both, seed.clone());
    assert_eq!((summary.terminated.anisotropy, summary.terminated.left_image), (1, 1));
    let high = rays.streamlines.streamline(0).iter().map(|point| point[0]).fold(0.0, f32::max);
    assert!(high > 26.0 && high < 27.0, "{high}");
    let outside = GeodesicOptions { fa_cutoff: Some(0.99), ..plain };
    let mut none = crate::geodesic::common::Collected::default();
    let geodesics = arcuate_track::Geodesics::new(&tensor, &outside, &arcuate_compute::Device::Cpu).unwrap();
    let message = geodesics
        .all(&arcuate_track::Seeds::points(seed), &mut none, &Control::default())
        .unwrap_err()
        .to_string();
    assert!(message.starts_with("seed mask: no seed is"), "{message}");
}

#[test]
fn distant_seeds_are_counted_as_outside() {
    let grid = cubes([4, 4, 4], 1.0);
    let tensor = image(&grid, |_| stick([1.0, 0.0, 0.0]));
    let far = [[1e30, 0.0, 0.0], [0.0, -1e18, 0.0], [0.0, 0.0, 3.51], [-0.51, 1.0, 1.0]];
    let seeds = far.into_iter().chain([[1.0, 1.0, 1.0]]).collect();
    let (_, summary) = all(&tensor, &GeodesicOptions::default(), seeds);
    assert_eq!((summary.rejected.seed_outside, summary.streamlines), (4, 1));
}

#[test]
fn connectivity_uses_the_unmodified_tensors() {
    let grid = oblique([14, 12, 10]);
    let tensor = image(&grid, |_| stick([0.6, 0.64, 0.48]));
    let seed = grid.centre(grid.len() / 2 + 5);
    let plain = GeodesicOptions { both_ways: false, ..GeodesicOptions::default() };
    let sharpening = Some(Sharpening { exponent: 3.0, side: SharpenedSide::Above, fa: 0.2 });
    for field in FIELDS {
        let own =
            all(&tensor, &GeodesicOptions { field, ..plain.clone() }, vec![seed]).0.measures[0].connectivity;
        for (metric, sharpening, gain) in [
            (Metric::Adjugate, None, 1.0),
            (Metric::Inverse, sharpening, 1.0),
            (Metric::Inverse, None, 1000.0),
            (Metric::Adjugate, sharpening, 10.0),
        ] {
            let options = GeodesicOptions { field, metric, sharpening, gain, ..plain.clone() };
            let other = all(&tensor, &options, vec![seed]).0.measures[0].connectivity;
            assert!((other / own - 1.0).abs() < 1e-5, "{field:?} {metric:?} {own} {other}");
        }
    }
}
