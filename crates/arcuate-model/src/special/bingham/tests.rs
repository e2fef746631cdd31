use super::means::MEANS;
use super::*;
use crate::language::{Dispersed, Fanned};
use crate::special::{bingham_coefficients, dispersed, fanned};

/// Returns the cosine between the gradient and the axis of the fan. It follows from the cosine to the mean
/// orientation, and from cos² φ.
fn of_fan(cosine: f64, share: f64) -> f64 {
    ((1.0 - cosine * cosine) * share).sqrt()
}

#[test]
fn means_agree_with_multiple_precision() {
    for [first, second, x, cosine, share, mean, square] in MEANS {
        let all = bingham_coefficients([first, second]);
        let of_fan = of_fan(cosine, share);
        let found = fanned(Fanned::Value, &all, [x, cosine, of_fan]);
        // The tolerance allows for rounding in double precision. At x = 16, it also allows for the truncation
        // of the series, 1e-12 of the signal.
        assert!((found - mean).abs() < 2e-12, "{first} {second} {x} {cosine} {share}: {found} {mean}");
        let slope = fanned(Fanned::ByX, &all, [0.0, cosine, of_fan]);
        assert!((slope + square).abs() < 1e-13, "{first} {second} {cosine} {share}: {slope} {square}");
    }
}

#[test]
fn single_precision_coefficients_agree_with_double_precision() {
    const DEGREE: u16 = 18;
    let mut worst = 0.0f64;
    for step in 0..=400 {
        let first = LARGEST_CONCENTRATION * (f64::from(step) / 400.0).powi(2);
        let second = first * f64::from(step * 37 % 101) / 100.0;
        let pair = [first, second].map(|value| Lanes([value as f32]));
        let mut found = vec![Lanes([0.0f32]); 3 * count(DEGREE)];
        coefficients(pair, DEGREE, &mut found, 3);
        let expected = bingham_coefficients(pair.map(|value| f64::from(value.0[0])));
        for n in 0..count(DEGREE) {
            worst = worst.max((f64::from(found[3 * n].0[0]) - expected[n]).abs());
        }
    }
    // The tolerance allows for rounding in single precision.
    assert!(worst < 5e-7, "{worst:e}");
}

#[test]
fn derivatives_agree_with_finite_differences_of_the_means() {
    let step = 1e-5;
    for (x, first, second, cosine, of_fan) in [
        (1.7, 0.5, 0.2, 0.3, 0.4),
        (3.4, 16.0, 4.0, -0.9, 0.1),
        (0.2, 0.01, 0.005, 0.5, -0.8),
        (10.0, 60.0, 1.0, 0.1, 0.9),
        (5.1, 8.0, 8.0, 0.7, 0.3),
    ] {
        let at = |d: [f64; 5]| {
            let all = bingham_coefficients([first + d[1], second + d[2]]);
            fanned(Fanned::Value, &all, [x + d[0], cosine + d[3], of_fan + d[4]])
        };
        let all = bingham_coefficients([first, second]);
        let parts = [Fanned::ByX, Fanned::ByFirst, Fanned::BySecond, Fanned::ByCosine, Fanned::ByFanCosine];
        for (n, part) in parts.into_iter().enumerate() {
            let (mut up, mut down) = ([0.0; 5], [0.0; 5]);
            (up[n], down[n]) = (step, -step);
            let slope = (at(up) - at(down)) / (2.0 * step);
            let found = fanned(part, &all, [x, cosine, of_fan]);
            assert!((found - slope).abs() < 1e-8, "{part:?} at {x} {first} {second}: {found} {slope}");
        }
    }
}

#[test]
fn equal_concentrations_agree_with_the_watson_distribution() {
    for (x, concentration) in [(1.7, 0.0), (3.4, 4.0), (16.0, 64.0)] {
        let all = bingham_coefficients([concentration; 2]);
        for (cosine, share) in [(0.3, 0.2), (0.9, 1.0), (0.0, 0.5)] {
            let expected = dispersed(Dispersed::Value, x, concentration, cosine);
            let found = fanned(Fanned::Value, &all, [x, cosine, of_fan(cosine, share)]);
            assert!((found - expected).abs() < 2e-12, "{x} {concentration} {cosine}: {found} {expected}");
        }
    }
}

#[test]
fn exchanging_concentrations_exchanges_axes() {
    for (first, second) in [(5.0, 1.0), (64.0, 0.0)] {
        for (cosine, share) in [(0.3, 0.2), (0.9, 1.0), (0.0, 0.5)] {
            let of = |pair: [f64; 2], share: f64| {
                fanned(Fanned::Value, &bingham_coefficients(pair), [3.4, cosine, of_fan(cosine, share)])
            };
            let (one, other) = (of([first, second], share), of([second, first], 1.0 - share));
            assert!((one - other).abs() < 1e-13, "{first} {second}: {one} {other}");
        }
    }
}
