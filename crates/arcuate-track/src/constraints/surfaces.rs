//! Regions that surfaces are, as segments of streamlines meet them.
//!
//! All triangles lie in one lattice of cells, each of which lists those that are near it. A segment looks at the cell of its end
//! alone, since it is shorter than what counts as near; so does a point that asks whether it is inside of a closed mesh, for the
//! answer at the middle of each cell is known, and between the middle and the point lie triangles of the cell alone. What is found is
//! the sign of whole numbers (`arcuate_core::FixedTriangle`), so that cells are a matter of speed alone.

use super::bits::{Bits, set};
use super::regions::{Region, RegionShape};
use crate::space::{Mapping, Way};
use arcuate_core::{Affine, Error, FixedTriangle, Grid, Result, Surface, SurfaceGeometry, fixed_point};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A point in units of 2⁻²⁰ mm of the space of the surfaces.
pub(crate) type Fixed = [i32; 3];

/// Units of a millimetre.
const UNITS: f32 = (1u32 << 20) as f32;
/// The largest coordinate in mm, beyond which no surface reaches.
const LARGEST: f32 = 2047.0;
/// The edge of a cell, as a power of two of units: 2 mm, or as much more as makes cells few enough.
const EDGE: u32 = 21;
const MOST_CELLS: u64 = 1 << 24;

/// A triangle, and the sets of regions that it belongs to: of those that are met, and of those whose inside it bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RegionTriangle {
    pub(crate) corners: FixedTriangle,
    pub(crate) met: u32,
    pub(crate) bounds: u32,
}

/// The surfaces of a run.
#[derive(Debug, Clone)]
pub(crate) struct RegionSurfaces {
    pub(crate) mapping: Option<Arc<Mapping>>,
    /// From voxels of what is followed to mm of the surfaces.
    pub(crate) way: Way,
    /// The corner of the first cell, cells along each axis, and their edge as a power of two of units.
    pub(crate) least: Fixed,
    pub(crate) shape: [i32; 3],
    pub(crate) edge: u32,
    /// How near a triangle is that a cell lists: so far from it along each axis, in units.
    pub(crate) near: i32,
    /// Where the list of each cell begins, and of one more.
    pub(crate) first: Vec<u32>,
    /// Numbers of triangles.
    pub(crate) list: Vec<u32>,
    pub(crate) triangles: Vec<RegionTriangle>,
    /// The set of regions inside of which the middle of each cell lies; nothing where no region is a volume.
    pub(crate) inside: Vec<u32>,
    /// The sets, so many words each.
    pub(crate) table: Bits,
}

/// Surfaces before their cells are made.
#[derive(Debug, Default)]
pub(crate) struct SurfacesInMaking {
    mapping: Option<Arc<Mapping>>,
    /// The file of the first, for messages.
    name: Option<String>,
    /// Corners of each triangle, and whether it is met or bounds, with its bit.
    triangles: Vec<([Fixed; 3], bool, usize)>,
    /// Closed meshes with the bit of their inside.
    volumes: Vec<(SurfaceGeometry, usize)>,
}

impl SurfacesInMaking {
    /// Adds a region. Fails where surfaces lie in several spaces, and on meshes that must be closed and are not.
    pub(crate) fn add(&mut self, region: &Region, bit: usize) -> Result<()> {
        if let Some(first) = &self.name
            && self.mapping != region.mapping
        {
            let problem = format!("it lies in another space than {first}");
            return Err(Error::invalid(&region.name, problem, "give all surfaces in one space"));
        }
        self.name.get_or_insert_with(|| region.name.clone());
        self.mapping.clone_from(&region.mapping);
        match &region.shape {
            RegionShape::Voxels(_) => {}
            RegionShape::Triangles { surface, triangles } => {
                if triangles.is_empty() {
                    let problem = "no triangle of it is chosen";
                    return Err(Error::invalid(&region.name, problem, "choose vertices that it has"));
                }
                self.push(surface, triangles.iter().map(|&n| n as usize), true, bit, &region.name)?;
            }
            RegionShape::Inside(meshes) => {
                for mesh in meshes {
                    mesh.require_closed(&region.name)?;
                    let geometry = self.push(mesh, 0..mesh.triangles().len(), false, bit, &region.name)?;
                    self.volumes.push((geometry, bit));
                }
            }
        }
        Ok(())
    }

    fn push(
        &mut self,
        surface: &Surface,
        triangles: impl Iterator<Item = usize>,
        is_met: bool,
        bit: usize,
        name: &str,
    ) -> Result<SurfaceGeometry> {
        // Refuses what lies too far away.
        let geometry = SurfaceGeometry::new(surface).map_err(|error| error.about(name))?;
        let corner = |vertex: u32| fixed_point(surface.vertices()[vertex as usize].map(f64::from));
        let of = |n: usize| (surface.triangles()[n].map(corner), is_met, bit);
        self.triangles.extend(triangles.map(of));
        Ok(geometry)
    }

    /// By how much a way of what is followed may be longer along an axis in the space of the surfaces; about, where that bends it.
    pub(crate) fn scale(&self) -> f64 {
        let Some(mapping) = &self.mapping else { return 1.0 };
        let rows = mapping.affine.rows();
        let linear = rows.iter().flat_map(|row| &row[..3]).map(|c| c * c).sum::<f64>().sqrt();
        if mapping.displacement.is_some() { 1.5 * linear } else { linear }
    }

    /// The surfaces, met by segments of at most `longest_mm`, a length in their space; nothing where there are none.
    pub(crate) fn finish(
        self,
        field: &Grid,
        longest_mm: f64,
        words: usize,
    ) -> Result<Option<RegionSurfaces>> {
        if self.triangles.is_empty() {
            return Ok(None);
        }
        let millimetres = Grid::new([1; 3], Affine::identity())?;
        let near = (longest_mm.min(64.0) * f64::from(UNITS)).ceil() as i32 + 2;
        let (mut least, mut largest) = ([i32::MAX; 3], [i32::MIN; 3]);
        for (axis, corner) in
            self.triangles.iter().flat_map(|(corners, ..)| corners).flat_map(|c| c.iter().enumerate())
        {
            least[axis] = least[axis].min(*corner);
            largest[axis] = largest[axis].max(*corner);
        }
        let mut edge = EDGE;
        // A cell beyond what is near on every side, so that the middles of the outermost are outside of all meshes.
        let extent = |edge: u32, axis: usize| {
            let margin = i64::from(near) + (1i64 << edge);
            ((i64::from(largest[axis]) - i64::from(least[axis]) + 2 * margin) >> edge) as u64 + 1
        };
        while (0..3).map(|axis| extent(edge, axis)).product::<u64>() > MOST_CELLS {
            edge += 1;
        }
        let margin = i64::from(near) + (1i64 << edge);
        let mut surfaces = RegionSurfaces {
            way: Way::new(field, &millimetres, self.mapping.as_deref()),
            mapping: self.mapping,
            // Below the smallest number a cell further, where no point is.
            least: least.map(|x| (i64::from(x) - margin).max(i64::from(i32::MIN)) as i32),
            shape: [0, 1, 2].map(|axis| extent(edge, axis) as i32),
            edge,
            near,
            first: Vec::new(),
            list: Vec::new(),
            triangles: Vec::new(),
            inside: Vec::new(),
            table: vec![0; words],
        };
        let mut sets = Sets { known: BTreeMap::from([(vec![0; words], 0)]), words };
        // Triangles that several regions share are one.
        let mut all = self.triangles;
        all.par_sort_unstable();
        for same in all.chunk_by(|one, other| one.0 == other.0) {
            let (mut met, mut bounds) = (vec![0; words], vec![0; words]);
            for &(_, is_met, bit) in same {
                if is_met {
                    set(&mut met, bit);
                } else {
                    // Who bounds a volume twice does not bound it.
                    bounds[bit / 64] ^= 1 << (bit % 64);
                }
            }
            let [met, bounds] = [met, bounds].map(|bits| sets.number(bits, &mut surfaces.table));
            surfaces.triangles.push(RegionTriangle { corners: FixedTriangle(same[0].0), met, bounds });
        }
        surfaces.list_triangles()?;
        if !self.volumes.is_empty() {
            surfaces.mark_insides(&self.volumes, &mut sets);
        }
        Ok(Some(surfaces))
    }
}

/// Sets of regions by their numbers.
struct Sets {
    known: BTreeMap<Bits, u32>,
    words: usize,
}

impl Sets {
    fn number(&mut self, bits: Bits, table: &mut Bits) -> u32 {
        let words = self.words;
        *self.known.entry(bits).or_insert_with_key(|bits| {
            table.extend_from_slice(bits);
            (table.len() / words - 1) as u32
        })
    }
}

impl RegionSurfaces {
    /// A place of what is followed, in units.
    #[inline]
    pub(crate) fn fixed(&self, place: [f32; 3]) -> Fixed {
        self.way.apply(place).map(|mm| (mm.clamp(-LARGEST, LARGEST) * UNITS).round_ties_even() as i32)
    }

    /// The cell of a point.
    #[inline]
    fn cell(&self, point: Fixed) -> Option<usize> {
        let mut along = [0; 3];
        for axis in 0..3 {
            let cell = (i64::from(point[axis]) - i64::from(self.least[axis])) >> self.edge;
            if cell < 0 || cell >= i64::from(self.shape[axis]) {
                return None;
            }
            along[axis] = cell as usize;
        }
        Some(self.index(along))
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        let [nx, ny, _] = self.shape.map(|n| n as usize);
        x + nx * (y + ny * z)
    }

    /// The middle of a cell.
    fn middle(&self, along: [usize; 3]) -> Fixed {
        let at = |axis: usize| {
            let least = i64::from(self.least[axis]);
            // Those beyond the largest number are outside of everything, as are those that they are moved to.
            (least + ((2 * along[axis] as i64 + 1) << (self.edge - 1))).min(i64::from(i32::MAX)) as i32
        };
        [at(0), at(1), at(2)]
    }

    fn listed(&self, cell: usize) -> impl Iterator<Item = &RegionTriangle> {
        let list = &self.list[self.first[cell] as usize..self.first[cell + 1] as usize];
        list.iter().map(|&n| &self.triangles[n as usize])
    }

    fn of_set(&self, number: u32, words: usize) -> &[u64] {
        &self.table[number as usize * words..][..words]
    }

    /// Adds the regions that a segment meets, without its beginning.
    pub(crate) fn meet(&self, from: Fixed, to: Fixed, here: &mut [u64]) {
        let is_short =
            (0..3).all(|axis| (i64::from(to[axis]) - i64::from(from[axis])).abs() <= i64::from(self.near));
        let mut met_in = |cell: usize| {
            for triangle in self.listed(cell).filter(|triangle| triangle.met != 0) {
                if are_near(&triangle.corners, from, to) && triangle.corners.is_met(from, to) {
                    let words = here.len();
                    here.iter_mut()
                        .zip(self.of_set(triangle.met, words))
                        .for_each(|(here, met)| *here |= met);
                }
            }
        };
        if is_short {
            if let Some(cell) = self.cell(to) {
                met_in(cell);
            }
            return;
        }
        // All cells of the box around it: such legs are rare, but for lines that are there already.
        let along = |axis: usize| {
            let [low, high] = [from[axis].min(to[axis]), from[axis].max(to[axis])];
            let cell = |x: i32| (i64::from(x) - i64::from(self.least[axis])) >> self.edge;
            let last = i64::from(self.shape[axis]) - 1;
            if cell(high) < 0 || cell(low) > last {
                0..0
            } else {
                cell(low).max(0) as usize..cell(high).min(last) as usize + 1
            }
        };
        for z in along(2) {
            for y in along(1) {
                along(0).for_each(|x| met_in(self.index([x, y, z])));
            }
        }
    }

    /// Adds the regions inside of which a point lies, of which `here` has none.
    pub(crate) fn add_insides(&self, point: Fixed, here: &mut [u64]) {
        let Some(cell) = self.cell(point).filter(|_| !self.inside.is_empty()) else { return };
        let words = here.len();
        here.iter_mut().zip(self.of_set(self.inside[cell], words)).for_each(|(here, inside)| *here ^= inside);
        let middle = self.middle(self.along(cell));
        for triangle in self.listed(cell).filter(|triangle| triangle.bounds != 0) {
            if are_near(&triangle.corners, middle, point) && triangle.corners.is_crossed(middle, point) {
                here.iter_mut()
                    .zip(self.of_set(triangle.bounds, words))
                    .for_each(|(here, bounds)| *here ^= bounds);
            }
        }
    }

    fn along(&self, cell: usize) -> [usize; 3] {
        let [nx, ny, _] = self.shape.map(|n| n as usize);
        [cell % nx, cell / nx % ny, cell / (nx * ny)]
    }

    /// The regions that a point lies on, edges and vertices included.
    pub(crate) fn touched(&self, point: Fixed, here: &mut [u64]) {
        let Some(cell) = self.cell(point) else { return };
        let words = here.len();
        for triangle in self.listed(cell).filter(|triangle| triangle.met != 0) {
            if triangle.corners.holds(point) {
                here.iter_mut().zip(self.of_set(triangle.met, words)).for_each(|(here, met)| *here |= met);
            }
        }
    }

    /// Whether anything of a region may be where a place of what is followed is, by its bit.
    pub(crate) fn may_hold(&self, place: [f32; 3], bit: usize, words: usize) -> bool {
        let Some(cell) = self.cell(self.fixed(place)) else { return false };
        let holds = |number: u32| self.of_set(number, words)[bit / 64] >> (bit % 64) & 1 != 0;
        self.inside.get(cell).is_some_and(|&set| holds(set))
            || self.listed(cell).any(|triangle| holds(triangle.met) || holds(triangle.bounds))
    }

    /// Makes the lists of the cells: two passes over all triangles.
    fn list_triangles(&mut self) -> Result<()> {
        let cells = self.shape.iter().map(|&n| n as usize).product::<usize>();
        let boxes: Vec<[std::ops::Range<usize>; 3]> =
            self.triangles.iter().map(|t| self.cells_near(&t.corners)).collect();
        let each = |boxes: &[std::ops::Range<usize>; 3], found: &mut dyn FnMut(usize)| {
            let [x, y, z] = boxes.clone();
            for z in z {
                for y in y.clone() {
                    x.clone().for_each(|x| found(self.index([x, y, z])));
                }
            }
        };
        let mut first = vec![0u32; cells + 1];
        let mut all = 0u64;
        for near in &boxes {
            each(near, &mut |cell| {
                first[cell + 1] += 1;
                all += 1;
            });
        }
        if u32::try_from(all).is_err() {
            let problem = "its triangles are too many, or too large, for lists of 2³² of them";
            return Err(Error::invalid("surfaces", problem, "give coarser surfaces, or fewer"));
        }
        for cell in 0..cells {
            first[cell + 1] += first[cell];
        }
        let mut list = vec![0u32; all as usize];
        let mut next = first.clone();
        for (n, near) in boxes.iter().enumerate() {
            each(near, &mut |cell| {
                list[next[cell] as usize] = n as u32;
                next[cell] += 1;
            });
        }
        (self.first, self.list) = (first, list);
        Ok(())
    }

    /// The cells that a triangle is near.
    fn cells_near(&self, corners: &FixedTriangle) -> [std::ops::Range<usize>; 3] {
        let [a, b, c] = corners.0;
        std::array::from_fn(|axis| {
            let (low, high) = (a[axis].min(b[axis]).min(c[axis]), a[axis].max(b[axis]).max(c[axis]));
            let cell = |x: i64| ((x - i64::from(self.least[axis])) >> self.edge) as usize;
            cell(i64::from(low) - i64::from(self.near))..cell(i64::from(high) + i64::from(self.near)) + 1
        })
    }

    /// Finds inside of which volumes the middles of the cells lie: row by row, from outside of all.
    fn mark_insides(&mut self, volumes: &[(SurfaceGeometry, usize)], sets: &mut Sets) {
        let [nx, ny, nz] = self.shape.map(|n| n as usize);
        let words = sets.words;
        let mm = |point: Fixed| point.map(|x| f64::from(x) / f64::from(UNITS));
        let row = |n: usize| {
            let (y, z) = (n % ny, n / ny);
            let mut own = vec![0; nx * words];
            for (geometry, bit) in volumes {
                let (mut is_inside, mut here) = (false, mm(self.middle([0, y, z])));
                for x in 1..nx {
                    let next = mm(self.middle([x, y, z]));
                    is_inside ^= geometry.changes_side(here, next);
                    here = next;
                    // Inside of one of two meshes of a region, not of both.
                    own[x * words + bit / 64] ^= u64::from(is_inside) << (bit % 64);
                }
            }
            own
        };
        let rows: Vec<Bits> = (0..ny * nz).into_par_iter().map(row).collect();
        let cells = rows.iter().flat_map(|row| row.chunks_exact(words));
        let inside = cells.map(|bits| sets.number(bits.to_vec(), &mut self.table)).collect();
        self.inside = inside;
    }
}

/// Whether the box around a triangle meets that around a segment.
#[inline]
fn are_near(triangle: &FixedTriangle, p: Fixed, q: Fixed) -> bool {
    let [a, b, c] = triangle.0;
    (0..3).all(|axis| {
        let (low, high) = (a[axis].min(b[axis]).min(c[axis]), a[axis].max(b[axis]).max(c[axis]));
        p[axis].max(q[axis]) >= low && p[axis].min(q[axis]) <= high
    })
}
