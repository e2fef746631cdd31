//! Regions and seeds that streamlines through these orientations cannot reach: masks of another space, most often.

use super::orientations::NOWHERE;
use super::regions::{Region, Regions, WaypointCondition};
use super::seeds::{AT_CENTRE, IN_BALL};
use super::walk::Field;
use crate::space::{index, inside, nearest};
use arcuate_core::{Error, Result};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

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
        let others: Vec<&Region> = [avoid, stop, stop_on_exit, targets].into_iter().flatten().collect();
        let all: Vec<&Region> = waypoints.iter().chain(others.iter().copied()).collect();
        let reached = self.reached(&all);
        for (region, reached) in others.iter().zip(&reached[waypoints.len()..]) {
            if !reached {
                tracing::warn!(
                    "{}: it lies where there are no orientations, so that it changes nothing; check that both are of one \
                     space",
                    region.name
                );
            }
        }
        let advice = "no streamline can pass it: check that both are of one space";
        let mut problems = Vec::new();
        for (region, reached) in waypoints.iter().zip(&reached) {
            if !reached {
                problems.push(Error::invalid(
                    &region.name,
                    "it lies where there are no orientations",
                    advice,
                ));
            } else if is_avoided(region, regions) {
                problems.push(Error::invalid(&region.name, "it lies in what streamlines avoid", advice));
            }
        }
        let any_is_left = regions.condition == WaypointCondition::Any && problems.len() < waypoints.len();
        problems.into_iter().next().filter(|_| !any_is_left).map_or(Ok(()), Err)
    }

    /// Of each region, whether a point of a streamline can lie in it.
    fn reached(&self, regions: &[&Region]) -> Vec<bool> {
        let reached: Vec<AtomicBool> = regions.iter().map(|_| AtomicBool::new(false)).collect();
        // As far as the last point of a streamline may lie: a step from a place of which the voxel is the nearest.
        let step = &self.course.step;
        let reach: [f32; 3] = std::array::from_fn(|axis| {
            let row = &step[3 * axis..3 * axis + 3];
            0.5 + row.iter().map(|c| c * c).sum::<f32>().sqrt()
        });
        // First the middle of each voxel with orientations, which nearly always decides; then all around it.
        for steps in [0, 2] {
            for space in &self.spaces.all {
                let is_open = |n: &usize| {
                    !reached[*n].load(Relaxed)
                        && self.spaces.of(regions[*n]).is_some_and(|own| std::ptr::eq(own, space))
                };
                let open: Vec<usize> = (0..regions.len()).filter(is_open).collect();
                if open.is_empty() {
                    continue;
                }
                let offsets: Vec<[f32; 3]> =
                    offsets(steps).map(|offset| [0, 1, 2].map(|axis| reach[axis] * offset[axis])).collect();
                let shape = space.grid.shape().map(|n| n as i32);
                let look = |voxel: usize| {
                    let at = self.table.grid().coordinates(voxel).map(|c| c as f32);
                    for offset in &offsets {
                        let point = [0, 1, 2].map(|axis| at[axis] + offset[axis]);
                        let there = space.way.apply(point).map(nearest);
                        if inside(there, shape) {
                            let there = index(there, shape);
                            for &n in &open {
                                if regions[n].mask.contains(there) {
                                    reached[n].store(true, Relaxed);
                                }
                            }
                        }
                    }
                };
                // In parts, so that it ends soon after all have been reached.
                let places = self.table.places();
                (0..places.len().div_ceil(PART)).into_par_iter().any(|part| {
                    let part = part * PART..places.len().min((part + 1) * PART);
                    part.filter(|&voxel| places[voxel] != NOWHERE).for_each(look);
                    open.iter().all(|&n| reached[n].load(Relaxed))
                });
            }
        }
        reached.into_iter().map(AtomicBool::into_inner).collect()
    }
}

/// Voxels that are looked at before it is asked whether all is known.
const PART: usize = 1 << 12;

/// All that have each coordinate among -1 to 1, so many steps to either side of 0.
fn offsets(steps: i32) -> impl Iterator<Item = [f32; 3]> {
    let each = 2 * steps + 1;
    let of = move |n: i32| if steps == 0 { 0.0 } else { (n - steps) as f32 / steps as f32 };
    (0..each * each * each).map(move |n| [of(n % each), of(n / each % each), of(n / each / each)])
}

fn is_avoided(region: &Region, regions: &Regions) -> bool {
    let same = |other: &&Region| other.mapping == region.mapping && other.mask.grid() == region.mask.grid();
    let others: Vec<&Region> = regions.avoid.iter().filter(same).collect();
    region.mask.indices().iter().all(|&voxel| others.iter().any(|other| other.mask.contains(voxel)))
}
