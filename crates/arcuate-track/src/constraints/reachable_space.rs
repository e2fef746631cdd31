//! Detects regions that streamlines cannot reach. The usual cause is a mask in the wrong space.

use super::{Constraints, Region, RegionGrids, WaypointCondition};
use crate::space::{affine, flat, index, inside, nearest, same_mapping};
use arcuate_core::{Error, Grid, Mask, Result, narrow};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Set of positions that streamlines can reach.
pub(crate) struct ReachableSpace<'a> {
    /// Grid of the tracked image.
    pub(crate) grid: &'a Grid,
    /// Function that returns true for the voxels of `grid` that streamlines can pass, by the index of the
    /// voxel.
    pub(crate) holds: &'a (dyn Fn(usize) -> bool + Sync),
    /// Maximum distance along each axis from the centre of a voxel that streamlines can pass to the last
    /// point of a streamline, in voxels.
    pub(crate) beyond: [f32; 3],
    /// Function from voxel coordinates of `grid` to the coordinates of streamline points for which the
    /// regions were prepared.
    pub(crate) seen: &'a (dyn Fn([f32; 3]) -> [f32; 3] + Sync),
}

impl ReachableSpace<'_> {
    /// Creates the set of reachable positions for streamlines in RAS mm, whose steps are at most `step_mm`
    /// long, and passes this set to `work`.
    pub(crate) fn in_mm<R>(
        grid: &Grid,
        step_mm: f64,
        holds: &(dyn Fn(usize) -> bool + Sync),
        work: impl FnOnce(&ReachableSpace<'_>) -> R,
    ) -> R {
        let beyond = grid.voxel_sizes().map(|size| (0.5 + step_mm / size) as f32);
        let to_mm = flat(grid.affine());
        work(&ReachableSpace { grid, holds, beyond, seen: &|place| affine(&to_mm, place) })
    }

    /// Returns an error if streamlines cannot pass the waypoints. This is the case if streamlines cannot
    /// reach a waypoint, or if a waypoint is inside a region to avoid. Warns about other regions that
    /// streamlines cannot reach.
    pub(crate) fn check(&self, constraints: &Constraints, region_grids: &RegionGrids) -> Result<()> {
        let Constraints { avoid, stop, stop_on_exit, targets, waypoints, .. } = constraints;
        let others: Vec<&Region> = [avoid, stop, stop_on_exit, targets].into_iter().flatten().collect();
        let all: Vec<&Region> = waypoints.iter().chain(others.iter().copied()).collect();
        let mut reached = self.reached(&all, region_grids);
        // `RegionGrids` stores the bits of waypoints after the bits of regions to stop at when leaving and
        // before the bits of targets.
        let before = avoid.len() + stop.len() + stop_on_exit.len();
        let bit_of = |n: usize| {
            let n = n as isize - waypoints.len() as isize;
            let place = match n {
                ..0 => before as isize + waypoints.len() as isize + n,
                n if n < before as isize => n,
                n => n + waypoints.len() as isize,
            };
            region_grids.of_regions[place as usize]
        };
        for (n, reached) in reached.iter_mut().enumerate().filter(|(n, _)| all[*n].mask().is_none()) {
            *reached = self.reaches_surface(region_grids, bit_of(n));
        }
        for (region, reached) in others.iter().zip(&reached[waypoints.len()..]) {
            if !reached {
                tracing::warn!(
                    "{}: all voxels of this region are outside the tracked image, so the region has no \
                     effect; check that both are in the same space",
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
                    "this waypoint region is outside the voxels that have fibre orientations",
                    advice,
                ));
            } else if is_avoided(region, constraints) {
                problems.push(Error::invalid(
                    &region.name,
                    "this waypoint region is inside the regions that streamlines must avoid",
                    advice,
                ));
            }
        }
        let any_is_left = constraints.condition == WaypointCondition::Any && problems.len() < waypoints.len();
        problems.into_iter().next().filter(|_| !any_is_left).map_or(Ok(()), Err)
    }

    /// Returns true if a streamline can come near the surface region with this bit, or inside it.
    fn reaches_surface(&self, region_grids: &RegionGrids, bit: usize) -> bool {
        let Some(surfaces) = &region_grids.surfaces else { return false };
        [0, 2].into_iter().any(|steps| {
            let offsets: Vec<[f32; 3]> = self.around(steps);
            (0..self.grid.len()).into_par_iter().filter(|&voxel| (self.holds)(voxel)).any(|voxel| {
                let at = self.grid.coordinates(voxel).map(|c| c as f32);
                offsets.iter().any(|offset| {
                    let point = [0, 1, 2].map(|axis| at[axis] + offset[axis]);
                    surfaces.may_hold((self.seen)(point), bit, region_grids.words)
                })
            })
        })
    }

    /// Returns positions around the centre of a voxel, at most the maximum distance away, as offsets from the
    /// centre in voxels.
    fn around(&self, steps: i32) -> Vec<[f32; 3]> {
        offsets(steps).map(|offset| [0, 1, 2].map(|axis| self.beyond[axis] * offset[axis])).collect()
    }

    /// Returns for each region that consists of voxels whether a point of a streamline can be inside it.
    fn reached(&self, regions: &[&Region], region_grids: &RegionGrids) -> Vec<bool> {
        let reached: Vec<AtomicBool> = regions.iter().map(|_| AtomicBool::new(false)).collect();
        // Testing the centres of the voxels is usually enough. The positions around the centres are tested
        // only for regions that contain no reachable centre.
        for steps in [0, 2] {
            for lattice in &region_grids.all {
                let is_open = |n: &usize| {
                    let own = regions[*n]
                        .mask()
                        .and_then(|mask| region_grids.of(mask, regions[*n].mapping.as_ref()));
                    !reached[*n].load(Relaxed) && own.is_some_and(|own| std::ptr::eq(own, lattice))
                };
                let open: Vec<usize> = (0..regions.len()).filter(is_open).collect();
                if open.is_empty() {
                    continue;
                }
                let offsets = self.around(steps);
                let shape = lattice.grid.shape().map(narrow::<i32>);
                let look = |voxel: usize| {
                    let at = self.grid.coordinates(voxel).map(|c| c as f32);
                    for offset in &offsets {
                        let point = [0, 1, 2].map(|axis| at[axis] + offset[axis]);
                        let there = lattice.voxel_mapping.apply((self.seen)(point)).map(nearest);
                        if inside(there, shape) {
                            let there = index(there, shape);
                            for &n in &open {
                                if regions[n].mask().is_some_and(|mask| mask.contains(there)) {
                                    reached[n].store(true, Relaxed);
                                }
                            }
                        }
                    }
                };
                // The voxels are tested in groups of `PART` voxels, so that the search stops soon after all
                // regions have been reached.
                let count = self.grid.len();
                (0..count.div_ceil(PART)).into_par_iter().any(|part| {
                    let part = part * PART..count.min((part + 1) * PART);
                    part.filter(|&voxel| (self.holds)(voxel)).for_each(look);
                    open.iter().all(|&n| reached[n].load(Relaxed))
                });
            }
        }
        reached.into_iter().map(AtomicBool::into_inner).collect()
    }
}

/// Number of voxels that are tested before the search checks again whether all regions have been reached.
const PART: usize = 1 << 12;

/// Returns the points of a regular grid in the cube from −1 to 1. There are `steps` grid points on either
/// side of 0 along each axis.
pub(crate) fn offsets(steps: i32) -> impl Iterator<Item = [f32; 3]> {
    let each = 2 * steps + 1;
    let of = move |n: i32| if steps == 0 { 0.0 } else { (n - steps) as f32 / steps as f32 };
    (0..each * each * each).map(move |n| [of(n % each), of(n / each % each), of(n / each / each)])
}

fn is_avoided(region: &Region, constraints: &Constraints) -> bool {
    // This test considers voxels only. It ignores regions that are surfaces, even if they block all paths.
    let Some(mask) = region.mask() else { return false };
    let same = |other: &&Region| same_mapping(other.mapping.as_ref(), region.mapping.as_ref());
    let others = constraints.avoid.iter().filter(same).filter_map(Region::mask);
    let others: Vec<&Mask> = others.filter(|other| other.grid() == mask.grid()).collect();
    let is_avoided = |voxel: usize| others.iter().any(|other| other.contains(voxel));
    mask.flags().par_iter().enumerate().all(|(voxel, &inside)| !inside || is_avoided(voxel))
}
