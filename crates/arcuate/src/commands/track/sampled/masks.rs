//! Masks that were read.

use arcuate_core::Mask;
use arcuate_track::Mapping;
use std::sync::Arc;

/// Masks that were read, and the ways between the spaces.
pub(super) struct Masks {
    /// Where streamlines begin, if that is a mask.
    pub(super) seeds: Option<Mask>,
    /// From the masks to the orientations.
    pub(super) to_field: Option<Arc<Mapping>>,
    /// From the orientations to the masks.
    pub(super) from_field: Option<Arc<Mapping>>,
}
