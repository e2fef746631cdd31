//! The products on the processor: rayon over pieces of voxels, SIMD over directions, no atomics.

use super::{Element, SparseTucker};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// The three vector operations the products are made of, for each precision.
pub trait Lanes: Sized + Copy {
    /// Rows are padded to whole vectors of the widest kind: 64 bytes.
    const PADDING: usize;

    /// block += Σ scale · row, for `block.len()` elements from `first` of each row.
    fn add_rows<S: Simd>(
        simd: S,
        block: &mut [Self],
        first: usize,
        rows: &Rows<'_, Self>,
        terms: &[(u16, Self)],
    );

    /// Σ a · b; both of the same padded length.
    fn dot<S: Simd>(simd: S, a: &[Self], b: &[Self]) -> Self;
}

/// Dictionary rows of `stride` elements.
#[derive(Clone, Copy)]
pub struct Rows<'a, T> {
    values: &'a [T],
    stride: usize,
}

impl<'a, T> Rows<'a, T> {
    fn row(&self, atom: u16) -> &'a [T] {
        &self.values[atom as usize * self.stride..][..self.stride]
    }
}

macro_rules! lanes {
    ($real:ty, $vector:ident, $padding:literal, $as_simd:ident, $as_mut_simd:ident, $splat:ident, $fma:ident, $add:ident, $reduce:ident) => {
        impl Lanes for $real {
            const PADDING: usize = $padding;

            #[inline(always)]
            fn add_rows<S: Simd>(
                simd: S,
                block: &mut [Self],
                first: usize,
                rows: &Rows<'_, Self>,
                terms: &[(u16, Self)],
            ) {
                // N accumulators stay in registers while all rows pass.
                #[inline(always)]
                fn keep<S: Simd, const N: usize>(
                    simd: S,
                    out: &mut [S::$vector],
                    first: usize,
                    rows: &Rows<'_, $real>,
                    terms: &[(u16, $real)],
                ) {
                    let mut sums = [simd.$splat(0.0); N];
                    for &(atom, scale) in terms {
                        let scale = simd.$splat(scale);
                        let (row, _) = S::$as_simd(&rows.row(atom)[first..]);
                        let row: &[S::$vector; N] = row[..N].try_into().expect("rows are padded");
                        for n in 0..N {
                            sums[n] = simd.$fma(scale, row[n], sums[n]);
                        }
                    }
                    out.copy_from_slice(&sums);
                }
                let lanes = size_of::<S::$vector>() / size_of::<$real>();
                let (mut out, _) = S::$as_mut_simd(block);
                let mut first = first;
                while !out.is_empty() {
                    let n = match out.len() {
                        8.. => 8,
                        4..8 => 4,
                        2..4 => 2,
                        _ => 1,
                    };
                    let (now, later) = out.split_at_mut(n);
                    match n {
                        8 => keep::<S, 8>(simd, now, first, rows, terms),
                        4 => keep::<S, 4>(simd, now, first, rows, terms),
                        2 => keep::<S, 2>(simd, now, first, rows, terms),
                        _ => keep::<S, 1>(simd, now, first, rows, terms),
                    }
                    first += n * lanes;
                    out = later;
                }
            }

            #[inline(always)]
            fn dot<S: Simd>(simd: S, a: &[Self], b: &[Self]) -> Self {
                let (a, _) = S::$as_simd(a);
                let (b, _) = S::$as_simd(b);
                let mut sums = [simd.$splat(0.0); 2];
                for (a, b) in a.chunks(2).zip(b.chunks(2)) {
                    for (n, (&a, &b)) in a.iter().zip(b).enumerate() {
                        sums[n] = simd.$fma(a, b, sums[n]);
                    }
                }
                simd.$reduce(simd.$add(sums[0], sums[1]))
            }
        }
    };
}
lanes!(f32, f32s, 16, as_simd_f32s, as_mut_simd_f32s, splat_f32s, mul_add_e_f32s, add_f32s, reduce_sum_f32s);
lanes!(f64, f64s, 8, as_simd_f64s, as_mut_simd_f64s, splat_f64s, mul_add_e_f64s, add_f64s, reduce_sum_f64s);

/// Coefficients in one piece of the forward product, about: enough work for a task, small enough to balance.
const PIECE: usize = 1 << 14;

/// Unknowns summed over all copies by one task.
const COLUMNS: usize = 4096;

/// At most so many private copies of the unknowns in the adjoint product.
const COPIES: usize = 32;

impl<T: Element> SparseTucker<T> {
    /// Cuts the voxels into pieces of about equal numbers of coefficients. Depends on the problem alone, so that
    /// sums are the same at any number of threads.
    pub(super) fn partition(&self) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let (mut begin, mut held) = (0, 0);
        for voxel in 0..self.voxels() {
            held += self.voxel_coefficients(voxel) + 1;
            if held >= PIECE || voxel + 1 == self.voxels() {
                pieces.push(begin..voxel + 1);
                (begin, held) = (voxel + 1, 0);
            }
        }
        pieces
    }

    fn rows_of_dictionary(&self) -> Rows<'_, T> {
        Rows { values: &self.dictionary, stride: self.stride }
    }
}

pub(super) fn forward<T: Element>(m: &SparseTucker<T>, unknowns: &[T], data: &mut [T]) {
    let mut rest = data;
    let mut work = Vec::with_capacity(m.pieces.len());
    for piece in &m.pieces {
        let (mine, tail) = rest.split_at_mut(piece.len() * m.directions);
        work.push((piece.clone(), mine));
        rest = tail;
    }
    let arch = pulp::Arch::new();
    work.into_par_iter().for_each(|(voxels, data)| arch.dispatch(Forward { m, unknowns, voxels, data }));
}

struct Forward<'a, T> {
    m: &'a SparseTucker<T>,
    unknowns: &'a [T],
    voxels: Range<usize>,
    data: &'a mut [T],
}

impl<T: Element> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { m, unknowns, voxels, data } = self;
        let rows = m.rows_of_dictionary();
        let mut block = vec![T::zero(); m.stride];
        let mut terms = Vec::new();
        for (voxel, out) in voxels.zip(data.chunks_exact_mut(m.directions)) {
            terms.clear();
            for run in m.voxel_runs[voxel]..m.voxel_runs[voxel + 1] {
                let range = m.run_starts[run]..m.run_starts[run + 1];
                let mut sum = T::zero();
                for (&member, &value) in m.members[range.clone()].iter().zip(&m.values[range]) {
                    sum += value * unknowns[member as usize];
                }
                // Most weights end at zero: their runs cost no row of the dictionary.
                if !sum.is_zero() {
                    terms.push((m.run_atoms[run], sum));
                }
            }
            T::add_rows(simd, &mut block, 0, &rows, &terms);
            out.copy_from_slice(&block[..m.directions]);
        }
    }
}

pub(super) fn adjoint<T: Element>(m: &SparseTucker<T>, data: &[T], unknowns: &mut [T]) {
    // Each group of pieces adds into a copy of its own; copies together stay below the size of the coefficients.
    let affordable = (m.values.len() / m.columns.max(1)).clamp(1, COPIES);
    let group = m.pieces.len().div_ceil(affordable).max(1);
    let arch = pulp::Arch::new();
    let copies: Vec<Vec<T>> = m
        .pieces
        .par_chunks(group)
        .map(|pieces| {
            let voxels = pieces[0].start..pieces[pieces.len() - 1].end;
            arch.dispatch(Adjoint { m, data, voxels })
        })
        .collect();
    unknowns.par_chunks_mut(COLUMNS).enumerate().for_each(|(chunk, out)| {
        out.fill(T::zero());
        for copy in &copies {
            for (sum, &part) in out.iter_mut().zip(&copy[chunk * COLUMNS..]) {
                *sum += part;
            }
        }
    });
}

struct Adjoint<'a, T> {
    m: &'a SparseTucker<T>,
    data: &'a [T],
    voxels: Range<usize>,
}

impl<T: Element> WithSimd for Adjoint<'_, T> {
    type Output = Vec<T>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<T> {
        let Self { m, data, voxels } = self;
        let rows = m.rows_of_dictionary();
        let mut sums = vec![T::zero(); m.columns];
        let mut block = vec![T::zero(); m.stride];
        for voxel in voxels {
            block[..m.directions].copy_from_slice(&data[voxel * m.directions..(voxel + 1) * m.directions]);
            for run in m.voxel_runs[voxel]..m.voxel_runs[voxel + 1] {
                let product = T::dot(simd, rows.row(m.run_atoms[run]), &block);
                let range = m.run_starts[run]..m.run_starts[run + 1];
                for (&member, &value) in m.members[range.clone()].iter().zip(&m.values[range]) {
                    sums[member as usize] += value * product;
                }
            }
        }
        sums
    }
}
