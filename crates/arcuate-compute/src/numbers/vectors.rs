//! Vectors for products on the CPU, in both precisions.

use super::Real;
use pulp::Simd;

/// A precision and its vectors. Products are written once for both; [`pulp`] names each operation differently
/// in each precision, and this trait gives it one name.
pub trait Vectors: Real {
    /// Rows are padded to whole vectors of the widest instruction set: 64 bytes.
    const PADDING: usize = 64 / size_of::<Self>();

    /// A vector of this precision.
    type Vector<S: Simd>: Copy;

    /// Splits values into whole vectors and the rest.
    fn vectors<S: Simd>(values: &[Self]) -> (&[Self::Vector<S>], &[Self]);

    /// Splits values into whole vectors and the rest, mutable.
    fn vectors_mut<S: Simd>(values: &mut [Self]) -> (&mut [Self::Vector<S>], &mut [Self]);

    /// `value` in every lane.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;

    /// a + b.
    fn plus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;

    /// a · b + c, rounded once if the processor can.
    fn multiply_add<S: Simd>(
        simd: S,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
        c: Self::Vector<S>,
    ) -> Self::Vector<S>;

    /// c − a · b, rounded once if the processor can.
    fn minus_product<S: Simd>(
        simd: S,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
        c: Self::Vector<S>,
    ) -> Self::Vector<S>;

    /// The sum of all lanes.
    fn sum_lanes<S: Simd>(simd: S, a: Self::Vector<S>) -> Self;

    /// Loads fewer values than there are lanes into the first lanes; the others are 0.
    fn partial_load<S: Simd>(simd: S, values: &[Self]) -> Self::Vector<S>;

    /// Stores the first lanes to fewer values than there are lanes.
    fn partial_store<S: Simd>(simd: S, out: &mut [Self], a: Self::Vector<S>);

    /// Rotates lane n to n + `lanes`; the last lanes move to the front.
    fn turn<S: Simd>(simd: S, a: Self::Vector<S>, lanes: usize) -> Self::Vector<S>;

    /// The inverse of [`turn`](Self::turn).
    fn turn_back<S: Simd>(simd: S, a: Self::Vector<S>, lanes: usize) -> Self::Vector<S>;

    /// `self` if `begins` is 0, and 0 if it is 1. It uses neither a branch nor arithmetic, so NaN does not
    /// propagate.
    fn unless(self, begins: usize) -> Self;
}

/// Number of lanes of a vector.
#[inline(always)]
pub fn count<S: Simd, T: Vectors>() -> usize {
    size_of::<T::Vector<S>>() / size_of::<T>()
}

/// block[..values.len()] = values. Uses vectors, because a call to copy a few elements would cost more than
/// their arithmetic.
#[allow(clippy::manual_memcpy)]
#[inline(always)]
pub fn load<S: Simd, T: Vectors>(simd: S, block: &mut [T], values: &[T]) {
    let (full, rest) = T::vectors::<S>(values);
    let (block, _) = T::vectors_mut::<S>(block);
    for n in 0..full.len() {
        block[n] = full[n];
    }
    if !rest.is_empty() {
        block[full.len()] = T::partial_load(simd, rest);
    }
}

/// out = block[..out.len()], with vectors like [`load`].
#[allow(clippy::manual_memcpy)]
#[inline(always)]
pub fn store<S: Simd, T: Vectors>(simd: S, out: &mut [T], block: &[T]) {
    let (block, _) = T::vectors::<S>(block);
    let (full, rest) = T::vectors_mut::<S>(out);
    for n in 0..full.len() {
        full[n] = block[n];
    }
    if !rest.is_empty() {
        T::partial_store(simd, rest, block[full.len()]);
    }
}

impl Vectors for f32 {
    type Vector<S: Simd> = S::f32s;

    #[inline(always)]
    fn vectors<S: Simd>(values: &[f32]) -> (&[S::f32s], &[f32]) {
        S::as_simd_f32s(values)
    }

    #[inline(always)]
    fn vectors_mut<S: Simd>(values: &mut [f32]) -> (&mut [S::f32s], &mut [f32]) {
        S::as_mut_simd_f32s(values)
    }

    #[inline(always)]
    fn splat<S: Simd>(simd: S, value: f32) -> S::f32s {
        simd.splat_f32s(value)
    }

    #[inline(always)]
    fn plus<S: Simd>(simd: S, a: S::f32s, b: S::f32s) -> S::f32s {
        simd.add_f32s(a, b)
    }

    #[inline(always)]
    fn multiply_add<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
        simd.mul_add_e_f32s(a, b, c)
    }

    #[inline(always)]
    fn minus_product<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
        simd.negate_mul_add_e_f32s(a, b, c)
    }

    #[inline(always)]
    fn sum_lanes<S: Simd>(simd: S, a: S::f32s) -> f32 {
        simd.reduce_sum_f32s(a)
    }

    #[inline(always)]
    fn partial_load<S: Simd>(simd: S, values: &[f32]) -> S::f32s {
        simd.partial_load_f32s(values)
    }

    #[inline(always)]
    fn partial_store<S: Simd>(simd: S, out: &mut [f32], a: S::f32s) {
        simd.partial_store_f32s(out, a);
    }

    #[inline(always)]
    fn turn<S: Simd>(simd: S, a: S::f32s, lanes: usize) -> S::f32s {
        simd.rotate_right_f32s(a, lanes)
    }

    #[inline(always)]
    fn turn_back<S: Simd>(simd: S, a: S::f32s, lanes: usize) -> S::f32s {
        simd.rotate_left_f32s(a, lanes)
    }

    #[inline(always)]
    fn unless(self, begins: usize) -> f32 {
        // A table lookup, since a condition would become an unpredictable branch.
        const MASKS: [u32; 2] = [u32::MAX, 0];
        f32::from_bits(self.to_bits() & MASKS[begins & 1])
    }
}

impl Vectors for f64 {
    type Vector<S: Simd> = S::f64s;

    #[inline(always)]
    fn vectors<S: Simd>(values: &[f64]) -> (&[S::f64s], &[f64]) {
        S::as_simd_f64s(values)
    }

    #[inline(always)]
    fn vectors_mut<S: Simd>(values: &mut [f64]) -> (&mut [S::f64s], &mut [f64]) {
        S::as_mut_simd_f64s(values)
    }

    #[inline(always)]
    fn splat<S: Simd>(simd: S, value: f64) -> S::f64s {
        simd.splat_f64s(value)
    }

    #[inline(always)]
    fn plus<S: Simd>(simd: S, a: S::f64s, b: S::f64s) -> S::f64s {
        simd.add_f64s(a, b)
    }

    #[inline(always)]
    fn multiply_add<S: Simd>(simd: S, a: S::f64s, b: S::f64s, c: S::f64s) -> S::f64s {
        simd.mul_add_e_f64s(a, b, c)
    }

    #[inline(always)]
    fn minus_product<S: Simd>(simd: S, a: S::f64s, b: S::f64s, c: S::f64s) -> S::f64s {
        simd.negate_mul_add_e_f64s(a, b, c)
    }

    #[inline(always)]
    fn sum_lanes<S: Simd>(simd: S, a: S::f64s) -> f64 {
        simd.reduce_sum_f64s(a)
    }

    #[inline(always)]
    fn partial_load<S: Simd>(simd: S, values: &[f64]) -> S::f64s {
        simd.partial_load_f64s(values)
    }

    #[inline(always)]
    fn partial_store<S: Simd>(simd: S, out: &mut [f64], a: S::f64s) {
        simd.partial_store_f64s(out, a);
    }

    #[inline(always)]
    fn turn<S: Simd>(simd: S, a: S::f64s, lanes: usize) -> S::f64s {
        simd.rotate_right_f64s(a, lanes)
    }

    #[inline(always)]
    fn turn_back<S: Simd>(simd: S, a: S::f64s, lanes: usize) -> S::f64s {
        simd.rotate_left_f64s(a, lanes)
    }

    #[inline(always)]
    fn unless(self, begins: usize) -> f64 {
        const MASKS: [u64; 2] = [u64::MAX, 0];
        f64::from_bits(self.to_bits() & MASKS[begins & 1])
    }
}
