use crate::{Operations, Real};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// One number for each of `W` items (for example voxels), which are processed together.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
pub struct Lanes<T, const W: usize>(
    /// The numbers, in the order of the items.
    pub [T; W],
);

/// Three coordinates or components for each of `W` items.
pub type Vector<T, const W: usize> = [Lanes<T, W>; 3];

/// The six elements xx yy zz xy xz yz of a symmetric matrix for each of `W` items.
pub type Symmetric<T, const W: usize> = [Lanes<T, W>; 6];

impl<T: Real, const W: usize> Lanes<T, W> {
    /// Creates lanes that all have the same value.
    #[inline(always)]
    pub fn all(value: f64) -> Self {
        Self([T::of(value); W])
    }

    /// Computes the inverse square root of each lane, which must be positive.
    #[inline(always)]
    pub fn inverse_root(self) -> Self {
        let mut result = self;
        for n in 0..W {
            result.0[n] = self.0[n].inverse_root();
        }
        result
    }

    /// Computes e to the power of each lane, which must not be above 0.
    #[inline(always)]
    pub fn decay(self) -> Self {
        let mut result = self;
        for n in 0..W {
            result.0[n] = self.0[n].decay();
        }
        result
    }

    /// Computes the sine and cosine of 2π times each lane.
    #[inline(always)]
    pub fn sin_cos_turns(self) -> (Self, Self) {
        let (mut sines, mut cosines) = (self, self);
        for n in 0..W {
            (sines.0[n], cosines.0[n]) = self.0[n].sin_cos_turns();
        }
        (sines, cosines)
    }

    /// Compares each lane: true if `self` > `other`, and false for NaN.
    #[inline(always)]
    pub fn above(self, other: Self) -> [bool; W] {
        let mut flags = [false; W];
        for n in 0..W {
            flags[n] = self.0[n] > other.0[n];
        }
        flags
    }

    /// Compares each lane: true if `self` ≥ `other`, and false for NaN.
    #[inline(always)]
    pub fn reaches(self, other: Self) -> [bool; W] {
        let mut flags = [false; W];
        for n in 0..W {
            flags[n] = self.0[n] >= other.0[n];
        }
        flags
    }
}

macro_rules! lane_by_lane {
    ($trait:ident, $method:ident) => {
        impl<T: Real, const W: usize> $trait for Lanes<T, W> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let mut result = self;
                for n in 0..W {
                    result.0[n] = self.0[n].$method(other.0[n]);
                }
                result
            }
        }

        impl<const W: usize> $trait<Lanes<f64, W>> for f64 {
            type Output = Lanes<f64, W>;

            #[inline(always)]
            fn $method(self, other: Lanes<f64, W>) -> Lanes<f64, W> {
                Lanes([self; W]).$method(other)
            }
        }
    };
}
lane_by_lane!(Add, add);
lane_by_lane!(Sub, sub);
lane_by_lane!(Mul, mul);
lane_by_lane!(Div, div);

impl<T: Real, const W: usize> Neg for Lanes<T, W> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        let mut result = self;
        for n in 0..W {
            result.0[n] = -self.0[n];
        }
        result
    }
}

macro_rules! each_lane {
    ($($method:ident($($other:ident),*);)*) => {$(
        #[inline(always)]
        fn $method(self, $($other: Self),*) -> Self {
            let mut result = self;
            for n in 0..W {
                result.0[n] = self.0[n].$method($($other.0[n]),*);
            }
            result
        }
    )*};
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

    each_lane! {
        fma(factor, term);
        root();
        size();
        whole();
        exponential();
        logarithm();
        smaller(other);
        larger(other);
        if_above(limit, if_true, if_false);
        if_reaches(limit, if_true, if_false);
    }
}
