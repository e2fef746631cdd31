//! Special functions of signal models. The functions here are reference implementations in double precision,
//! which define the results of formulas, like those of [`arcuate_numbers::special`].
//! GPU kernels and SIMD code use [`watson`], [`bingham`] and
//! [`transcendental`](arcuate_numbers::elementary::transcendental).

pub(crate) mod bingham;
mod concentration;
pub(crate) mod watson;

use crate::language::{Dispersed, Fanned, Moments};
use arcuate_numbers::{Lanes, legendre};
use std::sync::LazyLock;

/// Returns the coefficient of this degree of one of the functions in [`Moments`].
pub(crate) fn moment(family: Moments, degree: u16, x: f64) -> f64 {
    let place = usize::from(degree) / 2;
    let mut all = vec![Lanes([0.0]); place + 1];
    watson::moments(family, Lanes([x]), &mut all);
    all[place].0[0]
}

/// Degree of the Legendre series in [`dispersed`]. The truncation error is below 1e-15 at the largest allowed
/// x = b d.
const REFERENCE_DEGREE: u16 = 90;

/// Returns the mean (or its derivative) that [`Dispersed`] describes, computed by a long series.
pub(crate) fn dispersed(part: Dispersed, x: f64, concentration: f64, cosine: f64) -> f64 {
    let terms = usize::from(REFERENCE_DEGREE) / 2 + 1;
    let series = |family, of: f64| {
        let mut all = vec![Lanes([0.0]); terms + 1];
        watson::moments(family, Lanes([of]), &mut all);
        all.into_iter().map(|value| value.0[0]).collect::<Vec<f64>>()
    };
    let (stick, watson) = (series(Moments::Stick, x), series(Moments::Watson, concentration));
    let slope = |family, values: &[f64], n: usize| {
        let below = n.checked_sub(1).map_or(0.0, |below| values[below]);
        let [up, here, down, product] = watson::slope_weights(family, 2 * n as u16);
        up * values[n + 1] + here * values[n] + down * below + product * values[n] * watson[1]
    };
    let (values, slopes) = legendre::even_polynomials_and_slopes(cosine, terms);
    (0..terms)
        .map(|n| match part {
            Dispersed::Value => stick[n] * watson[n] * values[n],
            Dispersed::ByX => slope(Moments::Stick, &stick, n) * watson[n] * values[n],
            Dispersed::ByConcentration => stick[n] * slope(Moments::Watson, &watson, n) * values[n],
            Dispersed::ByCosine => stick[n] * watson[n] * slopes[n],
        })
        .sum()
}

/// Returns all coefficients of the Bingham distribution, in the order of [`bingham::place`].
pub(crate) fn bingham_coefficients(concentrations: [f64; 2]) -> Vec<f64> {
    const DEGREE: u16 = bingham::LARGEST_DEGREE + 2;
    if concentrations.iter().any(|value| value.is_nan()) {
        return vec![f64::NAN; bingham::count(DEGREE)];
    }
    let mut all = vec![Lanes([0.0]); bingham::count(DEGREE)];
    bingham::coefficients(concentrations.map(|value| Lanes([value])), DEGREE, &mut all, 1);
    all.into_iter().map(|value| value.0[0]).collect()
}

/// The constants of the recurrences for all orders of spherical harmonics, up to the highest degree.
static RECURRENCES: LazyLock<Vec<Vec<[f64; 3]>>> = LazyLock::new(|| {
    let orders = 0..=usize::from(bingham::LARGEST_DEGREE) / 2;
    orders.map(|k| bingham::scaled_recurrence(k, bingham::LARGEST_DEGREE)).collect()
});

/// Returns the mean (or its derivative) that [`Fanned`] describes, computed by the longest series from the
/// given coefficients.
pub(crate) fn fanned(part: Fanned, coefficients: &[f64], [x, cosine, of_fan]: [f64; 3]) -> f64 {
    let last = usize::from(bingham::LARGEST_DEGREE) / 2;
    let mut stick = vec![Lanes([0.0]); last + 2];
    watson::moments(Moments::Stick, Lanes([x]), &mut stick);
    let of_stick = |n: usize| {
        if part != Fanned::ByX {
            return stick[n].0[0];
        }
        let below = n.checked_sub(1).map_or(0.0, |below| stick[below].0[0]);
        let [up, here, down, _] = watson::slope_weights(Moments::Stick, 2 * n as u16);
        up * stick[n + 1].0[0] + here * stick[n].0[0] + down * below
    };
    let weight = |n: usize, k: usize| match part {
        Fanned::ByFirst => bingham::slopes(coefficients, n, k)[0],
        Fanned::BySecond => bingham::slopes(coefficients, n, k)[1],
        _ => coefficients[bingham::place(n, k)],
    };
    // The computation uses the variables `square` = sin²θ and `difference` = sin²θ cos 2φ.
    let square = 1.0 - cosine * cosine;
    let difference = square - 2.0 * of_fan * of_fan;
    let mut value = 0.0;
    // The derivative of the value with respect to cos²θ at a constant `difference`, and the derivative with
    // respect to `difference`.
    let mut slopes = [0.0; 2];
    // `cosines` has the function sin^m θ cos mφ for the current order m and for the next order. `sines` has
    // the function sin^m θ sin (m + 2)φ / sin 2φ for the current order and for the two preceding orders.
    let (mut cosines, mut sines) = ([1.0, difference], [1.0, 0.0, 0.0]);
    for k in 0..=last {
        let (mut before, mut here, mut slope_before, mut slope) = (0.0, 1.0, 0.0, 0.0);
        let [mut sum, mut of_slopes] = [0.0; 2];
        for (n, [scale, a, b]) in (k..).zip(&RECURRENCES[k]) {
            let weight = scale * of_stick(n) * weight(n, k);
            sum += weight * here;
            of_slopes += weight * slope;
            let factor = a * cosine * cosine - b;
            (slope_before, slope) = (slope, a * here + factor * slope - slope_before);
            (before, here) = (here, factor * here - before);
        }
        value += sum * cosines[0];
        slopes[0] += of_slopes * cosines[0] + sum * k as f64 * square * sines[2];
        slopes[1] += sum * k as f64 * sines[1];
        cosines = [cosines[1], 2.0 * difference * cosines[1] - square * square * cosines[0]];
        sines = [2.0 * difference * sines[0] - square * square * sines[1], sines[0], sines[1]];
    }
    match part {
        Fanned::ByCosine => 2.0 * cosine * (slopes[0] - slopes[1]),
        Fanned::ByFanCosine => -4.0 * of_fan * slopes[1],
        _ => value,
    }
}

#[cfg(test)]
mod tests;
