//! The kernels that are compiled for a degree.

mod cuda;
mod kernels;

#[cfg(test)]
pub(super) use cuda::COMPILED;
pub(super) use cuda::{Compiled, GroupUnits, load};

// What the kernels' parameters are made of.
use super::Segment;
use super::units::Unit;
