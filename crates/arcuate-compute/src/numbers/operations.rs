//! Arithmetic operations that exist both in CPU code and in GPU kernels written at run time.

use super::lanes::Lanes;
use super::real::Real;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Elementary operations without branches, each rounded once. [`Lanes`] perform the operations on the CPU.
/// Values of a kernel that is [written](crate::cuda::writer) at run time write one instruction to the kernel
/// for each operation. Code that uses only these operations is written once for CPUs and GPUs and gives the
/// same bits on both.
pub trait Operations:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Returns a constant, rounded to the nearest number of this type. `self` only provides the type.
    fn known(self, value: f64) -> Self;
    /// Returns whether the number type is double precision. `self` only provides the type.
    fn is_double(self) -> bool;
    /// Computes `self` · `factor` + `term` with one rounding.
    fn fma(self, factor: Self, term: Self) -> Self;
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
    /// Selects `if_true` if `self` > `limit`, and `if_false` if not.
    fn if_above(self, limit: Self, if_true: Self, if_false: Self) -> Self;
    /// Selects `if_true` if `self` ≥ `limit`, and `if_false` if not.
    fn if_reaches(self, limit: Self, if_true: Self, if_false: Self) -> Self;
}

impl<T: Real, const W: usize> Operations for Lanes<T, W> {
    #[inline(always)]
    fn known(self, value: f64) -> Self {
        Lanes::all(value)
    }

    #[inline(always)]
    fn is_double(self) -> bool {
        size_of::<T>() == 8
    }

    #[inline(always)]
    fn fma(self, factor: Self, term: Self) -> Self {
        Lanes::fma(self, factor, term)
    }

    #[inline(always)]
    fn root(self) -> Self {
        Lanes::root(self)
    }

    #[inline(always)]
    fn size(self) -> Self {
        Lanes::size(self)
    }

    #[inline(always)]
    fn whole(self) -> Self {
        Lanes::whole(self)
    }

    #[inline(always)]
    fn exponential(self) -> Self {
        Lanes::exponential(self)
    }

    #[inline(always)]
    fn logarithm(self) -> Self {
        Lanes::logarithm(self)
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        Lanes::smaller(self, other)
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        Lanes::larger(self, other)
    }

    #[inline(always)]
    fn if_above(self, limit: Self, if_true: Self, if_false: Self) -> Self {
        Lanes::if_above(self, limit, if_true, if_false)
    }

    #[inline(always)]
    fn if_reaches(self, limit: Self, if_true: Self, if_false: Self) -> Self {
        Lanes::if_reaches(self, limit, if_true, if_false)
    }
}

/// Computes two unit vectors that complete a unit vector to an orthonormal frame (Duff et al. 2017, "Building
/// an orthonormal basis, revisited").
#[inline(always)]
pub fn across<N: Operations>([x, y, z]: [N; 3]) -> ([N; 3], [N; 3]) {
    let one = x.known(1.0);
    let sign = z.if_reaches(x.known(0.0), one, -one);
    let a = -(one / (sign + z));
    let b = x * y * a;
    let signed = sign * x;
    ([(signed * x).fma(a, one), sign * b, -signed], [b, (y * y).fma(a, sign), -y])
}
