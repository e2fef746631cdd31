//! Constraints of streamlines that are there already.

use super::lattices::Lattices;
use super::passage::Passage;
use super::regions::Constraints;
use arcuate_core::{Affine, Grid, Point, Result};

impl Constraints {
    /// Ready to be met by points in RAS mm. Fails on empty regions and on conditions that do not go together.
    pub fn place(&self) -> Result<PlacedConstraints> {
        Ok(PlacedConstraints { lattices: in_mm(self)? })
    }
}

/// The lattices of regions as points in RAS mm see them.
pub(crate) fn in_mm(constraints: &Constraints) -> Result<Lattices> {
    Lattices::new(&Grid::new([1; 3], Affine::identity())?, constraints, None)
}

/// Constraints ready to be met by streamlines that are there already, from whatever seed.
#[derive(Debug)]
pub struct PlacedConstraints {
    lattices: Lattices,
}

impl PlacedConstraints {
    /// Whether a line through these points in RAS mm meets none of what is to be avoided, and the waypoints, as many as it
    /// must and, if they have one, in their order from either end; every point counts. Where lines end is not looked at.
    pub fn fit(&self, line: &[Point]) -> bool {
        Passage::default().fits(&self.lattices, line.iter())
            || self.lattices.scope.in_order && Passage::default().fits(&self.lattices, line.iter().rev())
    }
}
