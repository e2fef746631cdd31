//! Where streamlines begin, as kernels find it: the place of each is made of its number.

use crate::constraints::{Fixed, Lattices, RegionSurfaces};
use crate::direction_field::{block_of, unit};
use crate::samples::shared::{AT_CENTRE, ATTEMPTS, IN_BALL, IN_VOXEL};
use crate::seeds::{Places, SeedPlan, Seeds, Spread, edges};
use crate::space::{Way, Ways};
use arcuate_core::{Error, Grid, Result, fixed_point};

/// Seeds in voxels, in single precision.
#[derive(Debug, Clone)]
pub(crate) struct Beginnings {
    /// In voxels of the orientations, or of those that the way below begins in.
    pub(crate) centres: Vec<[f32; 3]>,
    /// Streamlines of each centre, or 0 where each streamline draws its own.
    pub(crate) each: u32,
    pub(crate) count: u64,
    pub(crate) jitter: u32,
    /// From what is drawn to voxels of the orientations, or of those that the way below begins in.
    pub(crate) spread: [f32; 9],
    /// Where streamlines begin at the centres: these in units of the space of the seeds, and whether that is another than that of
    /// what is followed. What is in voxels is rounded: a vertex of a surface no longer lies on it.
    exact: Vec<Fixed>,
    is_elsewhere: bool,
    /// Where the way to the orientations is no affine map: that way, from voxels of the displacement, in which the centres
    /// are then.
    pub(crate) way: Option<Way>,
}

impl Beginnings {
    /// For what is followed on the lattice `field`; `ways` are those of earlier runs.
    pub(crate) fn new(seeds: &Seeds, field: &Grid, ways: &Ways) -> Result<Self> {
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
            (Some(mapping), Some(u)) => (*u.grid().inverse(), Some(ways.way(u.grid(), field, Some(mapping)))),
        };
        let exact = if matches!(spread, Spread::None) {
            points.iter().map(|point| fixed_point(*point)).collect()
        } else {
            Vec::new()
        };
        let is_elsewhere = plan.mapping().is_some();
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
        Ok(Self { centres, each, count: plan.count(), jitter, spread, exact, is_elsewhere, way })
    }

    /// Which seed a streamline is of.
    pub(crate) fn seed_of(&self, seed: u64, number: u64) -> usize {
        if self.each > 0 {
            return (number / u64::from(self.each)) as usize;
        }
        let bits = block_of(seed, number, 0)[0];
        ((u64::from(bits) * self.centres.len() as u64) >> 32) as usize
    }

    /// Where the streamlines of each seed begin in the space of surfaces, if that is the space of the seeds; nothing where it is not,
    /// and where streamlines begin about their seeds.
    pub(crate) fn exact(&self, lattices: &Lattices) -> &[Fixed] {
        let is_same = |surfaces: &RegionSurfaces| surfaces.mapping.is_some() == self.is_elsewhere;
        if lattices.surfaces.as_ref().is_some_and(is_same) { &self.exact } else { &[] }
    }

    /// Where streamline `number` begins, in voxels of what is followed.
    pub(crate) fn begin(&self, seed: u64, number: u64) -> [f32; 3] {
        let centre = self.centres[self.seed_of(seed, number)];
        let mut offset = [0.0; 3];
        if self.jitter == AT_CENTRE {
            // There.
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

    /// A place that was drawn about the centre of a seed.
    pub(crate) fn placed(&self, centre: [f32; 3], offset: [f32; 3]) -> [f32; 3] {
        let p = [0, 1, 2].map(|row| {
            let s = &self.spread[3 * row..3 * row + 3];
            centre[row] + (s[0] * offset[0] + s[1] * offset[1] + s[2] * offset[2])
        });
        self.way.as_ref().map_or(p, |way| way.apply(p))
    }
}
