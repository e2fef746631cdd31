//! Regions on their lattices, seen from the voxels of what is followed.

use super::bits::{Bits, set};
use super::regions::{Constraints, JudgedBy, Region, RegionShape, WaypointCondition};
use super::surfaces::{RegionSurfaces, SurfacesInMaking};
use crate::anatomy::PlacedAnatomy;
use crate::space::{Mapping, Way, Ways, index, inside, nearest, same_mapping};
use arcuate_core::{Error, Grid, Mask, Result, narrow};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Which bits mean what.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kinds {
    pub(crate) avoid: Bits,
    pub(crate) stop: Bits,
    /// To end in on leaving them, where they have an inside; and where they have none, on meeting them again.
    pub(crate) exit: Bits,
    pub(crate) second: Bits,
    pub(crate) ways: Bits,
    pub(crate) targets: Bits,
}

/// How regions are judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    pub(crate) condition: WaypointCondition,
    pub(crate) judged_by: JudgedBy,
    pub(crate) in_order: bool,
    pub(crate) one_way: bool,
    pub(crate) has_waypoints: bool,
}

/// A lattice that regions lie on.
#[derive(Debug, Clone)]
pub(crate) struct Lattice {
    pub(crate) grid: Grid,
    mapping: Option<Arc<Mapping>>,
    /// From voxels of what is followed to those of this lattice.
    pub(crate) way: Way,
    /// Of each voxel the number of the set of regions that it lies in, 0 for none; nothing where no region lies here.
    pub(crate) sets: Vec<u32>,
    /// The sets, one after the other: there are far fewer than voxels.
    pub(crate) table: Bits,
}

impl Scope {
    /// Whether one waypoint is enough.
    pub(crate) fn any_waypoint(self) -> bool {
        self.condition == WaypointCondition::Any
    }

    /// Whether streamlines are kept as a whole or not.
    pub(crate) fn whole(self) -> bool {
        self.judged_by == JudgedBy::Whole
    }
}

/// All lattices of a run.
#[derive(Debug, Clone)]
pub(crate) struct Lattices {
    pub(crate) kinds: Kinds,
    pub(crate) scope: Scope,
    pub(crate) all: Vec<Lattice>,
    pub(crate) surfaces: Option<RegionSurfaces>,
    /// Tissues, where they are heeded.
    pub(crate) anatomy: Option<PlacedAnatomy>,
    /// Regions, or groups of them that share a bit.
    pub(crate) bits: usize,
    /// Of a set.
    pub(crate) words: usize,
    /// Bit of each region: of what is avoided, stopped in and stopped at on leaving it, of waypoints and targets, in this order.
    pub(crate) of_regions: Vec<usize>,
    /// Bit of each target, in their order.
    pub(crate) targets: Vec<usize>,
    /// The lattice whose voxels are counted.
    pub(crate) map: Option<usize>,
}

/// The lattice of what is followed, and ways from there that are known.
#[derive(Clone, Copy)]
struct Field<'a> {
    grid: &'a Grid,
    ways: &'a Ways,
}

impl Lattices {
    /// `field` is the lattice of what is followed, in steps of at most `step_mm`; `map` where voxels are counted; `ways` are those
    /// of earlier runs.
    pub(crate) fn new(
        field: &Grid,
        step_mm: f64,
        constraints: &Constraints,
        map: Option<(&Grid, Option<&Arc<Mapping>>)>,
        ways: &Ways,
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
        let kinds = Kinds {
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
        let mut marks = Marks { field, next: 0, surfaces: SurfacesInMaking::default() };
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

    /// Regions of which it does not matter which of them it was.
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
        let same = |space: &Lattice| space.grid == *grid && same_mapping(space.mapping.as_ref(), mapping);
        self.all.iter().position(same)
    }

    /// The lattice that the voxels of a region of the run lie on.
    pub(crate) fn of(&self, mask: &Mask, mapping: Option<&Arc<Mapping>>) -> Option<&Lattice> {
        self.find(mask.grid(), mapping).map(|found| &self.all[found])
    }

    fn lattice(&mut self, field: Field<'_>, grid: &Grid, mapping: Option<&Arc<Mapping>>) -> usize {
        self.find(grid, mapping).unwrap_or_else(|| {
            let way = field.ways.way(field.grid, grid, mapping);
            let (sets, table) = (Vec::new(), Vec::new());
            self.all.push(Lattice { grid: *grid, mapping: mapping.cloned(), way, sets, table });
            self.all.len() - 1
        })
    }

    /// The bit of each target, and words of a set.
    pub(crate) fn target_bits(&self) -> (&[usize], usize) {
        (&self.targets, self.words)
    }

    /// The voxel to count at a place, if there is one.
    #[inline]
    pub(crate) fn counted(&self, place: [f32; 3]) -> Option<u32> {
        self.all[self.map?].voxel(place).map(narrow::<u32>)
    }

    /// Puts the regions at a place into `here`; answers for the voxel to count, if there is one.
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

impl Lattice {
    /// The voxel nearest to a place of what is followed.
    #[inline]
    fn voxel(&self, place: [f32; 3]) -> Option<usize> {
        let v = self.way.apply(place).map(nearest);
        let shape = self.grid.shape().map(narrow::<i32>);
        inside(v, shape).then(|| index(v, shape))
    }

    /// Whether it lies in another space than what is followed.
    pub(crate) fn is_mapped(&self) -> bool {
        self.mapping.is_some()
    }

    /// Adds a region, which has voxels, to the sets of these.
    fn mark(&mut self, inside: &[bool], bit: usize, words: usize) {
        if self.sets.is_empty() {
            // The second set, after the empty one.
            self.sets = inside.par_iter().map(|&inside| u32::from(inside)).collect();
            self.table = vec![0; 2 * words];
            set(&mut self.table[words..], bit);
            return;
        }
        let before = self.table.len() / words;
        // Which of the sets so far get it.
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
            // A region that shares its bit may have made it already.
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

/// Regions while they get their bits.
struct Marks<'a> {
    field: Field<'a>,
    next: usize,
    surfaces: SurfacesInMaking,
}

/// Bits of regions of which it does not matter which of them it was: one, but that each inside of a surface has its own, since it
/// is found by how often surfaces lie between.
fn bits_together(regions: &[Region]) -> usize {
    let insides = regions.iter().filter(|region| matches!(region.shape, RegionShape::Inside(_))).count();
    insides + usize::from(regions.len() > insides)
}

/// Voxels that are looked at side by side: most runs of most regions are empty.
const RUN: usize = 1 << 10;

fn any(flags: &[bool]) -> bool {
    flags.iter().fold(false, |any, &inside| any | inside)
}
