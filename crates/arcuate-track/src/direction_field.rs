//! Interface of direction fields for streamline tracking.

use crate::samples::shared::{BLOCK_OF_HALF, BLOCK_OF_SIGN, BLOCK_OF_STEPS};
use crate::summary::Termination;
use arcuate_compute::{Purpose, random_blocks};
use arcuate_core::Grid;

/// A field of directions that streamlines can follow, such as fibre orientation distributions, the output of
/// a neural network or a formula. All seeds, integration rules, constraints and sinks of this crate work with
/// any field that implements this trait.
///
/// Each method gets one position at a time. The result of a method must depend only on its arguments. A run
/// is then bit-identical for any number of threads. See `examples/new_field.rs`.
pub trait DirectionField: Sync {
    /// Returns the grid of the field. Positions are voxel coordinates of this grid: (0, 0, 0) is the centre
    /// of the first voxel. The voxel size of this grid limits the step length.
    fn grid(&self) -> &Grid;

    /// Returns true if the voxel nearest to a position belongs to the field. Streamlines can start and
    /// continue only at such positions.
    fn holds(&self, place: [f32; 3]) -> bool;

    /// Returns the direction of the field at a position, or the reason to stop. The direction is a unit
    /// vector in scanner axes, with either sign. `before` is the current direction of the streamline (zero at
    /// its seed). The caller checks the curvature of the streamline.
    fn direction(
        &self,
        place: [f32; 3],
        before: [f32; 3],
        draws: &Draws,
    ) -> std::result::Result<[f32; 3], Termination>;

    /// Returns the support of the field for a streamline that passes a position in a direction, for example
    /// the amplitude of a fibre orientation distribution. Returns `None` if the field has no such value. A
    /// streamline that ends inside a sub-cortical nucleus is truncated at the point with the lowest support.
    fn support(&self, _place: [f32; 3], _direction: [f32; 3]) -> Option<f32> {
        None
    }
}

/// Number of blocks of random numbers that are reserved for the steps of a streamline. A block is four random
/// numbers. A step has four blocks: for integration stages 0 to 2, and for the decision whether the
/// streamline continues. The blocks of higher stages follow the reserved blocks.
const BLOCKS_OF_STEPS: u64 = 1 << 40;
/// Maximum number of integration stages of a step. Each stage has [`BLOCKS_OF_STEPS`] blocks of random
/// numbers. The blocks of [`Draws::further`] follow the blocks of all stages.
const FIRST_OF_SETS: u64 = 1 << 8;
/// Number of blocks of random numbers for each attempt to track a half of a streamline. Each repeated attempt
/// (back-tracking) uses its own range of blocks.
const BLOCKS_OF_ATTEMPTS: u64 = 1 << 50;

/// Random numbers of a streamline at one of its points. The numbers depend only on the random seed of the
/// run, the number of the streamline, the step, the integration stage and the attempt.
#[derive(Debug, Clone, Copy)]
pub struct Draws {
    pub(crate) seed: u64,
    pub(crate) number: u64,
    /// Half of the streamline: 0 for the half that is tracked first, 1 for the other half.
    pub(crate) half: u64,
    /// Number of the point in its half; the seed has number 0.
    pub(crate) point: u32,
    /// Integration stage: 0 at the point itself, higher at the points ahead that an integration rule
    /// evaluates.
    pub(crate) stage: u32,
    /// Number of times that the half of the streamline was restarted from an earlier point (back-tracking).
    pub(crate) attempt: u32,
}

impl Draws {
    /// Returns four random numbers, uniformly distributed in [0, 1), with 24 bits each.
    #[inline]
    pub fn uniform(&self) -> [f32; 4] {
        self.bits().map(unit)
    }

    /// Returns four more random numbers, uniformly distributed in [0, 1). There are many such sets of four
    /// numbers. Set 0 is [`uniform`](Self::uniform).
    #[inline]
    pub fn further(&self, set: u32) -> [f32; 4] {
        if set == 0 {
            return self.uniform();
        }
        // The blocks of random numbers for set 1 and higher follow the blocks of all integration stages.
        let block = BLOCKS_OF_STEPS * (FIRST_OF_SETS + u64::from(self.stage)) + (u64::from(set) << 32);
        self.block(BLOCK_OF_STEPS + block + self.step() + self.of_attempt()).map(unit)
    }

    /// Returns true at the point from which a step starts. Returns false at the points ahead that an
    /// integration rule evaluates.
    pub fn is_first_stage(&self) -> bool {
        self.stage == 0
    }

    /// Returns true at the seed, where a streamline has no direction yet.
    pub fn is_seed(&self) -> bool {
        self.point == 0 && self.stage == 0
    }

    /// Returns the random bits from which [`uniform`](Self::uniform) makes its numbers.
    #[inline]
    pub(crate) fn bits(&self) -> [u32; 4] {
        match self.stage {
            0 => self.of_step(0),
            // Block 1 of a step has the random numbers for the decision whether the streamline continues.
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

    /// Returns the random bits that both halves of the streamline share.
    pub(crate) fn of_both_halves(&self) -> [u32; 4] {
        self.block(BLOCK_OF_SIGN)
    }

    /// Returns the random bits that are drawn once for each half of the streamline.
    pub(crate) fn of_half(&self) -> [u32; 4] {
        self.block(BLOCK_OF_HALF + self.half)
    }

    #[inline]
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

/// Returns one block of random bits. `seed` is the random seed of the run, and `number` is the number of the
/// streamline.
#[inline]
pub(crate) fn block_of(seed: u64, number: u64, block: u64) -> [u32; 4] {
    random_blocks(seed, Purpose::Propagation, &[number], block).map(|[bits]| bits)
}

/// Converts 24 random bits to a number in [0, 1).
#[inline]
pub(crate) fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}
