//! Tissues that streamlines heed, in a file.

use arcuate_core::{FiveTissues, Result};
use arcuate_io::read_volume;
use arcuate_track::{Anatomy, Mapping};
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

/// A five-tissue-type image, and which of the rules about it hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnatomyFile {
    /// The image, on any lattice: in the space of the masks.
    pub path: PathBuf,
    /// Whether a half of a streamline that ends wrongly is followed again from a little before.
    pub back_track: bool,
    /// Whether ends in cortical grey matter are moved back to where it meets white matter.
    pub crop_at_interface: bool,
}

impl AnatomyFile {
    /// With ends moved to where grey and white matter meet, and no other attempt.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), back_track: false, crop_at_interface: true }
    }

    /// Reads the image, to whose space `mapping` leads. Warns where its volumes seem to be in another order, and where it has
    /// no sub-cortical grey matter.
    ///
    /// Fails where it is no image of five tissues.
    pub fn read(&self, mapping: Option<&Arc<Mapping>>) -> Result<Anatomy> {
        let name = self.path.display();
        let tissues =
            FiveTissues::new(read_volume(&self.path)?).map_err(|error| error.about(name.to_string()))?;
        warn_of_tissues(&tissues, &name);
        Ok(Anatomy {
            tissues: Arc::new(tissues),
            mapping: mapping.cloned(),
            back_track: self.back_track,
            crop_at_interface: self.crop_at_interface,
        })
    }
}

/// Warns if the volumes of five tissues, which are called `name`, seem to be in another order, and if there is no sub-cortical grey
/// matter.
pub fn warn_of_tissues(tissues: &FiveTissues, name: &dyn Display) {
    if let Some(doubt) = tissues.order_doubt() {
        tracing::warn!(
            "{name}: {doubt}; check that its volumes are cortical grey, sub-cortical grey, white matter, fluid and pathological \
             tissue, in this order"
        );
    }
    if !tissues.has_sub_cortical() {
        tracing::warn!("{name}: there is no sub-cortical grey matter, so that no streamline ends there");
    }
}
