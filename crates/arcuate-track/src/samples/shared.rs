//! Constants of the kernels that tracking on the CPU shares.

use super::constants;

/// Blocks of the random stream of a streamline, in this order: position of the seed, first sign and fibre,
/// first fibre of each half. Four blocks per step of each half follow.
pub(crate) const BLOCK_OF_SIGN: u64 = constants::BLOCK_OF_SIGN as u64;
pub(crate) const BLOCK_OF_HALF: u64 = constants::BLOCK_OF_HALF as u64;
pub(crate) const BLOCK_OF_STEPS: u64 = constants::BLOCK_OF_STEPS as u64;
/// Maximum number of attempts to draw a point inside the ball. A fraction of 10⁻¹⁷ fails and starts at the
/// centre.
pub(crate) const ATTEMPTS: u64 = constants::ATTEMPTS as u64;

/// Kinds of random displacement from the centre of a seed.
pub(crate) const AT_CENTRE: u32 = constants::AT_CENTRE;
pub(crate) const IN_VOXEL: u32 = constants::IN_VOXEL;
pub(crate) const IN_BALL: u32 = constants::IN_BALL;

/// Edge length of a cell of the loop check, in voxels.
pub(crate) const CELL: f32 = constants::CELL;
/// Number of cells that the loop check stores. New cells replace the oldest ones.
pub(crate) const CELLS: usize = constants::CELLS as usize;
