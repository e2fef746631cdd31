//! Copies of short slices with SIMD vectors of the CPU, in single and double precision.

use crate::Real;
use pulp::Simd;

/// Number of lanes of a SIMD vector.
#[inline(always)]
pub fn count<S: Simd, T: Real>() -> usize {
    size_of::<T::Vector<S>>() / size_of::<T>()
}

/// Copies `values` to the beginning of `block`. The copy uses SIMD vectors, because a function call that
/// copies a few elements would take longer than the arithmetic with these elements.
#[allow(clippy::manual_memcpy)]
#[inline(always)]
pub fn load<S: Simd, T: Real>(simd: S, block: &mut [T], values: &[T]) {
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
pub fn store<S: Simd, T: Real>(simd: S, out: &mut [T], block: &[T]) {
    let (block, _) = T::vectors::<S>(block);
    let (full, rest) = T::vectors_mut::<S>(out);
    for n in 0..full.len() {
        full[n] = block[n];
    }
    if !rest.is_empty() {
        T::partial_store(simd, rest, block[full.len()]);
    }
}
