use super::*;
use crate::Shape;
use crate::{CoilMaps, FourierSums, Weights};
use arcuate_solve::{LinearOperator, checks};
use num_complex::Complex;
use proptest::prelude::*;

fn radial(spokes: usize, reach: f64) -> Vec<[f64; 3]> {
    let count = (4.0 * reach) as usize;
    (0..spokes)
        .flat_map(|spoke| {
            let (sin, cos) = (spoke as f64 * std::f64::consts::PI / spokes as f64).sin_cos();
            (0..=count).map(move |n| {
                let radius = reach * (2.0 * n as f64 / count as f64 - 1.0);
                [radius * cos, radius * sin, 0.0]
            })
        })
        .collect()
}

#[test]
fn gridding_agrees_with_the_weighted_adjoint_up_to_interpolation() {
    for lengths in [[24, 20, 1], [12, 11, 10]] {
        let shape = Shape::new(lengths).unwrap();
        let samples: Arc<[[f64; 3]]> = (0..200)
            .map(|n| {
                let number = |step: f64| 2.0 * (f64::from(n) * step).fract() - 1.0;
                [0.754, 0.5698, 0.4385].map(number)
            })
            .map(|k| {
                std::array::from_fn(|axis| {
                    if lengths[axis] > 1 { 0.5 * lengths[axis] as f64 * k[axis] } else { 0.0 }
                })
            })
            .collect();
        let data: Vec<f64> = (0..400).map(|n| (f64::from(n) * 0.7).sin()).collect();
        let weights: Vec<f64> = (0..200).map(|n| 0.5 + f64::from(n % 7)).collect();
        let weighed: Vec<f64> = data.iter().enumerate().map(|(n, value)| weights[n / 2] * value).collect();
        let mut expected = vec![f64::NAN; 2 * shape.voxels()];
        FourierSums::<f64>::new(shape, Arc::clone(&samples)).unwrap().adjoint(&weighed, &mut expected);
        // At twofold oversampling, a window of four points has errors of thousandths (figure 3 of Beatty et
        // al. 2005). Linear interpolation has errors of hundredths.
        for (interpolation, minimum, maximum) in
            [(Interpolation::KaiserBessel, 1e-4, 4e-3), (Interpolation::Trilinear, 1e-2, 0.3)]
        {
            let gridding = Gridding::new(shape, Arc::clone(&samples), interpolation, 2.0).unwrap();
            let mut image = vec![f64::NAN; 2 * shape.voxels()];
            Imaging::new(&gridding).image(&data, &weights, &mut image);
            let error = checks::relative_difference(&image, &expected);
            assert!(error < maximum && error > minimum, "{lengths:?} {interpolation:?} {error:e}");
        }
    }
}

#[test]
fn radial_density_weights_grow_with_radius() {
    let shape = Shape::new([32, 32, 1]).unwrap();
    let samples: Arc<[[f64; 3]]> = radial(64, 16.0).into();
    let gridding = Gridding::new(shape, Arc::clone(&samples), Interpolation::KaiserBessel, 2.0).unwrap();
    // The expected weight is half a cycle along the spoke, times the distance to the next spoke.
    let expected = |radius: f64| 0.5 * radius * std::f64::consts::PI / 64.0;
    for (density, tolerance) in [(DensityCompensation::Voronoi, 0.01), (DensityCompensation::PipeMenon, 0.25)]
    {
        let weights = gridding.weights(&density).unwrap();
        for n in [36, 44, 52, 58] {
            let radius = samples[n][0].hypot(samples[n][1]);
            let ratio = weights[n] / expected(radius);
            assert!((ratio - 1.0).abs() < tolerance, "{density:?} {radius}: {ratio}");
        }
    }
    let even = gridding.weights(&DensityCompensation::None).unwrap();
    assert!((even.iter().sum::<f64>() - 1024.0).abs() < 1e-9);
    for (weights, problem) in [
        (vec![1.0; 3], "there are 3 sample weights, but the trajectory has 4160 samples"),
        ([vec![1.0; 7], vec![-1.0; 4153]].concat(), "number 7 is -1"),
    ] {
        let message = gridding.weights(&DensityCompensation::Given(weights)).unwrap_err().to_string();
        let advice = "give one weight of at least 0 per k-space sample";
        assert_eq!(message, format!("density compensation: {problem}; {advice}"));
    }
    assert!(Gridding::new(shape, samples, Interpolation::Trilinear, 0.5).is_err());
}

#[test]
fn images_are_recovered_with_coils_and_weights() {
    let shape = Shape::new([32, 32, 1]).unwrap();
    // The image is a smooth blob. There are two coils, and one of them is nowhere 0.
    let blob = |x: usize, y: usize| {
        let square = (x as f64 - 15.0).powi(2) + (y as f64 - 17.0).powi(2);
        [(-square / 18.0).exp(), 0.3 * (-square / 30.0).exp()]
    };
    let image: Vec<f64> = (0..1024).flat_map(|n| blob(n % 32, n / 32)).collect();
    let maps: Vec<f64> = (0..2048)
        .flat_map(|n| {
            if n < 1024 { [0.5 + (n % 32) as f64 / 32.0, 0.2] } else { [0.4, (n % 1024 / 32) as f64 / 32.0] }
        })
        .collect();
    let samples: Arc<[[f64; 3]]> = radial(64, 16.0).into();
    let sums = FourierSums::<f64>::new(shape, Arc::clone(&samples)).unwrap();
    let weights: Vec<[f64; 2]> = (0..samples.len()).map(|n| [1.0 + (n % 3) as f64, 0.5]).collect();
    let mut data = Vec::new();
    for map in maps.chunks_exact(2048) {
        let seen: Vec<f64> = image
            .chunks_exact(2)
            .zip(map.chunks_exact(2))
            .flat_map(|(x, s)| [s[0] * x[0] - s[1] * x[1], s[0] * x[1] + s[1] * x[0]])
            .collect();
        let mut of_coil = vec![0.0; sums.rows()];
        sums.forward(&seen, &mut of_coil);
        Weights::new(weights.clone()).unwrap().apply(&mut of_coil);
        data.extend(of_coil);
    }
    let scan = Scan::new(shape, samples, data).unwrap();
    let scan = scan.with_coils(CoilMaps::new(shape, maps).unwrap()).unwrap();
    let scan = scan.with_weights(Weights::new(weights).unwrap()).unwrap();
    let options = GriddingOptions { density: DensityCompensation::Voronoi, ..GriddingOptions::default() };
    let found = grid(&scan, &options, &Control::default()).unwrap().image;
    let error = checks::relative_difference(&found, &image);
    // The image has a small error, because cells at the edge are limited to half a cycle. This is the width
    // of all other cells, but an arbitrary limit.
    assert!(error < 0.03, "{error}");
    // Without density compensation, the centre of k-space dominates the image.
    let options = GriddingOptions { density: DensityCompensation::None, ..options };
    let error =
        checks::relative_difference(&grid(&scan, &options, &Control::default()).unwrap().image, &image);
    assert!(error > 0.3, "{error}");
}

#[test]
fn too_many_samples_are_rejected() {
    let samples: Arc<[[f64; 3]]> = radial(4, 4.0).into();
    let gridding = |maximum| {
        let (shape, interpolation) = (Shape::new([8, 8, 1]).unwrap(), Interpolation::KaiserBessel);
        Gridding::of_at_most(maximum, shape, Arc::clone(&samples), interpolation, 2.0)
    };
    assert!(gridding(samples.len()).is_ok());
    let error = gridding(samples.len() - 1).unwrap_err().to_string();
    assert!(error.contains("68 samples are more than the maximum of 67"), "{error}");
}

/// Returns the grid to which samples are interpolated, and the grid interpolated at the samples. The loops
/// are over all samples and the grid points near each sample.
fn interpolated_directly(
    shape: Shape,
    lengths: [usize; 3],
    interpolation: Interpolation,
    samples: &[[f64; 3]],
    value: impl Fn(usize) -> Complex<f32>,
) -> (Vec<Complex<f32>>, Vec<f64>) {
    let near = |axis: usize, k: [f64; 3]| -> Vec<(usize, f64)> {
        let (length, ratio) = (lengths[axis], lengths[axis] as f64 / shape.lengths()[axis] as f64);
        if length == 1 {
            return vec![(0, 1.0)];
        }
        let place = k[axis] * length as f64 / shape.lengths()[axis] as f64;
        let (window, reach) =
            (interpolation.window(ratio), if interpolation == Interpolation::Trilinear { 1.0 } else { 2.0 });
        let first = (place - reach).ceil();
        let points =
            (0..5).map(|n| first + f64::from(n)).filter(|&point| point <= place + reach).take(length);
        points
            .map(|point| {
                ((point as i64).rem_euclid(length as i64) as usize, window.weights([point - place])[0])
            })
            .collect()
    };
    let mut grid = vec![Complex::new(0.0, 0.0); lengths.iter().product()];
    let index = |x: usize, y: usize, z: usize| (z * lengths[1] + y) * lengths[0] + x;
    for (n, &k) in samples.iter().enumerate() {
        for (z, of_z) in near(2, k) {
            for (y, of_y) in near(1, k) {
                for (x, of_x) in near(0, k) {
                    grid[index(x, y, z)] += value(n).scale(of_z as f32).scale(of_y as f32).scale(of_x as f32);
                }
            }
        }
    }
    let gathered = samples.iter().map(|&k| {
        let mut sum = 0.0;
        for (z, of_z) in near(2, k) {
            for (y, of_y) in near(1, k) {
                for (x, of_x) in near(0, k) {
                    sum += of_z * of_y * of_x * f64::from(grid[index(x, y, z)].re);
                }
            }
        }
        sum
    });
    let gathered = gathered.collect();
    (grid, gathered)
}

/// Stored footprints and bands of planes do not change the order of sums, so the results are bit-identical to
/// those of direct loops with any number of threads. Samples are at the edges of the grid, on grid points,
/// between them, and outside of the grid.
#[test]
fn interpolation_is_bit_identical_to_direct_loops_with_any_number_of_threads() {
    let value = |n: usize| Complex::new((n as f32 * 0.7).sin(), (n as f32 * 1.3).cos());
    for lengths in [[24, 20, 1], [12, 9, 10], [40, 1, 1], [7, 1, 5], [2, 3, 2], [1, 1, 1]] {
        let shape = Shape::new(lengths).unwrap();
        let samples: Arc<[[f64; 3]]> = (0..300)
            .map(|n| {
                let number = |step: f64| match n % 4 {
                    0 => 2.0 * (f64::from(n) * step).fract() - 1.0,
                    1 => (f64::from(n) * step).fract().round() - 0.5,
                    2 => 0.0,
                    _ => 1.0 - f64::EPSILON * f64::from(n % 3),
                };
                let place = [0.754, 0.5698, 0.4385].map(number);
                std::array::from_fn(|axis| {
                    if lengths[axis] > 1 { 0.5 * lengths[axis] as f64 * place[axis] } else { 0.0 }
                })
            })
            .collect();
        for interpolation in [Interpolation::KaiserBessel, Interpolation::Trilinear] {
            for threads in [1, 2, 3, 7] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let (grid, gathered, lengths) = pool.install(|| {
                    let gridding = Gridding::new(shape, Arc::clone(&samples), interpolation, 1.5).unwrap();
                    let mut grid = vec![Complex::new(f32::NAN, f32::NAN); gridding.points()];
                    gridding.spread(value, &mut grid);
                    let real: Vec<f64> = grid.iter().map(|value| f64::from(value.re)).collect();
                    let gathered: Vec<f64> = (0..300).map(|n| gridding.gathered(&real, n)).collect();
                    (grid, gathered, gridding.lengths)
                });
                let expected = interpolated_directly(shape, lengths, interpolation, &samples, value);
                assert!((grid, gathered) == expected, "{lengths:?} {interpolation:?} {threads}");
            }
        }
    }
}

/// Density weights and images are bit-identical with any number of threads. Both the grid and the number of
/// samples are large enough for many parallel tasks.
#[test]
fn images_are_bit_identical_with_any_number_of_threads() {
    for lengths in [[32, 28, 1], [10, 12, 14]] {
        let shape = Shape::new(lengths).unwrap();
        let samples: Arc<[[f64; 3]]> = (0..2000)
            .map(|n| {
                let number = |step: f64| (f64::from(n) * step).fract() - 0.5;
                let place = [0.754, 0.5698, 0.4385].map(number);
                std::array::from_fn(
                    |axis| if lengths[axis] > 1 { lengths[axis] as f64 * place[axis] } else { 0.0 },
                )
            })
            .collect();
        let data: Vec<f32> = (0..8000).map(|n| (n as f32 * 0.7).sin()).collect();
        let scan = Scan::new(shape, samples, data).unwrap();
        let image = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| grid(&scan, &GriddingOptions::default(), &Control::default()).unwrap().image)
        };
        let expected = image(1);
        assert!(expected.iter().any(|&value| value != 0.0));
        assert!([2, 3, 7].into_iter().all(|threads| image(threads) == expected), "{lengths:?}");
    }
}

proptest! {
    /// Spreading samples to a grid is the adjoint of interpolating the grid at the samples, and both are linear. This is true
    /// for any trajectory, also if samples are at the edges of the grid or coincide.
    #[test]
    fn spreading_is_the_adjoint_of_interpolation(
        lengths in [1..14_usize, 1..14, 1..8],
        oversampling in 1.0..2.5,
        is_smooth: bool,
        places in prop::collection::vec(([-0.5..=0.5, -0.5..=0.5, -0.5..=0.5], -2.0..2.0), 0..40),
    ) {
        let shape = Shape::new(lengths).unwrap();
        let samples: Arc<[[f64; 3]]> = places
            .iter()
            .map(|(place, _)| std::array::from_fn(|axis| if lengths[axis] > 1 { place[axis] * lengths[axis] as f64 } else { 0.0 }))
            .collect();
        let interpolation = if is_smooth { Interpolation::KaiserBessel } else { Interpolation::Trilinear };
        let gridding = Gridding::new(shape, samples, interpolation, oversampling).unwrap();
        let mut grid = vec![f64::NAN; gridding.points()];
        gridding.spread(|n| places[n].1, &mut grid);
        let other: Vec<f64> = (0..grid.len()).map(|n| (n as f64).sin()).collect();
        let on_grid: f64 = grid.iter().zip(&other).map(|(a, b)| a * b).sum();
        let at_samples: f64 = places.iter().enumerate().map(|(n, (_, value))| value * gridding.gathered(&other, n)).sum();
        let scale: f64 = 1.0 + places.iter().map(|(_, value)| value.abs()).sum::<f64>();
        // Both sums have the same terms in another order.
        prop_assert!((on_grid - at_samples).abs() < 1e-12 * scale, "{on_grid} and {at_samples}");
    }
}
