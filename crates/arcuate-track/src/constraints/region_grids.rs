//! Voxel grids with the regions on them, for positions in voxel coordinates of the tracked image.

use super::bits::{Bits, set};
use super::regions::{ConstraintUnit, Constraints, Region, RegionShape, WaypointCondition};
use super::surfaces::{RegionSurfaces, SurfaceRegionsBuilder};
use crate::anatomy::PlacedAnatomy;
use crate::space::{DisplacementCache, Mapping, VoxelMapping, index, inside, nearest, same_mapping};
use arcuate_core::{Error, Grid, Mask, Result, narrow};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Bit sets of regions: one set for each effect that regions have on streamlines.
#[derive(Debug, Clone, Default)]
pub(crate) struct RegionRoles {
    pub(crate) avoid: Bits,
    pub(crate) stop: Bits,
    /// Regions with an inside (voxels, closed surfaces) at which a streamline stops when it leaves them.
    pub(crate) exit: Bits,
    /// Surfaces at which a streamline stops when it meets them for the second time.
    pub(crate) second: Bits,
    /// Waypoints.
    pub(crate) ways: Bits,
    pub(crate) targets: Bits,
}

/// Settings that decide which streamlines, and which of their halves, are kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    pub(crate) condition: WaypointCondition,
    pub(crate) judged_by: ConstraintUnit,
    pub(crate) in_order: bool,
    pub(crate) one_way: bool,
    pub(crate) has_waypoints: bool,
}

/// A voxel grid with regions on it.
#[derive(Debug, Clone)]
pub(crate) struct RegionGrid {
    pub(crate) grid: Grid,
    mapping: Option<Arc<Mapping>>,
    /// Transform from voxels of the tracked image to voxels of this grid.
    pub(crate) voxel_mapping: VoxelMapping,
    /// Index into `table` of the bit set of the regions that contain each voxel; 0 for no region. Empty if no
    /// region is on this grid.
    pub(crate) sets: Vec<u32>,
    /// All bit sets of regions, one after the other. There are far fewer different sets than voxels.
    pub(crate) table: Bits,
}

impl Scope {
    /// Returns true if a streamline is accepted when it passes one of the waypoints.
    pub(crate) fn any_waypoint(self) -> bool {
        self.condition == WaypointCondition::Any
    }

    /// Returns true if streamlines are kept or rejected as a whole; false if the decision is made for each
    /// half.
    pub(crate) fn whole(self) -> bool {
        self.judged_by == ConstraintUnit::Whole
    }
}

/// All regions of a run, with the voxel grids that they are on.
#[derive(Debug, Clone)]
pub(crate) struct RegionGrids {
    pub(crate) kinds: RegionRoles,
    pub(crate) scope: Scope,
    pub(crate) all: Vec<RegionGrid>,
    pub(crate) surfaces: Option<RegionSurfaces>,
    /// Tissues of anatomically constrained tractography, if they are used.
    pub(crate) anatomy: Option<PlacedAnatomy>,
    /// Number of bits in a set of regions. Each bit is a region, or a group of regions that share the bit.
    pub(crate) bits: usize,
    /// Number of 64-bit words in a set of regions.
    pub(crate) words: usize,
    /// Bit of each region. The order is: regions to avoid, regions to stop in, regions to stop at when
    /// leaving, waypoints, targets.
    pub(crate) of_regions: Vec<usize>,
    /// Bit of each target, in the order of the targets.
    pub(crate) targets: Vec<usize>,
    /// Index of the grid on which voxel visits are counted; `None` if visits are not counted.
    pub(crate) map: Option<usize>,
}

/// Grid of the tracked image, with a cache of displacement fields that map from this grid to others.
#[derive(Clone, Copy)]
struct Field<'a> {
    grid: &'a Grid,
    ways: &'a DisplacementCache,
}

impl RegionGrids {
    /// Places the regions of `constraints` on their voxel grids. `field` is the grid of the tracked image,
    /// and `step_mm` is the maximum step length in mm. `map` is the grid on which visits are counted. `ways`
    /// is the cache of displacement fields from earlier runs.
    pub(crate) fn new(
        field: &Grid,
        step_mm: f64,
        constraints: &Constraints,
        map: Option<(&Grid, Option<&Arc<Mapping>>)>,
        ways: &DisplacementCache,
    ) -> Result<Self> {
        constraints.check()?;
        let field = Field { grid: field, ways };
        let Constraints { avoid, stop, stop_on_exit, waypoints, targets, .. } = constraints;
        let bits =
            bits_together(avoid) + bits_together(stop) + stop_on_exit.len() + waypoints.len() + targets.len();
        let words = bits.div_ceil(64);
        let scope = Scope {
            condition: constraints.condition,
            judged_by: constraints.judged_by,
            in_order: constraints.in_order,
            one_way: constraints.one_way,
            has_waypoints: !waypoints.is_empty(),
        };
        let none = || vec![0; words];
        let kinds = RegionRoles {
            avoid: none(),
            stop: none(),
            exit: none(),
            second: none(),
            ways: none(),
            targets: none(),
        };
        let mut all = Self {
            kinds,
            scope,
            all: Vec::new(),
            surfaces: None,
            anatomy: constraints.anatomy.as_ref().map(|of| PlacedAnatomy::new(of, field.grid, ways)),
            bits,
            words,
            of_regions: Vec::new(),
            targets: Vec::new(),
            map: None,
        };
        let mut marks = Marks { field, next: 0, surfaces: SurfaceRegionsBuilder::default() };
        let mut kinds = std::mem::take(&mut all.kinds);
        all.together(&mut marks, avoid, &mut kinds.avoid)?;
        all.together(&mut marks, stop, &mut kinds.stop)?;
        for region in stop_on_exit {
            let is_met = matches!(region.shape, RegionShape::Triangles { .. });
            let kind = if is_met { &mut kinds.second } else { &mut kinds.exit };
            all.apart(&mut marks, std::slice::from_ref(region), kind)?;
        }
        all.apart(&mut marks, waypoints, &mut kinds.ways)?;
        all.targets = (marks.next..marks.next + targets.len()).collect();
        all.apart(&mut marks, targets, &mut kinds.targets)?;
        all.kinds = kinds;
        let longest_mm = step_mm * marks.surfaces.scale();
        all.surfaces = marks.surfaces.finish(field.grid, longest_mm, words)?;
        if let Some((grid, mapping)) = map {
            all.map = Some(all.lattice(field, grid, mapping));
        }
        Ok(all)
    }

    /// Adds regions that have the same effect and need not be distinguished from each other. These regions
    /// share one bit, except closed surfaces.
    fn together(&mut self, marks: &mut Marks<'_>, regions: &[Region], kind: &mut [u64]) -> Result<()> {
        let mut shared = None;
        for region in regions {
            if matches!(region.shape, RegionShape::Inside(_)) {
                self.apart(marks, std::slice::from_ref(region), kind)?;
                continue;
            }
            let bit = *shared.get_or_insert_with(|| {
                set(kind, marks.next);
                marks.next += 1;
                marks.next - 1
            });
            self.mark(marks, region, bit)?;
        }
        Ok(())
    }

    fn apart(&mut self, marks: &mut Marks<'_>, regions: &[Region], kind: &mut [u64]) -> Result<()> {
        for region in regions {
            self.mark(marks, region, marks.next)?;
            set(kind, marks.next);
            marks.next += 1;
        }
        Ok(())
    }

    fn mark(&mut self, marks: &mut Marks<'_>, region: &Region, bit: usize) -> Result<()> {
        self.of_regions.push(bit);
        let RegionShape::Voxels(mask) = &region.shape else { return marks.surfaces.add(region, bit) };
        if mask.is_empty() {
            let advice = "give a mask with voxels above 0.5";
            return Err(Error::invalid(&region.name, "no voxel is inside", advice));
        }
        let (words, lattice) = (self.words, self.lattice(marks.field, mask.grid(), region.mapping.as_ref()));
        self.all[lattice].mark(mask.flags(), bit, words);
        Ok(())
    }

    fn find(&self, grid: &Grid, mapping: Option<&Arc<Mapping>>) -> Option<usize> {
        let same = |space: &RegionGrid| space.grid == *grid && same_mapping(space.mapping.as_ref(), mapping);
        self.all.iter().position(same)
    }

    /// Returns the grid on which the voxels of the region `mask` are stored.
    pub(crate) fn of(&self, mask: &Mask, mapping: Option<&Arc<Mapping>>) -> Option<&RegionGrid> {
        self.find(mask.grid(), mapping).map(|found| &self.all[found])
    }

    fn lattice(&mut self, field: Field<'_>, grid: &Grid, mapping: Option<&Arc<Mapping>>) -> usize {
        self.find(grid, mapping).unwrap_or_else(|| {
            let voxel_mapping = field.ways.voxel_mapping(field.grid, grid, mapping);
            let (sets, table) = (Vec::new(), Vec::new());
            self.all.push(RegionGrid { grid: *grid, mapping: mapping.cloned(), voxel_mapping, sets, table });
            self.all.len() - 1
        })
    }

    /// Returns the bit of each target, and the number of 64-bit words in a set of regions.
    pub(crate) fn target_bits(&self) -> (&[usize], usize) {
        (&self.targets, self.words)
    }

    /// Returns the voxel whose visit is counted for a position; `None` outside the grid of the counts.
    #[inline]
    pub(crate) fn counted(&self, place: [f32; 3]) -> Option<u32> {
        self.all[self.map?].voxel(place).map(narrow::<u32>)
    }

    /// Writes the bit set of the regions at a position to `here`. Returns the voxel whose visit is counted;
    /// `None` if there is no such voxel.
    #[inline]
    pub(crate) fn look(&self, place: [f32; 3], here: &mut [u64]) -> Option<u32> {
        here.fill(0);
        let mut counted = None;
        for (n, lattice) in self.all.iter().enumerate() {
            if let Some(voxel) = lattice.voxel(place) {
                if let Some(&set) = lattice.sets.get(voxel)
                    && set != 0
                {
                    let begin = set as usize * self.words;
                    here.iter_mut().zip(&lattice.table[begin..]).for_each(|(here, bits)| *here |= bits);
                }
                if Some(n) == self.map {
                    counted = Some(narrow::<u32>(voxel));
                }
            }
        }
        counted
    }
}

impl RegionGrid {
    /// Returns the voxel of this grid that is nearest to a position in the tracked image.
    #[inline]
    fn voxel(&self, place: [f32; 3]) -> Option<usize> {
        let v = self.voxel_mapping.apply(place).map(nearest);
        let shape = self.grid.shape().map(narrow::<i32>);
        inside(v, shape).then(|| index(v, shape))
    }

    /// Returns true if the regions of this grid are in a different space than the tracked image.
    pub(crate) fn is_mapped(&self) -> bool {
        self.mapping.is_some()
    }

    /// Adds a region to the bit sets of its voxels. `inside` is true for the voxels of the region, at least
    /// one.
    fn mark(&mut self, inside: &[bool], bit: usize, words: usize) {
        if self.sets.is_empty() {
            // The bit set with index 0 contains no region. The set with index 1 contains only this region.
            self.sets = inside.par_iter().map(|&inside| u32::from(inside)).collect();
            self.table = vec![0; 2 * words];
            set(&mut self.table[words..], bit);
            return;
        }
        let before = self.table.len() / words;
        // Finds the bit sets that occur in voxels of the region.
        let met: Vec<AtomicBool> = (0..before).map(|_| AtomicBool::new(false)).collect();
        let marked = |(sets, inside): (&[u32], &[bool])| {
            for (&set, _) in sets.iter().zip(inside).filter(|(_, inside)| **inside) {
                met[set as usize].store(true, Relaxed);
            }
        };
        self.sets
            .par_chunks(RUN)
            .zip(inside.par_chunks(RUN))
            .filter(|(_, inside)| any(inside))
            .for_each(marked);
        let mut with = vec![0; before];
        for old in (0..before).filter(|&old| met[old].load(Relaxed)) {
            let mut bits = self.table[old * words..(old + 1) * words].to_vec();
            set(&mut bits, bit);
            // A region that was added earlier and has the same bit may have created this bit set.
            let known = self.table.chunks_exact(words).position(|known| known == bits);
            with[old] = narrow::<u32>(known.unwrap_or_else(|| {
                self.table.extend_from_slice(&bits);
                self.table.len() / words - 1
            }));
        }
        let mark = |(sets, inside): (&mut [u32], &[bool])| {
            for (set, _) in sets.iter_mut().zip(inside).filter(|(_, inside)| **inside) {
                *set = with[*set as usize];
            }
        };
        self.sets
            .par_chunks_mut(RUN)
            .zip(inside.par_chunks(RUN))
            .filter(|(_, inside)| any(inside))
            .for_each(mark);
    }
}

/// State while bits are assigned to regions.
struct Marks<'a> {
    field: Field<'a>,
    next: usize,
    surfaces: SurfaceRegionsBuilder,
}

/// Returns the number of bits for regions that need not be distinguished from each other. Regions share one
/// bit, except that each closed surface has its own bit for its inside. The bit is inverted at each crossing
/// of the surface, so it cannot be shared.
fn bits_together(regions: &[Region]) -> usize {
    let insides = regions.iter().filter(|region| matches!(region.shape, RegionShape::Inside(_))).count();
    insides + usize::from(regions.len() > insides)
}

/// Number of consecutive voxels that are tested together. A group that contains no voxel of the region is
/// skipped, and most groups contain none.
const RUN: usize = 1 << 10;

fn any(flags: &[bool]) -> bool {
    flags.iter().fold(false, |any, &inside| any | inside)
}
