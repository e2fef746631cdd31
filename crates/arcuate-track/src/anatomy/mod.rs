//! What streamlines may do in which tissue: anatomically-constrained tractography (Smith et al. 2012,
//! doi:10.1016/j.neuroimage.2012.06.005).
//!
//! Streamlines run in white matter and end where it meets grey matter. One that ends in the middle of it, or comes into fluid, is no
//! fibre: it is followed again from a little before, and left out where that leads nowhere.
//!
//! `tissues.cuh` is the same for kernels, operation by operation: change both or none.

mod back_tracking;
mod course;
mod placed;

pub(crate) use back_tracking::BackTracking;
pub(crate) use course::{Course, ends_well};
pub(crate) use placed::{Matter, PlacedAnatomy};

use crate::space::Mapping;
use arcuate_core::FiveTissues;
use std::sync::Arc;

/// Tissues that streamlines heed.
///
/// At each point the largest of the trilinear fractions says what is there, grey matter of both kinds being one in this. A
/// half of a streamline
///
/// - ends at its first point in cortical grey matter;
/// - ends where it leaves sub-cortical grey matter that it came into, and is cut back to the point in there that speaks least for
///   it: of distributions the one of the smallest amplitude, else the deepest one. A half that begins there may leave it once, if
///   the other half does not;
/// - may end there for any other reason, and in pathological tissue, where it leaves the brain or the image, and where a region
///   says so;
/// - is wrong where it ends in white matter, or comes into fluid.
///
/// Streamlines with a half that is wrong are left out, and so are those without any point in white matter and those of seeds in
/// fluid or outside the brain.
#[derive(Debug, Clone, PartialEq)]
pub struct Anatomy {
    /// The tissues, on any lattice.
    pub tissues: Arc<FiveTissues>,
    /// From the space of what is followed to that of the tissues, where these are two.
    pub mapping: Option<Arc<Mapping>>,
    /// Whether a half that is wrong is followed again from points before its end, farther and farther back. It changes nothing
    /// where no step is drawn at random.
    pub back_track: bool,
    /// Whether ends in cortical grey matter are moved back to where it meets white matter.
    pub crop_at_interface: bool,
}

impl Anatomy {
    /// With ends moved to where grey and white matter meet and no other attempt, in the space of what is followed: why is said in
    /// `docs/src/algorithms/anatomy.md`.
    pub fn new(tissues: Arc<FiveTissues>) -> Self {
        Self { tissues, mapping: None, back_track: false, crop_at_interface: true }
    }
}
