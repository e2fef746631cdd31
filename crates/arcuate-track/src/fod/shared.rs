//! Numbers of the kernels that what became of a streamline is read by.

use super::constants;

/// Ends that tissues are the reason of.
pub(crate) const CORTICAL_GREY: u32 = constants::CORTICAL_GREY;
pub(crate) const SUB_CORTICAL_GREY: u32 = constants::SUB_CORTICAL_GREY;
pub(crate) const FLUID: u32 = constants::FLUID;
pub(crate) const LEFT_BRAIN: u32 = constants::LEFT_BRAIN;
pub(crate) const LEFT_IMAGE: u32 = constants::LEFT_IMAGE;
/// What is left out for them.
pub(crate) const ANATOMY: u32 = constants::ANATOMY;
