//! Anatomically constrained tractography (Smith et al. 2012, doi:10.1016/j.neuroimage.2012.06.005).
//!
//! Streamlines run in white matter and end where they reach grey matter. A streamline that ends inside white
//! matter, or enters cerebrospinal fluid (CSF), is implausible. An implausible streamline is tracked again
//! from an earlier point, and is rejected if this does not help.
//!
//! `tissues.cuh` implements the rules of this module for GPUs, with the same operations in the same order.
//! Always change both implementations.

mod anatomical_half;
mod back_tracking;
mod placed;

pub(crate) use anatomical_half::{AnatomicalHalf, ends_well};
pub(crate) use back_tracking::BackTracking;
pub(crate) use placed::{Matter, PlacedAnatomy};

use crate::space::Mapping;
use arcuate_core::FiveTissues;
use std::sync::Arc;

/// Tissues for anatomically constrained tractography.
///
/// The tissue at a point is the one with the largest fraction, interpolated trilinearly. Cortical and
/// sub-cortical grey matter count as one tissue in this comparison. The rules for a half of a streamline are:
///
/// - It stops at its first point in cortical grey matter.
/// - It stops when it leaves sub-cortical grey matter after entering it. The half is then truncated at one of
///   its points inside. For fibre orientation distributions, this is the point with the lowest amplitude. For
///   other fields, it is the point with the largest fraction of sub-cortical grey matter. If the seed is
///   inside sub-cortical grey matter, one of the two halves may leave it.
/// - It may stop for any other reason inside sub-cortical grey matter. It may also stop in pathological
///   tissue, where it leaves the brain or the image, and where a region stops it.
/// - It is implausible if it stops in white matter or enters cerebrospinal fluid (CSF).
///
/// A streamline is rejected if one of its halves is implausible, or if it has no point in white matter. A
/// streamline is also rejected if its seed is in CSF or outside the brain.
#[derive(Debug, Clone, PartialEq)]
pub struct Anatomy {
    /// Five-tissue-type image, on any grid.
    pub tissues: Arc<FiveTissues>,
    /// Mapping from the space of the tracked image to the space of the tissue image; `None` if both images
    /// are in the same space.
    pub mapping: Option<Arc<Mapping>>,
    /// True to track an implausible half of a streamline again from earlier points, further back with each
    /// attempt. This has no effect if tracking is deterministic.
    pub back_track: bool,
    /// True to move streamline ends that are in cortical grey matter back to the interface with white matter.
    pub crop_at_interface: bool,
}

impl Anatomy {
    /// Creates the default settings: streamline ends are moved to the interface of grey and white matter,
    /// implausible halves are not tracked again, and there is no mapping. `docs/src/algorithms/anatomy.md`
    /// explains the choice.
    pub fn new(tissues: Arc<FiveTissues>) -> Self {
        Self { tissues, mapping: None, back_track: false, crop_at_interface: true }
    }
}
