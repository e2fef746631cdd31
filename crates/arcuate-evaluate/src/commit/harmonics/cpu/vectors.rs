//! SIMD vectors with one number for each lane, and the sum over the lanes of a vector.

use arcuate_solve::Real;
use pulp::Simd;
use std::ops::{Index, IndexMut};

/// Number of lanes per SIMD vector. In single precision, a vector fills one register of AVX-512 or two
/// registers of AVX2.
pub(super) const LANES: usize = 16;

/// Number of SIMD vectors per batch of segments. The sums in memory are read and written once for all vectors
/// of a batch.
pub(super) const GROUPS: usize = 2;

/// Number of segments per batch.
pub(super) const BATCH: usize = GROUPS * LANES;

/// One number for each of 16 segments. The memory of this SIMD vector is aligned to a cache line, so that no
/// load crosses a line. The alignment saves a tenth of the time of a product A x.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Vector<T>([T; LANES]);

impl<T: Copy> Vector<T> {
    /// Creates a SIMD vector whose lanes all have the same number.
    #[inline(always)]
    pub(super) fn all(value: T) -> Self {
        Self([value; LANES])
    }
}

impl<T: Real> Vector<T> {
    /// Returns the SIMD registers of the CPU that the vector fills.
    #[inline(always)]
    pub(super) fn registers<S: Simd>(&self) -> &[T::Vector<S>] {
        T::vectors::<S>(&self.0).0
    }

    /// Returns the SIMD registers of the CPU that the vector fills.
    #[inline(always)]
    pub(super) fn registers_mut<S: Simd>(&mut self) -> &mut [T::Vector<S>] {
        T::vectors_mut::<S>(&mut self.0).0
    }
}

impl<T> Index<usize> for Vector<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, lane: usize) -> &T {
        &self.0[lane]
    }
}

impl<T> IndexMut<usize> for Vector<T> {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut T {
        &mut self.0[lane]
    }
}

/// One number for each segment of a batch.
pub(super) type Vectors<T> = [Vector<T>; GROUPS];

pub(super) fn zeros<T: Real>() -> Vectors<T> {
    [Vector::all(T::zero()); GROUPS]
}

/// Runs an action for each lane of each SIMD vector of a batch. It is a macro, because a closure that is not
/// inlined is compiled for the baseline CPU.
macro_rules! each {
    (|$group:ident, $lane:ident| $action:expr) => {
        for $group in 0..GROUPS {
            for $lane in 0..LANES {
                $action;
            }
        }
    };
}
pub(super) use each;

/// Returns the sum of the lanes of a SIMD vector. It adds the upper half of the lanes to the lower half until
/// one number is left.
#[inline(always)]
pub(super) fn lanes_sum<T: Real>(values: &Vector<T>) -> T {
    let mut sum = *values;
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            let other = sum[lane + width];
            sum[lane] += other;
        }
        width /= 2;
    }
    sum[0]
}
