//! Chooses how the GPU kernel of Markov chains is launched: how many threads share a voxel, and the layout of
//! shared memory.

use super::moves::Moves;
use super::plan::{ChainPlan, Likelihood};
use arcuate_core::narrow;
use arcuate_numbers::Real;

/// Number of sweeps of a chain whose random numbers are drawn together. Each thread draws the random numbers
/// of one move.
pub(super) const SWEEPS: u32 = 4;

/// Shared memory per block that every supported GPU has, in bytes.
pub(super) const MIN_SHARED_BYTES: u32 = 64 << 10;

/// Maximum number of measurements per GPU thread, and maximum number of kept values per measurement. If a
/// model exceeds one of these limits, more threads share a voxel.
const MAX_ROUNDS: u32 = 14;
const MAX_KEPT: usize = 5;

/// The launch shape of a kernel. The samples do not depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    /// Number of GPU threads that share a voxel. With fewer threads, less work is repeated, but each thread
    /// has more measurements.
    pub(super) lanes: u32,
    /// Number of measurements per lane.
    pub(super) rounds: u32,
    /// Number of GPU threads per block, and minimum number of blocks that a multiprocessor runs at once. With
    /// more threads, each thread has fewer registers. The two numbers are chosen so that few values in loops
    /// must be stored in memory instead of registers.
    pub(super) threads: u32,
    pub(super) blocks: u32,
    /// Number of values per measurement (`columns`: b, g and so on), and this number rounded up to a multiple
    /// of four (`stride`).
    pub(super) columns: u32,
    pub(super) stride: u32,
    /// Number of moves in a sweep of a chain, including the move of the noise σ.
    pub(super) moves: u32,
    /// Number of groups of four kept values that a GPU thread saves before a move.
    aside: u32,
}

impl Shape {
    /// Chooses the launch parameters of the kernel for a GPU. `most_shared` is the maximum shared memory per
    /// block of this GPU, in bytes.
    pub(super) fn new<T: Real>(plan: &ChainPlan<T>, most_shared: u32) -> Self {
        let kept = plan.moves.kept;
        let measurements = narrow::<u32>(plan.measurements.max(1));
        let of = |lanes: u32| measurements.div_ceil(lanes);
        let lanes = if kept > MAX_KEPT {
            32
        } else {
            [8, 16].into_iter().find(|&lanes| of(lanes) <= MAX_ROUNDS).unwrap_or(32)
        };
        let rounds = of(lanes);
        let is_rician = plan.likelihood == Likelihood::Rician;
        let (threads, blocks) = match (lanes, is_rician, kept) {
            (8 | 16, false, ..=3) => (256, 2),
            (8 | 16, true, ..=3) | (8 | 16, false, _) => (192, 2),
            (8 | 16, true, _) => (256, 1),
            (_, true, _) => (192, 2),
            (_, false, ..=3) if rounds <= 10 => (256, 2),
            _ => (256, 1),
        };
        let columns = narrow::<u32>(plan.moves.all.schedule.column_count);
        let most_changed = narrow::<u32>(most_changed(&plan.moves));
        let aside = if most_changed > 1 { (most_changed * rounds).div_ceil(4) } else { 0 };
        let stride = columns.next_multiple_of(4);
        let moves = narrow::<u32>(plan.of.len());
        let shape = Self { lanes, rounds, threads, blocks, columns, stride, moves, aside };
        // If blocks of this GPU have too little shared memory, the number of threads is reduced in steps of
        // 32 (a warp).
        let fits = |threads: &u32| Self { threads: *threads, ..shape.clone() }.shared_bytes() <= most_shared;
        let threads = (1..=threads / 32).rev().map(|warps| 32 * warps).find(fits).unwrap_or(32);
        Self { threads, ..shape }
    }

    /// Returns the size in bytes of the measurements' numbers (b, g and so on) in shared memory. Each
    /// measurement has a multiple of four values.
    pub(super) fn table_bytes(&self) -> u32 {
        4 * self.stride * self.lanes * self.rounds
    }

    /// Returns the size in bytes of the shared memory for one voxel.
    pub(super) fn voxel_bytes(&self) -> u32 {
        (self.before_at() + 4 * self.moves).next_multiple_of(16)
    }

    pub(super) fn voxels_bytes(&self) -> u32 {
        self.threads / self.lanes * self.voxel_bytes()
    }

    /// Returns the offset in bytes of the proposal widths in the shared memory of a voxel. The random numbers
    /// come before the widths, and the numbers of accepted moves after them.
    pub(super) fn widths_at(&self) -> u32 {
        16 * SWEEPS * self.moves
    }

    pub(super) fn totals_at(&self) -> u32 {
        self.widths_at() + 4 * self.moves
    }

    pub(super) fn before_at(&self) -> u32 {
        self.totals_at() + 4 * self.moves
    }

    /// Returns the shared memory per block in bytes.
    pub(super) fn shared_bytes(&self) -> u32 {
        self.table_bytes() + self.voxels_bytes() + 16 * self.threads * (self.rounds.div_ceil(4) + self.aside)
    }

    /// Returns the number of voxels per block.
    pub(super) fn groups(&self) -> u32 {
        self.threads / self.lanes
    }
}

/// Returns the largest number of kept values per measurement that a move changes.
fn most_changed(moves: &Moves) -> usize {
    moves.of.iter().map(|one| one.changed.len()).max().unwrap_or(0)
}
