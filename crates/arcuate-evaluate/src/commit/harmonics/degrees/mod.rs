//! GPU kernels, each compiled for one maximum degree of the spherical harmonics.

mod compiled;
mod cuda;
mod kernels;

#[cfg(test)]
pub(super) use compiled::COMPILED;
pub(super) use compiled::{Compiled, load};
pub(super) use cuda::GroupUnits;

// Types of the kernels' parameters.
use super::Segment;
use super::units::Unit;
