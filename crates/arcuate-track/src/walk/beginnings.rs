//! Where streamlines begin, as kernels find it: the place of each is made of its number.

use crate::constraints::{Fixed, Lattices, RegionSurfaces};
use crate::direction_field::{block_of, unit};
use crate::samples::shared::{AT_CENTRE, ATTEMPTS, IN_BALL, IN_VOXEL};
use crate::seeds::{Places, SeedPlan, Seeds, Spread, edges};
use crate::space::{Way, Ways};
use arcuate_core::{Affine, Error, FiveTissues, Grid, Mapping, Result, fixed_point};
use std::sync::Arc;

/// Seeds in voxels, in single precision.
#[derive(Debug, Clone)]
pub(crate) struct Beginnings {
    /// In voxels of the orientations, or of those that the way below begins in.
    pub(crate) centres: Vec<[f32; 3]>,
    /// Streamlines of each centre, or 0 where each streamline draws its own.
    pub(crate) each: u32,
    /// Of each centre that is drawn, the sum of weights up to it, where they have weights.
    cumulative: Option<Vec<f64>>,
    /// What seeds are moved to, where they are.
    interface: Option<Interface>,
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

/// The interface of grey and white matter that seeds are moved to.
#[derive(Debug, Clone)]
struct Interface {
    tissues: Arc<FiveTissues>,
    /// From their mm to voxels of what is followed.
    mapping: Option<Arc<Mapping>>,
    to_field: Affine,
}

impl Beginnings {
    /// For what is followed on the lattice `field`; `ways` are those of earlier runs.
    pub(crate) fn new(seeds: &Seeds, field: &Grid, ways: &Ways) -> Result<Self> {
        let plan = SeedPlan::new(seeds, field)?;
        let (points, each, spread): (Vec<[f64; 3]>, u32, Spread) = match plan.places() {
            Places::Drawn { grid, voxels, .. } => {
                (voxels.iter().map(|&voxel| grid.centre(voxel)).collect(), 0, Spread::Voxel(edges(grid)))
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
        let (to_voxels, way) = match (plan.interface(), plan.mapping(), displacement) {
            // Those of the tissues, in which it is looked for.
            (Some(tissues), ..) => (*tissues.grid().inverse(), None),
            (None, None, _) => (*field.inverse(), None),
            (None, Some(mapping), None) => (field.inverse().after(&mapping.affine), None),
            (None, Some(mapping), Some(u)) => {
                (*u.grid().inverse(), Some(ways.way(u.grid(), field, Some(mapping))))
            }
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
        let cumulative = match plan.places() {
            Places::Drawn { cumulative, .. } => cumulative.clone(),
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
            is_elsewhere,
            way,
        })
    }

    /// Whether the processor alone can find them.
    pub(crate) fn of_the_processor(&self) -> bool {
        self.cumulative.is_some() || self.interface.is_some()
    }

    /// Which seed a streamline is of.
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

    /// Where the streamlines of each seed begin in the space of surfaces, if that is the space of the seeds; nothing where it is not,
    /// and where streamlines begin about their seeds.
    pub(crate) fn exact(&self, lattices: &Lattices) -> &[Fixed] {
        let is_same = |surfaces: &RegionSurfaces| surfaces.mapping.is_some() == self.is_elsewhere;
        if lattices.surfaces.as_ref().is_some_and(is_same) { &self.exact } else { &[] }
    }

    /// Where streamline `number` begins, in voxels of what is followed; nothing where no interface is near what was drawn.
    pub(crate) fn begin(&self, seed: u64, number: u64) -> Option<[f32; 3]> {
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
    pub(crate) fn placed(&self, centre: [f32; 3], offset: [f32; 3]) -> Option<[f32; 3]> {
        let p = [0, 1, 2].map(|row| {
            let s = &self.spread[3 * row..3 * row + 3];
            centre[row] + (s[0] * offset[0] + s[1] * offset[1] + s[2] * offset[2])
        });
        match &self.interface {
            Some(interface) => interface.near(p),
            None => Some(self.way.as_ref().map_or(p, |way| way.apply(p))),
        }
    }
}

impl Interface {
    /// The place of it near one in voxels of the tissues, in voxels of what is followed.
    fn near(&self, place: [f32; 3]) -> Option<[f32; 3]> {
        let point = self.tissues.grid().affine().apply(place.map(f64::from));
        let point = self.tissues.on_interface(point)?;
        let point = self.mapping.as_ref().map_or(point, |mapping| mapping.apply(point));
        Some(self.to_field.apply(point).map(|c| c as f32))
    }
}
