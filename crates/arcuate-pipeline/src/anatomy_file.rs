//! Five-tissue-type image for anatomically constrained tracking.

use arcuate_core::{FiveTissues, Result};
use arcuate_io::read_volume;
use arcuate_track::{Anatomy, Mapping};
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

/// A five-tissue-type image file, and options of anatomically constrained tracking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnatomyFile {
    /// Path of the five-tissue-type image. It may have any voxel grid, and is in the space of the masks.
    pub path: PathBuf,
    /// True if a half of a streamline that terminates in the wrong tissue is tracked again from a point a
    /// little earlier.
    pub back_track: bool,
    /// True if endpoints in cortical grey matter are moved back to the interface with white matter.
    pub crop_at_interface: bool,
}

impl AnatomyFile {
    /// Creates the default options. Endpoints of streamlines are moved to the interface of grey and white
    /// matter. A half of a streamline that terminates in the wrong tissue is not tracked again.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), back_track: false, crop_at_interface: true }
    }

    /// Reads the five-tissue-type image. `mapping` maps from the space of the streamlines to the space of the
    /// image. Warns if the volumes seem to be in the wrong order, and if the image has no sub-cortical grey
    /// matter.
    ///
    /// Returns an error if the file is not a five-tissue-type image.
    #[doc(hidden)]
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

/// Warns if the volumes of a five-tissue-type image seem to be in the wrong order, and if the image has no
/// sub-cortical grey matter. `name` is the name of the image in the warnings.
pub fn warn_of_tissues(tissues: &FiveTissues, name: &dyn Display) {
    if let Some(doubt) = tissues.order_doubt() {
        tracing::warn!(
            "{name}: {doubt}; check that the volumes are cortical grey matter, sub-cortical grey matter, \
             white matter, CSF and pathological tissue, in this order"
        );
    }
    if !tissues.has_sub_cortical() {
        tracing::warn!(
            "{name}: this image has no sub-cortical grey matter, so no streamline can terminate in \
             sub-cortical nuclei"
        );
    }
}
