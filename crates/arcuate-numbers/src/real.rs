use crate::Operations;
use crate::elementary::{double, single};
use bytemuck::Pod;
use num_traits::{Float, NumAssign};
use pulp::Simd;
use std::fmt::Debug;
use std::iter::Sum;

/// The two precisions of Arcuate's arrays: `f32` and `f64`. Sums that affect decisions always use `f64`.
///
/// Some operations of [`Operations`] also exist in the crate [`num_traits`]. They have other names here,
/// because the functions of this crate are always inlined, so that they are compiled for the vector
/// instructions of the caller.
///
/// The functions with a parameter `simd` are for matrix-vector products with SIMD vectors of the CPU. The
/// crate [`pulp`] has a different name for each vector operation in each precision. This trait has one name
/// for both.
pub trait Real: Operations + Pod + Send + Sync + Float + NumAssign + Sum + Debug + Default {
    /// The name of the number type: `f32` or `f64`. The names of GPU kernels end with it.
    const NAME: &'static str;
    /// Number of terms (without the first term) of the series of (sinh z) / z in powers of z². With this
    /// number of terms, the truncation error for |z| ≤ ½ is below the rounding error.
    const SINE_TERMS: usize;
    /// The rows of matrices are padded to a multiple of this number of values. The values have 64 bytes
    /// together, the size of a vector of the widest instruction set.
    const PADDING: usize = 64 / size_of::<Self>();

    /// A SIMD vector of numbers of this precision.
    type Vector<S: Simd>: Copy;

    /// Converts a double-precision number to the nearest number of this precision.
    fn of(value: f64) -> Self;
    /// Converts the number to double precision.
    fn double(self) -> f64;
    /// Converts an integer to the nearest number.
    fn of_bits(bits: u32) -> Self;
    /// Computes the inverse square root of a positive number. In single precision, [`single::inverse_root`]
    /// is used. In double precision, the square root and its inverse are both rounded.
    fn inverse_root(self) -> Self;
    /// Computes e to the power of `self`, which must not be above 0. In single precision, [`single::decay`]
    /// is used; in double precision, [`exponential`](Operations::exponential).
    fn decay(self) -> Self;
    /// Computes the sine and cosine of 2π times `self` with Arcuate's own functions
    /// ([`elementary`](crate::elementary)).
    fn sin_cos_turns(self) -> (Self, Self);
    /// Returns `self` if `begins` is 0, and 0 if `begins` is 1. The function uses neither a branch nor
    /// arithmetic, so NaN does not propagate.
    fn unless(self, begins: usize) -> Self;

    /// Splits a slice into whole SIMD vectors and the remaining values.
    fn vectors<S: Simd>(values: &[Self]) -> (&[Self::Vector<S>], &[Self]);
    /// Splits a mutable slice into whole SIMD vectors and the remaining values.
    fn vectors_mut<S: Simd>(values: &mut [Self]) -> (&mut [Self::Vector<S>], &mut [Self]);
    /// Creates a vector that has `value` in every lane.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;
    /// Computes a + b in each lane.
    fn plus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// Computes a · b + c in each lane, with one rounding if the processor has a fused multiply-add.
    fn multiply_add<S: Simd>(
        simd: S,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
        c: Self::Vector<S>,
    ) -> Self::Vector<S>;
    /// Computes c − a · b in each lane, with one rounding if the processor has a fused multiply-add.
    fn minus_product<S: Simd>(
        simd: S,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
        c: Self::Vector<S>,
    ) -> Self::Vector<S>;
    /// Computes the sum of all lanes of a vector.
    fn sum_lanes<S: Simd>(simd: S, a: Self::Vector<S>) -> Self;
    /// Loads values to the first lanes of a vector, if there are fewer values than lanes. The other lanes are
    /// 0.
    fn partial_load<S: Simd>(simd: S, values: &[Self]) -> Self::Vector<S>;
    /// Stores the first lanes of a vector, if there are fewer values than lanes.
    fn partial_store<S: Simd>(simd: S, out: &mut [Self], a: Self::Vector<S>);
    /// Rotates a vector: lane n moves to lane n + `lanes`, and the last lanes move to the front.
    fn turn<S: Simd>(simd: S, a: Self::Vector<S>, lanes: usize) -> Self::Vector<S>;
    /// Rotates a vector in the opposite direction to [`turn`](Self::turn).
    fn turn_back<S: Simd>(simd: S, a: Self::Vector<S>, lanes: usize) -> Self::Vector<S>;
}

/// Implements both traits for a precision. The first arguments are the module of its elementary functions,
/// the integer of the same size, and its number of terms. The functions for the inverse square root and for
/// decays follow. The last arguments are pulp's names of its vectors and operations.
macro_rules! precision {
    (
        $number:ident, $functions:ident, $bits:ident, $terms:literal, $inverse_root:expr, $decay:expr,
        $vectors:ident, $split:ident, $split_mut:ident, $splat:ident, $add:ident, $multiply_add:ident,
        $minus_product:ident, $sum:ident, $load:ident, $store:ident, $turn:ident, $turn_back:ident
    ) => {
        impl Operations for $number {
            #[inline(always)]
            fn known(self, value: f64) -> Self {
                value as Self
            }

            #[inline(always)]
            fn is_double(self) -> bool {
                size_of::<Self>() == 8
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
            fn size(self) -> Self {
                self.abs()
            }

            #[inline(always)]
            fn whole(self) -> Self {
                self.floor()
            }

            #[inline(always)]
            fn exponential(self) -> Self {
                $functions::exp(self)
            }

            #[inline(always)]
            fn logarithm(self) -> Self {
                $functions::ln(self)
            }

            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                if self < other { self } else { other }
            }

            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                if self > other { self } else { other }
            }

            #[inline(always)]
            fn if_above(self, limit: Self, if_true: Self, if_false: Self) -> Self {
                if self > limit { if_true } else { if_false }
            }

            #[inline(always)]
            fn if_reaches(self, limit: Self, if_true: Self, if_false: Self) -> Self {
                if self >= limit { if_true } else { if_false }
            }
        }

        impl Real for $number {
            const NAME: &'static str = stringify!($number);
            const SINE_TERMS: usize = $terms;

            type Vector<S: Simd> = S::$vectors;

            #[inline(always)]
            fn of(value: f64) -> Self {
                value as Self
            }

            #[inline(always)]
            fn double(self) -> f64 {
                self.into()
            }

            #[inline(always)]
            fn of_bits(bits: u32) -> Self {
                bits as Self
            }

            #[inline(always)]
            fn inverse_root(self) -> Self {
                $inverse_root(self)
            }

            #[inline(always)]
            fn decay(self) -> Self {
                $decay(self)
            }

            #[inline(always)]
            fn sin_cos_turns(self) -> (Self, Self) {
                $functions::sin_cos_turns(self)
            }

            #[inline(always)]
            fn unless(self, begins: usize) -> Self {
                // The bit mask (all bits 0 or 1) is taken from a table, since a condition would become a
                // branch that the processor cannot predict.
                const MASKS: [$bits; 2] = [$bits::MAX, 0];
                Self::from_bits(self.to_bits() & MASKS[begins & 1])
            }

            #[inline(always)]
            fn vectors<S: Simd>(values: &[Self]) -> (&[S::$vectors], &[Self]) {
                S::$split(values)
            }

            #[inline(always)]
            fn vectors_mut<S: Simd>(values: &mut [Self]) -> (&mut [S::$vectors], &mut [Self]) {
                S::$split_mut(values)
            }

            #[inline(always)]
            fn splat<S: Simd>(simd: S, value: Self) -> S::$vectors {
                simd.$splat(value)
            }

            #[inline(always)]
            fn plus<S: Simd>(simd: S, a: S::$vectors, b: S::$vectors) -> S::$vectors {
                simd.$add(a, b)
            }

            #[inline(always)]
            fn multiply_add<S: Simd>(simd: S, a: S::$vectors, b: S::$vectors, c: S::$vectors) -> S::$vectors {
                simd.$multiply_add(a, b, c)
            }

            #[inline(always)]
            fn minus_product<S: Simd>(
                simd: S,
                a: S::$vectors,
                b: S::$vectors,
                c: S::$vectors,
            ) -> S::$vectors {
                simd.$minus_product(a, b, c)
            }

            #[inline(always)]
            fn sum_lanes<S: Simd>(simd: S, a: S::$vectors) -> Self {
                simd.$sum(a)
            }

            #[inline(always)]
            fn partial_load<S: Simd>(simd: S, values: &[Self]) -> S::$vectors {
                simd.$load(values)
            }

            #[inline(always)]
            fn partial_store<S: Simd>(simd: S, out: &mut [Self], a: S::$vectors) {
                simd.$store(out, a);
            }

            #[inline(always)]
            fn turn<S: Simd>(simd: S, a: S::$vectors, lanes: usize) -> S::$vectors {
                simd.$turn(a, lanes)
            }

            #[inline(always)]
            fn turn_back<S: Simd>(simd: S, a: S::$vectors, lanes: usize) -> S::$vectors {
                simd.$turn_back(a, lanes)
            }
        }
    };
}

precision!(
    f32,
    single,
    u32,
    4,
    single::inverse_root,
    single::decay,
    f32s,
    as_simd_f32s,
    as_mut_simd_f32s,
    splat_f32s,
    add_f32s,
    mul_add_e_f32s,
    negate_mul_add_e_f32s,
    reduce_sum_f32s,
    partial_load_f32s,
    partial_store_f32s,
    rotate_right_f32s,
    rotate_left_f32s
);
precision!(
    f64,
    double,
    u64,
    7,
    inverse_of_root,
    double::exp,
    f64s,
    as_simd_f64s,
    as_mut_simd_f64s,
    splat_f64s,
    add_f64s,
    mul_add_e_f64s,
    negate_mul_add_e_f64s,
    reduce_sum_f64s,
    partial_load_f64s,
    partial_store_f64s,
    rotate_right_f64s,
    rotate_left_f64s
);

#[inline(always)]
fn inverse_of_root(x: f64) -> f64 {
    1.0 / x.sqrt()
}
