//! Regions that are defined by surfaces, and their intersections with streamline segments.
//!
//! All triangles of the surfaces are sorted into the [cells](SurfaceCells) of one grid. A segment is tested
//! only against the triangles in the cell of its end. The test whether a closed mesh contains a point starts
//! from the centre of the point's cell, for which the answer is known. Only triangles of this cell can be
//! between the centre and the point.

use super::bits::{Bits, set};
use super::regions::{Region, RegionShape};
use crate::space::{Mapping, VoxelMapping};
use arcuate_compute::surface_cells::{SurfaceCells, UNITS, are_near, fixed_by};
use arcuate_core::{
    Affine, Error, FixedTriangle, Grid, Result, Surface, SurfaceGeometry, fixed_point, narrow,
};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) use arcuate_compute::surface_cells::Fixed;

/// A triangle and the indices of two sets of regions. The set `met` contains the regions to which this
/// triangle belongs. The set `bounds` contains the regions whose inside this triangle bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RegionTriangle {
    pub(crate) corners: FixedTriangle,
    pub(crate) met: u32,
    pub(crate) bounds: u32,
}

/// All surface regions of a run.
#[derive(Debug, Clone)]
pub(crate) struct RegionSurfaces {
    pub(crate) mapping: Option<Arc<Mapping>>,
    /// Transform from voxels of the tracked image to mm in the space of the surfaces.
    pub(crate) voxel_mapping: VoxelMapping,
    pub(crate) cells: SurfaceCells,
    pub(crate) triangles: Vec<RegionTriangle>,
    /// Index of the set of regions that contain the centre of each cell. Empty if no region is the inside of
    /// a surface.
    pub(crate) inside: Vec<u32>,
    /// All sets of regions, one after the other, with one bit per region.
    pub(crate) table: Bits,
}

/// Regions that are surfaces, while they are collected and before their triangles are sorted into cells.
#[derive(Debug, Default)]
pub(crate) struct SurfaceRegionsBuilder {
    mapping: Option<Arc<Mapping>>,
    /// Name of the first region that was added, for messages.
    name: Option<String>,
    /// Corners of each triangle, a flag, and the bit of its region. The flag is true if the region is the
    /// triangle itself, and false if the triangle bounds the region.
    triangles: Vec<([Fixed; 3], bool, usize)>,
    /// Closed meshes, each with the bit of the region inside it.
    volumes: Vec<(SurfaceGeometry, usize)>,
}

impl SurfaceRegionsBuilder {
    /// Adds a region that is defined by surfaces. Returns an error if surfaces are in different spaces, or if
    /// a mesh that must be closed is open.
    pub(crate) fn add(&mut self, region: &Region, bit: usize) -> Result<()> {
        if let Some(first) = &self.name
            && self.mapping != region.mapping
        {
            let problem = format!("the surface is in another space than {first}");
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
        // This line returns an error if vertices of the surface are too far from the origin.
        let geometry = SurfaceGeometry::new(surface).map_err(|error| error.about(name))?;
        let corner = |vertex: u32| fixed_point(surface.vertices()[vertex as usize].map(f64::from));
        let of = |n: usize| (surface.triangles()[n].map(corner), is_met, bit);
        self.triangles.extend(triangles.map(of));
        Ok(geometry)
    }

    /// Returns the largest factor by which the mapping lengthens a segment, from the space of the tracked
    /// image to the space of the surfaces. The factor is approximate for nonlinear mappings.
    pub(crate) fn scale(&self) -> f64 {
        self.mapping.as_ref().map_or(1.0, |mapping| mapping.scale())
    }

    /// Sorts the triangles of the collected regions into cells, for streamline segments of at most
    /// `longest_mm` in the space of the surfaces. Returns `None` if there are no surfaces.
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
        let mut triangles = Vec::new();
        let mut table = vec![0; words];
        let mut sets = Sets { known: BTreeMap::from([(vec![0; words], 0)]), words };
        // Triangles that several regions share are stored once.
        let mut all = self.triangles;
        all.par_sort_unstable();
        for same in all.chunk_by(|one, other| one.0 == other.0) {
            let (mut met, mut bounds) = (vec![0; words], vec![0; words]);
            for &(_, is_met, bit) in same {
                if is_met {
                    set(&mut met, bit);
                } else {
                    // If a triangle occurs twice in the boundary of a region, both of its sides are inside or
                    // both are outside. It is then no boundary.
                    bounds[bit / 64] ^= 1 << (bit % 64);
                }
            }
            let [met, bounds] = [met, bounds].map(|bits| sets.number(bits, &mut table));
            triangles.push(RegionTriangle { corners: FixedTriangle(same[0].0), met, bounds });
        }
        let corners: Vec<FixedTriangle> = triangles.iter().map(|triangle| triangle.corners).collect();
        let mut surfaces = RegionSurfaces {
            voxel_mapping: VoxelMapping::new(field, &millimetres, self.mapping.as_deref()),
            mapping: self.mapping,
            cells: SurfaceCells::new(&corners, longest_mm)?,
            triangles,
            inside: Vec::new(),
            table,
        };
        if !self.volumes.is_empty() {
            surfaces.mark_insides(&self.volumes, &mut sets);
        }
        Ok(Some(surfaces))
    }
}

/// Known sets of regions, each with its index in the table of sets.
struct Sets {
    known: BTreeMap<Bits, u32>,
    words: usize,
}

impl Sets {
    fn number(&mut self, bits: Bits, table: &mut Bits) -> u32 {
        let words = self.words;
        *self.known.entry(bits).or_insert_with_key(|bits| {
            table.extend_from_slice(bits);
            narrow::<u32>(table.len() / words - 1)
        })
    }
}

impl RegionSurfaces {
    /// Converts a position in the tracked image to fixed-point coordinates in the space of the surfaces.
    #[inline]
    pub(crate) fn fixed(&self, place: [f32; 3]) -> Fixed {
        fixed_by(&self.voxel_mapping, place)
    }

    fn listed(&self, cell: usize) -> impl Iterator<Item = &RegionTriangle> {
        self.cells.listed(cell).iter().map(|listed| &self.triangles[listed.number as usize])
    }

    fn of_set(&self, number: u32, words: usize) -> &[u64] {
        &self.table[number as usize * words..][..words]
    }

    /// Adds the regions with a triangle that a segment meets. The start of the segment does not count.
    pub(crate) fn meet(&self, from: Fixed, to: Fixed, here: &mut [u64]) {
        let words = here.len();
        self.cells.for_each_near(from, to, |n| {
            let RegionTriangle { corners, met, .. } = &self.triangles[n];
            if *met != 0 && are_near(corners, from, to) && corners.is_met(from, to) {
                here.iter_mut().zip(self.of_set(*met, words)).for_each(|(here, met)| *here |= met);
            }
        });
    }

    /// Adds the regions whose inside contains a point. `here` must contain none of these regions before this
    /// call.
    pub(crate) fn add_insides(&self, point: Fixed, here: &mut [u64]) {
        let Some(cell) = self.cells.cell(point).filter(|_| !self.inside.is_empty()) else { return };
        let words = here.len();
        here.iter_mut().zip(self.of_set(self.inside[cell], words)).for_each(|(here, inside)| *here ^= inside);
        let along = self.cells.along(cell);
        let middle = self.cells.middle(along);
        self.cells.for_each_in(along, middle, point, &mut |n| {
            let RegionTriangle { corners, bounds, .. } = &self.triangles[n];
            if *bounds != 0 && are_near(corners, middle, point) && corners.is_crossed(middle, point) {
                here.iter_mut().zip(self.of_set(*bounds, words)).for_each(|(here, bounds)| *here ^= bounds);
            }
        });
    }

    /// Adds the regions with a triangle that contains a point, including the edges and vertices of the
    /// triangle.
    pub(crate) fn touched(&self, point: Fixed, here: &mut [u64]) {
        let Some(cell) = self.cells.cell(point) else { return };
        let words = here.len();
        for triangle in self.listed(cell).filter(|triangle| triangle.met != 0) {
            if triangle.corners.holds(point) {
                here.iter_mut().zip(self.of_set(triangle.met, words)).for_each(|(here, met)| *here |= met);
            }
        }
    }

    /// Returns true if the surface region with this bit may be near a position in the tracked image.
    pub(crate) fn may_hold(&self, place: [f32; 3], bit: usize, words: usize) -> bool {
        let Some(cell) = self.cells.cell(self.fixed(place)) else { return false };
        let holds = |number: u32| self.of_set(number, words)[bit / 64] >> (bit % 64) & 1 != 0;
        self.inside.get(cell).is_some_and(|&set| holds(set))
            || self.listed(cell).any(|triangle| holds(triangle.met) || holds(triangle.bounds))
    }

    /// Determines which closed meshes contain the centre of each cell. In each line of cells along x, the
    /// first cell is outside all meshes.
    fn mark_insides(&mut self, volumes: &[(SurfaceGeometry, usize)], sets: &mut Sets) {
        let [nx, ny, nz] = self.cells.shape.map(|n| n as usize);
        let words = sets.words;
        let mm = |point: Fixed| point.map(|x| f64::from(x) / f64::from(UNITS));
        let row = |n: usize| {
            let (y, z) = (n % ny, n / ny);
            let mut own = vec![0; nx * words];
            for (geometry, bit) in volumes {
                let (mut is_inside, mut here) = (false, mm(self.cells.middle([0, y, z])));
                for x in 1..nx {
                    let next = mm(self.cells.middle([x, y, z]));
                    is_inside ^= geometry.changes_side(here, next);
                    here = next;
                    // If a region has two closed meshes, a point inside both meshes is not in the region.
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
