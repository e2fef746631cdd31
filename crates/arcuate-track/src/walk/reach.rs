//! Detects seeds outside the direction field, and regions that streamlines cannot reach.

use super::streamline::Walk;
use crate::constraints::{Constraints, ReachableSpace, offsets};
use crate::direction_field::DirectionField;
use crate::samples::shared::{AT_CENTRE, IN_BALL};
use arcuate_core::{Error, Result};
use rayon::prelude::*;

impl<F: DirectionField> Walk<'_, F> {
    /// Returns an error if no seed is at a position where the direction field has values.
    pub(crate) fn check_seeds(&self) -> Result<()> {
        let starting_points = self.starting_points;
        // A randomly displaced start can have orientations even if the centre of its seed has none.
        let reach = match starting_points.jitter {
            AT_CENTRE => 0.0,
            IN_BALL => 1.0,
            _ => 0.5,
        };
        let has = |offset: [f32; 3]| {
            let holds = |&centre: &[f32; 3]| {
                starting_points.placed(centre, offset).is_some_and(|place| self.field.holds(place))
            };
            starting_points.centres.par_iter().any(holds)
        };
        if offsets(0).chain(offsets(1)).any(|offset| has(offset.map(|c| reach * c))) {
            return Ok(());
        }
        let problem = "no seed is in a voxel with orientations";
        let advice = "check that it is in the same space, or give the transform";
        Err(Error::invalid("seed mask", problem, advice))
    }

    /// Returns an error if streamlines cannot pass the waypoints. Warns about other regions that streamlines
    /// cannot reach.
    pub(crate) fn check_regions(&self, constraints: &Constraints) -> Result<()> {
        // The last point of a streamline can be one step away from a position whose nearest voxel belongs to
        // the direction field.
        let beyond: [f32; 3] = std::array::from_fn(|axis| {
            let row = &self.step[3 * axis..3 * axis + 3];
            0.5 + row.iter().map(|c| c * c).sum::<f32>().sqrt()
        });
        let grid = self.field.grid();
        let holds = |voxel: usize| self.field.holds(grid.coordinates(voxel).map(|c| c as f32));
        if let Some(anatomy) = &self.region_grids.anatomy {
            let held = (0..grid.len()).filter(|&voxel| holds(voxel));
            anatomy.check(held.map(|voxel| grid.coordinates(voxel).map(|c| c as f32)))?;
        }
        ReachableSpace { grid, holds: &holds, beyond, seen: &|place| place }
            .check(constraints, self.region_grids)
    }
}
