//! The products M w and Mᵀ y of the sparse Tucker operator on the CPU. Each thread processes ranges of voxels
//! (rayon), and each SIMD lane processes a direction. No atomic operations are needed.

use super::aligned::Aligned;
use super::arrays::TuckerArrays;
use super::pieces::Piece;
use super::rows::{Rows, dot_rows, sum_rows};
use super::runs::RUN_BEGINS;
use super::short::Short;
use arcuate_numbers::{Real, vectors};
use arcuate_solve::LinearOperator;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// Number of unknowns per task when the copies of the unknowns are added up. The product Mᵀ y has such
/// copies.
const COLUMNS: usize = 4096;

/// Maximum number of copies of the unknowns in the product Mᵀ y. The ranges of voxels are divided into
/// groups, and each group adds to its own copy.
const COPIES: usize = 32;

impl<T: Real> TuckerArrays<T> {
    fn rows_of_dictionary(&self) -> Rows<'_, T> {
        Rows { values: &self.dictionary, stride: self.stride }
    }

    fn coefficients_of(&self, piece: &Piece) -> Coefficients<'_, T> {
        let members = &self.members[piece.coefficients.clone()];
        let values = &self.values[piece.coefficients.clone()];
        members.iter().zip(values)
    }

    pub(super) fn short(&self, piece: &Piece) -> Short<'_, T> {
        let Range { start, end } = piece.voxels;
        Short {
            rows: self.rows_of_dictionary(),
            atoms: self.atoms_of(piece),
            members: &self.members[piece.coefficients.clone()],
            values: &self.values[piece.coefficients.clone()],
            voxel_starts: &self.voxel_starts[start..=end],
            voxel_runs: &self.voxel_runs[start..=end],
            directions: self.directions,
        }
    }

    /// Returns the runs of a voxel, counted from the first run of the voxel range that the task processes.
    fn runs_in(&self, piece: &Piece, voxel: usize) -> Range<usize> {
        let first = self.voxel_runs[piece.voxels.start];
        self.voxel_runs[voxel] - first..self.voxel_runs[voxel + 1] - first
    }

    /// Returns the atom (row of the dictionary) of each run in the voxel range that a task processes.
    fn atoms_of(&self, piece: &Piece) -> &[u16] {
        &self.run_atoms[self.voxel_runs[piece.voxels.start]..self.voxel_runs[piece.voxels.end]]
    }
}

impl<T: Real> LinearOperator<T> for TuckerArrays<T> {
    fn rows(&self) -> usize {
        self.voxels() * self.directions
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        forward(self, unknowns, data);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        adjoint(self, data, unknowns);
    }
}

/// Iterator over coefficients. Each item has the member (index of the unknown, with the flag [`RUN_BEGINS`])
/// and the value of a coefficient.
type Coefficients<'a, T> = std::iter::Zip<std::slice::Iter<'a, u32>, std::slice::Iter<'a, T>>;

pub(super) fn forward<T: Real>(m: &TuckerArrays<T>, unknowns: &[T], data: &mut [T]) {
    let mut rest = data;
    let mut work = Vec::with_capacity(m.pieces.len());
    for piece in &m.pieces {
        let (mine, tail) = rest.split_at_mut(piece.voxels.len() * m.directions);
        work.push((piece, mine));
        rest = tail;
    }
    let arch = arcuate_numbers::Arch::new();
    work.into_par_iter().for_each(|(piece, data)| arch.dispatch(Forward { m, unknowns, piece, data }));
}

struct Forward<'a, T: Real> {
    m: &'a TuckerArrays<T>,
    unknowns: &'a [T],
    piece: &'a Piece,
    data: &'a mut [T],
}

impl<T: Real> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { m, unknowns, piece, data } = self;
        if m.short(piece).spread(simd, unknowns, data) {
            return;
        }
        let atoms_of_piece = m.atoms_of(piece);
        let mut sums = vec![T::zero(); atoms_of_piece.len()];
        // One loop without branches sums the coefficients of all runs of this task. Runs are short and their
        // lengths are unpredictable, so branches would be slow.
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
            sum_rows(simd, &mut block, &rows, atoms_here, sums_here);
            vectors::store(simd, out, &block);
        }
    }
}

/// Maximum length of short dictionary rows, in blocks of 64 bytes. For rows of at most this length, it costs
/// less to process a run than to check whether its sum is 0.
const SHORT: usize = 2;

/// Returns true if the sum of coefficients times weights is 0 for at least a quarter of a voxel's runs. This
/// is usual near the solution, because most weights are zero.
#[inline(always)]
fn are_few<T: Real>(sums: &[T]) -> bool {
    let mut zero = 0;
    for sum in sums {
        zero += usize::from(sum.is_zero());
    }
    4 * zero >= sums.len()
}

/// Copies the atoms and the sums of those runs whose sum is not 0.
#[inline(always)]
fn positive_runs<T: Real>(run_atoms: &[u16], sums: &[T], atoms: &mut Vec<u16>, scales: &mut Vec<T>) {
    atoms.resize(sums.len(), 0);
    scales.resize(sums.len(), T::zero());
    // Every run is written to the output. If its sum is 0, the next run overwrites it. The loop therefore
    // needs no branches.
    let mut kept = 0;
    for (&atom, &sum) in run_atoms.iter().zip(sums) {
        (atoms[kept], scales[kept]) = (atom, sum);
        kept += usize::from(!sum.is_zero());
    }
    atoms.truncate(kept);
    scales.truncate(kept);
}

pub(super) fn adjoint<T: Real>(m: &TuckerArrays<T>, data: &[T], unknowns: &mut [T]) {
    // The ranges of voxels are divided into groups. Each group adds its results to its own copy of the
    // unknowns that voxels share. All copies together need less than half the memory of the coefficients.
    let affordable = (m.values.len() / (2 * m.own.first).max(1)).clamp(1, COPIES);
    let group = m.pieces.len().div_ceil(affordable).max(1);
    let (shared, own) = unknowns.split_at_mut(m.own.first);
    let (mut first, mut second) = own.split_at_mut(m.own.second - m.own.first);
    let mut work = Vec::with_capacity(affordable);
    for pieces in m.pieces.chunks(group) {
        let count = |block: usize| pieces.iter().map(|piece| piece.own[block].len()).sum();
        let (of_first, rest_of_first) = first.split_at_mut(count(0));
        let (of_second, rest_of_second) = second.split_at_mut(count(1));
        (first, second) = (rest_of_first, rest_of_second);
        work.push(Group { pieces, own: [of_first, of_second], shared: Vec::new() });
    }
    // One task can process several groups of voxel ranges one after the other. All these groups use the same
    // temporary memory for the unknowns that belong to a single voxel.
    let together =
        if m.own.first < m.columns { work.len().div_ceil(JOBS * rayon::current_num_threads()) } else { 1 };
    let arch = arcuate_numbers::Arch::new();
    work.par_chunks_mut(together.max(1)).for_each(|groups| arch.dispatch(Adjoint { m, data, groups }));
    shared.par_chunks_mut(COLUMNS).enumerate().for_each(|(chunk, out)| {
        out.fill(T::zero());
        for Group { shared: copy, .. } in &work {
            for (sum, &part) in out.iter_mut().zip(&copy[chunk * COLUMNS..]) {
                *sum += part;
            }
        }
    });
}

/// Number of tasks per thread in the product Mᵀ y, if the operator has unknowns that belong to a single
/// voxel.
const JOBS: usize = 4;

/// Ranges of voxels whose contributions to the product Mᵀ y are added up in the same copy of the unknowns.
struct Group<'a, T> {
    pieces: &'a [Piece],
    /// Sums of the unknowns that belong to a single voxel of these ranges. They are in two blocks.
    own: [&'a mut [T]; 2],
    /// Sums of the unknowns that several voxels share.
    shared: Vec<T>,
}

struct Adjoint<'a, 'b, T: Real> {
    m: &'a TuckerArrays<T>,
    data: &'a [T],
    groups: &'a mut [Group<'b, T>],
}

impl<T: Real> WithSimd for Adjoint<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { m, data, groups } = self;
        let rows = m.rows_of_dictionary();
        let mut unknowns = vec![T::zero(); m.columns];
        let mut block = Aligned::filled(m.stride, T::zero());
        let mut products = Vec::new();
        for Group { pieces, own: [first, second], shared } in groups {
            let (mut of_first, mut of_second) = (std::mem::take(first), std::mem::take(second));
            for piece in *pieces {
                let atoms = m.atoms_of(piece);
                products.resize(atoms.len(), T::zero());
                let voxels = piece.voxels.start * m.directions..piece.voxels.end * m.directions;
                if !m.short(piece).collect(simd, &data[voxels], &mut products) {
                    for voxel in piece.voxels.clone() {
                        vectors::load(
                            simd,
                            &mut block,
                            &data[voxel * m.directions..(voxel + 1) * m.directions],
                        );
                        let runs = m.runs_in(piece, voxel);
                        dot_rows(simd, &mut products[runs.clone()], &rows, &atoms[runs], &block);
                    }
                }
                let mut run = usize::MAX;
                for (&member, &value) in m.coefficients_of(piece) {
                    run = run.wrapping_add((member >> 31) as usize);
                    unknowns[(member & !RUN_BEGINS) as usize] += value * products[run];
                }
                for (out, range) in [(&mut of_first, &piece.own[0]), (&mut of_second, &piece.own[1])] {
                    let (here, rest) = std::mem::take(out).split_at_mut(range.len());
                    here.copy_from_slice(&unknowns[range.clone()]);
                    unknowns[range.clone()].fill(T::zero());
                    *out = rest;
                }
            }
            if m.own.first == m.columns {
                *shared = std::mem::take(&mut unknowns);
            } else {
                *shared = unknowns[..m.own.first].to_vec();
                unknowns[..m.own.first].fill(T::zero());
            }
        }
    }
}
