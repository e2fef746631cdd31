//! Tests the realistic tissues of the simulated brain against their formulas, and the stored ground truth
//! against the signal.

use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::{FiveTissue, FiveTissues, GradientTable};
use arcuate_numbers::legendre::even_polynomials;
use arcuate_phantom::{
    Phantom, PhantomOptions, TissueResponse, TissueTruth, default_gradients, hemispheres,
    multi_shell_gradients, nuclei_in_voxels, simulate,
};
use std::f64::consts::PI;
use std::sync::LazyLock;

/// Creates a gradient table with three shells, as in a multi-shell scan.
fn gradients() -> GradientTable {
    multi_shell_gradients(&[(8, 700.0), (10, 1200.0), (20, 2800.0)], 2).unwrap()
}

static NOISE_FREE: LazyLock<Phantom> = LazyLock::new(|| {
    let options =
        PhantomOptions { tissues: true, snr: None, streamlines_per_bundle: 2, ..PhantomOptions::default() };
    simulate(&gradients(), &options).unwrap()
});

fn truth() -> &'static TissueTruth {
    NOISE_FREE.tissues.as_ref().unwrap()
}

/// Returns the voxels of the brain that contain one tissue only. `tissue` is an index into
/// [`Phantom::TISSUES`].
fn pure(tissue: usize) -> impl Iterator<Item = usize> {
    NOISE_FREE
        .brain_mask
        .indices()
        .into_iter()
        .filter(move |&voxel| NOISE_FREE.tissue_fractions.voxel(voxel)[tissue] > 0.9999)
}

/// Returns the signal of a voxel, divided by the bias field.
fn unbiased(voxel: usize) -> Vec<f64> {
    let bias = f64::from(truth().bias.voxel(voxel)[0]);
    NOISE_FREE.dwi.voxel(voxel).iter().map(|s| f64::from(*s) / bias).collect()
}

#[test]
fn csf_and_grey_matter_have_the_stated_signal() {
    for (tissue, s0, diffusivity) in [(0, 3500.0, 3.0e-3), (1, 1250.0, 0.8e-3)] {
        let mut count = 0;
        for voxel in pure(tissue) {
            for (s, b) in unbiased(voxel).into_iter().zip(NOISE_FREE.gradients.b_values()) {
                // The signal is a sum of 64 points. Signal and bias are in single precision.
                let expected = s0 * (-b * diffusivity).exp();
                assert!((s / expected - 1.0).abs() < 3e-7, "{tissue} {b}: {s} {expected}");
            }
            count += 1;
        }
        assert!(count > 500, "{count}");
    }
}

#[test]
fn the_bias_field_agrees_with_the_formula() {
    let (mut minimum, mut maximum) = (f32::MAX, f32::MIN);
    let bias = &truth().bias;
    for voxel in 0..bias.grid().len() {
        let [x, y, z] = bias.grid().centre(voxel);
        let expected = 1.0 + 0.2 * ((x + 0.7 * y - 0.5 * z) / 45.0).sin();
        let found = bias.voxel(voxel)[0];
        assert!((f64::from(found) - expected).abs() < 1e-7);
        (minimum, maximum) = (minimum.min(found), maximum.max(found));
    }
    assert!(minimum < 0.81 && maximum > 1.19, "{minimum} {maximum}");
}

#[test]
fn five_tissues_agree_with_masks_fractions_nuclei_and_surfaces() {
    let (phantom, five) = (&*NOISE_FREE, &truth().five_tissues);
    let nuclei = nuclei_in_voxels(five.grid(), PhantomOptions::default().samples_per_edge).unwrap();
    for voxel in 0..five.grid().len() {
        let fractions = five.fractions(voxel);
        let sum: f32 = fractions.iter().sum();
        // The sum has five roundings to single precision.
        let expected = if phantom.brain_mask.contains(voxel) { 1.0 } else { 0.0 };
        assert!((sum - expected).abs() < 3e-7, "{sum}");
        assert_eq!(fractions[4], 0.0);
        let [csf, grey, white] = [0, 1, 2].map(|n| phantom.tissue_fractions.voxel(voxel)[n]);
        let whole = (csf + grey + white - 1.0).abs() < 1e-6;
        if whole {
            let [cortical, deep, ..] = fractions;
            assert!((cortical + deep - grey).abs() < 1e-6);
            assert!((fractions[2] - white).abs() < 1e-6 && (fractions[3] - csf).abs() < 1e-6);
            // A voxel belongs to a nucleus if the nucleus fills at least half of it. No two nuclei share a
            // voxel.
            assert_eq!(nuclei.values()[voxel] != 0, fractions[1] > 0.4999, "{fractions:?}");
        }
    }
    assert!(FiveTissues::check(five.image()).is_ok());
    assert_eq!(five.order_doubt(), None);
    // The nuclei are ellipsoids with semi-axes of 5, 9, 5 and 3.5, 11, 5.5 mm, two of each. Ventricles remove
    // a part of the first. The volume is sampled to 5 %.
    let ellipsoids = 2.0 * 4.0 / 3.0 * PI * (5.0 * 9.0 * 5.0 + 3.5 * 11.0 * 5.5);
    let volume = five.volume_of(FiveTissue::SubCorticalGrey);
    assert!((volume / ellipsoids - 1.0).abs() < 0.05, "{volume} {ellipsoids}");

    // At white surfaces, the fractions of cortex and white matter are equal. Their mean difference is a few
    // percent of a voxel.
    let (mut sum, mut count) = (0.0, 0);
    for hemisphere in hemispheres().unwrap() {
        for (vertex, _) in
            hemisphere.white.vertices().iter().zip(&hemisphere.is_cortex).filter(|(_, is)| **is)
        {
            let [cortical, _, white, ..] = five.fractions_at(vertex.map(f64::from));
            sum += cortical - white;
            count += 1;
        }
    }
    let mean = sum / f64::from(count);
    assert!(mean.abs() < 0.1, "{mean}");
}

/// Returns the signal of fibre orientations with a response function, for each measurement of the table.
fn convolved(orientations: &[f32], response: &TissueResponse, table: &GradientTable) -> Vec<f64> {
    let harmonics = EvenHarmonics::new(8);
    let (order, degrees) = (harmonics.mrtrix_order(), harmonics.degrees());
    let shells = table.measurements_by_shell();
    let mut signal = vec![0.0; table.len()];
    for ((b, measurements), (shell, coefficients)) in
        shells.into_iter().zip(response.b_values.iter().zip(&response.coefficients))
    {
        assert_eq!(b, *shell);
        for measurement in measurements {
            // Measurements without weighting have no direction. Only the mean signal matters for them.
            let direction = table.directions()[measurement];
            let direction = if b == 0.0 { [0.0, 0.0, 1.0] } else { direction };
            let values = harmonics.evaluate(direction);
            for ((at, factor), orientation) in order.iter().zip(orientations) {
                let degree = degrees[*at];
                if let Some(c) = coefficients.get(degree / 2) {
                    let norm = (4.0 * PI / (2 * degree + 1) as f64).sqrt();
                    signal[measurement] += norm * c * f64::from(*orientation) * factor * values[*at];
                }
            }
        }
    }
    signal
}

/// Returns the largest difference, over all angles, between the signal of a bundle and its response function
/// in a shell. The difference is divided by S₀.
fn cut_off(shell: usize) -> f64 {
    let response = &truth().white;
    let b = response.b_values[shell];
    let at = |cosine: f64| {
        let square = cosine * cosine;
        let signal = 0.5 * (-b * 1.7e-3 * square).exp() + 0.5 * (-b * 0.85e-3 * (1.0 + square)).exp();
        let harmonics = even_polynomials(8, cosine).into_iter().enumerate();
        let sum: f64 = harmonics
            .zip(&response.coefficients[shell])
            .map(|((n, p), c)| c * ((4 * n + 1) as f64 / (4.0 * PI)).sqrt() * p)
            .sum();
        (signal - sum / 1000.0).abs()
    };
    (0..=1000).map(|n| at(f64::from(n) / 1000.0)).fold(0.0, f64::max)
}

#[test]
fn orientations_and_responses_reproduce_the_signal() {
    let (phantom, truth) = (&*NOISE_FREE, truth());
    let isotropic = |response: &TissueResponse, fraction: f32, b: f64| {
        let shell = response.b_values.iter().position(|&shell| (shell - b).abs() < 1.0).unwrap();
        f64::from(fraction) * response.coefficients[shell][0] / (4.0 * PI).sqrt()
    };
    let (mut one_bundle, mut worst, mut worst_spread) = (0, 0f64, 0f64);
    for voxel in phantom.brain_mask.indices() {
        let [csf, grey, white] = [0, 1, 2].map(|n| phantom.tissue_fractions.voxel(voxel)[n]);
        let bundles: f32 = phantom.bundle_fractions.voxel(voxel).iter().sum();
        let fibres = convolved(truth.orientations.voxel(voxel), &truth.white, &phantom.gradients);
        for ((s, fibres), &b) in unbiased(voxel).into_iter().zip(fibres).zip(phantom.gradients.b_values()) {
            let expected = fibres + isotropic(&truth.grey, grey, b) + isotropic(&truth.csf, csf, b);
            // The error is divided by the S₀ of white matter.
            let error = (s - expected).abs() / 1000.0;
            worst = worst.max(error);
            if bundles == 0.0 {
                worst_spread = worst_spread.max(error);
            }
        }
        one_bundle += usize::from(phantom.bundle_fractions.voxel(voxel).iter().any(|f| *f > 0.9999));
        // The coefficient of degree 0 is the fraction of white matter, divided by √4π.
        let amount = f64::from(truth.orientations.voxel(voxel)[0]) * (4.0 * PI).sqrt();
        assert!((amount - f64::from(white)).abs() < 1e-6);
    }
    assert!(one_bundle > 500);
    // Only the degrees above 8 of the bundles' response are missing. They are at most 0.6 % of S₀ at 2,800
    // s/mm². Dispersed fibres have no such degrees.
    let missing = cut_off(3);
    assert!(missing > 5.5e-3 && missing < 6.5e-3, "{missing}");
    assert!(worst < missing + 2e-6 && worst > 0.5 * missing, "{worst} {missing}");
    assert!(cut_off(1) < 5e-5 && cut_off(2) < 5e-4, "{} {}", cut_off(1), cut_off(2));
    // Signals up to 3,500 are stored in single precision.
    assert!(worst_spread < 2e-6, "{worst_spread}");
}

#[test]
fn responses_agree_with_the_formulas() {
    let truth = truth();
    assert_eq!(truth.white.b_values, [0.0, 700.0, 1200.0, 2800.0]);
    let root = (4.0 * PI).sqrt();
    for (shell, &b) in truth.grey.b_values.iter().enumerate() {
        let [grey, csf] = [&truth.grey, &truth.csf].map(|response| response.coefficients[shell][0]);
        assert!((grey / (root * 1250.0 * (-b * 0.8e-3).exp()) - 1.0).abs() < 1e-12);
        assert!((csf / (root * 3500.0 * (-b * 3.0e-3).exp()) - 1.0).abs() < 1e-12);
        assert_eq!(truth.white.coefficients[shell].len(), 5);
        // The mean over directions of a stick and a zeppelin contains the integral ∫₀¹ exp(−b d x²) dx, which
        // is computed by the trapezium rule.
        let steps = 100_000;
        let mean: f64 = (0..=steps)
            .map(|n| {
                let square = (f64::from(n) / f64::from(steps)).powi(2);
                let weight = if n == 0 || n == steps { 0.5 } else { 1.0 };
                weight * 0.5 * ((-b * 1.7e-3 * square).exp() + (-b * 0.85e-3 * (1.0 + square)).exp())
            })
            .sum::<f64>()
            / f64::from(steps);
        // The error of the trapezium rule is 1e-10 of the slope at the end.
        let white = truth.white.coefficients[shell][0] / (root * 1000.0);
        assert!((white - mean).abs() < 1e-9, "{b}: {white} {mean}");
    }
    // Without weighting, the signal is equal in all directions.
    assert_eq!(truth.white.coefficients[0][1..], [0.0; 4]);
    // The signal is lower along the fibres, so that the coefficient of degree 2 is negative.
    assert!(truth.white.coefficients[3][1] < 0.0);
}

#[test]
fn orientation_distributions_are_deltas_along_bundles() {
    let (phantom, truth) = (&*NOISE_FREE, truth());
    let harmonics = EvenHarmonics::new(8);
    let order = harmonics.mrtrix_order();
    let mut count = 0;
    for voxel in pure(2) {
        let Some(bundle) = phantom.bundle_fractions.voxel(voxel).iter().position(|f| *f > 0.9999) else {
            continue;
        };
        assert!(bundle < phantom.bundles.len());
        let peak = [0, 1, 2].map(|n| f64::from(phantom.peaks.voxel(voxel)[n]));
        let values = harmonics.evaluate(peak);
        let along: f64 = order
            .iter()
            .zip(truth.orientations.voxel(voxel))
            .map(|((at, factor), c)| factor * values[*at] * f64::from(*c))
            .sum();
        // A delta function that is truncated at degree 8 has a maximum of 45/4π. Fibres turn within a voxel,
        // which lowers the maximum.
        assert!(along < 45.0 / (4.0 * PI) + 1e-4 && along > 0.85 * 45.0 / (4.0 * PI), "{along}");
        count += 1;
    }
    assert!(count > 500, "{count}");
}

#[test]
fn the_anatomy_does_not_depend_on_the_tissue_option() {
    let options = |tissues| PhantomOptions { tissues, voxel_size_mm: 5.0, ..PhantomOptions::default() };
    let table = default_gradients(6, 1000.0, 1).unwrap();
    let [plain, real] = [false, true].map(|tissues| simulate(&table, &options(tissues)).unwrap());
    assert!(plain.tissues.is_none() && real.tissues.is_some());
    assert_ne!(plain.dwi, real.dwi);
    assert_eq!(plain.labels, real.labels);
    assert_eq!(plain.peaks, real.peaks);
    assert_eq!(plain.tissue_fractions, real.tissue_fractions);
    assert_eq!(plain.bundle_fractions, real.bundle_fractions);
}

#[test]
fn results_do_not_depend_on_threads() {
    let options = PhantomOptions { tissues: true, voxel_size_mm: 5.0, ..PhantomOptions::default() };
    let table = default_gradients(6, 1000.0, 1).unwrap();
    let by = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| simulate(&table, &options).unwrap())
    };
    let (one, three) = (by(1), by(3));
    assert_eq!(one.dwi, three.dwi);
    let [one, three] = [one, three].map(|phantom| phantom.tissues.unwrap());
    assert_eq!(one.orientations, three.orientations);
    assert_eq!(one.five_tissues, three.five_tissues);
    assert_eq!(one.bias, three.bias);
}
