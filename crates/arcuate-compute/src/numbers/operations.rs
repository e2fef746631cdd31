//! Operations common to CPU code and to kernels written at run time.

use super::lanes::Lanes;
use super::real::Real;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Elementary operations without branches, each rounded once. [`Lanes`] compute them, and values of a kernel
/// [written](crate::cuda::writer) at run time emit instructions for them. Code that uses only these is
/// written once for both, with the same bits.
pub trait Operations:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// A constant, rounded to the nearest number. `self` only provides the type.
    fn known(self, value: f64) -> Self;
    /// Returns whether the type is double precision. `self` only provides the type.
    fn is_double(self) -> bool;
    /// `self` · `factor` + `term`, rounded once.
    fn fma(self, factor: Self, term: Self) -> Self;
    /// The square root.
    fn root(self) -> Self;
    /// The absolute value.
    fn size(self) -> Self;
    /// Rounds down to an integer.
    fn whole(self) -> Self;
    /// e to the power of `self`, by our own function.
    fn exponential(self) -> Self;
    /// The natural logarithm, by our own function.
    fn logarithm(self) -> Self;
    /// The minimum; if one is NaN, the other one.
    fn smaller(self, other: Self) -> Self;
    /// The maximum; if one is NaN, the other one.
    fn larger(self, other: Self) -> Self;
    /// `if_true` if `self` > `limit`, otherwise `if_false`.
    fn if_above(self, limit: Self, if_true: Self, if_false: Self) -> Self;
    /// `if_true` if `self` ≥ `limit`, otherwise `if_false`.
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

/// Two unit vectors that complete a unit vector to an orthonormal frame (Duff et al. 2017, "Building an orthonormal basis,
/// revisited").
#[inline(always)]
pub fn across<N: Operations>([x, y, z]: [N; 3]) -> ([N; 3], [N; 3]) {
    let one = x.known(1.0);
    let sign = z.if_reaches(x.known(0.0), one, -one);
    let a = -(one / (sign + z));
    let b = x * y * a;
    let signed = sign * x;
    ([(signed * x).fma(a, one), sign * b, -signed], [b, (y * y).fma(a, sign), -y])
}
