//! Functions that signal models are made of and standard libraries lack. What a kernel or a vector register computes is in
//! [`watson`]; the others are the mathematical libraries', in double precision.

pub(crate) mod legendre;
pub(crate) mod watson;

use crate::language::{Dispersed, Moments};
use arcuate_compute::numbers::Lanes;

/// Dawson's integral exp(−x²) ∫ exp(t²) dt from 0 to x.
pub(crate) fn dawson(x: f64) -> f64 {
    spec_math::cephes64::dawsn(x)
}

/// exp(−|x|) I₀(x).
pub(crate) fn bessel_i0e(x: f64) -> f64 {
    spec_math::cephes64::i0e(x)
}

/// exp(−|x|) I₁(x).
pub(crate) fn bessel_i1e(x: f64) -> f64 {
    spec_math::cephes64::i1e(x)
}

/// A coefficient of [`Moments`].
pub(crate) fn moment(family: Moments, degree: u16, x: f64) -> f64 {
    let place = usize::from(degree) / 2;
    let mut all = vec![Lanes([0.0]); place + 1];
    watson::moments(family, Lanes([x]), &mut all);
    all[place].0[0]
}

/// Degree to which [`dispersed`] sums: what is left out is below 1e-15 of the largest x that is allowed.
const REFERENCE_DEGREE: u16 = 90;

/// What [`Dispersed`] stands for, by a long series.
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
    let (values, slopes) = legendre::even_polynomials(cosine, terms);
    (0..terms)
        .map(|n| match part {
            Dispersed::Value => stick[n] * watson[n] * values[n],
            Dispersed::ByX => slope(Moments::Stick, &stick, n) * watson[n] * values[n],
            Dispersed::ByConcentration => stick[n] * slope(Moments::Watson, &watson, n) * values[n],
            Dispersed::ByCosine => stick[n] * watson[n] * slopes[n],
        })
        .sum()
}

#[cfg(test)]
mod tests;
