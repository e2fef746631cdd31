use crate::cuda::Precision;
use crate::elementary::{double, single};
use num_traits::{Float, NumAssign};
use std::fmt::Debug;
use std::iter::Sum;

/// The two precisions of Arcuate's arrays: `f32` and `f64`. Sums that affect decisions always use `f64`.
///
/// Some operations of this trait also exist in the crate [`num_traits`]. They have other names here, because
/// the functions of this trait are always inlined, so that they are compiled for the vector instructions of
/// the caller.
pub trait Real: Precision + Float + NumAssign + Sum + Debug + Default + 'static {
    /// Number of Newton steps after which cos(acos(t) / 3), which is needed for eigenvalues, has no error
    /// except for rounding.
    const NEWTON_STEPS: usize;
    /// Number of terms (without the first term) of the series of (sinh z) / z in powers of z². With this
    /// number of terms, the truncation error for |z| ≤ ½ is below the rounding error.
    const SINE_TERMS: usize;

    /// Converts a double-precision number to the nearest number of this precision.
    fn of(value: f64) -> Self;
    /// Converts the number to double precision.
    fn double(self) -> f64;
    /// Computes `self` · `factor` + `term` with one rounding.
    fn fma(self, factor: Self, term: Self) -> Self;
    /// Computes the square root of the number.
    fn root(self) -> Self;
    /// Computes the inverse square root of a positive number. In single precision, [`single::inverse_root`]
    /// is used. In double precision, the square root and its inverse are both rounded.
    fn inverse_root(self) -> Self;
    /// Computes the absolute value of the number.
    fn size(self) -> Self;
    /// Rounds the number down to an integer.
    fn whole(self) -> Self;
    /// Computes e to the power of `self` with Arcuate's own function ([`elementary`](crate::elementary)).
    fn exponential(self) -> Self;
    /// Computes e to the power of `self`, which must not be above 0. In single precision, [`single::decay`]
    /// is used; in double precision, [`exponential`](Self::exponential).
    fn decay(self) -> Self;
    /// Computes the natural logarithm with Arcuate's own function ([`elementary`](crate::elementary)).
    fn logarithm(self) -> Self;
    /// Computes the sine and cosine of 2π times `self` with Arcuate's own functions
    /// ([`elementary`](crate::elementary)).
    fn sin_cos_turns(self) -> (Self, Self);
    /// Converts an integer to the nearest number.
    fn of_bits(bits: u32) -> Self;
    /// Computes the smaller of two numbers. If one number is NaN, the result is the other number.
    fn smaller(self, other: Self) -> Self;
    /// Computes the larger of two numbers. If one number is NaN, the result is the other number.
    fn larger(self, other: Self) -> Self;
}

impl Real for f32 {
    const NEWTON_STEPS: usize = 2;
    const SINE_TERMS: usize = 4;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }

    #[inline(always)]
    fn double(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn fma(self, factor: Self, term: Self) -> Self {
        self.mul_add(factor, term)
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn inverse_root(self) -> Self {
        single::inverse_root(self)
    }

    #[inline(always)]
    fn size(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn whole(self) -> Self {
        self.floor()
    }

    #[inline(always)]
    fn exponential(self) -> Self {
        single::exp(self)
    }

    #[inline(always)]
    fn decay(self) -> Self {
        single::decay(self)
    }

    #[inline(always)]
    fn sin_cos_turns(self) -> (Self, Self) {
        single::sin_cos_turns(self)
    }

    #[inline(always)]
    fn of_bits(bits: u32) -> Self {
        bits as f32
    }

    #[inline(always)]
    fn logarithm(self) -> Self {
        single::ln(self)
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
}

impl Real for f64 {
    const NEWTON_STEPS: usize = 3;
    const SINE_TERMS: usize = 7;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn double(self) -> f64 {
        self
    }

    #[inline(always)]
    fn fma(self, factor: Self, term: Self) -> Self {
        self.mul_add(factor, term)
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn inverse_root(self) -> Self {
        1.0 / self.sqrt()
    }

    #[inline(always)]
    fn size(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn whole(self) -> Self {
        self.floor()
    }

    #[inline(always)]
    fn exponential(self) -> Self {
        double::exp(self)
    }

    #[inline(always)]
    fn decay(self) -> Self {
        double::exp(self)
    }

    #[inline(always)]
    fn sin_cos_turns(self) -> (Self, Self) {
        double::sin_cos_turns(self)
    }

    #[inline(always)]
    fn of_bits(bits: u32) -> Self {
        f64::from(bits)
    }

    #[inline(always)]
    fn logarithm(self) -> Self {
        double::ln(self)
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
}
