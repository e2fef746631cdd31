//! Regions that streamlines must pass, may not enter or end in, perhaps in another space than that of the orientations.

use crate::space::{Mapping, Way};
use arcuate_core::{Error, Grid, Mask, Result};
use rayon::prelude::*;
use std::sync::Arc;

/// A set of voxels, and how points of the orientations' space get there. Without a mapping both are one space (in RAS mm;
/// the lattices may differ).
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// What it is called in messages: its file.
    pub name: String,
    /// The voxels.
    pub mask: Mask,
    /// From the space of the orientations to that of the mask.
    pub mapping: Option<Arc<Mapping>>,
}

/// How many of several waypoints a streamline must pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WaypointCondition {
    /// All of them.
    #[default]
    All,
    /// One or more.
    Any,
}

/// What streamlines must and may not do. Whether a point lies in a region is decided by the nearest voxel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Regions {
    /// Halves of streamlines that enter one of these are rejected.
    pub avoid: Vec<Region>,
    /// Streamlines end at the first point in one of these (the seed does not count).
    pub stop: Vec<Region>,
    /// Streamlines that have entered one of these from outside end when they leave it; one that begins inside must first
    /// leave it.
    pub stop_on_exit: Vec<Region>,
    /// Streamlines that do not pass these are rejected (the seed does not count).
    pub waypoints: Vec<Region>,
    /// How many of the waypoints.
    pub condition: WaypointCondition,
    /// Whether waypoints must be passed in the order of the list, of each half by itself.
    pub in_order: bool,
    /// Whether one half of the streamline must meet the condition by itself, instead of both together.
    pub one_way: bool,
    /// For each seed it is counted how many of its streamlines pass each of these.
    pub targets: Vec<Region>,
}

/// Regions of a run: a bit each.
pub(crate) const MOST_REGIONS: usize = 32;
/// Spaces of a run at most: each is looked up at every point.
pub(crate) const MOST_SPACES: usize = 4;

/// Which bits mean what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Bits {
    pub(crate) avoid: u32,
    pub(crate) stop: u32,
    pub(crate) exit: u32,
    pub(crate) ways: u32,
    pub(crate) targets: u32,
}

/// A lattice that regions lie on, with a bit for each in the voxels it has.
#[derive(Debug, Clone)]
pub(crate) struct Space {
    pub(crate) grid: Grid,
    pub(crate) mapping: Option<Arc<Mapping>>,
    /// From voxels of the orientations to those of this lattice.
    pub(crate) way: Way,
    /// Nothing where no region lies here.
    pub(crate) bits: Vec<u32>,
}

/// All spaces of a run, and the bits.
#[derive(Debug, Clone)]
pub(crate) struct Spaces {
    pub(crate) bits: Bits,
    pub(crate) all: Vec<Space>,
    /// Bit of each waypoint and target, in their order.
    pub(crate) targets: Vec<u32>,
    /// The space whose voxels are counted.
    pub(crate) map: Option<usize>,
}

impl Spaces {
    /// `field` is the lattice of the orientations; `map` where voxels are counted.
    pub(crate) fn new(
        field: &Grid,
        regions: &Regions,
        map: Option<(&Grid, Option<&Arc<Mapping>>)>,
    ) -> Result<Self> {
        let mut all = Self { bits: Bits::default(), all: Vec::new(), targets: Vec::new(), map: None };
        let mut next = 0;
        let Regions { avoid, stop, stop_on_exit, waypoints, targets, .. } = regions;
        // Those of avoidance share a bit, and so do those that end a streamline: which of them it was does not matter.
        all.bits.avoid = all.together(field, avoid, &mut next)?;
        all.bits.stop = all.together(field, stop, &mut next)?;
        all.bits.exit = all.apart(field, stop_on_exit, &mut next)?.iter().sum();
        all.bits.ways = all.apart(field, waypoints, &mut next)?.iter().sum();
        all.targets = all.apart(field, targets, &mut next)?;
        all.bits.targets = all.targets.iter().sum();
        if let Some((grid, mapping)) = map {
            all.map = Some(all.space(field, grid, mapping)?);
        }
        Ok(all)
    }

    fn together(&mut self, field: &Grid, regions: &[Region], next: &mut usize) -> Result<u32> {
        if regions.is_empty() {
            return Ok(0);
        }
        let bit = bit(next)?;
        for region in regions {
            self.mark(field, region, bit)?;
        }
        Ok(bit)
    }

    fn apart(&mut self, field: &Grid, regions: &[Region], next: &mut usize) -> Result<Vec<u32>> {
        let mark = |region| {
            let bit = bit(next)?;
            self.mark(field, region, bit)?;
            Ok(bit)
        };
        regions.iter().map(mark).collect()
    }

    fn mark(&mut self, field: &Grid, region: &Region, bit: u32) -> Result<()> {
        if region.mask.count() == 0 {
            let advice = "give a mask with voxels above 0.5";
            return Err(Error::invalid(&region.name, "no voxel is inside", advice));
        }
        let space = self.space(field, region.mask.grid(), region.mapping.as_ref())?;
        let bits = &mut self.all[space].bits;
        bits.resize(region.mask.grid().len(), 0);
        bits.par_iter_mut().zip(region.mask.flags()).for_each(|(bits, &inside)| {
            if inside {
                *bits |= bit;
            }
        });
        Ok(())
    }

    fn find(&self, grid: &Grid, mapping: Option<&Arc<Mapping>>) -> Option<usize> {
        // Equal fields are long to compare.
        let one = |other: Option<&Arc<Mapping>>| match (other, mapping) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one == other,
            (one, other) => one.is_none() && other.is_none(),
        };
        self.all.iter().position(|space| space.grid == *grid && one(space.mapping.as_ref()))
    }

    /// The space that a region of the run lies in.
    pub(crate) fn of(&self, region: &Region) -> Option<&Space> {
        self.find(region.mask.grid(), region.mapping.as_ref()).map(|found| &self.all[found])
    }

    fn space(&mut self, field: &Grid, grid: &Grid, mapping: Option<&Arc<Mapping>>) -> Result<usize> {
        if let Some(found) = self.find(grid, mapping) {
            return Ok(found);
        }
        if self.all.len() == MOST_SPACES {
            let problem = format!("they lie on more than {MOST_SPACES} lattices");
            return Err(Error::usage("regions", problem, "resample them onto one"));
        }
        let (way, mapping) = (Way::new(field, grid, mapping.map(Arc::as_ref)), mapping.cloned());
        self.all.push(Space { grid: *grid, mapping, way, bits: Vec::new() });
        Ok(self.all.len() - 1)
    }
}

fn bit(next: &mut usize) -> Result<u32> {
    if *next == MOST_REGIONS {
        let problem = format!(
            "waypoints, targets, regions to leave, and one each for those to avoid and to stop in, are more than {MOST_REGIONS}"
        );
        return Err(Error::usage("regions", problem, "run with fewer, several times"));
    }
    *next += 1;
    Ok(1 << (*next - 1))
}
