//! Tractography protocols of the bundles, as masks in a standard space.

use crate::anatomy::Anatomy;
use crate::bundles::{Bundle, all};
use crate::truth;
use arcuate_core::{Affine, Grid, Mask, Result};
use nalgebra::Vector3;
use rayon::prelude::*;

/// The tractography protocol of one bundle: masks in the space of [`standard_space`].
#[derive(Debug, Clone, PartialEq)]
pub struct Protocol {
    /// The name of the bundle.
    pub name: String,
    /// Mask of the seeds.
    pub seed: Mask,
    /// Masks of the targets. Streamlines must pass all of them.
    pub targets: Vec<Mask>,
    /// Mask in which streamlines stop.
    pub stop: Mask,
    /// Mask that streamlines must not pass. It is the other hemisphere, for bundles that do not cross the
    /// midline. `None` for the other bundles.
    pub exclude: Option<Mask>,
    /// True if tracking also starts in the only target and leads to the seeds.
    pub both_ways: bool,
}

/// Size of the standard space: number of 2 mm voxels along each axis.
const SHAPE: [usize; 3] = [74, 86, 70];
const VOXEL_MM: f64 = 2.0;
/// Distance by which masks extend beyond the surface of a bundle, in mm.
const MARGIN: f64 = 1.5;
/// Positions of the masks along a bundle in white matter, as fractions of the bundle's length. The targets
/// are near both ends, and one mask is in the middle.
const FIRST: [f64; 2] = [0.10, 0.20];
const MIDDLE: [f64; 2] = [0.44, 0.56];
const LAST: [f64; 2] = [0.80, 0.90];

/// Returns the grid of the standard space, and the transform of points from this space to the brain, both in
/// RAS mm. The transform rotates, scales and translates, as for a real head.
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

/// Returns the tractography protocols of all bundles. Bundles that cross the midline, and some others, have
/// seeds in the middle and targets at both ends. Long bundles of a hemisphere have seeds at one end and a
/// target at the other, and are tracked in both directions.
pub fn protocols() -> Result<Vec<Protocol>> {
    let (grid, to_brain) = standard_space()?;
    let bundles = all();
    let anatomy = Anatomy::new(bundles.iter().map(|bundle| &bundle.tube));
    let points: Vec<[f64; 3]> = (0..grid.len()).map(|voxel| to_brain.apply(grid.centre(voxel))).collect();
    bundles.iter().map(|bundle| protocol(bundle, &anatomy, &grid, &points)).collect()
}

fn protocol(bundle: &Bundle, anatomy: &Anatomy, grid: &Grid, points: &[[f64; 3]]) -> Result<Protocol> {
    let ends = truth::ends(bundle, anatomy);
    // The position of a point along the bundle, as a fraction of the bundle's length in white matter. Points
    // with positions below 0 or above 1 are in the cortex.
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
    fn masks_lie_along_the_bundles() {
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
            // The seed, target and stop masks must not overlap.
            let shared = |a: &Mask, b: &Mask| a.indices().iter().any(|&voxel| b.contains(voxel));
            assert!(protocol.targets.iter().all(|target| !shared(target, &protocol.seed)), "{name}");
            assert!(!shared(&protocol.seed, &protocol.stop), "{name}");
            // The true streamlines must pass all masks.
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
