//! Constraints of streamlines: regions that streamlines must pass, avoid or stop in. The module also has the
//! rules that decide which halves of a streamline are kept. Regions can be in a different space than the
//! tracked image.

mod bits;
mod cut;
mod passage;
mod placed;
mod reachable_space;
mod region_grids;
mod regions;
mod surfaces;

pub use cut::StreamlineCut;
pub(crate) use passage::{FinishedHalf, Passage};
pub(crate) use placed::in_mm;
pub use placed::{PlacedConstraints, RegionTest};
pub(crate) use reachable_space::{ReachableSpace, offsets};
pub(crate) use region_grids::{RegionGrids, RegionRoles};
pub use regions::{ConstraintUnit, Constraints, Region, RegionShape, WaypointCondition};
pub(crate) use surfaces::{Fixed, RegionSurfaces};
