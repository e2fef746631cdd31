//! Constraints of streamlines: regions that streamlines must pass, avoid or stop in, and the rules that
//! decide which halves of a streamline are kept. Regions can be in a different space than the tracked image.

mod bits;
mod cut;
mod region_grids;
mod passage;
mod placed;
mod reachable_space;
mod regions;
mod surfaces;

pub use cut::StreamlineCut;
pub(crate) use region_grids::{Kinds, RegionGrids};
pub(crate) use passage::{Passage, FinishedHalf};
pub(crate) use placed::in_mm;
pub use placed::{PlacedConstraints, RegionTest};
pub(crate) use reachable_space::{ReachableSpace, offsets};
pub use regions::{Constraints, ConstraintUnit, Region, RegionShape, WaypointCondition};
pub(crate) use surfaces::{Fixed, RegionSurfaces};
