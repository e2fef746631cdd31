//! Vectors of `W` numbers, one for each of `W` streamlines that are tracked in parallel by SIMD instructions.
//!
//! Tracking a streamline is a chain of dependent operations. A processor needs several cycles for each
//! operation, although it could execute dozens of operations at the same time. The chains of `W` streamlines
//! together keep the SIMD units busy. Each lane of a vector rounds as a single number would, so the number of
//! lanes does not change any bit. If W = 1, this is the calculation for a single streamline.
//!
//! All operations are inlined into the functions that call them, so that they use the SIMD instructions for
//! which the caller is compiled.

use arcuate_core::Arithmetic;
use std::array::from_fn;
use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lanes<const W: usize>(pub(crate) [f64; W]);

/// Three coordinates or components of a vector, each in all lanes.
pub(crate) type Vector<const W: usize> = [Lanes<W>; 3];

/// One boolean per lane.
pub(crate) type Flags<const W: usize> = [bool; W];

impl<const W: usize> Lanes<W> {
    #[inline(always)]
    pub(crate) fn all(value: f64) -> Self {
        Self([value; W])
    }
}

impl<const W: usize> Arithmetic for Lanes<W> {
    type Flags = Flags<W>;

    #[inline(always)]
    fn all(self, value: f64) -> Self {
        Self::all(value)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(from_fn(|lane| self.0[lane].sqrt()))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(from_fn(|lane| self.0[lane].abs()))
    }

    /// Returns a product plus a number in each lane, rounded after the product and after the sum. All sets of
    /// SIMD instructions thus give the same bits.
    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        Self(from_fn(|lane| self.0[lane].times_plus(factor.0[lane], term.0[lane])))
    }

    #[inline(always)]
    fn within(self, low: f64, high: f64) -> Self {
        Self(from_fn(|lane| self.0[lane].within(low, high)))
    }

    #[inline(always)]
    fn above(self, other: Self) -> Flags<W> {
        from_fn(|lane| self.0[lane] > other.0[lane])
    }

    #[inline(always)]
    fn reaches(self, other: Self) -> Flags<W> {
        from_fn(|lane| self.0[lane] >= other.0[lane])
    }

    #[inline(always)]
    fn choose(flags: Flags<W>, if_true: Self, if_false: Self) -> Self {
        Self(from_fn(|lane| if flags[lane] { if_true.0[lane] } else { if_false.0[lane] }))
    }
}

macro_rules! lane_by_lane {
    ($trait:ident, $method:ident) => {
        impl<const W: usize> $trait for Lanes<W> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(from_fn(|lane| self.0[lane].$method(other.0[lane])))
            }
        }

        impl<const W: usize> $trait<Lanes<W>> for f64 {
            type Output = Lanes<W>;

            #[inline(always)]
            fn $method(self, other: Lanes<W>) -> Lanes<W> {
                Lanes(from_fn(|lane| self.$method(other.0[lane])))
            }
        }
    };
}
lane_by_lane!(Add, add);
lane_by_lane!(Sub, sub);
lane_by_lane!(Mul, mul);
lane_by_lane!(Div, div);

impl<const W: usize> Neg for Lanes<W> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(from_fn(|lane| -self.0[lane]))
    }
}

#[inline(always)]
pub(crate) fn dot<const W: usize>(a: Vector<W>, b: Vector<W>) -> Lanes<W> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Normalises a vector to unit length. A vector of length 0 gives NaN.
#[inline(always)]
pub(crate) fn unit<const W: usize>(v: Vector<W>) -> Vector<W> {
    let scale = 1.0 / dot(v, v).sqrt();
    v.map(|c| c * scale)
}

/// Copies one vector to all lanes.
#[inline(always)]
pub(crate) fn vector<const W: usize>(v: [f64; 3]) -> Vector<W> {
    v.map(Lanes::all)
}

/// Returns the vector of one lane.
#[inline(always)]
pub(crate) fn lane<const W: usize>(v: &Vector<W>, lane: usize) -> [f64; 3] {
    [v[0].0[lane], v[1].0[lane], v[2].0[lane]]
}

/// Sets the vector of one lane.
#[inline(always)]
pub(crate) fn set_lane<const W: usize>(v: &mut Vector<W>, lane: usize, value: [f64; 3]) {
    for axis in 0..3 {
        v[axis].0[lane] = value[axis];
    }
}

/// Returns the logical AND of two arrays of flags, lane by lane.
#[inline(always)]
pub(crate) fn both<const W: usize>(a: Flags<W>, b: Flags<W>) -> Flags<W> {
    from_fn(|lane| a[lane] & b[lane])
}
