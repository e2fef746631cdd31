//! How many lanes have a voxel of a chain's kernel, and what they hold where.

use super::moves::Moves;
use super::plan::{ChainPlan, Likelihood};
use crate::special::watson::Series;
use arcuate_core::narrow;

/// Sweeps whose draws are made at once, each by a lane.
pub(super) const SWEEPS: u32 = 4;

/// Shared memory that a block may have on every GPU that is served.
pub(super) const LEAST_SHARED: u32 = 64 << 10;

/// Most measurements of a lane while a voxel has few lanes, and most values that are kept of each.
const MOST_ROUNDS: u32 = 14;
const MOST_KEPT: usize = 5;

/// The shape of a kernel. No number that it finds depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    /// Lanes of a voxel. Fewer leave less to do for all of them again, and have more measurements each.
    pub(super) lanes: u32,
    /// Measurements of a lane.
    pub(super) rounds: u32,
    /// Threads of a block, and blocks that a multiprocessor is to have room for at least: more threads leave fewer registers for
    /// each, so many that little of a loop is put into memory.
    pub(super) threads: u32,
    pub(super) blocks: u32,
    /// Numbers of a measurement, and the same in whole fours.
    pub(super) columns: u32,
    pub(super) stride: u32,
    /// Moves, that of the noise among them.
    pub(super) moves: u32,
    /// Fours in which a thread puts aside what a move changes.
    aside: u32,
}

impl Shape {
    /// The shape for a GPU whose blocks may have this much shared memory.
    pub(super) fn new<T: Series>(plan: &ChainPlan<T>, most_shared: u32) -> Self {
        let kept = plan.moves.kept;
        let measurements = narrow::<u32>(plan.measurements.max(1));
        let of = |lanes: u32| measurements.div_ceil(lanes);
        let lanes = if kept > MOST_KEPT {
            32
        } else {
            [8, 16].into_iter().find(|&lanes| of(lanes) <= MOST_ROUNDS).unwrap_or(32)
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
        // Whole warps fewer where a block of this GPU may have less.
        let fits = |threads: &u32| Self { threads: *threads, ..shape.clone() }.shared_bytes() <= most_shared;
        let threads = (1..=threads / 32).rev().map(|warps| 32 * warps).find(fits).unwrap_or(32);
        Self { threads, ..shape }
    }

    /// Bytes of the table in shared memory, in rows of fours.
    pub(super) fn table_bytes(&self) -> u32 {
        4 * self.stride * self.lanes * self.rounds
    }

    /// Bytes of what the lanes of a voxel share.
    pub(super) fn voxel_bytes(&self) -> u32 {
        (self.before_at() + 4 * self.moves).next_multiple_of(16)
    }

    pub(super) fn voxels_bytes(&self) -> u32 {
        self.threads / self.lanes * self.voxel_bytes()
    }

    /// Where widths of moves are among it, behind the draws; and what is counted of them.
    pub(super) fn widths_at(&self) -> u32 {
        16 * SWEEPS * self.moves
    }

    pub(super) fn totals_at(&self) -> u32 {
        self.widths_at() + 4 * self.moves
    }

    pub(super) fn before_at(&self) -> u32 {
        self.totals_at() + 4 * self.moves
    }

    /// Shared memory of a block.
    pub(super) fn shared_bytes(&self) -> u32 {
        self.table_bytes() + self.voxels_bytes() + 16 * self.threads * (self.rounds.div_ceil(4) + self.aside)
    }

    /// Voxels of a block.
    pub(super) fn groups(&self) -> u32 {
        self.threads / self.lanes
    }
}

/// How many values of a measurement a move changes at most.
fn most_changed(moves: &Moves) -> usize {
    moves.of.iter().map(|one| one.changed.len()).max().unwrap_or(0)
}
