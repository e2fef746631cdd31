//! Tests the simulated brain against its analytical formulas, and comparisons whose result is known.

use arcuate_core::{
    Affine, DiffusionTensor, GradientTable, Grid, Point, RegionSearch, Tractogram, Volume, statistics,
};
use arcuate_phantom::{
    ComparisonOptions, Phantom, PhantomOptions, compare_with_truth, default_gradients, simulate,
};
use std::sync::LazyLock;

/// Simulates a brain with fewer streamlines, and fewer points per voxel, than by default, to save time.
fn small(options: &PhantomOptions) -> Phantom {
    let options = PhantomOptions { streamlines_per_bundle: 60, samples_per_edge: 3, ..options.clone() };
    simulate(&default_gradients(12, 1000.0, 2).unwrap(), &options).unwrap()
}

static NOISE_FREE: LazyLock<Phantom> =
    LazyLock::new(|| small(&PhantomOptions { snr: None, ..PhantomOptions::default() }));

fn compare(tractogram: &Tractogram) -> arcuate_phantom::Comparison {
    compare_with_truth(&NOISE_FREE, tractogram, None, None, &ComparisonOptions::default()).unwrap()
}

/// Fits a tensor to a voxel's signal by the normal equations of log S = log S₀ − b gᵀDg.
fn tensor(signal: &[f32], table: &GradientTable) -> (f64, DiffusionTensor) {
    let mut normal = nalgebra::SMatrix::<f64, 7, 7>::zeros();
    let mut right = nalgebra::SVector::<f64, 7>::zeros();
    for ((&s, d), &b) in signal.iter().zip(table.directions()).zip(table.b_values()) {
        let [x, y, z] = *d;
        let row = nalgebra::SVector::from([
            -b * x * x,
            -b * y * y,
            -b * z * z,
            -2.0 * b * x * y,
            -2.0 * b * x * z,
            -2.0 * b * y * z,
            1.0,
        ]);
        normal += row * row.transpose();
        right += row * f64::from(s).ln();
    }
    let solution = normal.lu().solve(&right).unwrap();
    (solution[6].exp(), DiffusionTensor(std::array::from_fn(|n| solution[n])))
}

#[test]
fn pure_voxels_have_the_stated_signal() {
    let phantom = &*NOISE_FREE;
    let (mut csf, mut grey, mut background, mut bundle) = (0, 0, 0, 0);
    for voxel in phantom.brain_mask.indices() {
        let tissue = phantom.tissue_fractions.voxel(voxel);
        let fibres = phantom.bundle_fractions.voxel(voxel);
        let (s0, d) = tensor(phantom.dwi.voxel(voxel), &phantom.gradients);
        let (md, fa) = (d.mean_diffusivity(), d.fractional_anisotropy());
        // Signals are stored in single precision. A relative error of 6e-8 in S is an error of 1e-7/b in D.
        // Sums over the points of a voxel add a little to it.
        let pure = |fraction: f32| fraction > 0.9999;
        if pure(tissue[0]) {
            assert!((s0 / 2600.0 - 1.0).abs() < 1e-5 && (md / 3.0e-3 - 1.0).abs() < 1e-5 && fa < 1e-3);
            csf += 1;
        } else if pure(tissue[1]) {
            assert!((s0 / 1250.0 - 1.0).abs() < 1e-5 && (md / 0.8e-3 - 1.0).abs() < 1e-5 && fa < 1e-3);
            grey += 1;
        } else if pure(tissue[2]) && fibres.iter().all(|&f| f == 0.0) {
            // The model is a tensor with eigenvalues (0.85, 0.70, 0.70) and FA 0.115. Its axis turns a little
            // inside a voxel, most of all near the middle of the brain.
            assert!((s0 / 1000.0 - 1.0).abs() < 1e-3 && (md / 0.75e-3 - 1.0).abs() < 2e-3);
            assert!(fa < 0.116, "{fa}");
            background += 1;
        } else if pure(tissue[2]) && fibres.iter().any(|&f| pure(f)) {
            // The model has a stick and a zeppelin. The apparent diffusivity is 1.7e-3 along the fibres, and
            // −ln(½ + ½ exp(−0.85)) / b = 0.337e-3 across them. If fibres bend inside a voxel, the first is
            // lower by less than 6 %, and the second is higher. The tensor does not fit this signal exactly.
            let values = d.eigensystem().values;
            assert!((s0 / 1000.0 - 1.0).abs() < 0.02, "{s0}");
            assert!(values[0] > 1.5e-3 && values[0] < 1.78e-3, "{values:?}");
            assert!(values[2] > 0.28e-3 && values[2] < 0.42e-3, "{values:?}");
            assert!(fa > 0.65, "{fa}");
            // The principal direction of the tensor is that of the bundle, within 2°.
            let [x, y, z] = d.eigensystem().vectors[0];
            let peak = &phantom.peaks.voxel(voxel)[..3];
            let cosine = x * f64::from(peak[0]) + y * f64::from(peak[1]) + z * f64::from(peak[2]);
            assert!(cosine.abs() > 2f64.to_radians().cos(), "{cosine}");
            bundle += 1;
        }
    }
    // Enough voxels of each of the four kinds were tested.
    assert!(
        csf > 500 && grey > 500 && background > 5000 && bundle > 500,
        "{csf} {grey} {background} {bundle}"
    );
}

#[test]
fn fractions_and_masks_agree() {
    let phantom = &*NOISE_FREE;
    for voxel in 0..phantom.dwi.grid().len() {
        let total: f32 = phantom.tissue_fractions.voxel(voxel).iter().sum();
        let fibres: f32 = phantom.bundle_fractions.voxel(voxel).iter().sum();
        let white = phantom.tissue_fractions.voxel(voxel)[2];
        assert!(total <= 1.0 + 1e-5 && fibres <= white + 1e-5);
        assert_eq!(phantom.brain_mask.contains(voxel), total > 0.4999);
        assert_eq!(phantom.white_matter.contains(voxel), white > 0.4999);
        if total == 0.0 {
            assert!(phantom.dwi.voxel(voxel).iter().all(|&s| s == 0.0));
        }
        // The lengths of the peaks are the fractions of the bundles, in descending order.
        let lengths: Vec<f32> = phantom
            .peaks
            .voxel(voxel)
            .chunks(3)
            .map(|p| p.iter().map(|c| c * c).sum::<f32>().sqrt())
            .collect();
        assert!(lengths[0] >= lengths[1] - 1e-5 && lengths[1] >= lengths[2] - 1e-5);
        let largest = phantom.bundle_fractions.voxel(voxel).iter().copied().fold(0.0, f32::max);
        assert!((lengths[0] - largest).abs() < 1e-5);
    }
}

#[test]
fn there_are_crossings_kisses_and_voxels_of_one_bundle() {
    let phantom = &*NOISE_FREE;
    let number = |name: &str| phantom.bundles.iter().position(|b| b.name == name).unwrap();
    let shared = |a: &str, b: &str| -> Vec<usize> {
        let (a, b) = (number(a), number(b));
        phantom
            .brain_mask
            .indices()
            .into_iter()
            .filter(|&voxel| {
                phantom.bundle_fractions.voxel(voxel)[a].min(phantom.bundle_fractions.voxel(voxel)[b]) > 0.1
            })
            .collect()
    };
    let angle = |voxel: usize| {
        let p = phantom.peaks.voxel(voxel);
        let dot = |a: usize, b: usize| (0..3).map(|n| f64::from(p[3 * a + n] * p[3 * b + n])).sum::<f64>();
        (dot(0, 1).abs() / (dot(0, 0) * dot(1, 1)).sqrt()).acos().to_degrees()
    };
    let median = |voxels: Vec<usize>| {
        statistics::median(&mut voxels.into_iter().map(angle).collect::<Vec<_>>()).unwrap()
    };
    for side in ["left", "right"] {
        let crossing = shared("callosum_body", &format!("corticospinal_{side}"));
        assert!(crossing.len() > 40, "{}", crossing.len());
        assert!(median(crossing) > 55.0);
        let kissing =
            shared(&format!("inferior_longitudinal_{side}"), &format!("inferior_fronto_occipital_{side}"));
        assert!(kissing.len() > 10, "{}", kissing.len());
        assert!(median(kissing) < 30.0);
    }
}

#[test]
fn true_streamlines_end_in_the_labels_of_their_bundle() {
    let phantom = &*NOISE_FREE;
    assert!(phantom.bundles.len() >= 6 && phantom.labels.regions().len() >= 12);
    let labels = &phantom.labels;
    phantom.truth.check().unwrap();
    for bundle in &phantom.bundles {
        let members = &phantom.truth.groups.members[&bundle.name];
        assert_eq!(members.len(), 60);
        for &n in members {
            let streamline = phantom.truth.streamline(n as usize);
            let region =
                |p: Point| labels.grid().voxel_at(p.map(f64::from)).map(|voxel| labels.values()[voxel]);
            let ends = (region(streamline[0]), region(streamline[streamline.len() - 1]));
            assert_eq!(ends, (Some(bundle.regions.0), Some(bundle.regions.1)), "{} {n}", bundle.name);
            for pair in streamline.windows(2) {
                // The streamline follows the fibres. Each step has the direction of the bundle within 3°,
                // which allows for a curve of 1 mm.
                let middle = std::array::from_fn(|a| f64::from(pair[0][a] + pair[1][a]) / 2.0);
                let d = bundle.direction_at(middle).unwrap();
                let step: [f64; 3] = std::array::from_fn(|a| f64::from(pair[1][a] - pair[0][a]));
                let length = step.iter().map(|c| c * c).sum::<f64>().sqrt();
                let cosine = (0..3).map(|a| d[a] * step[a]).sum::<f64>() / length;
                assert!(
                    length < 3.0 && cosine.abs() > 3f64.to_radians().cos(),
                    "{} {length} {cosine}",
                    bundle.name
                );
            }
        }
    }
}

#[test]
fn fractions_do_not_depend_on_the_resolution() {
    // The test compares a block of 2 mm voxels around the crossing with the same block in 1 mm voxels.
    let at = |size: f64, samples_per_edge| {
        let n = (24.0 / size) as usize;
        let first = |corner: f64| corner + size / 2.0;
        let affine = Affine::scaling([size; 3], [first(10.0), first(-18.0), first(14.0)]);
        let grid = Some(Grid::new([n; 3], affine).unwrap());
        let options = PhantomOptions { grid, snr: None, samples_per_edge, ..PhantomOptions::default() };
        simulate(&default_gradients(6, 1000.0, 1).unwrap(), &options).unwrap()
    };
    let (coarse, fine) = (at(2.0, 4), at(1.0, 4));
    let (mut largest, mut sum, mut voxels) = (0f32, 0f32, 0f32);
    for k in 0..12 {
        for j in 0..12 {
            for i in 0..12 {
                let voxel = coarse.dwi.grid().index([i, j, k]);
                let parts: Vec<usize> = (0..8)
                    .map(|n| fine.dwi.grid().index([2 * i + (n & 1), 2 * j + (n >> 1 & 1), 2 * k + (n >> 2)]))
                    .collect();
                let mean = |volume: &Volume<f32>, channel: usize| {
                    parts.iter().map(|&part| volume.voxel(part)[channel]).sum::<f32>() / 8.0
                };
                for channel in 0..coarse.bundle_fractions.channels() {
                    let error = (coarse.bundle_fractions.voxel(voxel)[channel]
                        - mean(&fine.bundle_fractions, channel))
                    .abs();
                    largest = largest.max(error);
                    sum += error;
                }
                for channel in 0..3 {
                    let error = (coarse.tissue_fractions.voxel(voxel)[channel]
                        - mean(&fine.tissue_fractions, channel))
                    .abs();
                    largest = largest.max(error);
                    sum += error;
                }
                // The signal is a linear function of the content, with S₀ up to 2600.
                let error = (coarse.dwi.voxel(voxel)[3] - mean(&fine.dwi, 3)).abs() / 2600.0;
                assert!(error < 0.1, "{error}");
                voxels += 1.0;
            }
        }
    }
    // A coarse voxel has 64 points, and the fine voxels in it have 512. The position of a surface through a
    // voxel has an error of about a quarter of the points' distance.
    assert!(largest < 0.15, "{largest}");
    assert!(sum / voxels < 0.02, "{}", sum / voxels);
}

#[test]
fn noise_is_rician_with_the_requested_level() {
    let quick = PhantomOptions { voxel_size_mm: 4.0, ..PhantomOptions::default() };
    let clean = small(&PhantomOptions { snr: None, ..quick.clone() });
    let noisy = small(&PhantomOptions { snr: Some(20.0), ..quick });
    let sigma = noisy.noise_level;
    assert!((sigma - 50.0).abs() < 1e-9);
    // With noise, E[M²] = S² + 2σ² for any signal S. Without signal, E[M] = σ √(π/2).
    let (mut excess, mut signal_values, mut air, mut air_values) = (0.0, 0.0, 0.0, 0.0);
    for (&s, &m) in clean.dwi.values().iter().zip(noisy.dwi.values()) {
        let (s, m) = (f64::from(s), f64::from(m));
        if s == 0.0 {
            air += m;
            air_values += 1.0;
        } else {
            excess += (m * m - s * s - 2.0 * sigma * sigma) / (2.0 * s * sigma);
            signal_values += 1.0;
        }
    }
    // Var[M²] is 4σ²S² + 4σ⁴, so that each scaled excess has a variance just above 1. Var[M] in air is (2 −
    // π/2) σ². The limits are five standard errors.
    assert!(signal_values > 1e4 && air_values > 1e4);
    assert!((excess / signal_values).abs() < 5.0 * 1.1 / f64::sqrt(signal_values));
    let expected = sigma * (std::f64::consts::PI / 2.0).sqrt();
    assert!((air / air_values - expected).abs() < 5.0 * 0.66 * sigma / f64::sqrt(air_values));
}

#[test]
fn phantoms_depend_on_the_random_seed_and_not_on_threads() {
    let options = |seed| PhantomOptions { voxel_size_mm: 5.0, seed, ..PhantomOptions::default() };
    let with = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| small(&options(seed)))
    };
    let (one, three, other) = (with(1, 7), with(3, 7), with(1, 8));
    assert_eq!(one.dwi, three.dwi);
    assert_eq!(one.truth, three.truth);
    assert_eq!(one.labels, three.labels);
    assert_ne!(one.dwi, other.dwi);
    assert_ne!(one.truth, other.truth);
    assert_eq!(one.tissue_fractions, other.tissue_fractions);
}

#[test]
fn oblique_flipped_grids_contain_the_same_head() {
    let (sin, cos) = 20f64.to_radians().sin_cos();
    let affine = Affine::from_rows([
        [-3.0 * cos, 3.0 * sin, 0.0, 60.0],
        [-3.0 * sin, -3.0 * cos, 0.0, 90.0],
        [0.0, 0.0, 3.0, -50.0],
    ]);
    let grid = Grid::new([54, 60, 36], affine.unwrap()).unwrap();
    let turned = small(&PhantomOptions { grid: Some(grid), snr: None, ..PhantomOptions::default() });
    let straight = &*NOISE_FREE;
    let volume = |phantom: &Phantom, channel| {
        let sum: f64 =
            phantom.tissue_fractions.values().iter().skip(channel).step_by(3).map(|&f| f64::from(f)).sum();
        sum * phantom.dwi.grid().affine().determinant().abs()
    };
    for channel in 0..3 {
        // Both grids have the same volume of each tissue in mm³. Thin sheets of CSF are sampled to about one
        // percent.
        let ratio = volume(&turned, channel) / volume(straight, channel);
        assert!((ratio - 1.0).abs() < 0.02, "{channel}: {ratio}");
    }
    // True streamlines do not depend on the grid. Their ends are in the labels of the rotated grid.
    assert_eq!(turned.truth, straight.truth);
    let search = RegionSearch::new(&turned.labels, 4.0).unwrap();
    for bundle in &turned.bundles {
        for &n in &turned.truth.groups.members[&bundle.name] {
            assert_eq!(search.region_at(turned.truth.streamline(n as usize)[0]), Some(bundle.regions.0));
        }
    }
}

#[test]
fn the_truth_compared_with_itself_is_perfect() {
    let phantom = &*NOISE_FREE;
    let grid = *phantom.dwi.grid();
    let first: Vec<f32> = phantom.peaks.values().chunks(9).flat_map(|p| [-p[0], -p[1], -p[2]]).collect();
    let directions = Volume::new(grid, 3, first).unwrap();
    let weights = vec![0.5; phantom.truth.len()];
    let options = ComparisonOptions::default();
    let result =
        compare_with_truth(phantom, &phantom.truth, Some(&weights), Some(&directions), &options).unwrap();
    for score in [&result.before, result.after.as_ref().unwrap()] {
        assert_eq!(score.valid, phantom.truth.len());
        assert_eq!(score.bundles_found(), phantom.bundles.len());
        assert!(score.false_connections.is_empty());
        assert_eq!(score.valid_share, 1.0);
        for bundle in &score.bundles {
            // Some voxels of the wide bundles contain none of the 60 true streamlines.
            assert!(bundle.overlap > 0.8, "{bundle:?}");
            // A streamline may pass through a corner of a voxel in which none of the 3³ points is in the
            // bundle. The overreach of the thinnest bundle is therefore 7 %.
            assert!(bundle.overreach < 0.1, "{bundle:?}");
        }
    }
    // The angular error is about half a millionth of a degree, because peaks are stored in single precision.
    assert!(result.median_angular_error.unwrap() < 1e-4);
    assert!(result.single_bundle_voxels > 1000);
}

#[test]
fn rotated_tractograms_have_low_scores() {
    let mut turned = Tractogram::new();
    for streamline in NOISE_FREE.truth.iter() {
        turned.push(&streamline.iter().map(|&[x, y, z]| [x, -z, y]).collect::<Vec<Point>>());
    }
    let score = compare(&turned).before;
    assert!(
        score.bundles_found() <= 5 && (score.valid as f64) < 0.35 * score.streamlines as f64,
        "{score:?}"
    );
}

#[test]
fn randomly_joined_streamlines_are_false_connections() {
    let truth = &NOISE_FREE.truth;
    let mut mixed = Tractogram::new();
    for n in 0..truth.len() {
        let (a, b) = (truth.streamline(n), truth.streamline((n + 7 * 60) % truth.len()));
        mixed.push(&[&a[..a.len() / 2], &b[b.len() / 2..]].concat());
    }
    // The correct streamlines are added to the mixed ones. The weights distinguish the two halves.
    let mut both = mixed.clone();
    for n in 0..truth.len() {
        both.push(truth.streamline(n));
    }
    let score = compare(&mixed).before;
    assert_eq!((score.valid, score.bundles_found()), (0, 0));
    assert_eq!(score.invalid, truth.len());
    assert_eq!(score.false_connections.len(), NOISE_FREE.bundles.len());
    assert!(score.false_connections.iter().all(|c| c.streamlines == 60 && !c.names.0.is_empty()));

    let weights: Vec<f64> = (0..both.len()).map(|n| if n < truth.len() { 0.0 } else { 2.0 }).collect();
    let options = ComparisonOptions::default();
    let result = compare_with_truth(&NOISE_FREE, &both, Some(&weights), None, &options).unwrap();
    assert_eq!(result.before.valid_share, 0.5);
    assert_eq!(result.before.false_connections.len(), NOISE_FREE.bundles.len());
    let after = result.after.as_ref().unwrap();
    assert_eq!((after.valid_share, after.false_connections.len()), (1.0, 0));
    let table = result.to_string();
    assert!(table.contains("15 of 15") && table.lines().all(|line| line.chars().count() <= 80), "{table}");
}

#[test]
fn short_cuts_are_off_course_and_odd_streamlines_are_unconnected() {
    let truth = &NOISE_FREE.truth;
    let mut t = Tractogram::new();
    let arcuate = truth.streamline(NOISE_FREE.truth.groups.members["arcuate_left"][0] as usize);
    t.push(&[arcuate[0], arcuate[arcuate.len() - 1]]);
    t.push(&[]);
    t.push(&[arcuate[0]]);
    t.push(&[arcuate[0], arcuate[0]]);
    t.push(&[arcuate[0], [0.0; 3]]);
    t.push(&[[f32::NAN; 3], [1e30; 3]]);
    t.push(&[arcuate[0], [1e30, 0.0, 0.0], arcuate[arcuate.len() - 1]]);
    let score = compare(&t).before;
    assert_eq!((score.valid, score.off_course, score.invalid), (0, 2, 0));
    assert_eq!((score.within_region, score.unconnected), (1, 4));
}

#[test]
fn impossible_requests_are_rejected() {
    let table = default_gradients(6, 1000.0, 1).unwrap();
    let default = PhantomOptions::default;
    for options in [
        PhantomOptions { snr: Some(0.0), ..default() },
        PhantomOptions { snr: Some(f64::NAN), ..default() },
        PhantomOptions { voxel_size_mm: 0.01, ..default() },
        PhantomOptions { voxel_size_mm: f64::NAN, ..default() },
        PhantomOptions { samples_per_edge: 0, ..default() },
    ] {
        assert!(simulate(&table, &options).is_err(), "{options:?}");
    }
    let phantom = &*NOISE_FREE;
    let options = ComparisonOptions::default();
    assert!(compare_with_truth(phantom, &phantom.truth, Some(&[1.0]), None, &options).is_err());
    let other = Volume::filled(Grid::new([3, 3, 3], Affine::identity()).unwrap(), 3, 0f32);
    assert!(compare_with_truth(phantom, &phantom.truth, None, Some(&other), &options).is_err());
    let wrong = ComparisonOptions { share_inside: 1.5, ..options };
    assert!(compare_with_truth(phantom, &phantom.truth, None, None, &wrong).is_err());
}
