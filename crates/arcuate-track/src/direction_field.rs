//! Fields of directions, as streamlines see them.

use crate::samples::shared::{BLOCK_OF_HALF, BLOCK_OF_SIGN, BLOCK_OF_STEPS};
use crate::summary::Termination;
use arcuate_compute::{Purpose, random_blocks};
use arcuate_core::Grid;

/// What streamlines are followed through: a direction at every place that has one. Whoever has such a field (fibre orientation
/// distributions, a network's answer, a formula) gets all of tracking with it: seeds, rules, constraints, sinks.
///
/// Everything is asked of one place at a time, and must depend on what is given alone: then a run has the same bits at any
/// number of threads. See `examples/new_field.rs`.
pub trait DirectionField: Sync {
    /// The lattice whose voxels places are counted in: (0, 0, 0) is the centre of its first voxel. Steps are measured by it.
    fn grid(&self) -> &Grid;

    /// Whether streamlines may begin at a place, and go on from it: whether its nearest voxel belongs to the field.
    fn holds(&self, place: [f32; 3]) -> bool;

    /// The direction at a place, a unit vector in scanner axes of either sign, where a streamline comes with the direction
    /// `before` (zero at its seed); or why it ends there. Whether the turn is too sharp is seen to elsewhere.
    fn direction(
        &self,
        place: [f32; 3],
        before: [f32; 3],
        draws: &Draws,
    ) -> std::result::Result<[f32; 3], Termination>;

    /// How much speaks for a streamline that comes through a place along a direction, where the field knows that of each: the amplitude
    /// of a distribution. Where anatomy ends a streamline within a nucleus, it is where that is least.
    fn support(&self, _place: [f32; 3], _direction: [f32; 3]) -> Option<f32> {
        None
    }
}

/// Blocks of steps in all, behind which those of stages begin that four do not hold.
const BLOCKS_OF_STEPS: u64 = 1 << 40;
/// Further sets of numbers come behind so many stages.
const FIRST_OF_SETS: u64 = 1 << 8;
/// All of which come again, for each attempt at a half.
const BLOCKS_OF_ATTEMPTS: u64 = 1 << 50;

/// What a streamline draws at random at a point: numbers that depend on the run's random seed, the streamline, the step and the
/// stage alone.
#[derive(Debug, Clone, Copy)]
pub struct Draws {
    pub(crate) seed: u64,
    pub(crate) number: u64,
    /// 0 is the half that is followed first.
    pub(crate) half: u64,
    /// From the seed on.
    pub(crate) point: u32,
    /// Of a rule that looks ahead: 0 at the point itself.
    pub(crate) stage: u32,
    /// How often the half was followed again, from somewhere on its way.
    pub(crate) attempt: u32,
}

impl Draws {
    /// Four numbers, evenly in [0, 1), 24 bits each.
    pub fn uniform(&self) -> [f32; 4] {
        self.bits().map(unit)
    }

    /// As [`uniform`](Self::uniform), and as many sets of four numbers as are asked for: set 0 is that one.
    pub fn further(&self, set: u32) -> [f32; 4] {
        if set == 0 {
            return self.uniform();
        }
        // Behind all stages.
        let block = BLOCKS_OF_STEPS * (FIRST_OF_SETS + u64::from(self.stage)) + (u64::from(set) << 32);
        self.block(BLOCK_OF_STEPS + block + self.step() + self.of_attempt()).map(unit)
    }

    /// Whether this is where a step begins, not a point ahead of it that a rule looks at.
    pub fn is_first_stage(&self) -> bool {
        self.stage == 0
    }

    /// Whether this is the seed, from which a streamline comes with no direction.
    pub fn is_seed(&self) -> bool {
        self.point == 0 && self.stage == 0
    }

    /// Those of [`uniform`](Self::uniform) as they are drawn.
    #[inline]
    pub(crate) fn bits(&self) -> [u32; 4] {
        match self.stage {
            0 => self.of_step(0),
            // The second block is that of going on at all.
            1 | 2 => self.of_step(u64::from(self.stage) + 1),
            stage => {
                let block = BLOCKS_OF_STEPS * u64::from(stage) + self.step();
                self.block(BLOCK_OF_STEPS + block + self.of_attempt())
            }
        }
    }

    /// Numbers beside, for whether a streamline goes on.
    #[inline]
    pub(crate) fn of_going_on(&self) -> [u32; 4] {
        self.of_step(1)
    }

    /// Those by which both halves choose, and those of this half.
    pub(crate) fn of_both_halves(&self) -> [u32; 4] {
        self.block(BLOCK_OF_SIGN)
    }

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

/// A block of draws of the stream of a streamline.
#[inline]
pub(crate) fn block_of(seed: u64, number: u64, block: u64) -> [u32; 4] {
    random_blocks(seed, Purpose::Propagation, &[number], block).map(|[bits]| bits)
}

/// A number in [0, 1) of 24 bits.
#[inline]
pub(crate) fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}
