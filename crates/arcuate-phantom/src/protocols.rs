//! Tractography protocols of the simulated bundles: masks in a standard space.

use crate::anatomy::Anatomy;
use crate::bundles::{Bundle, all};
use crate::truth;
use arcuate_core::{Affine, Grid, Mask, Result};
use nalgebra::Vector3;
use rayon::prelude::*;

/// The tractography protocol of one bundle: masks on the grid of [`standard_space`].
#[derive(Debug, Clone, PartialEq)]
pub struct Protocol {
    /// The name of the bundle.
    pub name: String,
    /// Mask of the seeds.
    pub seed: Mask,
    /// Masks of the targets (waypoints). Streamlines must pass all of them.
    pub targets: Vec<Mask>,
    /// Mask in which streamlines stop.
    pub stop: Mask,
    /// Mask that streamlines must not pass. If the bundle does not cross the midline, it is the other
    /// hemisphere. `None` for bundles that cross the midline.
    pub exclude: Option<Mask>,
    /// True if streamlines are also tracked in the reverse direction, from the only target to the seeds.
    pub both_ways: bool,
}

/// Size of the standard space: number of voxels of 2 mm along each axis.
const SHAPE: [usize; 3] = [74, 86, 70];
const VOXEL_MM: f64 = 2.0;
/// Distance in mm by which the masks are wider than the bundle.
const MARGIN: f64 = 1.5;
/// Positions of the masks along a bundle, as fractions of the bundle's length in white matter. The first and
/// the last position are near the ends of the bundle, and one is in the middle.
const FIRST: [f64; 2] = [0.10, 0.20];
const MIDDLE: [f64; 2] = [0.44, 0.56];
const LAST: [f64; 2] = [0.80, 0.90];

/// Returns the grid of the standard space, and the transform that maps points of this space to the simulated
/// brain. Both are in RAS mm. The transform consists of a rotation, a scaling and a translation, as for a
/// real head.
pub fn standard_space() -> Result<(Grid, Affine)> {
    let middle = SHAPE.map(|n| -0.5 * VOXEL_MM * (n as f64 - 1.0));
    let grid = Grid::new(SHAPE, Affine::scaling([VOXEL_MM; 3], middle))?;
    let (sin, cos) = 0.08f64.sin_cos();
    let to_brain = Affine::from_rows([
        [0.95, 0.0, 0.0, 0.8],
        [0.0, 0.97 * cos, -0.97 * sin, -1.5],
        [0.0, 0.96 * sin, 0.96 * cos, 2.5],
    ])?;
    Ok((grid, to_brain))
}

/// Returns the tractography protocols of all bundles. In bundles that cross the midline, and in some other
/// bundles, the seeds are in the middle and the targets at both ends. In the long bundles of a hemisphere,
/// the seeds are at one end and the target at the other end. These bundles are tracked in both directions.
pub fn protocols() -> Result<Vec<Protocol>> {
    let (grid, to_brain) = standard_space()?;
    let bundles = all();
    let anatomy = Anatomy::new(bundles.iter().map(|bundle| &bundle.tube));
    let points: Vec<[f64; 3]> = (0..grid.len()).map(|voxel| to_brain.apply(grid.centre(voxel))).collect();
    bundles.iter().map(|bundle| protocol(bundle, &anatomy, &grid, &points)).collect()
}

fn protocol(bundle: &Bundle, anatomy: &Anatomy, grid: &Grid, points: &[[f64; 3]]) -> Result<Protocol> {
    let ends = truth::ends(bundle, anatomy);
    // The position of each point along the bundle, as a fraction of the bundle's length in white matter. A
    // point with a position below 0 or above 1 is in the cortex.
    let along: Vec<Option<f64>> = points
        .par_iter()
        .map(|&point| {
            let point = Vector3::from(point);
            if !bundle.tube.is_near(point, MARGIN) {
                return None;
            }
            bundle.tube.locate(point).filter(|at| at.is_inside(MARGIN)).map(|at| ends.part_of_the_way(&at))
        })
        .collect();
    let part = |[from, to]: [f64; 2]| {
        let is_there = |along: &Option<f64>| along.is_some_and(|along| from <= along && along <= to);
        Mask::new(*grid, along.iter().map(is_there).collect())
    };
    let both_ways = ["arcuate", "inferior", "cingulum"].iter().any(|name| bundle.name.starts_with(name));
    let (seed, targets) = if both_ways {
        (part(FIRST)?, vec![part(LAST)?])
    } else {
        (part(MIDDLE)?, vec![part(FIRST)?, part(LAST)?])
    };
    let beyond = |along: &Option<f64>| along.is_some_and(|along| !(0.0..=1.0).contains(&along));
    let stop = Mask::new(*grid, along.iter().map(beyond).collect())?;
    let side = match bundle.name.as_str() {
        name if name.ends_with("_left") => -1.0,
        name if name.ends_with("_right") => 1.0,
        _ => 0.0,
    };
    let exclude = (side != 0.0)
        .then(|| Mask::new(*grid, points.iter().map(|point| side * point[0] < -2.0).collect()))
        .transpose()?;
    Ok(Protocol { name: bundle.name.clone(), seed, targets, stop, exclude, both_ways })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PhantomOptions, default_gradients, simulate};

    #[test]
    fn masks_are_along_the_bundles() {
        let options = PhantomOptions { voxel_size_mm: 6.0, samples_per_edge: 1, ..PhantomOptions::default() };
        let phantom = simulate(&default_gradients(6, 1000.0, 1).unwrap(), &options).unwrap();
        let (_, to_brain) = standard_space().unwrap();
        let protocols = protocols().unwrap();
        assert_eq!(protocols.len(), 15);
        assert_eq!(protocols.iter().filter(|protocol| protocol.both_ways).count(), 8);
        for (protocol, bundle) in protocols.iter().zip(&phantom.bundles) {
            let name = &protocol.name;
            let masks = [&protocol.seed, &protocol.stop].into_iter().chain(&protocol.targets);
            for mask in masks.clone() {
                assert!(mask.count() >= 10, "{name}: {}", mask.count());
                for voxel in mask.indices() {
                    assert!(bundle.contains(to_brain.apply(mask.grid().centre(voxel)), MARGIN), "{name}");
                }
            }
            // The masks of seeds, targets and stops must not overlap each other.
            let shared = |a: &Mask, b: &Mask| a.indices().iter().any(|&voxel| b.contains(voxel));
            assert!(protocol.targets.iter().all(|target| !shared(target, &protocol.seed)), "{name}");
            assert!(!shared(&protocol.seed, &protocol.stop), "{name}");
            // The true streamlines of the bundle must pass all masks of the bundle's protocol.
            let group = &phantom.truth.groups.members[name];
            let grid = protocol.seed.grid();
            let from_brain = to_brain.inverse().unwrap();
            for &streamline in group.iter().step_by(20) {
                for mask in [&protocol.seed].into_iter().chain(&protocol.targets) {
                    let points = phantom.truth.streamline(streamline as usize).iter();
                    let mut voxels = points.filter_map(|p| grid.voxel_at(from_brain.apply(p.map(f64::from))));
                    assert!(voxels.any(|voxel| mask.contains(voxel)), "{name}");
                }
            }
            assert_eq!(protocol.exclude.is_some(), name.ends_with("left") || name.ends_with("right"));
        }
    }
}
