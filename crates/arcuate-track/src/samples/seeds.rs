//! Where streamlines through samples begin, as kernels find it: the place of each is made of its number.

use super::constants;
use crate::seeds::{Places, SeedPlan, Seeds, Spread, edges};
use crate::space::Way;
use arcuate_core::{Error, Grid, Result};

/// How a place is made of a number.
pub(super) const AT_CENTRE: u32 = constants::AT_CENTRE;
pub(super) const IN_VOXEL: u32 = constants::IN_VOXEL;
pub(super) const IN_BALL: u32 = constants::IN_BALL;

/// Seeds in voxels, in single precision.
#[derive(Debug, Clone)]
pub(super) struct Beginnings {
    /// In voxels of the orientations, or of those that the way below begins in.
    pub(super) centres: Vec<[f32; 3]>,
    /// Streamlines of each centre, or 0 where each streamline draws its own.
    pub(super) each: u32,
    pub(super) count: u64,
    pub(super) jitter: u32,
    /// From what is drawn to voxels of the orientations, or of those that the way below begins in.
    pub(super) spread: [f32; 9],
    /// Where the way to the orientations is no affine map: that way, from voxels of the displacement, in which the centres
    /// are then.
    pub(super) way: Option<Way>,
}

impl Beginnings {
    pub(super) fn new(seeds: &Seeds, field: &Grid) -> Result<Self> {
        let plan = SeedPlan::new(seeds, field)?;
        let (points, each, spread): (Vec<[f64; 3]>, u32, Spread) = match plan.places() {
            Places::Drawn { grid, voxels, cumulative: None } => {
                (voxels.iter().map(|&voxel| grid.centre(voxel)).collect(), 0, Spread::Voxel(edges(grid)))
            }
            Places::Drawn { .. } => {
                let problem =
                    "seeds of samples are drawn from the voxels of a mask, each as often as any other";
                return Err(Error::invalid("seed image", problem, "give a mask instead"));
            }
            Places::Lattice { .. } => {
                ((0..plan.count()).map(|n| plan.of_lattice(n)).collect(), 1, Spread::None)
            }
            Places::Each { centres, each, spread } => (centres.to_vec(), *each, *spread),
        };
        if points.len() as u64 > u64::from(u32::MAX) {
            let problem = format!("it has {} seeds", points.len());
            return Err(Error::invalid("seed mask", problem, "give at most 4,294,967,295"));
        }
        // To the voxels in which places are drawn: those of the orientations, or where a displacement leads there, its own.
        let displacement = plan.mapping().and_then(|mapping| mapping.displacement.as_ref());
        let (to_voxels, way) = match (plan.mapping(), displacement) {
            (None, _) => (*field.inverse(), None),
            (Some(mapping), None) => (field.inverse().after(&mapping.affine), None),
            (Some(mapping), Some(u)) => (*u.grid().inverse(), Some(Way::new(u.grid(), field, Some(mapping)))),
        };
        let centres = points.into_iter().map(|point| to_voxels.apply(point).map(|c| c as f32)).collect();
        let (jitter, axes) = match spread {
            Spread::None => (AT_CENTRE, None),
            Spread::Ball(radius) => {
                (IN_BALL, Some([[radius, 0.0, 0.0], [0.0, radius, 0.0], [0.0, 0.0, radius]]))
            }
            Spread::Voxel(edges) => (IN_VOXEL, Some(edges)),
        };
        let mut spread = [0.0; 9];
        for (column, axis) in axes.into_iter().flatten().enumerate() {
            let axis = to_voxels.apply_vector(axis);
            for row in 0..3 {
                spread[3 * row + column] = axis[row] as f32;
            }
        }
        Ok(Self { centres, each, count: plan.count(), jitter, spread, way })
    }
}
