//! Constants of the GPU kernels that are also used for tracking on the CPU.

use super::constants;

/// Numbers of the blocks of random numbers of a streamline. In this order, the blocks are for the position of
/// the seed, the first sign and fibre, and the first fibre of each half. Four blocks for each step of each
/// half follow.
pub(crate) const BLOCK_OF_SIGN: u64 = constants::BLOCK_OF_SIGN as u64;
pub(crate) const BLOCK_OF_HALF: u64 = constants::BLOCK_OF_HALF as u64;
pub(crate) const BLOCK_OF_STEPS: u64 = constants::BLOCK_OF_STEPS as u64;
/// Maximum number of attempts to draw a random point inside the ball around a seed. In a fraction of 10⁻¹⁷ of
/// the streamlines all attempts fail; these streamlines start at the centre.
pub(crate) const ATTEMPTS: u64 = constants::ATTEMPTS as u64;

/// Types of random displacement from the centre of a seed.
pub(crate) const AT_CENTRE: u32 = constants::AT_CENTRE;
pub(crate) const IN_VOXEL: u32 = constants::IN_VOXEL;
pub(crate) const IN_BALL: u32 = constants::IN_BALL;

/// Edge length in voxels of the cells with which loops are detected.
pub(crate) const CELL: f32 = constants::CELL;
/// Number of cells that are stored to detect loops. New cells replace the oldest ones.
pub(crate) const CELLS: usize = constants::CELLS as usize;
