//! Coefficients of even degree in the Legendre series of functions exp(c t²), where t is the cosine of an
//! angle. For the Watson distribution, c is the concentration κ. For a stick's signal, c = −b d.
//!
//! The coefficients are computed from the integrals I_l = ∫ exp(c t²) P_l dt from −1 to 1. Integration by
//! parts with (2 l + 1) P_l = P'_{l+1} − P'_{l−1}, and the recurrence of t P_l, give this continued fraction
//! for them:
//!
//! ```text
//! I_l / I_{l−2} = 2c (l − 1)/(2 l − 1) / (2 l + 1 + 2c (−(2 l + 1)/((2 l + 3)(2 l − 1)) + (l + 2)/(2 l + 3) I_{l+2} / I_l))
//! ```
//!
//! The continued fraction is stable if it is computed from high degrees downwards, at every c. Formulas with
//! Dawson's integral and 1F1 lose digits by cancellation at small c. The computation begins at a degree l at
//! which the ratio I_l / I_{l−2} is negligible. The tests state the largest errors, compared with values of
//! 40 digits.

pub(crate) use super::concentration::LARGEST_CONCENTRATION;
use crate::language::Moments;
use arcuate_core::narrow;
use arcuate_numbers::legendre::times_square;
use arcuate_numbers::{Lanes, Operations};

/// The largest x = b d of a stick (b-value times diffusivity) for which coefficients are computed.
pub(crate) const LARGEST_STICK: f64 = 60.0;

/// Returns the three weights of one step of the continued fraction, for the degree l. The first is the factor
/// of 2c in the numerator, and the others are the two factors in the denominator. All are divided by 2 l + 1.
pub(crate) fn ratio_weights(degree: u16) -> [f64; 3] {
    let l = f64::from(degree);
    let first = 2.0 * l + 1.0;
    [
        (l - 1.0) / ((2.0 * l - 1.0) * first),
        -1.0 / ((2.0 * l + 3.0) * (2.0 * l - 1.0)),
        (l + 2.0) / ((2.0 * l + 3.0) * first),
    ]
}

/// Returns the four weights in the derivative of the coefficient of degree l. The derivative is a weighted
/// sum of the coefficients of degree l + 2, l and l − 2. A fourth term is the product of the coefficient of
/// degree l and the Watson coefficient of degree 2.
pub(crate) fn slope_weights(family: Moments, degree: u16) -> [f64; 4] {
    let [up, here, down] = times_square(degree);
    let l = f64::from(degree);
    match family {
        // The derivative of a coefficient of the Watson distribution W is `d/dκ ∫ W P_l = ∫ W t² P_l − ∫ W
        // P_l ∫ W t²`, with `t² = (1 + 2 P_2)/3`.
        Moments::Watson => [up, here - 1.0 / 3.0, down, -2.0 / 3.0],
        Moments::Stick => {
            let of = |other: f64| -(2.0 * l + 1.0) / (2.0 * other + 1.0);
            let below = if degree == 0 { 0.0 } else { of(l - 2.0) * down };
            [of(l + 2.0) * up, -here, below, 0.0]
        }
    }
}

/// Computes the coefficients of degree 0, 2, … of one of the functions in [`Moments`] at `x`. The length of
/// `out` is the number of coefficients. They are computed with a continued fraction.
#[inline(always)]
pub(crate) fn moments<N: Operations>(family: Moments, x: N, out: &mut [N]) {
    // The degree at which the continued fraction starts, for x up to `LARGEST_CONCENTRATION` or
    // `LARGEST_STICK`.
    let top = match (family, x.is_double()) {
        (Moments::Watson, false) => 48,
        (Moments::Watson, true) => 80,
        (Moments::Stick, false) => 64,
        (Moments::Stick, true) => 96,
    };
    let twice = match family {
        Moments::Watson => x + x,
        Moments::Stick => -(x + x),
    };
    let one = x.known(1.0);
    let mut ratio = x.known(0.0);
    // The variable `at_zero` is Σ (2 l + 1) I_l P_l(0) / I_0, summed from its last term on. Each step
    // multiplies by a ratio and adds 1.
    let mut at_zero = one;
    for degree in (1..=top / 2).rev().map(|n| 2 * n) {
        let [above, constant, below] = ratio_weights(degree);
        let rest = x.known(below).fma(ratio, x.known(constant));
        ratio = (twice * x.known(above)) / twice.fma(rest, one);
        if let Some(place) = out.get_mut(usize::from(degree) / 2) {
            *place = ratio;
        }
        if family == Moments::Stick {
            let l = f64::from(degree);
            let step = -(l - 1.0) / l * (2.0 * l + 1.0) / (2.0 * l - 3.0);
            at_zero = (ratio * x.known(step)).fma(at_zero, one);
        }
    }
    let mut product = match family {
        Moments::Watson => one,
        // The coefficients of a stick's signal are scaled so that their series is 1 at t = 0.
        Moments::Stick => one / at_zero,
    };
    for (n, place) in out.iter_mut().enumerate() {
        if n > 0 {
            let step = match family {
                Moments::Watson => *place,
                Moments::Stick => {
                    let l = 2.0 * n as f64;
                    *place * x.known((2.0 * l + 1.0) / (2.0 * l - 3.0))
                }
            };
            product = product * step;
        }
        *place = product;
    }
}

/// Returns the smallest sufficient degree (2, 6, 10, …) of the series of a stick's mean signal. The error of
/// the series is at most `tolerance`, for x = b d and κ up to the given values. Returns `None` if the largest
/// degree does not suffice.
pub(crate) fn degree_for(largest_x: f64, largest_concentration: f64, tolerance: f64) -> Option<u16> {
    let degree = even_degree_for(largest_x, largest_concentration, tolerance)?;
    Some((degree + 1) / 4 * 4 + 2)
}

/// Like [`degree_for`], but returns any even degree.
pub(crate) fn even_degree_for(largest_x: f64, largest_concentration: f64, tolerance: f64) -> Option<u16> {
    const TERMS: usize = 47;
    if largest_x > LARGEST_STICK || largest_concentration > LARGEST_CONCENTRATION {
        return None;
    }
    let [mut stick, mut watson] = [[Lanes([0.0]); TERMS]; 2];
    moments(Moments::Stick, Lanes([largest_x.max(0.0)]), &mut stick);
    moments(Moments::Watson, Lanes([largest_concentration.max(0.0)]), &mut watson);
    // Legendre polynomials are at most 1. The sum of the omitted coefficients therefore limits the error of
    // the series.
    let mut left_out = 0.0;
    for n in (1..TERMS).rev() {
        left_out += (stick[n].0[0] * watson[n].0[0]).abs();
        if left_out > tolerance {
            return Some(2 * narrow::<u16>(n));
        }
    }
    Some(2)
}
