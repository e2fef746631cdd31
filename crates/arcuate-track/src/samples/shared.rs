//! Numbers of the kernels that all streamlines through fields share with them.

use super::constants;

/// Blocks of draws of a streamline's stream: the seed's place, the first sign and fibre, the first fibre of each half, then
/// four of each step of each half.
pub(crate) const BLOCK_OF_SIGN: u64 = constants::BLOCK_OF_SIGN as u64;
pub(crate) const BLOCK_OF_HALF: u64 = constants::BLOCK_OF_HALF as u64;
pub(crate) const BLOCK_OF_STEPS: u64 = constants::BLOCK_OF_STEPS as u64;
/// Attempts to fall into the ball; one in 10¹⁷ fails them all and begins at the centre.
pub(crate) const ATTEMPTS: u64 = constants::ATTEMPTS as u64;

/// How a place is made of a number.
pub(crate) const AT_CENTRE: u32 = constants::AT_CENTRE;
pub(crate) const IN_VOXEL: u32 = constants::IN_VOXEL;
pub(crate) const IN_BALL: u32 = constants::IN_BALL;

/// Voxels along an edge of a cell of the loop check.
pub(crate) const CELL: f32 = constants::CELL;
/// Cells that are remembered; the oldest are forgotten.
pub(crate) const CELLS: usize = constants::CELLS as usize;
