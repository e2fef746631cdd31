//! Matrix rows and columns that streamlines can pass (elements): voxels, vertices and regions.

use arcuate_compute::surface_cells::{Fixed, SurfaceCells, are_near, fixed_by};
use arcuate_compute::voxel_mapping::{VoxelMapping, index, inside, nearest};
use arcuate_core::{
    Affine, Error, FixedTriangle, Grid, Mapping, Mask, Point, Result, Surface, SurfaceGeometry, fixed_point,
    narrow,
};
use std::collections::HashMap;
use std::sync::Arc;

/// Elements that streamlines can pass. An element is a voxel of a mask, a vertex of a surface, or a region.
/// Elements are numbered from 0 in the order in which they are added.
///
/// A streamline passes a voxel if one of the streamline's points is inside the voxel. It passes a vertex if
/// one of its segments intersects a triangle that has this vertex as a corner. A segment goes from one point
/// to the next, away from the seed. It includes its end point, but not its start point. The intersections are
/// exact, for coordinates in units of 2⁻²⁰ mm ([`SurfaceGeometry`]).
///
/// The distance of an element is a number of steps along the streamline. The steps are counted from the seed
/// to the point in the voxel, or to the end of the segment. The seed divides a streamline into two halves. If
/// the half with the first point of the streamline passes the element, the distance is measured along this
/// half. If not, it is measured along the other half.
///
/// The points of streamlines are transformed to voxel coordinates in single precision. All devices compute
/// the same bits ([`VoxelMapping`]).
#[derive(Default)]
pub struct PassedElements {
    to: Option<Arc<Mapping>>,
    pub(super) lattices: Vec<VoxelElements>,
    pub(super) triangles: Vec<FixedTriangle>,
    /// The three elements of each triangle, one for each corner. If the elements are vertices, they are the
    /// corners. If the triangle belongs to a region, all three numbers are those of this region.
    pub(super) of_triangles: Vec<[u32; 3]>,
    /// Regions that are the inside of closed surfaces, each with its element number. A point is in the region
    /// if it is inside an odd number of the region's surfaces.
    insides: Vec<(Vec<SurfaceGeometry>, u32)>,
    count: u32,
}

/// Number that marks a voxel or vertex that is not an element.
pub(super) const NONE: u32 = u32::MAX;

/// The elements that belong to the voxels of a grid.
pub(super) struct VoxelElements {
    pub(super) grid: Grid,
    /// Transform from the millimetre coordinates of streamlines to voxel coordinates.
    pub(super) voxel_mapping: VoxelMapping,
    /// If there are no lists of regions, the element of each voxel, or [`NONE`]. If there are lists, the
    /// index in `lists` of the list of each voxel.
    pub(super) voxels: Vec<u32>,
    /// Lists of the regions that contain a voxel, because regions may overlap. Voxels in the same regions
    /// share a list. The first list is empty.
    pub(super) lists: Option<Vec<Vec<u32>>>,
}

/// An element that a streamline passes, and its distance from the seed along the streamline, in steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Passed {
    pub(super) element: u32,
    /// Number of steps along the streamline, from the seed to the element. The number is negative if the half
    /// with the streamline's first point passes the element.
    pub(super) steps: i32,
}

/// Rules that exclude the seed point of a streamline, or some elements, from counting.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rules {
    /// True if the voxel that contains the seed point counts.
    pub(super) with_seed: bool,
    /// The element of the seed itself, which does not count. All elements of the triangles that contain this
    /// element do not count either.
    pub(super) own: Option<u32>,
}

impl PassedElements {
    /// Creates an empty set of elements. If the elements and the streamlines are in different spaces, `to`
    /// maps the points of streamlines to the space of the elements.
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

    /// Adds all voxels of a mask as elements, in the order in which x changes fastest, then y, then z.
    pub fn add_voxels(&mut self, mask: &Mask) -> Result<()> {
        self.add_voxels_in_order(mask.grid(), &mask.indices())
    }

    /// Adds voxels of a grid as elements. `numbers` are the indices of the voxels in the grid, in the order
    /// of the elements.
    ///
    /// # Panics
    /// Panics if an index in `numbers` is not below the number of voxels of the grid.
    pub fn add_voxels_in_order(&mut self, grid: &Grid, numbers: &[usize]) -> Result<()> {
        let first = self.number(numbers.len())?;
        // One grid stores the elements of several masks, if the masks do not overlap. The element of a point
        // is then found with one look-up.
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

    /// Adds vertices of a surface as elements, in the order of `vertices`. Returns an error if a coordinate
    /// of the surface exceeds ±2,047 mm.
    ///
    /// # Panics
    /// Panics if an index in `vertices` is not below the number of vertices of the surface.
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

    /// Adds a region as one element, which contains all voxels of the mask.
    pub fn add_region(&mut self, mask: &Mask) -> Result<()> {
        let element = self.number(1)?;
        let same = |lattice: &VoxelElements| lattice.lists.is_some() && lattice.grid == *mask.grid();
        let at = match self.lattices.iter().position(same) {
            Some(there) => there,
            None => self.push(mask.grid(), vec![0; mask.grid().len()], Some(vec![Vec::new()]))?,
        };
        let VoxelElements { voxels, lists, .. } = &mut self.lattices[at];
        let lists = lists.get_or_insert_default();
        // Voxels share lists of regions. For each list that occurs in a voxel of the mask, the code creates a
        // copy of the list and appends the new region to the copy.
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

    /// Adds a region as one element, which consists of triangles of a surface. Returns an error if a
    /// coordinate of the surface exceeds ±2,047 mm.
    ///
    /// # Panics
    /// Panics if an index in `triangles` is not below the number of triangles of the surface.
    pub fn add_triangles(&mut self, surface: &Surface, triangles: &[u32]) -> Result<()> {
        SurfaceGeometry::new(surface)?;
        let element = self.number(1)?;
        for &n in triangles {
            self.add_triangle(surface, surface.triangles()[n as usize], [element; 3]);
        }
        Ok(())
    }

    /// Adds a region as one element. It contains all points that are inside an odd number of the given closed
    /// surfaces. Returns an error if a coordinate of a surface exceeds ±2,047 mm.
    pub fn add_inside(&mut self, surfaces: &[Arc<Surface>]) -> Result<()> {
        let meshes: Result<_> = surfaces.iter().map(|surface| SurfaceGeometry::new(surface)).collect();
        let meshes = meshes?;
        let element = self.number(1)?;
        self.insides.push((meshes, element));
        Ok(())
    }

    /// Returns true if GPUs support all elements. Only the CPU supports regions that are the inside of
    /// surfaces.
    pub(super) fn has_kernel(&self) -> bool {
        self.insides.is_empty()
    }

    /// Reserves the numbers of `more` new elements, and returns the first of these numbers.
    fn number(&mut self, more: usize) -> Result<u32> {
        let first = self.count;
        let after = u32::try_from(more).ok().and_then(|more| first.checked_add(more));
        self.count = after.filter(|&count| count < NONE).ok_or_else(|| {
            let problem = format!(
                "{first} and {more} voxels and vertices together are more than a matrix can have as rows or \
                 columns"
            );
            Error::invalid("elements of a matrix", problem, "give fewer voxels and vertices")
        })?;
        Ok(first)
    }
}

/// The elements, with a grid of cells. For each cell, the grid lists the triangles near the cell.
pub(super) struct Prepared<'a> {
    pub(super) elements: &'a PassedElements,
    /// Mapping from the millimetre coordinates of streamlines to the millimetre coordinates of surfaces.
    pub(super) to_mm: VoxelMapping,
    pub(super) cells: Option<SurfaceCells>,
}

impl<'a> Prepared<'a> {
    /// Prepares the elements for the search. The search is fastest for streamlines with steps of at most
    /// `step_mm`. Longer steps are allowed, but need more time.
    pub(super) fn new(elements: &'a PassedElements, step_mm: f64) -> Result<Self> {
        let millimetres = millimetres()?;
        let to_mm = VoxelMapping::new(&millimetres, &millimetres, elements.to.as_deref());
        let scale = elements.to.as_ref().map_or(1.0, |mapping| mapping.scale());
        // A margin of 2⁻¹² mm is added to the step length, because rounding to single precision moves a point
        // by at most 2⁻¹³ mm.
        let longest_mm = (step_mm + 2f64.powi(-12)) * scale;
        let cells = if elements.triangles.is_empty() {
            None
        } else {
            Some(SurfaceCells::new(&elements.triangles, longest_mm)?)
        };
        Ok(Self { elements, to_mm, cells })
    }

    /// Returns the elements that a streamline passes, in ascending order. `seed` is the index of the
    /// streamline's seed point.
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
        // The sort is stable. If an element occurs several times, the occurrence that was found first is
        // kept.
        found.sort_by_key(|met| met.element);
        found.dedup_by_key(|met| met.element);
        found
    }

    /// Adds the voxel elements that contain a point, and the regions of closed surfaces that contain it.
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

    /// Adds the elements of all triangles that the segment from `from` to `to` intersects.
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

/// Returns a grid in which voxel coordinates are equal to coordinates in mm.
fn millimetres() -> Result<Grid> {
    Grid::new([1; 3], Affine::identity())
}

fn push(element: u32, steps: i32, rules: Rules, found: &mut Vec<Passed>) {
    // Most successive points are in the same element. An element that was added last is therefore not added
    // again.
    let is_last = found.last().is_some_and(|last| last.element == element);
    if element != NONE && !is_last && rules.own != Some(element) {
        found.push(Passed { element, steps });
    }
}
