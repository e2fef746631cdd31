use super::{Operations, Real};
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

    /// Computes `self` · `factor` + `term` in each lane, with one rounding.
    #[inline(always)]
    pub fn fma(self, factor: Self, term: Self) -> Self {
        let mut result = term;
        for n in 0..W {
            result.0[n] = self.0[n].fma(factor.0[n], term.0[n]);
        }
        result
    }

    /// Computes the square root of each lane.
    #[inline(always)]
    pub fn root(self) -> Self {
        let mut result = self;
        for n in 0..W {
            result.0[n] = self.0[n].root();
        }
        result
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

    /// Computes the absolute value of each lane.
    #[inline(always)]
    pub fn size(self) -> Self {
        let mut result = self;
        for n in 0..W {
            result.0[n] = self.0[n].size();
        }
        result
    }

    /// Rounds each lane down to an integer.
    #[inline(always)]
    pub fn whole(self) -> Self {
        let mut result = self;
        for n in 0..W {
            result.0[n] = self.0[n].whole();
        }
        result
    }

    /// Computes e to the power of each lane with Arcuate's own function ([`elementary`](crate::elementary)).
    #[inline(always)]
    pub fn exponential(self) -> Self {
        let mut result = self;
        for n in 0..W {
            result.0[n] = self.0[n].exponential();
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

    /// Computes the natural logarithm of each lane with Arcuate's own function
    /// ([`elementary`](crate::elementary)).
    #[inline(always)]
    pub fn logarithm(self) -> Self {
        let mut result = self;
        for n in 0..W {
            result.0[n] = self.0[n].logarithm();
        }
        result
    }

    /// Computes the smaller of two numbers in each lane. If one number is NaN, the result is the other
    /// number.
    #[inline(always)]
    pub fn smaller(self, other: Self) -> Self {
        let mut result = self;
        for n in 0..W {
            result.0[n] = self.0[n].smaller(other.0[n]);
        }
        result
    }

    /// Computes the larger of two numbers in each lane. If one number is NaN, the result is the other number.
    #[inline(always)]
    pub fn larger(self, other: Self) -> Self {
        let mut result = self;
        for n in 0..W {
            result.0[n] = self.0[n].larger(other.0[n]);
        }
        result
    }

    /// Selects a number for each lane: `if_true` if `self` > `limit`, and `if_false` if not. The result is
    /// also `if_false` if `self` or `limit` is NaN.
    #[inline(always)]
    pub fn if_above(self, limit: Self, if_true: Self, if_false: Self) -> Self {
        let mut result = if_false;
        for n in 0..W {
            result.0[n] = if self.0[n] > limit.0[n] { if_true.0[n] } else { if_false.0[n] };
        }
        result
    }

    /// Selects a number for each lane like [`if_above`](Self::if_above), but with `self` ≥ `limit`.
    #[inline(always)]
    pub fn if_reaches(self, limit: Self, if_true: Self, if_false: Self) -> Self {
        let mut result = if_false;
        for n in 0..W {
            result.0[n] = if self.0[n] >= limit.0[n] { if_true.0[n] } else { if_false.0[n] };
        }
        result
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

/// Computes the scalar product a · b, summed from the first component onwards.
#[inline(always)]
pub fn dot<N: Operations>(a: [N; 3], b: [N; 3]) -> N {
    a[2].fma(b[2], a[1].fma(b[1], a[0] * b[0]))
}

/// Computes the product S v of a symmetric matrix and a vector.
#[inline(always)]
pub fn times<N: Operations>(s: &[N; 6], v: [N; 3]) -> [N; 3] {
    [dot([s[0], s[3], s[4]], v), dot([s[3], s[1], s[5]], v), dot([s[4], s[5], s[2]], v)]
}

/// Computes v_x², v_y², v_z², 2 v_x v_y, 2 v_x v_z and 2 v_y v_z. For a symmetric matrix S, these are the
/// weights of the six elements of S in vᵀ S v.
#[inline(always)]
pub fn products<T: Real, const W: usize>(v: Vector<T, W>) -> Symmetric<T, W> {
    let (x2, y2) = (v[0] + v[0], v[1] + v[1]);
    [v[0] * v[0], v[1] * v[1], v[2] * v[2], x2 * v[1], x2 * v[2], y2 * v[2]]
}

/// Computes the sum of the elements of a symmetric matrix, each multiplied by its weight.
#[inline(always)]
pub fn weighted<T: Real, const W: usize>(w: &Symmetric<T, W>, s: &Symmetric<T, W>) -> Lanes<T, W> {
    let diagonal = w[2].fma(s[2], w[1].fma(s[1], w[0] * s[0]));
    w[5].fma(s[5], w[4].fma(s[4], w[3].fma(s[3], diagonal)))
}

/// Computes the adjugate of the symmetric matrix S, and the determinant of S.
#[inline(always)]
pub fn adjugate<N: Operations>(s: &[N; 6]) -> ([N; 6], N) {
    let [xx, yy, zz, xy, xz, yz] = *s;
    let a = [
        yy.fma(zz, -(yz * yz)),
        xx.fma(zz, -(xz * xz)),
        xx.fma(yy, -(xy * xy)),
        xz.fma(yz, -(xy * zz)),
        xy.fma(yz, -(xz * yy)),
        xy.fma(xz, -(yz * xx)),
    ];
    let determinant = xz.fma(a[4], xy.fma(a[3], xx * a[0]));
    (a, determinant)
}

/// Computes the product M v. The matrix M is the same for all lanes, and each lane has its own vector v.
#[inline(always)]
pub fn transformed<T: Real, const W: usize>(m: &[[T; 3]; 3], v: Vector<T, W>) -> Vector<T, W> {
    let mut result = v;
    for r in 0..3 {
        result[r] = dot([Lanes([m[r][0]; W]), Lanes([m[r][1]; W]), Lanes([m[r][2]; W])], v);
    }
    result
}
