//! What algorithms that the processor follows and kernels are written of have in common.

use super::lanes::Lanes;
use super::real::Real;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Elementary operations, straight on, each rounded once. [`Lanes`] do them, and values of a kernel that is
/// [written](crate::cuda::writer) write them down: what is said in these alone is said once for both, with the same bits.
pub trait Operations:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The nearest number to one that is known before; of `self` nothing counts but the kind.
    fn known(self, value: f64) -> Self;
    /// Whether it is of double precision; of `self` nothing counts but the kind.
    fn is_double(self) -> bool;
    /// `self` · `factor` + `term`, rounded once.
    fn fma(self, factor: Self, term: Self) -> Self;
    /// The square root.
    fn root(self) -> Self;
    /// Without its sign.
    fn size(self) -> Self;
    /// The largest whole number that is not above it.
    fn whole(self) -> Self;
    /// e to its power, by our own function.
    fn exponential(self) -> Self;
    /// Its natural logarithm, by our own function.
    fn logarithm(self) -> Self;
    /// The smaller of the two; the other one of NaN.
    fn smaller(self, other: Self) -> Self;
    /// The larger of the two; the other one of NaN.
    fn larger(self, other: Self) -> Self;
    /// `if_true` where `self` > `limit`, else `if_false`.
    fn if_above(self, limit: Self, if_true: Self, if_false: Self) -> Self;
    /// `if_true` where `self` ≥ `limit`, else `if_false`.
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
