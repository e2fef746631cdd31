//! Elimination of local unknowns. The axes and the isotropic compartments of a voxel affect only the data of
//! this voxel. For given amounts of streamlines, their best amounts are the solutions of small problems of
//! non-negative least squares, one for each voxel.

use super::super::arrays::HarmonicArrays;
use super::batch::{Recurrence, recurrences};
use super::block::{Block, LocalUnknowns};
use super::reduced::{expand, reduce};
use super::streamline_sums::sums_of_streamlines;
use super::vectors::{LANES, Vector};
use arcuate_solve::{LocalUnknowns as Eliminated, Real, SmallNonNegative};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// COMMIT's operator with the matrices ⟨Aᵢ, Aⱼ⟩ of the columns of each voxel's local unknowns.
pub(super) struct Elimination<'a, T> {
    m: &'a HarmonicArrays<T>,
    recurrences: Vec<Recurrence<T>>,
    /// For each range of voxels, the matrices of its voxels. A matrix is stored row by row, and has the order
    /// of local unknowns in [`Block`].
    matrices: Vec<Vec<T>>,
}

impl<'a, T: Real> Elimination<'a, T> {
    /// Computes the matrices. Returns `None` if there are no local unknowns, or if a voxel has more than
    /// [`SmallNonNegative::MOST`].
    pub(super) fn new(m: &'a HarmonicArrays<T>) -> Option<Self> {
        let axes = m.axis_starts.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
        let most = axes * m.layout.extra + m.layout.isotropic;
        if most == 0 || most > SmallNonNegative::MOST {
            return None;
        }
        let recurrences = recurrences(m);
        let arch = arcuate_numbers::Arch::new();
        let matrices = m
            .pieces
            .par_iter()
            .map(|piece| arch.dispatch(Matrices { m, recurrences: &recurrences, voxels: piece.clone() }))
            .collect();
        Some(Self { m, recurrences, matrices })
    }
}

impl<T: Real> Eliminated<T> for Elimination<'_, T> {
    fn shared(&self) -> usize {
        self.m.layout.intra_unknowns().end
    }

    fn products(&self) -> usize {
        2
    }

    fn minimise(&self, data: &[T], unknowns: &mut [T], gradient: &mut [T]) -> f64 {
        let m = self.m;
        let z = reduce(m, unknowns);
        let mut misfits = vec![0.0; m.pieces.len()];
        let work: Vec<Task<'_, T>> = LocalUnknowns::of_pieces(m, unknowns)
            .into_iter()
            .zip(LocalUnknowns::of_pieces(m, gradient))
            .zip(&self.matrices)
            .zip(&mut misfits)
            .map(|(((local, gradient), matrices), misfit)| Task { local, gradient, matrices, misfit })
            .collect();
        let arch = arcuate_numbers::Arch::new();
        let sums = sums_of_streamlines(m, work, |pieces| {
            arch.dispatch(Minimise { m, recurrences: &self.recurrences, z: &z, data, pieces })
        });
        expand(m, &sums, gradient);
        misfits.iter().sum()
    }
}

struct Matrices<'a, T: Real> {
    m: &'a HarmonicArrays<T>,
    recurrences: &'a [Recurrence<T>],
    voxels: Range<usize>,
}

impl<T: Real> WithSimd for Matrices<'_, T> {
    type Output = Vec<T>;

    /// Multiplies each column of local unknowns by the columns of all local unknowns of its voxel.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<T> {
        let Self { m, recurrences, voxels } = self;
        let mut block = Block::new(m, recurrences);
        let mut matrices = Vec::new();
        for voxels in Block::<T>::ranges(voxels) {
            block.begin(voxels);
            let count = block.locals();
            let mut starts = [0; LANES];
            for lane in 0..block.len() {
                starts[lane] = matrices.len();
                matrices.resize(matrices.len() + block.locals_in(lane).pow(2), T::zero());
            }
            let mut products = vec![Vector::all(T::zero()); count];
            for column in 0..count {
                let mut unit = vec![Vector::all(T::zero()); count];
                unit[column] = Vector::all(T::one());
                block.clear();
                block.add_locals(simd, &unit);
                block.synthesise(simd);
                block.analyse(simd);
                block.project_locals(simd, &mut products);
                for lane in 0..block.len() {
                    let own = block.locals_in(lane);
                    if column < own {
                        for row in 0..own {
                            matrices[starts[lane] + row * own + column] = products[row][lane];
                        }
                    }
                }
            }
        }
        matrices
    }
}

/// The inputs and results of a range of voxels.
struct Task<'a, T> {
    local: LocalUnknowns<'a, T>,
    gradient: LocalUnknowns<'a, T>,
    matrices: &'a [T],
    misfit: &'a mut f64,
}

struct Minimise<'a, T: Real> {
    m: &'a HarmonicArrays<T>,
    recurrences: &'a [Recurrence<T>],
    z: &'a [T],
    data: &'a [T],
    pieces: Vec<(Range<usize>, Task<'a, T>)>,
}

impl<T: Real> WithSimd for Minimise<'_, T> {
    type Output = Vec<T>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<T> {
        let Self { m, recurrences, z, data, pieces } = self;
        let zero = Vector::all(T::zero());
        let mut sums = vec![T::zero(); m.layout.streamlines * m.basis.intra.rank];
        let mut block = Block::new(m, recurrences);
        let mut small = SmallNonNegative::default();
        let (mut amounts, mut slopes, mut kept) = (Vec::new(), Vec::new(), block.amplitudes.clone());
        for (piece, task) in pieces {
            let Task { mut local, mut gradient, mut matrices, misfit } = task;
            for voxels in Block::<T>::ranges(piece.clone()) {
                let measured = &data[voxels.start * m.samples..voxels.end * m.samples];
                block.begin(voxels);
                amounts.clear();
                amounts.resize(block.locals(), zero);
                slopes.resize(block.locals(), zero);
                block.for_each_local(piece.start, &mut local, |n, lane, x| amounts[n][lane] = *x);
                block.add_segments(simd, z);
                block.add_locals(simd, &amounts);
                block.synthesise(simd);
                block.subtract(measured);
                let mut squares = zero;
                for signal in &block.signal {
                    for n in 0..LANES {
                        squares[n] = signal[n].mul_add(signal[n], squares[n]);
                    }
                }
                block.analyse(simd);
                block.project_locals(simd, &mut slopes);
                // The loop replaces `amounts` by the changes of the local unknowns, and `slopes` by the
                // gradient after these changes.
                let mut changed = false;
                for lane in 0..block.len() {
                    let own = block.locals_in(lane);
                    let (matrix, rest) = matrices.split_at(own * own);
                    matrices = rest;
                    let decrease =
                        small.solve(own, matrix, |n| (amounts[n][lane].double(), slopes[n][lane].double()));
                    *misfit += 0.5 * squares[lane].double() - decrease;
                    for n in 0..own {
                        amounts[n][lane] = T::of(small.changes[n]);
                        slopes[n][lane] = T::of(small.slopes[n]);
                        changed |= small.changes[n] != 0.0;
                    }
                }
                block.for_each_local(piece.start, &mut gradient, |n, lane, x| *x = slopes[n][lane]);
                block.for_each_local(piece.start, &mut local, |n, lane, x| {
                    *x = (*x + amounts[n][lane]).max(T::zero());
                });
                if changed {
                    kept.copy_from_slice(&block.amplitudes);
                    block.clear();
                    block.add_locals(simd, &amounts);
                    block.synthesise(simd);
                    block.analyse(simd);
                    for (amplitude, kept) in block.amplitudes.iter_mut().zip(&kept) {
                        for n in 0..LANES {
                            amplitude[n] += kept[n];
                        }
                    }
                }
                block.project_segments(simd, &mut sums);
            }
        }
        sums
    }
}
