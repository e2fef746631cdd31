//! The kernels that are compiled for a degree.

mod compiled;
mod cuda;
mod kernels;

#[cfg(test)]
pub(super) use compiled::COMPILED;
pub(super) use compiled::{Compiled, load};
pub(super) use cuda::GroupUnits;

// What the kernels' parameters are made of.
use super::Segment;
use super::units::Unit;
