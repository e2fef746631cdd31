//! Where streamlines through samples begin: the place of each is made of its number.

use super::constants;
use super::regions::{Mapping, Space};
use arcuate_core::{Error, Grid, Mask, Result};
use std::sync::Arc;

/// How far from a seed's own place a streamline may begin.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Jitter {
    /// At the place itself.
    #[default]
    None,
    /// Anywhere in the voxel.
    Voxel,
    /// Anywhere in a ball of this radius, in mm of the space of the seeds.
    BallMm(f64),
}

/// Where streamlines begin.
#[derive(Debug, Clone, PartialEq)]
pub enum SampleSeeds {
    /// `each` streamlines from every voxel of a mask, x fastest.
    Voxels {
        /// The voxels.
        mask: Mask,
        /// From the space of the mask to that of the orientations, where they are two.
        mapping: Option<Arc<Mapping>>,
        /// Streamlines of each.
        each: u32,
        /// Where in the voxel.
        jitter: Jitter,
    },
    /// `each` streamlines from every point, RAS mm.
    Points {
        /// The points.
        points: Vec<[f64; 3]>,
        /// From the space of the points to that of the orientations, where they are two.
        mapping: Option<Arc<Mapping>>,
        /// Streamlines of each.
        each: u32,
        /// How far from the point; [`Jitter::Voxel`] is of the orientations' lattice, its edges in mm of the points' space.
        jitter: Jitter,
    },
    /// Anywhere in the voxels of a mask.
    Random {
        /// The voxels.
        mask: Mask,
        /// From the space of the mask to that of the orientations, where they are two.
        mapping: Option<Arc<Mapping>>,
        /// How many seeds to try.
        count: u64,
    },
}

/// How a place is made of a number.
pub(super) const AT_CENTRE: u32 = constants::AT_CENTRE;
pub(super) const IN_VOXEL: u32 = constants::IN_VOXEL;
pub(super) const IN_BALL: u32 = constants::IN_BALL;

/// Seeds ready to be found by number.
#[derive(Debug, Clone)]
pub(super) struct SeedPlan {
    /// In voxels of the orientations, or of the space below.
    pub(super) centres: Vec<[f32; 3]>,
    /// Streamlines of each centre, or 0 where each streamline draws its own.
    pub(super) each: u32,
    pub(super) count: u64,
    pub(super) jitter: u32,
    /// From what is drawn to voxels of the orientations, or of the space below.
    pub(super) spread: [f32; 9],
    /// Where the way to the orientations is no affine map: that way, from voxels of the displacement, in which the centres
    /// are then.
    pub(super) space: Option<Space>,
}

impl SeedPlan {
    pub(super) fn new(seeds: &SampleSeeds, field: &Grid) -> Result<Self> {
        let (mapping, jitter, each) = match seeds {
            SampleSeeds::Voxels { mapping, each, jitter, .. }
            | SampleSeeds::Points { mapping, each, jitter, .. } => (mapping, *jitter, *each),
            SampleSeeds::Random { mapping, .. } => (mapping, Jitter::Voxel, 0),
        };
        let points: Vec<[f64; 3]> = match seeds {
            SampleSeeds::Voxels { mask, .. } | SampleSeeds::Random { mask, .. } => {
                mask.indices().into_iter().map(|voxel| mask.grid().centre(voxel)).collect()
            }
            SampleSeeds::Points { points, .. } => points.clone(),
        };
        if points.is_empty() {
            let advice = "give voxels above 0.5, or points, where streamlines shall begin";
            return Err(Error::invalid("seed mask", "no seed is in it", advice));
        }
        if let Some(n) = points.iter().position(|point| point.iter().any(|c| !c.is_finite())) {
            let problem = format!("point {} holds a value that is not a number", n + 1);
            return Err(Error::invalid("seed mask", problem, "give three numbers in mm"));
        }
        let random = matches!(seeds, SampleSeeds::Random { .. });
        if points.len() as u64 > u64::from(u32::MAX) {
            let problem = format!("it has {} seeds", points.len());
            return Err(Error::invalid("seed mask", problem, "give at most 4,294,967,295"));
        }
        if each == 0 && !random {
            return Err(Error::usage(
                "‘per_seed’",
                "no streamline is wanted of a seed",
                "ask for one or more",
            ));
        }
        let count = match seeds {
            SampleSeeds::Random { count, .. } => *count,
            _ => points.len() as u64 * u64::from(each),
        };
        if count == 0 {
            return Err(Error::usage("‘seeds’", "there is no seed to try", "ask for one or more"));
        }
        // To the voxels in which places are drawn: those of the orientations, or where a displacement leads there, its own.
        let displaced = mapping.as_ref().filter(|mapping| mapping.displacement.is_some());
        let (to_voxels, space) = match (mapping, displaced.and_then(|mapping| mapping.displacement.as_ref()))
        {
            (None, _) => (*field.inverse(), None),
            (Some(mapping), None) => (field.inverse().after(&mapping.affine), None),
            (Some(mapping), Some(u)) => {
                (*u.grid().inverse(), Some(Space::new(u.grid(), field, Some(mapping))))
            }
        };
        let centres: Vec<[f32; 3]> =
            points.into_iter().map(|point| to_voxels.apply(point).map(|c| c as f32)).collect();
        let (jitter, axes) = match (jitter, seeds) {
            (Jitter::None | Jitter::BallMm(0.0), _) => (AT_CENTRE, None),
            (Jitter::BallMm(radius), _) if radius > 0.0 && radius.is_finite() => {
                (IN_BALL, Some([[radius, 0.0, 0.0], [0.0, radius, 0.0], [0.0, 0.0, radius]]))
            }
            (Jitter::BallMm(radius), _) => {
                let problem = format!("{radius} is not a radius of 0 mm or more");
                return Err(Error::usage("‘seed_radius’", problem, "give a length in mm"));
            }
            (Jitter::Voxel, SampleSeeds::Points { .. }) => (IN_VOXEL, Some(columns(field))),
            (Jitter::Voxel, SampleSeeds::Voxels { mask, .. } | SampleSeeds::Random { mask, .. }) => {
                (IN_VOXEL, Some(columns(mask.grid())))
            }
        };
        let mut spread = [0.0; 9];
        for (column, axis) in axes.into_iter().flatten().enumerate() {
            let axis = to_voxels.apply_vector(axis);
            for row in 0..3 {
                spread[3 * row + column] = axis[row] as f32;
            }
        }
        Ok(Self { centres, each, count, jitter, spread, space })
    }
}

/// The edges of a voxel, in mm.
fn columns(grid: &Grid) -> [[f64; 3]; 3] {
    let rows = grid.affine().rows();
    std::array::from_fn(|column| std::array::from_fn(|row| rows[row][column]))
}
