//! Computes angles from their tangents and cosines.

use super::tables::ARC_TANGENT;
use super::{by_precision, signed, unless_nan};
use crate::Operations;
use std::f64::consts::{FRAC_PI_4, SQRT_2};

/// The constant π/4 as a sum of two numbers, in single and in double precision.
const QUARTER_PI: [[f64; 2]; 2] =
    [[FRAC_PI_4 as f32 as f64, -2.1855694143368964e-8], [FRAC_PI_4, 3.061616997868383e-17]];

/// The tangent of π/8.
const TANGENT_OF_HALF: f64 = SQRT_2 - 1.0;

/// If a coordinate of a point exceeds this limit (one for single, one for double precision), both coordinates
/// are divided by 4, so that their sum is finite.
const LARGE: [f64; 2] = [1e30, 1e300];

/// Computes the angle between −π/2 and π/2 whose tangent is `x`.
#[inline(always)]
pub fn arc_tangent<N: Operations>(x: N) -> N {
    angle(x, x.known(1.0))
}

/// Computes the angle between 0 and π whose cosine is `x`. The result is NaN if `x` is outside [−1, 1].
#[inline(always)]
pub fn arc_cosine<N: Operations>(x: N) -> N {
    let one = x.known(1.0);
    angle(((one - x) * (one + x)).root(), x)
}

/// Computes the angle of the point (x, y), from −π to π. The angle of the origin is 0.
#[inline(always)]
pub fn angle<N: Operations>(y: N, x: N) -> N {
    let (zero, one) = (x.known(0.0), x.known(1.0));
    let (height, width) = (y.size(), x.size());
    let (a, b) = (height.smaller(width), height.larger(width));
    // If a coordinate is infinite, the angle only depends on which coordinates are infinite.
    let infinity = x.known(f64::INFINITY);
    let a = b.if_reaches(infinity, a.if_reaches(infinity, one, zero), a);
    let b = b.if_reaches(infinity, one, b.if_above(zero, b, one));
    let limit = x.known(by_precision(x, LARGE));
    let scale = b.if_above(limit, x.known(0.25), one);
    let (a, b) = (a * scale, b * scale);
    // If the angle exceeds π/8, its difference from π/4 is computed: atan(a / b) = π/4 + atan((a − b) / (a +
    // b)).
    let bound = b * x.known(TANGENT_OF_HALF);
    let above = a.if_above(bound, a - b, a);
    let below = a.if_above(bound, a + b, b);
    let u = above / below;
    let z = u * u;
    let near = (u * z).fma(ARC_TANGENT.at(z), u);
    // The angle that was computed above is added to this multiple of π/4.
    let eighths = a.if_above(bound, one, zero);
    let is_steep = |if_so: N, else_: N| height.if_above(width, if_so, else_);
    let is_left = |if_so: N, else_: N| zero.if_above(x, if_so, else_);
    let (eighths, near) = (is_steep(x.known(2.0) - eighths, eighths), is_steep(-near, near));
    let (eighths, near) = (is_left(x.known(4.0) - eighths, eighths), is_left(-near, near));
    let [high, low] = by_precision(x, QUARTER_PI).map(|part| x.known(part));
    let base = eighths * high;
    let rest = eighths.fma(low, eighths.fma(high, -base));
    let value = base + (near + rest);
    unless_nan(x, unless_nan(y, signed(value, y)))
}
