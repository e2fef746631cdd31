//! Sine and cosine of angles in radians.

use super::by_precision;
use super::tables::{COSINE, SINE};
use crate::Operations;
use crate::elementary::{double, single};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// The largest angle in radians for which there is a result, in single and in double precision. The result is
/// NaN for larger angles.
pub const LARGEST_ANGLE: [f64; 2] = [1_048_576.0, 1_099_511_627_776.0];

/// The numbers 1.5 · 2²³ and 1.5 · 2⁵², which round to integers in single and double precision. If this
/// number is added to another number and then subtracted, the nearest integer of the other number remains.
const ROUND: [f64; 2] = [single::ROUND as f64, double::TWO_52_AND_HALF];

/// The constant π/2 as a sum of three numbers, in single and in double precision.
const HALF_PI: [[f64; 3]; 2] = [
    [single::HALF_PI[0] as f64, single::HALF_PI[1] as f64, single::HALF_PI[2] as f64],
    [FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33],
];

/// Computes the sine of `x` radians. The result is NaN if |x| is above [`LARGEST_ANGLE`].
#[inline(always)]
pub fn sine<N: Operations>(x: N) -> N {
    of_quarters(x, 0.0)
}

/// Computes the cosine of `x` radians. The result is NaN if |x| is above [`LARGEST_ANGLE`].
#[inline(always)]
pub fn cosine<N: Operations>(x: N) -> N {
    of_quarters(x, 1.0)
}

/// Computes the sine of the angle x plus `more` quarter turns.
#[inline(always)]
fn of_quarters<N: Operations>(x: N, more: f64) -> N {
    let (zero, one, half) = (x.known(0.0), x.known(1.0), x.known(0.5));
    let round = x.known(by_precision(x, ROUND));
    let [first, second, third] = by_precision(x, HALF_PI).map(|part| x.known(part));
    let quarters = x.fma(x.known(FRAC_2_PI), round) - round;
    // The nearest multiple of a quarter turn is subtracted from the angle (Cody and Waite 1980, "Software
    // manual for the elementary functions"). The multiple is a sum of three terms, because π/2 is a sum of
    // three numbers. The difference of the angle and the first term is below 1 and has no rounding error. The
    // difference with the second term is rounded, and its rounding error is kept in `low`.
    let left = (-quarters).fma(first, x);
    let product = quarters * second;
    let r = left - product;
    let rest = quarters.fma(third, quarters.fma(second, -product));
    let low = ((left - r) - product) - rest;
    let z = r * r;
    let sine = r + (r * z).fma(SINE.at(z), low);
    // The difference 1 − z/2 is computed together with its rounding error.
    let halved = half * z;
    let near = one - halved;
    let below = (one - near) - halved;
    let cosine = near + (below + (z * z).fma(COSINE.at(z), -(r * low)));
    // The quadrant of the angle is 0, 1, 2 or 3.
    let turned = quarters + x.known(more);
    let quarter = (turned * x.known(0.25)).whole().fma(x.known(-4.0), turned);
    let is_second_half = |if_so: N, else_: N| quarter.if_reaches(x.known(2.0), if_so, else_);
    let within_half = is_second_half(quarter - x.known(2.0), quarter);
    let value = within_half.if_above(zero, cosine, sine);
    let value = is_second_half(-value, value);
    x.known(by_precision(x, LARGEST_ANGLE)).if_reaches(x.size(), value, x.known(f64::NAN))
}
