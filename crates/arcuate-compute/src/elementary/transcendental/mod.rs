//! Sine, cosine, arc tangent, arc cosine, the error function, Dawson's integral and Bessel functions over [`Operations`], once for
//! both precisions, and for the processor and kernels that are [written](crate::cuda::writer): each has the same bits on both.
//!
//! All are straight on: what holds in each stretch is computed, and one of it chosen. Their polynomials go through the function at
//! Chebyshev's nodes (`oracles/transcendental.py`). The largest errors in units in the last place of the result, of single precision at
//! 400,000 arguments of each, of double at 1,500 to 6,000 against 50 digits; tests hold them to that at those in `tests/values.rs`:
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
//! Zeros have no sign: −0 is 0 to all of them. What is not a number, and what has no result, gives NaN.

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

/// `value` where `x` is a number.
#[inline(always)]
fn unless_nan<N: Operations>(x: N, value: N) -> N {
    x.if_reaches(x.known(f64::NEG_INFINITY), value, x.known(f64::NAN))
}
