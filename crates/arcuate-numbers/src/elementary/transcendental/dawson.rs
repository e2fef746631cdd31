//! Dawson's integral, in single and double precision.

use super::tables::{DAWSON_FAR, DAWSON_FIRST, DAWSON_NEAR, DAWSON_SECOND};
use super::{signed, unless_nan};
use crate::Operations;

/// Computes Dawson's integral, exp(−x²) ∫ exp(t²) dt from 0 to x.
#[inline(always)]
pub fn dawson<N: Operations>(x: N) -> N {
    let size = x.size();
    let z = size * size;
    let near = (size * z).fma(DAWSON_NEAR.at(z), size);
    let first = DAWSON_FIRST.at(size - x.known(1.75));
    let second = DAWSON_SECOND.at(size - x.known(3.75));
    let inverse = x.known(1.0) / size;
    let far = (x.known(0.5) * inverse) * DAWSON_FAR.at(inverse.fma(inverse, x.known(-5.0 / 256.0)));
    let beyond = size.if_above(x.known(5.0), far, second);
    let beyond = size.if_above(x.known(2.5), beyond, first);
    unless_nan(x, signed(size.if_above(x.known(1.0), beyond, near), x))
}
