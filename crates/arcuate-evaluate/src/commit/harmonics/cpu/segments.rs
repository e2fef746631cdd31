//! The moments of a voxel's segments (sums of their harmonics), and the adjoint of this operation. Each SIMD
//! lane processes a segment.

use super::super::Segment;
use super::super::arrays::HarmonicArrays;
use super::batch::{Batch, Recurrence, Same};
use super::vectors::{BATCH, LANES, Vector, Vectors, lanes_sum, zeros};
use arcuate_solve::Real;

/// Working memory for the segments of one voxel.
pub(super) struct SegmentMoments<'a, T> {
    m: &'a HarmonicArrays<T>,
    recurrences: &'a [Recurrence<T>],
    rank: usize,
    batch: Batch<T>,
    /// The moments of a voxel, with a separate sum in each SIMD lane. The shape is `harmonics × rank`.
    sums: Vec<Vector<T>>,
    /// The factor of each harmonic and basis function in the adjoint. The shape is `harmonics × rank`.
    factors: Vec<Same<T>>,
    /// The products of a batch with the factors, one for each basis function and segment.
    products: Vec<Vectors<T>>,
}

impl<'a, T: Real> SegmentMoments<'a, T> {
    pub(super) fn new(m: &'a HarmonicArrays<T>, recurrences: &'a [Recurrence<T>]) -> Self {
        let rank = m.basis.intra.rank;
        let count = m.functions.count() * rank;
        Self {
            m,
            recurrences,
            rank,
            batch: Batch::new(rank),
            sums: vec![Vector::all(T::zero()); count],
            factors: vec![Same(T::zero()); count],
            products: vec![zeros(); rank],
        }
    }

    /// Computes the moments of a voxel for the weights `z` of the streamlines' basis functions, and stores them
    /// in a SIMD lane of `moments`. Returns `false` and stores nothing if all moments are 0.
    #[inline(always)]
    pub(super) fn add(&mut self, voxel: usize, z: &[T], moments: &mut [Vector<T>], lane: usize) -> bool {
        let rank = self.rank;
        if rank == 0 {
            return false;
        }
        let mut any = false;
        for segment in self.m.segments.of_voxel(voxel) {
            let weights = &z[segment.streamline as usize * rank..][..rank];
            if !any && weights.iter().any(|weight| !weight.is_zero()) {
                self.sums.fill(Vector::all(T::zero()));
                any = true;
            }
            if self.batch.push(segment, weights) {
                self.batch.add_moments(self.recurrences, rank, &mut self.sums);
            }
        }
        if self.batch.count > 0 {
            self.batch.fill_up(rank);
            self.batch.add_moments(self.recurrences, rank, &mut self.sums);
        }
        if any {
            for (moment, sum) in moments.iter_mut().zip(&self.sums) {
                moment[lane] = lanes_sum(sum);
            }
        }
        any
    }

    /// The adjoint of [`add`](Self::add). Adds the products of a voxel's segments with the factors in a SIMD
    /// lane of `factors` to the sums `z` of the streamlines.
    #[inline(always)]
    pub(super) fn project(&mut self, voxel: usize, factors: &[Vector<T>], lane: usize, z: &mut [T]) {
        let rank = self.rank;
        let segments: &[Segment] = if rank == 0 { &[] } else { self.m.segments.of_voxel(voxel) };
        if segments.is_empty() {
            return;
        }
        for (to, factor) in self.factors.iter_mut().zip(factors) {
            *to = Same(factor[lane]);
        }
        for segments in segments.chunks(BATCH) {
            self.batch.load(segments);
            self.batch.project(self.recurrences, &self.factors, &mut self.products);
            for (place, segment) in segments.iter().enumerate() {
                let (group, lane) = (place / LANES, place % LANES);
                let to = &mut z[segment.streamline as usize * rank..][..rank];
                for (to, products) in to.iter_mut().zip(&self.products) {
                    *to += products[group][lane] * self.batch.length[group][lane];
                }
            }
        }
    }
}
