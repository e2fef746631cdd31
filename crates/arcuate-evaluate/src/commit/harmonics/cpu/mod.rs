//! The products A x and Aᵀ y of COMMIT's linear operator on the CPU, and the elimination of local unknowns.
//! Each thread processes ranges of voxels (rayon). No atomic operations are needed.

mod batch;
mod block;
mod elimination;
mod reduced;
mod segments;
mod streamline_sums;
mod table_products;
mod vectors;

use super::arrays::HarmonicArrays;
use arcuate_solve::{LinearOperator, LocalUnknowns as Eliminated, Real};
use batch::{Recurrence, recurrences};
use block::{Block, LocalUnknowns};
use elimination::Elimination;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use reduced::{expand, reduce};
use std::ops::Range;
use streamline_sums::sums_of_streamlines;
use vectors::Vector;

impl<T: Real> LinearOperator<T> for HarmonicArrays<T> {
    fn rows(&self) -> usize {
        self.layout.voxels * self.samples
    }

    fn columns(&self) -> usize {
        self.layout.len()
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        forward(self, unknowns, data);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        adjoint(self, data, unknowns);
    }
}

/// Returns the operator as one whose local unknowns can be eliminated. Returns `None` if it has none.
pub(super) fn local_unknowns<T: Real>(m: &HarmonicArrays<T>) -> Option<Box<dyn Eliminated<T> + '_>> {
    Some(Box::new(Elimination::new(m)?))
}

pub(super) fn forward<T: Real>(m: &HarmonicArrays<T>, unknowns: &[T], data: &mut [T]) {
    let z = reduce(m, unknowns);
    let recurrences = recurrences(m);
    // The functions for local unknowns are shared with the product Aᵀ y, which changes them.
    let mut local = unknowns.to_vec();
    let mut rest = data;
    let mut work = Vec::with_capacity(m.pieces.len());
    for (piece, local) in m.pieces.iter().zip(LocalUnknowns::of_pieces(m, &mut local)) {
        let (mine, tail) = rest.split_at_mut(piece.len() * m.samples);
        work.push((piece.clone(), local, mine));
        rest = tail;
    }
    let arch = arcuate_numbers::Arch::new();
    work.into_par_iter().for_each(|(voxels, local, data)| {
        arch.dispatch(Forward { m, z: &z, recurrences: &recurrences, voxels, local, data });
    });
}

struct Forward<'a, T: Real> {
    m: &'a HarmonicArrays<T>,
    z: &'a [T],
    recurrences: &'a [Recurrence<T>],
    voxels: Range<usize>,
    local: LocalUnknowns<'a, T>,
    data: &'a mut [T],
}

impl<T: Real> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { m, z, recurrences, voxels, mut local, data } = self;
        let first = voxels.start;
        let mut block = Block::new(m, recurrences);
        let mut amounts = Vec::new();
        for voxels in Block::<T>::ranges(voxels) {
            let out = &mut data[(voxels.start - first) * m.samples..(voxels.end - first) * m.samples];
            block.begin(voxels);
            amounts.clear();
            amounts.resize(block.locals(), Vector::all(T::zero()));
            block.for_each_local(first, &mut local, |n, lane, x| amounts[n][lane] = *x);
            block.add_segments(simd, z);
            block.add_locals(simd, &amounts);
            block.synthesise(simd);
            block.store(out);
        }
    }
}

pub(super) fn adjoint<T: Real>(m: &HarmonicArrays<T>, data: &[T], unknowns: &mut [T]) {
    assert_eq!(unknowns.len(), m.columns());
    let recurrences = recurrences(m);
    let arch = arcuate_numbers::Arch::new();
    let work = LocalUnknowns::of_pieces(m, unknowns);
    let z = sums_of_streamlines(m, work, |pieces| {
        arch.dispatch(Adjoint { m, recurrences: &recurrences, data, pieces })
    });
    expand(m, &z, unknowns);
}

struct Adjoint<'a, T: Real> {
    m: &'a HarmonicArrays<T>,
    recurrences: &'a [Recurrence<T>],
    data: &'a [T],
    pieces: Vec<(Range<usize>, LocalUnknowns<'a, T>)>,
}

impl<T: Real> WithSimd for Adjoint<'_, T> {
    type Output = Vec<T>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<T> {
        let Self { m, recurrences, data, pieces } = self;
        let mut z = vec![T::zero(); m.layout.streamlines * m.basis.intra.rank];
        let mut block = Block::new(m, recurrences);
        let mut sums = Vec::new();
        for (piece, mut local) in pieces {
            for voxels in Block::<T>::ranges(piece.clone()) {
                let measured = &data[voxels.start * m.samples..voxels.end * m.samples];
                block.begin(voxels);
                block.load(measured);
                block.analyse(simd);
                sums.resize(block.locals(), Vector::all(T::zero()));
                block.project_locals(simd, &mut sums);
                block.for_each_local(piece.start, &mut local, |n, lane, x| *x = sums[n][lane]);
                block.project_segments(simd, &mut z);
            }
        }
        z
    }
}
