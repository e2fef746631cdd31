//! Sine, cosine, arc tangent, arc cosine, the error function, Dawson's integral and Bessel functions over
//! [`Operations`]. The code is written once for both precisions, for the CPU, and for kernels
//! written at run time. CPU and GPU give the same bits.
//!
//! The functions have no branches. The arguments are divided into intervals, each with its own polynomial; a
//! function evaluates all polynomials and selects one result. The polynomials interpolate the function at
//! Chebyshev nodes (`oracles/transcendental.py`). The table lists maximum errors in units in the last place
//! of the result, compared with results of 50 digits. Each function was tested for 400,000 arguments in
//! single precision, and for 1,500 to 6,000 in double precision. Tests check these bounds at the arguments in
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
//! Zeros have no sign: −0 counts as 0. The result is NaN for NaN, and for arguments at which the function is
//! not defined.

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

use crate::Operations;

/// Coefficients of a polynomial in each precision, lowest power first.
struct Coefficients {
    single: &'static [f64],
    double: &'static [f64],
}

impl Coefficients {
    /// Computes the polynomial c₀ + c₁ x + c₂ x² + … by Horner's rule.
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

/// Selects the first of two numbers in single precision, and the second in double precision.
#[inline(always)]
fn by_precision<T: Copy, N: Operations>(x: N, [single, double]: [T; 2]) -> T {
    if x.is_double() { double } else { single }
}

/// Returns `value` with the sign of `x`.
#[inline(always)]
fn signed<N: Operations>(value: N, x: N) -> N {
    x.known(0.0).if_above(x, -value, value)
}

/// Returns `value`, or NaN if `x` is NaN.
#[inline(always)]
fn unless_nan<N: Operations>(x: N, value: N) -> N {
    x.if_reaches(x.known(f64::NEG_INFINITY), value, x.known(f64::NAN))
}
