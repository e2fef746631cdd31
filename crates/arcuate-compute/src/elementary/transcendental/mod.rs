//! Sine, cosine, arc tangent, arc cosine, the error function, Dawson's integral and Bessel functions over
//! [`Operations`]. They are written once for both precisions, for the CPU and for kernels
//! [written](crate::cuda::writer) at run time, and are bit-identical on both.
//!
//! The functions have no branches: they compute the result for each interval and select one. Their
//! polynomials interpolate the function at Chebyshev nodes (`oracles/transcendental.py`). Maximum errors in
//! units in the last place of the result: in single precision at 400,000 arguments each, in double precision
//! at 1,500 to 6,000, compared with 50 digits. Tests check these bounds at the arguments in
//! `tests/values.rs`:
//!
//! | function | domain | single | double |
//! |---|---|---|---|
//! | [`sine`], [`cosine`] | up to 2²⁰ and 2⁴⁰ radians | 0.9 | 0.8 |
//! | [`arc_tangent`] | all | 2.1 | 1.7 |
//! | [`angle`] | all | 1.5 | 1.2 |
//! | [`arc_cosine`] | −1 to 1 | 2.6 | 2.3 |
//! | [`erf`] | all | 1.2 | 0.9 |
//! | [`dawson`] | all | 2.0 | 2.5 |
//! | [`bessel_i0e`] | all | 2.3 | 1.9 |
//! | [`bessel_i1e`] | all | 2.9 | 2.1 |
//!
//! Zeros have no sign: −0 counts as 0. NaN arguments, and arguments without a result, give NaN.

mod arc_tangent;
mod bessel;
mod dawson;
mod erf;
mod sine;
mod tables;
#[cfg(test)]
mod tests;

pub use arc_tangent::{angle, arc_cosine, arc_tangent};
pub use bessel::{bessel_i0e, bessel_i1e};
pub use dawson::dawson;
pub use erf::erf;
pub use sine::{LARGEST_ANGLE, cosine, sine};

use crate::numbers::Operations;

/// Coefficients of a polynomial in each precision, lowest first.
struct Coefficients {
    single: &'static [f64],
    double: &'static [f64],
}

impl Coefficients {
    /// c₀ + c₁ x + c₂ x² + … by Horner's rule.
    #[inline(always)]
    fn at<N: Operations>(&self, x: N) -> N {
        let all = if x.is_double() { self.double } else { self.single };
        let mut sum = x.known(all[all.len() - 1]);
        for coefficient in all[..all.len() - 1].iter().rev() {
            sum = sum.fma(x, x.known(*coefficient));
        }
        sum
    }
}

/// One of two numbers, by precision.
#[inline(always)]
fn by_precision<T: Copy, N: Operations>(x: N, [single, double]: [T; 2]) -> T {
    if x.is_double() { double } else { single }
}

/// `value` with the sign of `x`.
#[inline(always)]
fn signed<N: Operations>(value: N, x: N) -> N {
    x.known(0.0).if_above(x, -value, value)
}

/// `value`, or NaN if `x` is NaN.
#[inline(always)]
fn unless_nan<N: Operations>(x: N, value: N) -> N {
    x.if_reaches(x.known(f64::NEG_INFINITY), value, x.known(f64::NAN))
}
