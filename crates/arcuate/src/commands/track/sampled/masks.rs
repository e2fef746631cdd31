//! Masks that were read.

use arcuate_core::Mask;
use arcuate_pipeline::transforms::Transforms;
use arcuate_track::Mapping;
use std::sync::Arc;

/// Masks that were read, and the ways between the spaces.
pub(super) struct Masks {
    /// Where streamlines begin, if that is a mask.
    pub(super) seeds: Option<Mask>,
    /// The ways between their space and that of the orientations, where these are two.
    pub(super) transforms: Option<Transforms>,
}

impl Masks {
    /// From the masks to the orientations.
    pub(super) fn to_field(&self) -> Option<Arc<Mapping>> {
        self.transforms.as_ref().map(|both| Arc::clone(&both.to_field))
    }

    /// From the orientations to the masks.
    pub(super) fn to_masks(&self) -> Option<Arc<Mapping>> {
        self.transforms.as_ref().map(|both| Arc::clone(&both.from_field))
    }
}
