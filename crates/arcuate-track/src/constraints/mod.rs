//! What streamlines must and may not do: regions that they pass, avoid, end in, perhaps in another space than that of what
//! is followed, and what becomes of the two halves of a streamline that do.

mod bits;
mod cut;
mod lattices;
mod passage;
mod placed;
mod reach;
mod regions;
mod surfaces;

pub use cut::StreamlineCut;
pub(crate) use lattices::{Kinds, Lattices};
pub(crate) use passage::{Passage, Trip};
pub(crate) use placed::in_mm;
pub use placed::{PlacedConstraints, RegionTest};
pub(crate) use reach::{Reach, offsets};
pub use regions::{Constraints, JudgedBy, Region, RegionShape, WaypointCondition};
pub(crate) use surfaces::{Fixed, RegionSurfaces};
