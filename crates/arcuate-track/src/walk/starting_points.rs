//! Starting points of streamlines, computed from the number of the streamline with the same operations as on
//! GPUs.

use crate::constraints::{Fixed, RegionGrids, RegionSurfaces};
use crate::direction_field::{block_of, unit};
use crate::samples::shared::{AT_CENTRE, ATTEMPTS, IN_BALL, IN_VOXEL};
use crate::seeds::{SeedPlan, SeedPositions, Seeds, Spread, edges};
use crate::space::{DisplacementCache, VoxelMapping};
use arcuate_core::{Affine, Error, FiveTissues, Grid, Mapping, Result, fixed_point};
use std::sync::Arc;

/// Seeds in voxel coordinates, in single precision.
#[derive(Debug, Clone)]
pub(crate) struct StartingPoints {
    /// Centres of the seeds. If `voxel_mapping` is set, they are in voxel coordinates of the displacement
    /// field. If not, they are in voxel coordinates of the tracked image.
    pub(crate) centres: Vec<[f32; 3]>,
    /// Number of streamlines for each centre; 0 if each streamline draws a centre at random.
    pub(crate) each: u32,
    /// Cumulative sums of the weights of the centres, if centres are drawn in proportion to weights.
    cumulative: Option<Vec<f64>>,
    /// Interface of grey and white matter to which seeds are moved; `None` if they are not moved.
    interface: Option<Interface>,
    pub(crate) count: u64,
    pub(crate) jitter: u32,
    /// 3 × 3 matrix, stored row by row, that converts random offsets from the centre of a seed to voxel
    /// coordinates.
    pub(crate) spread: [f32; 9],
    /// Centres of the seeds in fixed-point coordinates of the space of the seeds. Empty if streamlines do not
    /// start exactly at the centres. Voxel coordinates are rounded: if a seed is a vertex of a surface, its
    /// voxel coordinates would no longer be on the surface.
    exact: Vec<Fixed>,
    /// True if the seeds are in a different space than the tracked image.
    has_mapping: bool,
    /// Nonlinear mapping from voxel coordinates of the displacement field to voxel coordinates of the tracked
    /// image, if there is one. The centres of the seeds are then in voxel coordinates of the displacement
    /// field.
    pub(crate) voxel_mapping: Option<VoxelMapping>,
}

/// Interface of grey and white matter to which seeds are moved.
#[derive(Debug, Clone)]
struct Interface {
    tissues: Arc<FiveTissues>,
    /// Mapping from mm in the space of the tissues to mm in the space of the tracked image.
    mapping: Option<Arc<Mapping>>,
    /// Transform from RAS mm to voxel coordinates of the tracked image.
    to_field: Affine,
}

impl StartingPoints {
    /// Computes the starting points for tracking in an image with the grid `field`. `displacements` is the cache of
    /// displacement fields from earlier runs.
    pub(crate) fn new(seeds: &Seeds, field: &Grid, displacements: &DisplacementCache) -> Result<Self> {
        let plan = SeedPlan::new(seeds, field)?;
        let (points, each, spread): (Vec<[f64; 3]>, u32, Spread) = match plan.places() {
            SeedPositions::Drawn { grid, voxels, .. } => {
                (voxels.iter().map(|&voxel| grid.centre(voxel)).collect(), 0, Spread::Voxel(edges(grid)))
            }
            SeedPositions::Lattice { .. } => {
                ((0..plan.count()).map(|n| plan.grid_position(n)).collect(), 1, Spread::None)
            }
            SeedPositions::Each { centres, each, spread } => (centres.to_vec(), *each, *spread),
        };
        if points.len() as u64 > u64::from(u32::MAX) {
            let problem = format!("it has {} seeds", points.len());
            return Err(Error::invalid("seed mask", problem, "give at most 4,294,967,295"));
        }
        // Starting positions are drawn in voxel coordinates of the tracked image or, if there is a
        // displacement field, in voxel coordinates of this field.
        let displacement = plan.mapping().and_then(|mapping| mapping.displacement.as_ref());
        let (to_voxels, voxel_mapping) = match (plan.interface(), plan.mapping(), displacement) {
            // Seeds on the interface of grey and white matter are drawn in voxel coordinates of the tissue
            // image.
            (Some(tissues), ..) => (*tissues.grid().inverse(), None),
            (None, None, _) => (*field.inverse(), None),
            (None, Some(mapping), None) => (field.inverse().after(&mapping.affine), None),
            (None, Some(mapping), Some(u)) => {
                (*u.grid().inverse(), Some(displacements.voxel_mapping(u.grid(), field, Some(mapping))))
            }
        };
        let exact = if matches!(spread, Spread::None) {
            points.iter().map(|point| fixed_point(*point)).collect()
        } else {
            Vec::new()
        };
        let has_mapping = plan.mapping().is_some();
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
        let cumulative = match plan.places() {
            SeedPositions::Drawn { cumulative, .. } => cumulative.clone(),
            _ => None,
        };
        let interface = plan.interface().map(|tissues| Interface {
            tissues: Arc::clone(tissues),
            mapping: plan.mapping().cloned(),
            to_field: *field.inverse(),
        });
        Ok(Self {
            centres,
            each,
            cumulative,
            interface,
            count: plan.count(),
            jitter,
            spread,
            exact,
            has_mapping,
            voxel_mapping,
        })
    }

    /// Returns true if the starting points can only be computed on the CPU.
    pub(crate) fn needs_cpu(&self) -> bool {
        self.cumulative.is_some() || self.interface.is_some()
    }

    /// Returns the index of the seed of a streamline.
    pub(crate) fn seed_of(&self, seed: u64, number: u64) -> usize {
        if self.each > 0 {
            return (number / u64::from(self.each)) as usize;
        }
        let bits = block_of(seed, number, 0);
        if let Some(cumulative) = &self.cumulative {
            let target = (u64::from(bits[0]) << 32 | u64::from(bits[1])) as f64 * 2f64.powi(-64);
            let target = target * cumulative[cumulative.len() - 1];
            return cumulative.partition_point(|&sum| sum <= target).min(cumulative.len() - 1);
        }
        ((u64::from(bits[0]) * self.centres.len() as u64) >> 32) as usize
    }

    /// Returns the exact starting points of the seeds in the space of the surfaces. The list is empty if the
    /// surfaces are in another space than the seeds, or if streamlines start at random positions around their
    /// seeds.
    pub(crate) fn exact(&self, region_grids: &RegionGrids) -> &[Fixed] {
        let is_same = |surfaces: &RegionSurfaces| surfaces.mapping.is_some() == self.has_mapping;
        if region_grids.surfaces.as_ref().is_some_and(is_same) { &self.exact } else { &[] }
    }

    /// Returns the starting point of a streamline in voxel coordinates of the tracked image. Returns `None`
    /// if seeds are moved to the interface of grey and white matter and no interface is near the drawn
    /// position.
    pub(crate) fn begin(&self, seed: u64, number: u64) -> Option<[f32; 3]> {
        let centre = self.centres[self.seed_of(seed, number)];
        let mut offset = [0.0; 3];
        if self.jitter == AT_CENTRE {
            // The streamline starts at the centre.
        } else if self.jitter == IN_BALL {
            for attempt in 1..=ATTEMPTS {
                let u = block_of(seed, number, attempt);
                let o = [0, 1, 2].map(|axis| 2.0 * unit(u[axis]) - 1.0);
                if o[0] * o[0] + o[1] * o[1] + o[2] * o[2] <= 1.0 {
                    offset = o;
                    break;
                }
            }
        } else {
            let u = block_of(seed, number, 1);
            offset = [0, 1, 2].map(|axis| unit(u[axis]) - 0.5);
        }
        self.placed(centre, offset)
    }

    /// Converts a random offset from the centre of a seed to voxel coordinates of the tracked image.
    pub(crate) fn placed(&self, centre: [f32; 3], offset: [f32; 3]) -> Option<[f32; 3]> {
        let p = [0, 1, 2].map(|row| {
            let s = &self.spread[3 * row..3 * row + 3];
            centre[row] + (s[0] * offset[0] + s[1] * offset[1] + s[2] * offset[2])
        });
        match &self.interface {
            Some(interface) => interface.near(p),
            None => Some(self.voxel_mapping.as_ref().map_or(p, |voxel_mapping| voxel_mapping.apply(p))),
        }
    }
}

impl Interface {
    /// Returns the point on the interface of grey and white matter that is near a position. The result is in
    /// voxel coordinates of the tracked image, and the position is in voxel coordinates of the tissue image.
    fn near(&self, place: [f32; 3]) -> Option<[f32; 3]> {
        let point = self.tissues.grid().affine().apply(place.map(f64::from));
        let point = self.tissues.on_interface(point)?;
        let point = self.mapping.as_ref().map_or(point, |mapping| mapping.apply(point));
        Some(self.to_field.apply(point).map(|c| c as f32))
    }
}
