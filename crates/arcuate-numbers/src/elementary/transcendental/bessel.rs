//! Modified Bessel functions of the first kind, scaled by exp(−|x|).

use super::tables::{
    BESSEL_0_FAR, BESSEL_0_MIDDLE, BESSEL_0_NEAR, BESSEL_1_FAR, BESSEL_1_MIDDLE, BESSEL_1_NEAR,
};
use super::{Coefficients, signed, unless_nan};
use crate::Operations;

/// Computes the scaled Bessel function exp(−|x|) I₀(x).
#[inline(always)]
pub fn bessel_i0e<N: Operations>(x: N) -> N {
    let size = x.size();
    let near = BESSEL_0_NEAR.at(size - x.known(1.0));
    unless_nan(x, beyond(size, near, &BESSEL_0_MIDDLE, &BESSEL_0_FAR))
}

/// Computes the scaled Bessel function exp(−|x|) I₁(x).
#[inline(always)]
pub fn bessel_i1e<N: Operations>(x: N) -> N {
    let size = x.size();
    let near = size * BESSEL_1_NEAR.at(size - x.known(1.0));
    unless_nan(x, signed(beyond(size, near, &BESSEL_1_MIDDLE, &BESSEL_1_FAR), x))
}

/// Selects the approximation of a Bessel function: `near` for arguments up to 2, `middle` for arguments up to
/// 8, and `far` for larger arguments.
#[inline(always)]
fn beyond<N: Operations>(size: N, near: N, middle: &Coefficients, far: &Coefficients) -> N {
    let middle = middle.at(size - size.known(5.0));
    let far = far.at(size.known(1.0) / size - size.known(0.0625)) / size.root();
    let middle_or_far = size.if_above(size.known(8.0), far, middle);
    size.if_above(size.known(2.0), middle_or_far, near)
}
