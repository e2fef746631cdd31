//! What streamlines can meet: voxels, vertices, regions.

use arcuate_compute::surface_cells::{Fixed, SurfaceCells, are_near, fixed_by};
use arcuate_compute::ways::{Way, index, inside, nearest};
use arcuate_core::{
    Affine, Error, FixedTriangle, Grid, Mapping, Mask, Point, Result, Surface, SurfaceGeometry, fixed_point,
    narrow,
};
use std::collections::HashMap;
use std::sync::Arc;

/// What streamlines can meet, numbered from 0 in the order in which it was added: voxels of masks, vertices of surfaces, regions.
///
/// A streamline meets a voxel where a point of it lies nearest to its centre, and a vertex where a segment of it, from one of its
/// points to the next away from the seed and without its beginning, lies anywhere on a triangle that has the vertex, exactly, for
/// coordinates in units of 2⁻²⁰ mm ([`SurfaceGeometry`]). How far away that is are the steps from the seed to the point, or to the
/// end of the segment, along the half from the seed to the streamline's first point where this meets it, else along the other half.
///
/// Points come to voxels in single precision, with the same bits on every device ([`Way`]).
#[derive(Default)]
pub struct MetElements {
    to: Option<Arc<Mapping>>,
    pub(super) lattices: Vec<VoxelElements>,
    pub(super) triangles: Vec<FixedTriangle>,
    /// Of each triangle the elements that it stands for: its vertices, or a region three times.
    pub(super) of_triangles: Vec<[u32; 3]>,
    /// What is inside of an odd number of closed surfaces.
    insides: Vec<(Vec<SurfaceGeometry>, u32)>,
    count: u32,
}

/// A voxel or a vertex that is no element.
pub(super) const NONE: u32 = u32::MAX;

/// Elements of the voxels of a lattice.
pub(super) struct VoxelElements {
    pub(super) grid: Grid,
    /// From mm of streamlines.
    pub(super) way: Way,
    /// Of each voxel its element, or the number of its list.
    pub(super) voxels: Vec<u32>,
    /// Of regions, which may overlap: the first is empty.
    pub(super) lists: Option<Vec<Vec<u32>>>,
}

/// An element that a streamline meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Met {
    pub(super) element: u32,
    /// Steps from the seed to there, those of the half to the streamline's first point below 0.
    pub(super) steps: i32,
}

/// What of a streamline counts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rules {
    /// Whether the voxel of the seed is met, too.
    pub(super) with_seed: bool,
    /// An element that is not met, nor are others at a triangle that has it.
    pub(super) own: Option<u32>,
}

impl MetElements {
    /// Nothing yet; points of streamlines are looked for where `to` leads, where elements lie in another space.
    pub fn new(to: Option<Arc<Mapping>>) -> Self {
        Self { to, ..Self::default() }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds all voxels of a mask, x fastest.
    pub fn add_voxels(&mut self, mask: &Mask) -> Result<()> {
        self.add_voxels_in_order(mask.grid(), &mask.indices())
    }

    /// Adds voxels of a lattice, in this order.
    ///
    /// # Panics
    /// Where it has no such voxel.
    pub fn add_voxels_in_order(&mut self, grid: &Grid, numbers: &[usize]) -> Result<()> {
        let first = self.number(numbers.len())?;
        // One look at a lattice finds the elements of all masks there, as long as no voxel is of two.
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
        let way = Way::new(&millimetres()?, grid, self.to.as_deref());
        self.lattices.push(VoxelElements { grid: *grid, way, voxels, lists });
        Ok(self.lattices.len() - 1)
    }

    /// Adds vertices of a surface, in this order. Fails where the surface lies beyond ±2,047 mm.
    ///
    /// # Panics
    /// Where it has no such vertex.
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

    /// Adds a region of voxels, as one element.
    pub fn add_region(&mut self, mask: &Mask) -> Result<()> {
        let element = self.number(1)?;
        let same = |lattice: &VoxelElements| lattice.lists.is_some() && lattice.grid == *mask.grid();
        let at = match self.lattices.iter().position(same) {
            Some(there) => there,
            None => self.push(mask.grid(), vec![0; mask.grid().len()], Some(vec![Vec::new()]))?,
        };
        let VoxelElements { voxels, lists, .. } = &mut self.lattices[at];
        let lists = lists.get_or_insert_default();
        // Each list that a voxel of the region has, with the region behind it.
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

    /// Adds a region of these triangles of a surface, as one element. Fails where the surface lies beyond ±2,047 mm.
    ///
    /// # Panics
    /// Where it has no such triangle.
    pub fn add_triangles(&mut self, surface: &Surface, triangles: &[u32]) -> Result<()> {
        SurfaceGeometry::new(surface)?;
        let element = self.number(1)?;
        for &n in triangles {
            self.add_triangle(surface, surface.triangles()[n as usize], [element; 3]);
        }
        Ok(())
    }

    /// Adds what is inside of an odd number of closed surfaces, as one element: its points. Fails where one lies beyond ±2,047 mm.
    pub fn add_inside(&mut self, surfaces: &[Arc<Surface>]) -> Result<()> {
        let meshes: Result<_> = surfaces.iter().map(|surface| SurfaceGeometry::new(surface)).collect();
        let meshes = meshes?;
        let element = self.number(1)?;
        self.insides.push((meshes, element));
        Ok(())
    }

    /// Whether GPUs can look for all of it: what is inside of surfaces is the processor's alone.
    pub(super) fn has_kernel(&self) -> bool {
        self.insides.is_empty()
    }

    /// The number of the first of so many more elements.
    fn number(&mut self, more: usize) -> Result<u32> {
        let first = self.count;
        let after = u32::try_from(more).ok().and_then(|more| first.checked_add(more));
        self.count = after.filter(|&count| count < NONE).ok_or_else(|| {
            let problem = format!("{first} and {more} elements are more than a matrix has rows or columns");
            Error::invalid("elements of a matrix", problem, "give fewer")
        })?;
        Ok(first)
    }
}

/// Elements, and cells in which triangles are found.
pub(super) struct Prepared<'a> {
    pub(super) elements: &'a MetElements,
    /// From mm of streamlines to those of surfaces.
    pub(super) to_mm: Way,
    pub(super) cells: Option<SurfaceCells>,
}

impl<'a> Prepared<'a> {
    /// For streamlines of steps of at most `step_mm`; longer ones take longer.
    pub(super) fn new(elements: &'a MetElements, step_mm: f64) -> Result<Self> {
        let millimetres = millimetres()?;
        let to_mm = Way::new(&millimetres, &millimetres, elements.to.as_deref());
        let scale = elements.to.as_ref().map_or(1.0, |mapping| mapping.scale());
        // Single precision rounds points to 2⁻¹³ mm at most.
        let longest_mm = (step_mm + 2f64.powi(-12)) * scale;
        let cells = if elements.triangles.is_empty() {
            None
        } else {
            Some(SurfaceCells::new(&elements.triangles, longest_mm)?)
        };
        Ok(Self { elements, to_mm, cells })
    }

    /// What a streamline meets, by ascending numbers, whose seed is its point of this number.
    pub(super) fn met_by(&self, line: &[Point], seed: usize, rules: Rules) -> Vec<Met> {
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
        // Stable: of those of one element the first stays.
        found.sort_by_key(|met| met.element);
        found.dedup_by_key(|met| met.element);
        found
    }

    /// Adds what is met at a point.
    fn add_at(&self, point: Point, steps: i32, rules: Rules, found: &mut Vec<Met>) {
        let mut add = |element| push(element, steps, rules, found);
        for lattice in &self.elements.lattices {
            let shape = lattice.grid.shape().map(narrow::<i32>);
            let voxel = lattice.way.apply(point).map(nearest);
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

    /// Adds what is met by a segment.
    fn add_between(
        &self,
        cells: &SurfaceCells,
        from: Fixed,
        to: Fixed,
        steps: i32,
        rules: Rules,
        found: &mut Vec<Met>,
    ) {
        let MetElements { triangles, of_triangles, .. } = self.elements;
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

/// The lattice whose voxels are millimetres.
fn millimetres() -> Result<Grid> {
    Grid::new([1; 3], Affine::identity())
}

fn push(element: u32, steps: i32, rules: Rules, found: &mut Vec<Met>) {
    // Most points lie where the one before does.
    let is_last = found.last().is_some_and(|last| last.element == element);
    if element != NONE && !is_last && rules.own != Some(element) {
        found.push(Met { element, steps });
    }
}
