//! Masks that were read.

use arcuate_core::{Mask, Result};
use arcuate_io::read_mask;
use arcuate_track::{Mapping, Region};
use std::path::PathBuf;
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

impl Masks {
    pub(super) fn regions(&self, paths: &[PathBuf]) -> Result<Vec<Region>> {
        let region = |path: &PathBuf| {
            Ok(Region {
                name: path.display().to_string(),
                mask: read_mask(path)?,
                mapping: self.from_field.clone(),
            })
        };
        paths.iter().map(region).collect()
    }
}
