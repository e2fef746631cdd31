//! Arithmetic operations that all number types have, and the values of GPU kernels written at run time.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Elementary operations without branches, each rounded once. Single numbers ([`Real`](crate::Real)), several numbers
/// ([`Lanes`](crate::Lanes)) and SIMD registers ([`Register`](crate::Register)) perform the operations on the CPU. Values
/// of a kernel that is written at run time write one instruction to the kernel for each operation. Code that
/// uses only these operations is written once for CPUs and GPUs and gives the same bits on both.
pub trait Operations:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Returns a constant, rounded to the nearest number of this type. `self` only provides the type.
    fn known(self, value: f64) -> Self;
    /// Returns whether the number type is double precision. `self` only provides the type.
    fn is_double(self) -> bool;
    /// Computes `self` · `factor` + `term` with one rounding.
    fn fma(self, factor: Self, term: Self) -> Self;
    /// Computes `self` · `factor` + `term`. The product and the sum are both rounded, because not every
    /// processor has a fused multiply-add. Only a [`Register`](crate::Register) fuses them if the processor
    /// can.
    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }
    /// Evaluates the polynomial c₀ + c₁ x + c₂ x² + … at x = `self` with [`times_plus`](Self::times_plus).
    /// Horner's rule is used unless the type has a faster method.
    #[inline(always)]
    fn polynomial<const N: usize>(self, coefficients: [f64; N]) -> Self {
        let mut sum = self.known(coefficients[N - 1]);
        for n in (0..N - 1).rev() {
            sum = sum.times_plus(self, self.known(coefficients[n]));
        }
        sum
    }
    /// Computes the square root of the number.
    fn root(self) -> Self;
    /// Computes the absolute value of the number.
    fn size(self) -> Self;
    /// Rounds the number down to an integer.
    fn whole(self) -> Self;
    /// Computes e to the power of `self` with Arcuate's own function ([`elementary`](crate::elementary)).
    fn exponential(self) -> Self;
    /// Computes the natural logarithm with Arcuate's own function ([`elementary`](crate::elementary)).
    fn logarithm(self) -> Self;
    /// Computes the smaller of two numbers. If one number is NaN, the result is the other number.
    fn smaller(self, other: Self) -> Self;
    /// Computes the larger of two numbers. If one number is NaN, the result is the other number.
    fn larger(self, other: Self) -> Self;
    /// Clamps the number to the range from `low` to `high`. For NaN, the result is either NaN or one of the
    /// limits.
    #[inline(always)]
    fn within(self, low: f64, high: f64) -> Self {
        self.larger(self.known(low)).smaller(self.known(high))
    }
    /// Selects `if_true` if `self` > `limit`, and `if_false` if not.
    fn if_above(self, limit: Self, if_true: Self, if_false: Self) -> Self;
    /// Selects `if_true` if `self` ≥ `limit`, and `if_false` if not.
    fn if_reaches(self, limit: Self, if_true: Self, if_false: Self) -> Self;
}
