//! The products A x and Aᵀ y of COMMIT's linear operator on the CPU. Each thread processes a range of voxels
//! (rayon), and each SIMD lane processes a segment. No atomic operations are needed.

mod batch;
mod moments;
mod reduced;
mod synthesis;
mod vectors;

use super::arrays::HarmonicArrays;
use arcuate_solve::{LinearOperator, Real};
use batch::{Recurrence, recurrences};
use moments::{Moments, kinds};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use reduced::{expand, reduce, reduced};
use std::ops::Range;
use synthesis::Synthesis;

/// Number of unknowns per task when the sums of all tasks are added up. Each task of the product Aᵀ y has its
/// own copy of the unknowns.
const COLUMNS: usize = 4096;

/// Maximum number of copies of the unknowns in the product Aᵀ y. Each task adds to its own copy.
const COPIES: usize = 32;

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

pub(super) fn forward<T: Real>(m: &HarmonicArrays<T>, unknowns: &[T], data: &mut [T]) {
    let z = reduce(m, unknowns);
    let recurrences = recurrences(m);
    let mut rest = data;
    let mut work = Vec::with_capacity(m.pieces.len());
    for piece in &m.pieces {
        let (mine, tail) = rest.split_at_mut(piece.len() * m.samples);
        work.push((piece.clone(), mine));
        rest = tail;
    }
    let arch = arcuate_numbers::Arch::new();
    work.into_par_iter().for_each(|(voxels, data)| {
        arch.dispatch(Forward { m, z: &z, recurrences: &recurrences, voxels, data });
    });
}

struct Forward<'a, T: Real> {
    m: &'a HarmonicArrays<T>,
    z: &'a [T],
    recurrences: &'a [Recurrence<T>],
    voxels: Range<usize>,
    data: &'a mut [T],
}

impl<T: Real> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { m, z, recurrences, voxels, data } = self;
        let (layout, kinds) = (reduced(m), kinds(m));
        let mut amplitudes = vec![T::zero(); m.tables.rows()];
        let (mut moments, mut synthesis) = (Moments::new(m, recurrences), Synthesis::new(m));
        for (voxel, out) in voxels.zip(data.chunks_exact_mut(m.samples)) {
            amplitudes.fill(T::zero());
            for kind in &kinds {
                moments.add(kind, voxel, z, &mut amplitudes);
            }
            let isotropic = &z[layout.isotropic + voxel * m.layout.isotropic..][..m.layout.isotropic];
            synthesis.add_isotropic(isotropic, &mut amplitudes);
            synthesis.data(voxel, &amplitudes, out);
        }
    }
}

pub(super) fn adjoint<T: Real>(m: &HarmonicArrays<T>, data: &[T], unknowns: &mut [T]) {
    let recurrences = recurrences(m);
    let columns = reduced(m).count;
    // Each task processes a group of voxel ranges and adds its results to its own copy of the unknowns. All
    // copies together need less than half the memory of the segments.
    let affordable = (m.segments.len() * 2 / columns.max(1)).clamp(1, COPIES);
    let group = m.pieces.len().div_ceil(affordable).max(1);
    let arch = arcuate_numbers::Arch::new();
    let copies: Vec<Vec<T>> = m
        .pieces
        .par_chunks(group)
        .map(|pieces| arch.dispatch(Adjoint { m, recurrences: &recurrences, data, pieces }))
        .collect();
    let mut z = vec![T::zero(); columns];
    z.par_chunks_mut(COLUMNS).enumerate().for_each(|(chunk, out)| {
        for copy in &copies {
            for (sum, &part) in out.iter_mut().zip(&copy[chunk * COLUMNS..]) {
                *sum += part;
            }
        }
    });
    assert_eq!(unknowns.len(), m.columns());
    expand(m, &z, unknowns);
}

struct Adjoint<'a, T: Real> {
    m: &'a HarmonicArrays<T>,
    recurrences: &'a [Recurrence<T>],
    data: &'a [T],
    pieces: &'a [Range<usize>],
}

impl<T: Real> WithSimd for Adjoint<'_, T> {
    type Output = Vec<T>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<T> {
        let Self { m, recurrences, data, pieces } = self;
        let (layout, kinds) = (reduced(m), kinds(m));
        let mut z = vec![T::zero(); layout.count];
        let mut amplitudes = vec![T::zero(); m.tables.rows()];
        let (mut moments, mut synthesis) = (Moments::new(m, recurrences), Synthesis::new(m));
        for voxel in pieces.iter().cloned().flatten() {
            let measured = &data[voxel * m.samples..(voxel + 1) * m.samples];
            synthesis.amplitudes(voxel, measured, &mut amplitudes);
            let isotropic = &mut z[layout.isotropic + voxel * m.layout.isotropic..][..m.layout.isotropic];
            synthesis.project_isotropic(&amplitudes, isotropic);
            for kind in &kinds {
                moments.project(kind, voxel, &amplitudes, &mut z);
            }
        }
        z
    }
}
