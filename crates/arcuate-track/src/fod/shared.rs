//! Constants with which GPU kernels encode the results of streamlines.

use super::constants;

/// Reasons to stop that concern tissues.
pub(crate) const CORTICAL_GREY: u32 = constants::CORTICAL_GREY;
pub(crate) const SUB_CORTICAL_GREY: u32 = constants::SUB_CORTICAL_GREY;
pub(crate) const CSF: u32 = constants::CSF;
pub(crate) const LEFT_BRAIN: u32 = constants::LEFT_BRAIN;
pub(crate) const LEFT_IMAGE: u32 = constants::LEFT_IMAGE;
/// Number that denotes the rejection of an anatomically implausible streamline.
pub(crate) const ANATOMY: u32 = constants::ANATOMY;
