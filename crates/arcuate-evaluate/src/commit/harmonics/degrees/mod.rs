//! The kernels that are compiled for a degree.

mod cuda;
mod kernels;

#[cfg(test)]
pub(super) use cuda::COMPILED;
pub(super) use cuda::{Compiled, Units};

use super::Segment;
use super::units::Unit;
