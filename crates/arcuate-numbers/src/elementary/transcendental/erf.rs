//! The error function, in single and double precision.

use super::tables::{ERF, ERFC};
use super::{by_precision, signed, unless_nan};
use crate::Operations;

/// The smallest number such that the error function of each argument at or above the number is rounded to 1,
/// in single and in double precision.
const END: [f64; 2] = [4.0, 6.0];

/// Computes the error function, 2/√π ∫ exp(−t²) dt from 0 to x.
#[inline(always)]
pub fn erf<N: Operations>(x: N) -> N {
    let one = x.known(1.0);
    let size = x.size();
    let near = size.fma(ERF.at(size * size), size);
    let within = size.larger(one).smaller(x.known(by_precision(x, END)));
    let far = (-bell(within)).fma(ERFC.at(one / (within + x.known(3.0)) - x.known(0.1875)), one);
    unless_nan(x, signed(size.if_above(one, far, near), x))
}

/// Computes exp(−x²) with a correction for the rounding of the square.
#[inline(always)]
fn bell<N: Operations>(x: N) -> N {
    let square = x * x;
    let rest = x.fma(x, -square);
    let value = (-square).exponential();
    value.fma(-rest, value)
}
