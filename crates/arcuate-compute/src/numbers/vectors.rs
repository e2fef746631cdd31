//! SIMD vectors of the CPU for matrix-vector products, in single and double precision.

use super::Real;
use pulp::Simd;

/// A number type (single or double precision) and its SIMD vectors. The crate [`pulp`] has a different name
/// for each vector operation in each precision. This trait has one name for both, so that code for products
/// is written only once.
pub trait Vectors: Real {
    /// The rows of matrices are padded to a multiple of this number of values. The values have 64 bytes
    /// together, the size of a vector of the widest instruction set.
    const PADDING: usize = 64 / size_of::<Self>();

    /// A SIMD vector of numbers of this precision.
    type Vector<S: Simd>: Copy;

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

    /// Returns `self` if `begins` is 0, and 0 if `begins` is 1. The function uses neither a branch nor
    /// arithmetic, so NaN does not propagate.
    fn unless(self, begins: usize) -> Self;
}

/// Number of lanes of a SIMD vector.
#[inline(always)]
pub fn count<S: Simd, T: Vectors>() -> usize {
    size_of::<T::Vector<S>>() / size_of::<T>()
}

/// Copies `values` to the beginning of `block`. The copy uses SIMD vectors, because a function call that
/// copies a few elements would take longer than the arithmetic with these elements.
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

/// Copies the first values of `block` to `out` with SIMD vectors, like [`load`].
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
        // The bit mask (all bits 0 or 1) is taken from a table, since a condition would become a branch that
        // the processor cannot predict.
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
