//! The products on the processor: rayon over pieces of voxels, SIMD over directions, no atomics.

use super::aligned::Aligned;
use super::{Element, SparseTucker};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// The vector operations that the products are made of, for each precision.
pub trait Lanes: Sized + Copy {
    /// Rows are padded to whole vectors of the widest kind: 64 bytes.
    const PADDING: usize;

    /// block = Σ scale · row, for whole padded rows.
    fn sum_rows<S: Simd>(simd: S, block: &mut [Self], rows: &Rows<'_, Self>, atoms: &[u16], scales: &[Self]);

    /// out = row · block for each row.
    fn dot_rows<S: Simd>(simd: S, out: &mut [Self], rows: &Rows<'_, Self>, atoms: &[u16], block: &[Self]);

    /// block[..values.len()] = values. With vectors, because a call to copy so few elements would cost more than the
    /// arithmetic on them.
    fn load<S: Simd>(simd: S, block: &mut [Self], values: &[Self]);

    /// out = block[..out.len()].
    fn store<S: Simd>(simd: S, out: &mut [Self], block: &[Self]);

    /// The same value where `begins` is 0, and 0 where it is 1; without a branch, and without arithmetic, so that a value
    /// that is no number goes nowhere.
    fn unless(self, begins: usize) -> Self;
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

/// Vectors, of so many, that are worked on together: 96 directions are 12 of AVX2 and 6 of AVX-512, and 12 leave of 16
/// registers enough for all else.
fn in_registers(vectors: usize) -> usize {
    match vectors {
        12.. => 12,
        8..12 => 8,
        6..8 => 6,
        4..6 => 4,
        2..4 => 2,
        _ => 1,
    }
}

macro_rules! lanes {
    ($real:ty, $bits:ty, $vector:ident, $padding:literal, $as_simd:ident, $as_mut_simd:ident, $splat:ident, $fma:ident, $add:ident, $reduce:ident, $partial_load:ident, $partial_store:ident) => {
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
                    let n = in_registers(out.len());
                    let (now, later) = out.split_at_mut(n);
                    match n {
                        12 => keep::<S, 12>(simd, now, first, rows, atoms, scales),
                        8 => keep::<S, 8>(simd, now, first, rows, atoms, scales),
                        6 => keep::<S, 6>(simd, now, first, rows, atoms, scales),
                        4 => keep::<S, 4>(simd, now, first, rows, atoms, scales),
                        2 => keep::<S, 2>(simd, now, first, rows, atoms, scales),
                        _ => keep::<S, 1>(simd, now, first, rows, atoms, scales),
                    }
                    first += n * lanes;
                    out = later;
                }
            }

            #[inline(always)]
            fn dot_rows<S: Simd>(
                simd: S,
                out: &mut [Self],
                rows: &Rows<'_, Self>,
                atoms: &[u16],
                block: &[Self],
            ) {
                // Part of the products: N vectors of the block, which stay in registers while all rows pass.
                #[inline(always)]
                fn add<S: Simd, const N: usize>(
                    simd: S,
                    out: &mut [$real],
                    first: usize,
                    rows: &Rows<'_, $real>,
                    atoms: &[u16],
                    block: &[S::$vector],
                ) {
                    let block: [S::$vector; N] = *<&[S::$vector; N]>::try_from(block).expect("N vectors");
                    // A plain loop: what happens inside an adaptor's closure is not compiled for the vector unit.
                    for (out, &atom) in out.iter_mut().zip(atoms) {
                        let (row, _) = S::$as_simd(&rows.row(atom)[first..]);
                        let row: &[S::$vector; N] = row[..N].try_into().expect("rows are padded");
                        // Two running sums, so that the additions do not wait for each other.
                        let mut sums = [simd.$splat(0.0); 2];
                        for n in 0..N {
                            sums[n % 2] = simd.$fma(row[n], block[n], sums[n % 2]);
                        }
                        *out += simd.$reduce(simd.$add(sums[0], sums[1]));
                    }
                }
                out.fill(0.0);
                let lanes = size_of::<S::$vector>() / size_of::<$real>();
                let (mut block, _) = S::$as_simd(block);
                let mut first = 0;
                while !block.is_empty() {
                    let n = in_registers(block.len());
                    let (now, later) = block.split_at(n);
                    match n {
                        12 => add::<S, 12>(simd, out, first, rows, atoms, now),
                        8 => add::<S, 8>(simd, out, first, rows, atoms, now),
                        6 => add::<S, 6>(simd, out, first, rows, atoms, now),
                        4 => add::<S, 4>(simd, out, first, rows, atoms, now),
                        2 => add::<S, 2>(simd, out, first, rows, atoms, now),
                        _ => add::<S, 1>(simd, out, first, rows, atoms, now),
                    }
                    first += n * lanes;
                    block = later;
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
            fn unless(self, begins: usize) -> Self {
                // A table read by number: a condition would become a branch that nobody can foresee.
                const MASKS: [$bits; 2] = [<$bits>::MAX, 0];
                Self::from_bits(self.to_bits() & MASKS[begins & 1])
            }
        }
    };
}
lanes!(
    f32,
    u32,
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
    u64,
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

    fn coefficients_of(&self, piece: &Piece) -> Coefficients<'_, T> {
        let members = &self.members[piece.coefficients.clone()];
        let values = &self.values[piece.coefficients.clone()];
        members.iter().zip(values)
    }

    /// The runs of a voxel, counted from the first of its piece.
    fn runs_in(&self, piece: &Piece, voxel: usize) -> Range<usize> {
        let first = self.voxel_runs[piece.voxels.start];
        self.voxel_runs[voxel] - first..self.voxel_runs[voxel + 1] - first
    }

    /// The atoms of the runs of a piece.
    fn atoms_of(&self, piece: &Piece) -> &[u16] {
        &self.run_atoms[self.voxel_runs[piece.voxels.start]..self.voxel_runs[piece.voxels.end]]
    }
}

/// Members (with [`RUN_BEGINS`]) and values.
type Coefficients<'a, T> = std::iter::Zip<std::slice::Iter<'a, u32>, std::slice::Iter<'a, T>>;

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
        let atoms_of_piece = m.atoms_of(piece);
        let mut sums = vec![T::zero(); atoms_of_piece.len()];
        // All runs of the piece in one loop without branches: runs are short and their lengths cannot be foreseen.
        let (mut run, mut sum) = (usize::MAX, T::zero());
        for (&member, &value) in m.coefficients_of(piece) {
            let begins = (member >> 31) as usize;
            run = run.wrapping_add(begins);
            sum = sum.unless(begins) + value * unknowns[(member & !RUN_BEGINS) as usize];
            sums[run] = sum;
        }
        let rows = m.rows_of_dictionary();
        let mut block = Aligned::filled(m.stride, T::zero());
        let (mut atoms, mut scales) = (Vec::new(), Vec::new());
        for (voxel, out) in piece.voxels.clone().zip(data.chunks_exact_mut(m.directions)) {
            let runs = m.runs_in(piece, voxel);
            let (mut atoms_here, mut sums_here) = (&atoms_of_piece[runs.clone()], &sums[runs]);
            if m.stride > SHORT * T::PADDING && are_few(sums_here) {
                positive_runs(atoms_here, sums_here, &mut atoms, &mut scales);
                (atoms_here, sums_here) = (&atoms, &scales);
            }
            T::sum_rows(simd, &mut block, &rows, atoms_here, sums_here);
            T::store(simd, out, &block);
        }
    }
}

/// In rows of at most so many 64 bytes a run costs less than to look whether it is needed.
const SHORT: usize = 2;

/// Whether a quarter of a voxel's runs or more sum to 0: in the end most weights are zero.
#[inline(always)]
fn are_few<T: Element>(sums: &[T]) -> bool {
    let mut zero = 0;
    for sum in sums {
        zero += usize::from(sum.is_zero());
    }
    4 * zero >= sums.len()
}

/// Copies atoms and sums of the runs that do not sum to 0.
#[inline(always)]
fn positive_runs<T: Element>(run_atoms: &[u16], sums: &[T], atoms: &mut Vec<u16>, scales: &mut Vec<T>) {
    atoms.resize(sums.len(), 0);
    scales.resize(sums.len(), T::zero());
    // Every run is written, but the next one over it unless it is needed: no branch.
    let mut kept = 0;
    for (&atom, &sum) in run_atoms.iter().zip(sums) {
        (atoms[kept], scales[kept]) = (atom, sum);
        kept += usize::from(!sum.is_zero());
    }
    atoms.truncate(kept);
    scales.truncate(kept);
}

pub(super) fn adjoint<T: Element>(m: &SparseTucker<T>, data: &[T], unknowns: &mut [T]) {
    // Each group of pieces adds into a copy of its own; copies together stay below half the size of the coefficients.
    let affordable = (m.values.len() / (2 * m.columns).max(1)).clamp(1, COPIES);
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
        let mut unknowns = vec![T::zero(); m.columns];
        let mut block = Aligned::filled(m.stride, T::zero());
        let mut products = Vec::new();
        for piece in pieces {
            let atoms = m.atoms_of(piece);
            products.resize(atoms.len(), T::zero());
            for voxel in piece.voxels.clone() {
                T::load(simd, &mut block, &data[voxel * m.directions..(voxel + 1) * m.directions]);
                let runs = m.runs_in(piece, voxel);
                T::dot_rows(simd, &mut products[runs.clone()], &rows, &atoms[runs], &block);
            }
            let mut run = usize::MAX;
            for (&member, &value) in m.coefficients_of(piece) {
                run = run.wrapping_add((member >> 31) as usize);
                unknowns[(member & !RUN_BEGINS) as usize] += value * products[run];
            }
        }
        unknowns
    }
}
