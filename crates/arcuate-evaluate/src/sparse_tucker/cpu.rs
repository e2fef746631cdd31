//! The products on the processor: rayon over pieces of voxels, SIMD over directions, no atomics.

use super::{Element, SparseTucker};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// The three vector operations the products are made of, for each precision.
pub trait Lanes: Sized + Copy {
    /// Rows are padded to whole vectors of the widest kind: 64 bytes.
    const PADDING: usize;

    /// block = Σ scale · row, for whole padded rows.
    fn sum_rows<S: Simd>(simd: S, block: &mut [Self], rows: &Rows<'_, Self>, atoms: &[u16], scales: &[Self]);

    /// block[..values.len()] = values. With vectors, because a call to copy so few elements would cost more than the
    /// arithmetic on them.
    fn load<S: Simd>(simd: S, block: &mut [Self], values: &[Self]);

    /// out = block[..out.len()].
    fn store<S: Simd>(simd: S, out: &mut [Self], block: &[Self]);

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
    ($real:ty, $vector:ident, $padding:literal, $as_simd:ident, $as_mut_simd:ident, $splat:ident, $fma:ident, $add:ident, $reduce:ident, $partial_load:ident, $partial_store:ident) => {
        impl Lanes for $real {
            const PADDING: usize = $padding;

            #[inline(always)]
            fn sum_rows<S: Simd>(
                simd: S,
                block: &mut [Self],
                rows: &Rows<'_, Self>,
                atoms: &[u16],
                scales: &[Self],
            ) {
                // N accumulators stay in registers while all rows pass.
                #[inline(always)]
                fn keep<S: Simd, const N: usize>(
                    simd: S,
                    out: &mut [S::$vector],
                    first: usize,
                    rows: &Rows<'_, $real>,
                    atoms: &[u16],
                    scales: &[$real],
                ) {
                    let mut sums = [simd.$splat(0.0); N];
                    for (&atom, &scale) in atoms.iter().zip(scales) {
                        // Most weights end at zero: their runs cost no row, where a row costs more than a branch
                        // that cannot be foreseen.
                        if N > 2 && scale == 0.0 {
                            continue;
                        }
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
                let mut first = 0;
                while !out.is_empty() {
                    let n = match out.len() {
                        8.. => 8,
                        4..8 => 4,
                        2..4 => 2,
                        _ => 1,
                    };
                    let (now, later) = out.split_at_mut(n);
                    match n {
                        8 => keep::<S, 8>(simd, now, first, rows, atoms, scales),
                        4 => keep::<S, 4>(simd, now, first, rows, atoms, scales),
                        2 => keep::<S, 2>(simd, now, first, rows, atoms, scales),
                        _ => keep::<S, 1>(simd, now, first, rows, atoms, scales),
                    }
                    first += n * lanes;
                    out = later;
                }
            }

            #[inline(always)]
            fn load<S: Simd>(simd: S, block: &mut [Self], values: &[Self]) {
                let (full, rest) = S::$as_simd(values);
                let (block, _) = S::$as_mut_simd(block);
                for n in 0..full.len() {
                    block[n] = full[n];
                }
                if !rest.is_empty() {
                    block[full.len()] = simd.$partial_load(rest);
                }
            }

            #[inline(always)]
            fn store<S: Simd>(simd: S, out: &mut [Self], block: &[Self]) {
                let (block, _) = S::$as_simd(block);
                let (full, rest) = S::$as_mut_simd(out);
                for n in 0..full.len() {
                    full[n] = block[n];
                }
                if !rest.is_empty() {
                    simd.$partial_store(rest, block[full.len()]);
                }
            }

            #[inline(always)]
            fn dot<S: Simd>(simd: S, a: &[Self], b: &[Self]) -> Self {
                let (a, _) = S::$as_simd(a);
                let (b, _) = S::$as_simd(b);
                // Two running sums, so that the additions do not wait for each other.
                let (mut even, mut odd) = (simd.$splat(0.0), simd.$splat(0.0));
                let mut n = 0;
                while n + 1 < a.len() {
                    even = simd.$fma(a[n], b[n], even);
                    odd = simd.$fma(a[n + 1], b[n + 1], odd);
                    n += 2;
                }
                if n < a.len() {
                    even = simd.$fma(a[n], b[n], even);
                }
                simd.$reduce(simd.$add(even, odd))
            }
        }
    };
}
lanes!(
    f32,
    f32s,
    16,
    as_simd_f32s,
    as_mut_simd_f32s,
    splat_f32s,
    mul_add_e_f32s,
    add_f32s,
    reduce_sum_f32s,
    partial_load_f32s,
    partial_store_f32s
);
lanes!(
    f64,
    f64s,
    8,
    as_simd_f64s,
    as_mut_simd_f64s,
    splat_f64s,
    mul_add_e_f64s,
    add_f64s,
    reduce_sum_f64s,
    partial_load_f64s,
    partial_store_f64s
);

/// Coefficients in one piece of the forward product, about: enough work for a task, small enough to balance.
const PIECE: usize = 1 << 14;

/// In `members`: the coefficient is the first of a run.
pub(super) const RUN_BEGINS: u32 = 1 << 31;

/// Voxels that one task does, and their coefficients.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    voxels: Range<usize>,
    coefficients: Range<usize>,
}

/// Unknowns summed over all copies by one task.
const COLUMNS: usize = 4096;

/// At most so many private copies of the unknowns in the adjoint product.
const COPIES: usize = 32;

impl<T: Element> SparseTucker<T> {
    /// Cuts the voxels into pieces of about equal numbers of coefficients. Depends on the problem alone, so that
    /// sums are the same at any number of threads.
    pub(super) fn partition(&self) -> Vec<Piece> {
        let voxel_starts = &self.voxel_starts;
        let mut pieces = Vec::new();
        let (mut begin, mut held) = (0, 0);
        for voxel in 0..self.voxels() {
            held += voxel_starts[voxel + 1] - voxel_starts[voxel] + 1;
            if held >= PIECE || voxel + 1 == self.voxels() {
                let end = voxel + 1;
                pieces
                    .push(Piece { voxels: begin..end, coefficients: voxel_starts[begin]..voxel_starts[end] });
                (begin, held) = (end, 0);
            }
        }
        pieces
    }

    fn rows_of_dictionary(&self) -> Rows<'_, T> {
        Rows { values: &self.dictionary, stride: self.stride }
    }

    /// The coefficients of a piece as (whether a run begins, unknown, value).
    #[inline(always)]
    fn coefficients_of(&self, piece: &Piece) -> impl Iterator<Item = (bool, usize, T)> {
        let members = &self.members[piece.coefficients.clone()];
        let values = &self.values[piece.coefficients.clone()];
        members
            .iter()
            .zip(values)
            .map(|(&member, &value)| (member & RUN_BEGINS != 0, (member & !RUN_BEGINS) as usize, value))
    }
}

pub(super) fn forward<T: Element>(m: &SparseTucker<T>, unknowns: &[T], data: &mut [T]) {
    let mut rest = data;
    let mut work = Vec::with_capacity(m.pieces.len());
    for piece in &m.pieces {
        let (mine, tail) = rest.split_at_mut(piece.voxels.len() * m.directions);
        work.push((piece, mine));
        rest = tail;
    }
    let arch = pulp::Arch::new();
    work.into_par_iter().for_each(|(piece, data)| arch.dispatch(Forward { m, unknowns, piece, data }));
}

struct Forward<'a, T: Element> {
    m: &'a SparseTucker<T>,
    unknowns: &'a [T],
    piece: &'a Piece,
    data: &'a mut [T],
}

impl<T: Element> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { m, unknowns, piece, data } = self;
        let first_run = m.voxel_runs[piece.voxels.start];
        let mut sums = vec![T::zero(); m.voxel_runs[piece.voxels.end] - first_run];
        // All runs of the piece in one loop without branches: runs are short and their lengths cannot be foreseen.
        let (mut run, mut sum) = (usize::MAX, T::zero());
        for (begins, unknown, value) in m.coefficients_of(piece) {
            run = run.wrapping_add(usize::from(begins));
            let product = value * unknowns[unknown];
            sum = std::hint::select_unpredictable(begins, product, sum + product);
            sums[run] = sum;
        }
        let rows = m.rows_of_dictionary();
        let mut block = vec![T::zero(); m.stride];
        for (voxel, out) in piece.voxels.clone().zip(data.chunks_exact_mut(m.directions)) {
            let runs = m.voxel_runs[voxel]..m.voxel_runs[voxel + 1];
            let scales = &sums[runs.start - first_run..runs.end - first_run];
            T::sum_rows(simd, &mut block, &rows, &m.run_atoms[runs], scales);
            T::store(simd, out, &block);
        }
    }
}

pub(super) fn adjoint<T: Element>(m: &SparseTucker<T>, data: &[T], unknowns: &mut [T]) {
    // Each group of pieces adds into a copy of its own; copies together stay below the size of the coefficients.
    let affordable = (m.values.len() / m.columns.max(1)).clamp(1, COPIES);
    let group = m.pieces.len().div_ceil(affordable).max(1);
    let arch = pulp::Arch::new();
    let copies: Vec<Vec<T>> =
        m.pieces.par_chunks(group).map(|pieces| arch.dispatch(Adjoint { m, data, pieces })).collect();
    unknowns.par_chunks_mut(COLUMNS).enumerate().for_each(|(chunk, out)| {
        out.fill(T::zero());
        for copy in &copies {
            for (sum, &part) in out.iter_mut().zip(&copy[chunk * COLUMNS..]) {
                *sum += part;
            }
        }
    });
}

struct Adjoint<'a, T: Element> {
    m: &'a SparseTucker<T>,
    data: &'a [T],
    pieces: &'a [Piece],
}

impl<T: Element> WithSimd for Adjoint<'_, T> {
    type Output = Vec<T>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<T> {
        let Self { m, data, pieces } = self;
        let rows = m.rows_of_dictionary();
        let mut sums = vec![T::zero(); m.columns];
        let mut block = vec![T::zero(); m.stride];
        let mut products = Vec::new();
        for piece in pieces {
            let first_run = m.voxel_runs[piece.voxels.start];
            products.resize(m.voxel_runs[piece.voxels.end] - first_run, T::zero());
            for voxel in piece.voxels.clone() {
                let mine = &data[voxel * m.directions..(voxel + 1) * m.directions];
                T::load(simd, &mut block, mine);
                let runs = m.voxel_runs[voxel]..m.voxel_runs[voxel + 1];
                let out = &mut products[runs.start - first_run..runs.end - first_run];
                // A plain loop: what happens inside an adaptor's closure is not compiled for the vector unit.
                for (product, &atom) in out.iter_mut().zip(&m.run_atoms[runs]) {
                    *product = T::dot(simd, rows.row(atom), &block);
                }
            }
            let mut run = usize::MAX;
            for (begins, unknown, value) in m.coefficients_of(piece) {
                run = run.wrapping_add(usize::from(begins));
                sums[unknown] += value * products[run];
            }
        }
        sums
    }
}
