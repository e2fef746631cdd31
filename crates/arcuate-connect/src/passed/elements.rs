//! Elements that streamlines can pass: voxels, vertices and regions.

use arcuate_compute::surface_cells::{Fixed, SurfaceCells, are_near, fixed_by};
use arcuate_compute::voxel_mapping::{VoxelMapping, index, inside, nearest};
use arcuate_core::{
    Affine, Error, FixedTriangle, Grid, Mapping, Mask, Point, Result, Surface, SurfaceGeometry, fixed_point,
    narrow,
};
use std::collections::HashMap;
use std::sync::Arc;

/// Elements that streamlines can pass: voxels of masks, vertices of surfaces, and regions. They are numbered
/// from 0 in the order in which they are added.
///
/// A streamline passes a voxel if the voxel's centre is the nearest to one of its points. It passes a vertex
/// if one of its segments intersects a triangle with this vertex. A segment goes from one point to the next,
/// away from the seed, and excludes its start. Intersections are exact, for coordinates in units of 2⁻²⁰ mm
/// ([`SurfaceGeometry`]). The distance of an element is the number of steps from the seed to the point, or to
/// the end of the segment. The seed divides a streamline into two halves. If the half with the first point
/// passes the element, the distance is measured along this half. If not, it is measured along the other half.
///
/// Points are transformed to voxel coordinates in single precision, with the same bits on every device
/// ([`VoxelMapping`]).
#[derive(Default)]
pub struct PassedElements {
    to: Option<Arc<Mapping>>,
    pub(super) lattices: Vec<VoxelElements>,
    pub(super) triangles: Vec<FixedTriangle>,
    /// The three elements of each triangle. These are its vertices, or three times the same region.
    pub(super) of_triangles: Vec<[u32; 3]>,
    /// Regions that are defined by closed surfaces. A point is in the region if an odd number of the surfaces
    /// contain it.
    insides: Vec<(Vec<SurfaceGeometry>, u32)>,
    count: u32,
}

/// Marks a voxel or vertex that is not an element.
pub(super) const NONE: u32 = u32::MAX;

/// The elements that belong to the voxels of a grid.
pub(super) struct VoxelElements {
    pub(super) grid: Grid,
    /// Transform from the millimetre coordinates of streamlines to voxel coordinates.
    pub(super) voxel_mapping: VoxelMapping,
    /// For each voxel, its element. If there are lists of regions, the index of the voxel's list.
    pub(super) voxels: Vec<u32>,
    /// Lists of overlapping regions. Voxels in the same regions share a list. The first list is empty.
    pub(super) lists: Option<Vec<Vec<u32>>>,
}

/// An element that a streamline passes, and its distance from the seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Passed {
    pub(super) element: u32,
    /// Number of steps from the seed. Negative if the element is passed on the way to the streamline's first
    /// point.
    pub(super) steps: i32,
}

/// States which parts of a streamline and which elements are counted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rules {
    /// True if the voxel that contains the seed counts.
    pub(super) with_seed: bool,
    /// An element that does not count, which is the element of the seed itself. All elements of its triangles
    /// do not count either.
    pub(super) own: Option<u32>,
}

impl PassedElements {
    /// Creates an empty set of elements. If the elements are in another space, `to` maps the streamlines'
    /// points to that space.
    pub fn new(to: Option<Arc<Mapping>>) -> Self {
        Self { to, ..Self::default() }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds all voxels of a mask as elements, x fastest.
    pub fn add_voxels(&mut self, mask: &Mask) -> Result<()> {
        self.add_voxels_in_order(mask.grid(), &mask.indices())
    }

    /// Adds voxels of a grid as elements, in this order.
    ///
    /// # Panics
    /// Panics if a voxel number is not in the grid.
    pub fn add_voxels_in_order(&mut self, grid: &Grid, numbers: &[usize]) -> Result<()> {
        let first = self.number(numbers.len())?;
        // As long as masks do not overlap, one grid holds the elements of all masks. One look-up then finds
        // the element of a point.
        let has_room = |lattice: &VoxelElements| {
            lattice.lists.is_none()
                && lattice.grid == *grid
                && numbers.iter().all(|&voxel| lattice.voxels[voxel] == NONE)
        };
        let at = match self.lattices.iter().position(has_room) {
            Some(there) => there,
            None => self.push(grid, vec![NONE; grid.len()], None)?,
        };
        for (element, &voxel) in (first..).zip(numbers) {
            self.lattices[at].voxels[voxel] = element;
        }
        Ok(())
    }

    fn push(&mut self, grid: &Grid, voxels: Vec<u32>, lists: Option<Vec<Vec<u32>>>) -> Result<usize> {
        let voxel_mapping = VoxelMapping::new(&millimetres()?, grid, self.to.as_deref());
        self.lattices.push(VoxelElements { grid: *grid, voxel_mapping, voxels, lists });
        Ok(self.lattices.len() - 1)
    }

    /// Adds vertices of a surface as elements, in this order. Returns an error if a coordinate of the surface
    /// exceeds ±2,047 mm.
    ///
    /// # Panics
    /// Panics if a vertex number is not in the surface.
    pub fn add_vertices(&mut self, surface: &Surface, vertices: &[u32]) -> Result<()> {
        SurfaceGeometry::new(surface)?;
        let first = self.number(vertices.len())?;
        let mut of_vertices = vec![NONE; surface.vertices().len()];
        for (element, &vertex) in (first..).zip(vertices) {
            of_vertices[vertex as usize] = element;
        }
        for corners in surface.triangles() {
            let elements = corners.map(|vertex| of_vertices[vertex as usize]);
            if elements != [NONE; 3] {
                self.add_triangle(surface, *corners, elements);
            }
        }
        Ok(())
    }

    fn add_triangle(&mut self, surface: &Surface, corners: [u32; 3], elements: [u32; 3]) {
        let corner = |vertex: u32| fixed_point(surface.vertices()[vertex as usize].map(f64::from));
        self.triangles.push(FixedTriangle(corners.map(corner)));
        self.of_triangles.push(elements);
    }

    /// Adds a region of voxels as one element.
    pub fn add_region(&mut self, mask: &Mask) -> Result<()> {
        let element = self.number(1)?;
        let same = |lattice: &VoxelElements| lattice.lists.is_some() && lattice.grid == *mask.grid();
        let at = match self.lattices.iter().position(same) {
            Some(there) => there,
            None => self.push(mask.grid(), vec![0; mask.grid().len()], Some(vec![Vec::new()]))?,
        };
        let VoxelElements { voxels, lists, .. } = &mut self.lattices[at];
        let lists = lists.get_or_insert_default();
        // Creates, for each list of regions in the mask, a longer list with the new region.
        let mut longer: HashMap<u32, u32> = HashMap::new();
        for voxel in mask.indices() {
            let set = &mut voxels[voxel];
            *set = *longer.entry(*set).or_insert_with(|| {
                let mut list = lists[*set as usize].clone();
                list.push(element);
                lists.push(list);
                narrow::<u32>(lists.len()) - 1
            });
        }
        Ok(())
    }

    /// Adds a region of surface triangles as one element. Returns an error if a coordinate of the surface
    /// exceeds ±2,047 mm.
    ///
    /// # Panics
    /// Panics if a triangle number is not in the surface.
    pub fn add_triangles(&mut self, surface: &Surface, triangles: &[u32]) -> Result<()> {
        SurfaceGeometry::new(surface)?;
        let element = self.number(1)?;
        for &n in triangles {
            self.add_triangle(surface, surface.triangles()[n as usize], [element; 3]);
        }
        Ok(())
    }

    /// Adds a region as one element, which contains the points inside an odd number of these closed surfaces.
    /// Returns an error if a coordinate of a surface exceeds ±2,047 mm.
    pub fn add_inside(&mut self, surfaces: &[Arc<Surface>]) -> Result<()> {
        let meshes: Result<_> = surfaces.iter().map(|surface| SurfaceGeometry::new(surface)).collect();
        let meshes = meshes?;
        let element = self.number(1)?;
        self.insides.push((meshes, element));
        Ok(())
    }

    /// Returns whether GPUs support all elements. Only the CPU supports the inside of surfaces.
    pub(super) fn has_kernel(&self) -> bool {
        self.insides.is_empty()
    }

    /// Reserves numbers for `more` elements, and returns the first of these numbers.
    fn number(&mut self, more: usize) -> Result<u32> {
        let first = self.count;
        let after = u32::try_from(more).ok().and_then(|more| first.checked_add(more));
        self.count = after.filter(|&count| count < NONE).ok_or_else(|| {
            let problem = format!(
                "{first} and {more} voxels and vertices are more than a matrix can have as rows or columns"
            );
            Error::invalid("elements of a matrix", problem, "give fewer")
        })?;
        Ok(first)
    }
}

/// The elements, together with a grid of cells that finds the triangles near a point.
pub(super) struct Prepared<'a> {
    pub(super) elements: &'a PassedElements,
    /// Transform from the millimetre coordinates of streamlines to those of surfaces.
    pub(super) to_mm: VoxelMapping,
    pub(super) cells: Option<SurfaceCells>,
}

impl<'a> Prepared<'a> {
    /// Prepares the elements for streamlines with steps of at most `step_mm`. Longer steps are allowed, but
    /// need more time.
    pub(super) fn new(elements: &'a PassedElements, step_mm: f64) -> Result<Self> {
        let millimetres = millimetres()?;
        let to_mm = VoxelMapping::new(&millimetres, &millimetres, elements.to.as_deref());
        let scale = elements.to.as_ref().map_or(1.0, |mapping| mapping.scale());
        // A margin is added, because single precision rounds points by at most 2⁻¹³ mm.
        let longest_mm = (step_mm + 2f64.powi(-12)) * scale;
        let cells = if elements.triangles.is_empty() {
            None
        } else {
            Some(SurfaceCells::new(&elements.triangles, longest_mm)?)
        };
        Ok(Self { elements, to_mm, cells })
    }

    /// Returns the elements that a streamline passes, ascending. `seed` is the index of the streamline's seed
    /// point.
    pub(super) fn met_by(&self, line: &[Point], seed: usize, rules: Rules) -> Vec<Passed> {
        let mut found = Vec::new();
        let Some(&begin) = line.get(seed) else { return found };
        let fixed = |point: Point| self.cells.as_ref().map(|cells| (cells, fixed_by(&self.to_mm, point)));
        if rules.with_seed {
            self.add_at(begin, 0, rules, &mut found);
        }
        let mut half = |points: &mut dyn Iterator<Item = usize>, sign: i32| {
            let mut from = fixed(begin);
            for (n, point) in points.enumerate() {
                let (steps, to) = (sign * (narrow::<i32>(n) + 1), fixed(line[point]));
                self.add_at(line[point], steps, rules, &mut found);
                if let (Some((cells, from)), Some((_, to))) = (from, to) {
                    self.add_between(cells, from, to, steps, rules, &mut found);
                }
                from = to;
            }
        };
        half(&mut (0..seed).rev(), -1);
        half(&mut (seed + 1..line.len()), 1);
        // The sort is stable, so that the first of equal elements is kept.
        found.sort_by_key(|met| met.element);
        found.dedup_by_key(|met| met.element);
        found
    }

    /// Adds the elements whose voxel or inside contains a point.
    fn add_at(&self, point: Point, steps: i32, rules: Rules, found: &mut Vec<Passed>) {
        let mut add = |element| push(element, steps, rules, found);
        for lattice in &self.elements.lattices {
            let shape = lattice.grid.shape().map(narrow::<i32>);
            let voxel = lattice.voxel_mapping.apply(point).map(nearest);
            if !inside(voxel, shape) {
                continue;
            }
            let there = lattice.voxels[index(voxel, shape)];
            match &lattice.lists {
                Some(lists) => lists[there as usize].iter().for_each(|&element| add(element)),
                None => add(there),
            }
        }
        for (meshes, element) in &self.elements.insides {
            let point = self.to_mm.apply(point).map(f64::from);
            if meshes.iter().filter(|mesh| mesh.is_inside(point)).count() % 2 == 1 {
                add(*element);
            }
        }
    }

    /// Adds the elements whose triangles a segment intersects.
    fn add_between(
        &self,
        cells: &SurfaceCells,
        from: Fixed,
        to: Fixed,
        steps: i32,
        rules: Rules,
        found: &mut Vec<Passed>,
    ) {
        let PassedElements { triangles, of_triangles, .. } = self.elements;
        cells.for_each_near(from, to, |n| {
            let (triangle, elements) = (&triangles[n], of_triangles[n]);
            let is_own = rules.own.is_some_and(|own| elements.contains(&own));
            if !is_own && are_near(triangle, from, to) && triangle.is_met(from, to) {
                for element in elements {
                    push(element, steps, rules, found);
                }
            }
        });
    }
}

/// Returns a grid whose voxel coordinates are equal to millimetres.
fn millimetres() -> Result<Grid> {
    Grid::new([1; 3], Affine::identity())
}

fn push(element: u32, steps: i32, rules: Rules, found: &mut Vec<Passed>) {
    // An element that is equal to the preceding one is skipped, because most successive points are in the
    // same element.
    let is_last = found.last().is_some_and(|last| last.element == element);
    if element != NONE && !is_last && rules.own != Some(element) {
        found.push(Passed { element, steps });
    }
}
