//! Tracking of fibres with a known path, for each method.

use super::fields::Distributions;
use super::harmonics::{Basis, DEGREE};
use super::*;
use crate::{DirectionField, Draws, Region, TrackSummary};
use arcuate_compute::Device;
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::{Affine, Grid, Mask, Tractogram, Volume};

/// Creates an image with distributions of some fibres: sums of smooth lobes around unit directions, weighted
/// by fractions. A truncated delta function would have side lobes, in which streamlines would start, too.
fn image(grid: &Grid, fibres: impl Fn([f64; 3]) -> Vec<([f64; 3], f64)>) -> FodImage {
    let (harmonics, basis) = (EvenHarmonics::new(DEGREE), Basis::new());
    let mut volume = Volume::filled(*grid, harmonics.count(), 0.0f32);
    for voxel in 0..grid.len() {
        for (direction, fraction) in fibres(grid.centre(voxel)) {
            let smooth = |l: usize| (-0.02 * (l * (l + 1)) as f64).exp();
            let values = harmonics.evaluate(direction).into_iter().zip(harmonics.degrees());
            let values: Vec<f64> = values.map(|(value, l)| smooth(l) * value).collect();
            for (sum, c) in volume.voxel_mut(voxel).iter_mut().zip(basis.to_mrtrix(&values)) {
                *sum += fraction as f32 * c;
            }
        }
    }
    FodImage::new(&volume, None).unwrap()
}

/// Creates a grid with voxels of 2 mm.
fn grid(shape: [usize; 3]) -> Grid {
    Grid::new(shape, Affine::scaling([2.0; 3], [0.0; 3])).unwrap()
}

fn all() -> [FodOptions; 3] {
    [FodMethod::Arcs, FodMethod::Steps, FodMethod::Peaks].map(|method| FodOptions {
        method,
        min_length_mm: 0.0,
        ..FodOptions::default()
    })
}

fn follow(image: &FodImage, seeds: &Seeds, options: &FodOptions) -> (Tractogram, TrackSummary) {
    let mut tracks = Tractogram::new();
    let constraints = Constraints::default();
    let run = track_fod(image, seeds, &constraints, options, &Device::Cpu, &mut tracks, &Control::default())
        .unwrap();
    (tracks, run.summary)
}

#[test]
fn straight_fibres_are_followed_from_end_to_end() {
    let image = image(&grid([30, 9, 9]), |_| vec![([1.0, 0.0, 0.0], 1.0)]);
    let seeds = Seeds::points(vec![[30.0, 8.0, 8.0]; 40]);
    for options in all() {
        let (tracks, summary) = follow(&image, &seeds, &options);
        assert_eq!((summary.streamlines, tracks.len()), (40, 40));
        for line in tracks.iter() {
            let (first, last) = (line[0], line[line.len() - 1]);
            let length = (first[0] - last[0]).abs();
            // The distance from face to face is 60 mm. A step may be missing at each end. Probabilistic
            // streamlines may leave at the sides.
            let minimum = if options.method == FodMethod::Peaks { 58.0 } else { 20.0 };
            assert!(length > minimum && length < 62.5, "{:?}: {length}", options.method);
            if options.method == FodMethod::Peaks {
                assert!(line.iter().all(|p| (p[1] - 8.0).abs() < 0.05 && (p[2] - 8.0).abs() < 0.05));
            }
        }
        // All steps have the nominal length.
        let step = options.step_on(image.grid());
        for pair in tracks.streamline(0).windows(2) {
            let chord: f64 = (0..3).map(|n| f64::from(pair[1][n] - pair[0][n]).powi(2)).sum::<f64>().sqrt();
            assert!(chord < step * 1.0001 && chord > step * 0.95, "{chord} {step}");
        }
    }
}

/// Concentric circles around an axis along z. The circle with a radius of 24 mm is tracked from its right to
/// its left side.
#[test]
fn circular_fibres_are_followed() {
    let middle = [40.0, 40.0];
    let grid = grid([41, 41, 5]);
    let image = image(&grid, |[x, y, _]| {
        let (u, v) = (x - middle[0], y - middle[1]);
        let radius = u.hypot(v).max(1.0);
        vec![([-v / radius, u / radius, 0.0], 1.0)]
    });
    let seeds = Seeds::points(vec![[64.0, 40.0, 4.0]; 60]);
    let left = Mask::new(grid, (0..grid.len()).map(|voxel| grid.centre(voxel)[0] < 24.0).collect()).unwrap();
    let constraints =
        Constraints { stop: vec![Region::of_mask("left", left, None)], ..Constraints::default() };
    // Probabilistic streamlines drift to other circles. The mean drift of 60 streamlines depends on the
    // number of random draws. The peak is tangential to the circle: each Euler step of 0.2 mm leaves the
    // circle by 0.2²/(2·24) mm, 250 times.
    for (options, away) in all().into_iter().zip([4.0, 4.0, 0.3]) {
        let mut tracks = Tractogram::new();
        let control = Control::default();
        track_fod(&image, &seeds, &constraints, &options, &Device::Cpu, &mut tracks, &control).unwrap();
        assert!(tracks.len() > 50, "{:?}: {}", options.method, tracks.len());
        let radius = |p: &[f32; 3]| (f64::from(p[0]) - middle[0]).hypot(f64::from(p[1]) - middle[1]);
        let points: Vec<&[f32; 3]> = tracks.iter().flatten().collect();
        let mean = points.iter().map(|p| (radius(p) - 24.0).abs()).sum::<f64>() / points.len() as f64;
        assert!(mean < away, "{:?}: {mean}", options.method);
        // Both halves span 120° or more.
        let longest = (0..tracks.len()).map(|n| tracks.length(n)).fold(0.0, f64::max);
        assert!(longest > 100.0, "{:?}: {longest}", options.method);
    }
}

#[test]
fn streamlines_pass_straight_through_crossings() {
    let image = image(&grid([21, 21, 5]), |_| vec![([1.0, 0.0, 0.0], 0.5), ([0.0, 1.0, 0.0], 0.5)]);
    let seeds = Seeds::points(vec![[20.0, 20.0, 4.0]; 200]);
    for options in all() {
        let (tracks, summary) = follow(&image, &seeds, &options);
        assert_eq!(summary.streamlines, 200);
        let along = |line: &[[f32; 3]], axis: usize| (line[0][axis] - line[line.len() - 1][axis]).abs();
        let (mut by_x, mut by_y, mut turned) = (0, 0, 0);
        for line in tracks.iter() {
            match [along(line, 0) > 25.0, along(line, 1) > 25.0] {
                [true, false] => by_x += 1,
                [false, true] => by_y += 1,
                [true, true] => turned += 1,
                // These streamlines left at the sides.
                [false, false] => {}
            }
        }
        // Both directions are equally frequent at the seed.
        assert!(by_x > 40 && by_y > 40, "{:?}: {by_x} {by_y}", options.method);
        assert!(turned <= 4, "{:?}: {turned}", options.method);
    }
}

/// First steps are drawn in proportion to the amplitude: the mean squares of their components equal those of
/// the distribution.
#[test]
fn directions_are_drawn_in_proportion_to_amplitude() {
    let image = image(&grid([9, 9, 9]), |_| vec![([0.6, 0.0, 0.8], 0.7), ([0.0, 1.0, 0.0], 0.3)]);
    let options = FodOptions { method: FodMethod::Steps, min_length_mm: 0.0, ..FodOptions::default() };
    let (tracks, _) = follow(&image, &Seeds::points(vec![[8.0; 3]; 4000]), &options);
    let mut found = [0.0f64; 3];
    for line in tracks.iter() {
        // The seed is at its exact position, and the first half comes before it.
        let seed = line.iter().position(|p| *p == [8.0; 3]).unwrap();
        let step: [f64; 3] = std::array::from_fn(|n| f64::from(line[seed - 1][n] - line[seed][n]));
        let square: f64 = step.iter().map(|c| c * c).sum();
        (0..3).for_each(|n| found[n] += step[n] * step[n] / square / tracks.len() as f64);
    }
    let (mut expected, mut total) = ([0.0f64; 3], 0.0);
    for direction in candidates::hemisphere() {
        let amplitude = f64::from(image.amplitude([4.0; 3], direction));
        if amplitude >= 0.1 {
            total += amplitude;
            (0..3).for_each(|n| expected[n] += amplitude * f64::from(direction[n]).powi(2));
        }
    }
    for n in 0..3 {
        // With 4000 samples the error of the mean squares is 0.006, plus the error of the 256 directions.
        assert!((found[n] - expected[n] / total).abs() < 0.02, "{found:?} {expected:?} {total}");
    }
}

#[test]
fn peaks_are_found_by_gradient_ascent() {
    let direction = [0.48, -0.6, 0.64];
    let image = image(&grid([3; 3]), |_| vec![(direction, 1.0)]);
    let (everywhere, arch) = (Vec::new(), arcuate_numbers::Arch::new());
    let of = Distributions { image: &image, cutoff: 0.1, begin: 0.1, everywhere, arch };
    let field = Peaks { of };
    let draws = Draws { seed: 0, number: 0, half: 0, point: 1, stage: 0, attempt: 0 };
    for degrees in [0.0f64, 5.0, 15.0, 25.0] {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        // A direction orthogonal to the fibre.
        let other = [0.8, 0.64, 0.0];
        let inner: f64 = (0..3).map(|n| other[n] * direction[n]).sum();
        let across: [f64; 3] = std::array::from_fn(|n| other[n] - inner * direction[n]);
        let length = across.iter().map(|c| c * c).sum::<f64>().sqrt();
        let before = std::array::from_fn(|n| (cosine * direction[n] + sine * across[n] / length) as f32);
        let found = field.direction([1.0; 3], before, &draws).unwrap();
        let inner: f64 = (0..3).map(|n| f64::from(found[n]) * direction[n]).sum();
        assert!(inner > 0.1f64.to_radians().cos(), "{degrees}: {found:?}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let image = image(&grid([21, 21, 21]), |[x, y, z]| {
        let norm = (x * x + 1.0 + z * z).sqrt();
        vec![([x / norm, 1.0 / norm, z / norm], 0.6), ([(y / 50.0).cos(), (y / 50.0).sin(), 0.0], 0.4)]
    });
    for options in all() {
        let seeds = Seeds::random(image.mask().unwrap(), 700);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| follow(&image, &seeds, &options))
        };
        let (one, many) = (on(1), on(3));
        assert_eq!(one.0.positions(), many.0.positions(), "{:?}", options.method);
        assert_eq!(one.1, many.1);
        assert!(one.0.len() > 300);
    }
}

#[test]
fn invalid_options_are_rejected() {
    let grid = grid([4; 3]);
    let plain = FodOptions::default();
    for (option, options) in [
        ("‘step_mm’", FodOptions { step_mm: Some(0.0), ..plain.clone() }),
        ("‘step_mm’", FodOptions { step_mm: Some(5.0), ..plain.clone() }),
        ("‘step_mm’", FodOptions { step_mm: Some(f64::NAN), ..plain.clone() }),
        ("‘max_angle_degrees’", FodOptions { max_angle_degrees: Some(91.0), ..plain.clone() }),
        ("‘max_angle_degrees’", FodOptions { max_angle_degrees: Some(0.0), ..plain.clone() }),
        ("‘min_amplitude’", FodOptions { min_amplitude: 0.0, ..plain.clone() }),
        ("‘seed_amplitude’", FodOptions { seed_amplitude: Some(f64::INFINITY), ..plain.clone() }),
        ("‘max_length_mm’", FodOptions { max_length_mm: 10.0, ..plain.clone() }),
        ("‘min_length_mm’", FodOptions { min_length_mm: -1.0, ..plain.clone() }),
        ("‘select’", FodOptions { select: Some(0), ..plain.clone() }),
    ] {
        let refused = options.check_on(&grid).unwrap_err().to_string();
        assert!(refused.starts_with(option), "{refused}");
    }
    assert!(plain.check_on(&grid).is_ok());
}
