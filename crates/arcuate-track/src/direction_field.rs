//! Interface of direction fields for streamline tracking.

use crate::samples::shared::{BLOCK_OF_HALF, BLOCK_OF_SIGN, BLOCK_OF_STEPS};
use crate::summary::Termination;
use arcuate_compute::{Purpose, random_blocks};
use arcuate_core::Grid;

/// A field of directions that streamlines can follow, such as fibre orientation distributions, the output of
/// a neural network or a formula. An implementation can be tracked with all seeds, integration rules,
/// constraints and sinks of this crate.
///
/// Each method gets one position at a time. Its result must depend only on its arguments; then a run is
/// bit-identical for any number of threads. See `examples/new_field.rs`.
pub trait DirectionField: Sync {
    /// Returns the grid whose voxel coordinates are used for positions: (0, 0, 0) is the centre of the first
    /// voxel. The voxel size of this grid limits the step length.
    fn grid(&self) -> &Grid;

    /// Returns true if the voxel nearest to a position belongs to the field. Streamlines can start and
    /// continue only at such positions.
    fn holds(&self, place: [f32; 3]) -> bool;

    /// Returns the direction at a position as a unit vector in scanner axes, with either sign, or the reason
    /// to stop. `before` is the current direction of the streamline (zero at its seed). The caller checks the
    /// curvature.
    fn direction(
        &self,
        place: [f32; 3],
        before: [f32; 3],
        draws: &Draws,
    ) -> std::result::Result<[f32; 3], Termination>;

    /// Returns the support of the field for a streamline that passes a position in a direction, or `None` if
    /// the field has no such value. The support of a fibre orientation distribution is its amplitude. A
    /// streamline that ends inside a sub-cortical nucleus is truncated at the point with the lowest support.
    fn support(&self, _place: [f32; 3], _direction: [f32; 3]) -> Option<f32> {
        None
    }
}

/// Number of blocks of random numbers that are reserved for the steps of a streamline. A step has four
/// blocks, for integration stages 0 to 2 and for the decision to continue. Blocks of higher stages follow the
/// reserved ones.
const BLOCKS_OF_STEPS: u64 = 1 << 40;
/// Maximum number of integration stages, each of which has [`BLOCKS_OF_STEPS`] blocks of random numbers.
/// Additional sets of random numbers follow the blocks of all stages.
const FIRST_OF_SETS: u64 = 1 << 8;
/// Number of blocks of random numbers per attempt at a half. Each repeated attempt uses its own range of
/// blocks.
const BLOCKS_OF_ATTEMPTS: u64 = 1 << 50;

/// Random numbers of a streamline at a point. The numbers depend only on the random seed of the run, the
/// number of the streamline, the step, the integration stage and the attempt.
#[derive(Debug, Clone, Copy)]
pub struct Draws {
    pub(crate) seed: u64,
    pub(crate) number: u64,
    /// Half of the streamline: 0 is tracked first.
    pub(crate) half: u64,
    /// Number of the point, counted from the seed.
    pub(crate) point: u32,
    /// Integration stage of a rule that looks ahead: 0 at the point itself.
    pub(crate) stage: u32,
    /// Number of times that the half was restarted from an earlier point (back-tracking).
    pub(crate) attempt: u32,
}

impl Draws {
    /// Returns four uniform numbers in [0, 1), with 24 bits each.
    pub fn uniform(&self) -> [f32; 4] {
        self.bits().map(unit)
    }

    /// Returns a further set of four uniform numbers in [0, 1). Set 0 is [`uniform`](Self::uniform).
    pub fn further(&self, set: u32) -> [f32; 4] {
        if set == 0 {
            return self.uniform();
        }
        // Blocks of additional sets follow the blocks of all stages.
        let block = BLOCKS_OF_STEPS * (FIRST_OF_SETS + u64::from(self.stage)) + (u64::from(set) << 32);
        self.block(BLOCK_OF_STEPS + block + self.step() + self.of_attempt()).map(unit)
    }

    /// Returns true at the beginning of a step, and false at the points ahead that an integration rule
    /// evaluates.
    pub fn is_first_stage(&self) -> bool {
        self.stage == 0
    }

    /// Returns true at the seed, where a streamline has no direction yet.
    pub fn is_seed(&self) -> bool {
        self.point == 0 && self.stage == 0
    }

    /// Returns the random bits of [`uniform`](Self::uniform).
    #[inline]
    pub(crate) fn bits(&self) -> [u32; 4] {
        match self.stage {
            0 => self.of_step(0),
            // Block 1 of a step is reserved for the decision whether the streamline continues.
            1 | 2 => self.of_step(u64::from(self.stage) + 1),
            stage => {
                let block = BLOCKS_OF_STEPS * u64::from(stage) + self.step();
                self.block(BLOCK_OF_STEPS + block + self.of_attempt())
            }
        }
    }

    /// Returns the random bits for the decision whether a streamline continues.
    #[inline]
    pub(crate) fn continuation_bits(&self) -> [u32; 4] {
        self.of_step(1)
    }

    /// Returns the random bits that both halves share.
    pub(crate) fn of_both_halves(&self) -> [u32; 4] {
        self.block(BLOCK_OF_SIGN)
    }

    /// Returns the random bits that are drawn once per half.
    pub(crate) fn of_half(&self) -> [u32; 4] {
        self.block(BLOCK_OF_HALF + self.half)
    }

    fn step(&self) -> u64 {
        2 * u64::from(self.point) + self.half
    }

    #[inline]
    fn of_step(&self, block: u64) -> [u32; 4] {
        self.block(BLOCK_OF_STEPS + (self.step() << 2 | block) + self.of_attempt())
    }

    #[inline]
    fn of_attempt(&self) -> u64 {
        BLOCKS_OF_ATTEMPTS * u64::from(self.attempt)
    }

    #[inline]
    fn block(&self, block: u64) -> [u32; 4] {
        block_of(self.seed, self.number, block)
    }
}

/// Returns one block of random bits from the random stream of a streamline.
#[inline]
pub(crate) fn block_of(seed: u64, number: u64, block: u64) -> [u32; 4] {
    random_blocks(seed, Purpose::Propagation, &[number], block).map(|[bits]| bits)
}

/// Converts 24 random bits to a number in [0, 1).
#[inline]
pub(crate) fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}
