use crate::cuda::Precision;
use crate::elementary::{double, single};
use num_traits::{Float, NumAssign};
use std::fmt::Debug;
use std::iter::Sum;

/// The two precisions of Arcuate's arrays: `f32` and `f64`. Sums that affect decisions always use `f64`.
///
/// Operations of vector loops have their own names here, in addition to [`num_traits`]' names, because these
/// are always inlined and compiled for the caller's vector instructions.
pub trait Real: Precision + Float + NumAssign + Sum + Debug + Default + 'static {
    /// Number of Newton steps that give the cosine of a third of an angle to rounding accuracy.
    const NEWTON_STEPS: usize;
    /// Number of terms of (sinh z) / z in z², after the first, that give rounding accuracy for |z| ≤ ½.
    const SINE_TERMS: usize;

    /// Rounds to the nearest number.
    fn of(value: f64) -> Self;
    /// Converts to double precision.
    fn double(self) -> f64;
    /// `self` · `factor` + `term`, rounded once.
    fn fma(self, factor: Self, term: Self) -> Self;
    /// The square root.
    fn root(self) -> Self;
    /// The inverse square root of a positive number: by [`single::inverse_root`], in double precision rounded
    /// twice.
    fn inverse_root(self) -> Self;
    /// The absolute value.
    fn size(self) -> Self;
    /// Rounds down to an integer.
    fn whole(self) -> Self;
    /// e to the power of `self`, by our own function.
    fn exponential(self) -> Self;
    /// e to the power of `self`, which must not be above 0: by [`single::decay`], in double precision by
    /// [`exponential`](Self::exponential).
    fn decay(self) -> Self;
    /// The natural logarithm, by our own function.
    fn logarithm(self) -> Self;
    /// Sine and cosine of 2π times `self`, by our own functions.
    fn sin_cos_turns(self) -> (Self, Self);
    /// The nearest number to an integer.
    fn of_bits(bits: u32) -> Self;
    /// The minimum; if one is NaN, the other one.
    fn smaller(self, other: Self) -> Self;
    /// The maximum; if one is NaN, the other one.
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
