//! Regions and seeds that streamlines through these orientations cannot reach: masks of another space, most often.

use super::orientations::NOWHERE;
use super::regions::{Region, Regions, Space, WaypointCondition};
use super::seeds::{AT_CENTRE, IN_BALL};
use super::walk::{Field, index, inside, nearest};
use arcuate_core::{Error, Result};
use rayon::prelude::*;

impl Field<'_> {
    /// Fails where no streamline has anywhere to begin.
    pub(super) fn check_seeds(&self) -> Result<()> {
        // A place that is drawn may have orientations where the middle has none.
        let reach = match self.course.jitter {
            AT_CENTRE => 0.0,
            IN_BALL => 1.0,
            _ => 0.5,
        };
        let has = |offset: [f32; 3]| {
            self.centres.par_iter().any(|&centre| self.has_orientations(self.placed(centre, offset)))
        };
        if offsets(0).chain(offsets(1)).any(|offset| has(offset.map(|c| reach * c))) {
            return Ok(());
        }
        let problem = "no seed lies in a voxel with orientations";
        let advice = "check that it is of the same space, or say how to get there";
        Err(Error::invalid("seed mask", problem, advice))
    }

    /// Fails where streamlines cannot pass the waypoints: one lies where there are no orientations, or in what they avoid.
    /// Warns of other regions that they cannot reach.
    pub(super) fn check_regions(&self, regions: &Regions) -> Result<()> {
        let Regions { avoid, stop, stop_on_exit, targets, waypoints, .. } = regions;
        for region in [avoid, stop, stop_on_exit, targets].into_iter().flatten() {
            if !self.reaches(region) {
                tracing::warn!(
                    "{}: it lies where there are no orientations, so that it changes nothing; check that both are of one \
                     space",
                    region.name
                );
            }
        }
        let problem = |region: &Region| {
            if !self.reaches(region) {
                Some("it lies where there are no orientations")
            } else if is_avoided(region, regions) {
                Some("it lies in what streamlines avoid")
            } else {
                None
            }
        };
        let advice = "no streamline can pass it: check that both are of one space";
        let problems: Vec<Error> = waypoints
            .iter()
            .filter_map(|region| Some(Error::invalid(&region.name, problem(region)?, advice)))
            .collect();
        let any_is_left = regions.condition == WaypointCondition::Any && problems.len() < waypoints.len();
        problems.into_iter().next().filter(|_| !any_is_left).map_or(Ok(()), Err)
    }

    /// Whether a point of a streamline can lie in a region.
    fn reaches(&self, region: &Region) -> bool {
        let Some(space) = self.spaces.of(region) else { return false };
        // First the middle of each voxel with orientations, which nearly always decides; then all around it, as far as the
        // last point of a streamline may lie: a step from a place of which it is the nearest voxel.
        let step = &self.course.step;
        let reach: [f32; 3] = std::array::from_fn(|axis| {
            let row = &step[3 * axis..3 * axis + 3];
            0.5 + row.iter().map(|c| c * c).sum::<f32>().sqrt()
        });
        [0, 2].into_iter().any(|steps| {
            let offsets: Vec<[f32; 3]> =
                offsets(steps).map(|offset| [0, 1, 2].map(|axis| reach[axis] * offset[axis])).collect();
            self.table.places().par_iter().enumerate().any(|(voxel, &place)| {
                let at = self.table.grid().coordinates(voxel).map(|c| c as f32);
                let near = |offset: &[f32; 3]| [0, 1, 2].map(|axis| at[axis] + offset[axis]);
                place != NOWHERE && offsets.iter().any(|offset| contains(region, space, near(offset)))
            })
        })
    }
}

/// All that have each coordinate among -1 to 1, so many steps to either side of 0.
fn offsets(steps: i32) -> impl Iterator<Item = [f32; 3]> {
    let each = 2 * steps + 1;
    let of = move |n: i32| if steps == 0 { 0.0 } else { (n - steps) as f32 / steps as f32 };
    (0..each * each * each).map(move |n| [of(n % each), of(n / each % each), of(n / each / each)])
}

/// Whether a point, in voxels of the orientations, lies in a region.
fn contains(region: &Region, space: &Space, point: [f32; 3]) -> bool {
    let voxel = Field::in_space(space, point).map(nearest);
    let shape = space.grid.shape().map(|n| n as i32);
    inside(voxel, shape) && region.mask.contains(index(voxel, shape))
}

fn is_avoided(region: &Region, regions: &Regions) -> bool {
    let same = |other: &&Region| other.mapping == region.mapping && other.mask.grid() == region.mask.grid();
    let others: Vec<&Region> = regions.avoid.iter().filter(same).collect();
    region.mask.indices().iter().all(|&voxel| others.iter().any(|other| other.mask.contains(voxel)))
}
