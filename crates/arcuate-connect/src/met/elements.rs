//! What streamlines can meet: voxels, vertices, regions.

use arcuate_core::{Error, Grid, Mask, Point, Result, Surface, SurfaceGeometry};
use std::collections::HashMap;
use std::sync::Arc;

/// From points of streamlines to the space of what they meet, both RAS mm.
pub type ToElements = Arc<dyn Fn([f64; 3]) -> [f64; 3] + Send + Sync>;

/// What streamlines can meet, numbered from 0 in the order in which it was added: voxels of masks, vertices of surfaces, regions.
///
/// A streamline meets a voxel where a point of it lies nearest to its centre, and a vertex where a segment of it, from one of its
/// points to the next away from the seed and without its beginning, lies anywhere on a triangle that has the vertex, exactly, for
/// coordinates in units of 2⁻²⁰ mm ([`SurfaceGeometry`]). How far away that is are the steps from the seed to the point, or to the
/// end of the segment, along the half from the seed to the streamline's first point where this meets it, else along the other half.
#[derive(Default)]
pub struct MetElements {
    parts: Vec<Part>,
    count: u32,
    to: Option<ToElements>,
}

/// A voxel, a vertex or a set that is no element.
const NONE: u32 = u32::MAX;

enum Part {
    /// The element of each voxel.
    Voxels { grid: Grid, elements: Vec<u32> },
    /// Regions of voxels, which may overlap: of each voxel a list of them.
    Regions { grid: Grid, sets: Vec<u32>, lists: Vec<Vec<u32>> },
    /// Of each triangle the elements that its vertices are.
    Vertices { geometry: SurfaceGeometry, elements: Vec<[u32; 3]> },
    /// Triangles that are a region.
    Triangles { geometry: SurfaceGeometry, element: u32 },
    /// What is inside of an odd number of closed surfaces.
    Inside { meshes: Vec<SurfaceGeometry>, element: u32 },
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
    /// Nothing yet; points of streamlines are looked for where `to` says, where that is another space.
    pub fn new(to: Option<ToElements>) -> Self {
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
        let first = self.number(mask.count())?;
        let mut elements = vec![NONE; mask.grid().len()];
        for (element, voxel) in (first..).zip(mask.indices()) {
            elements[voxel] = element;
        }
        self.parts.push(Part::Voxels { grid: *mask.grid(), elements });
        Ok(())
    }

    /// Adds vertices of a surface, in this order. Fails where the surface lies beyond ±2,047 mm.
    ///
    /// # Panics
    /// Where it has no such vertex.
    pub fn add_vertices(&mut self, surface: &Surface, vertices: &[u32]) -> Result<()> {
        let geometry = SurfaceGeometry::new(surface)?;
        let first = self.number(vertices.len())?;
        let mut of_vertices = vec![NONE; surface.vertices().len()];
        for (element, &vertex) in (first..).zip(vertices) {
            of_vertices[vertex as usize] = element;
        }
        let of = |corners: &[u32; 3]| corners.map(|vertex| of_vertices[vertex as usize]);
        let elements = surface.triangles().iter().map(of).collect();
        self.parts.push(Part::Vertices { geometry, elements });
        Ok(())
    }

    /// Adds a region of voxels, as one element.
    pub fn add_region(&mut self, mask: &Mask) -> Result<()> {
        let element = self.number(1)?;
        let there = self
            .parts
            .iter()
            .position(|part| matches!(part, Part::Regions { grid, .. } if grid == mask.grid()));
        let at = there.unwrap_or_else(|| {
            let (grid, sets) = (*mask.grid(), vec![0; mask.grid().len()]);
            self.parts.push(Part::Regions { grid, sets, lists: vec![Vec::new()] });
            self.parts.len() - 1
        });
        let Part::Regions { sets, lists, .. } = &mut self.parts[at] else { unreachable!("it is one") };
        // Each list that a voxel of the region has, with the region behind it.
        let mut longer: HashMap<u32, u32> = HashMap::new();
        for voxel in mask.indices() {
            let set = &mut sets[voxel];
            *set = *longer.entry(*set).or_insert_with(|| {
                let mut list = lists[*set as usize].clone();
                list.push(element);
                lists.push(list);
                lists.len() as u32 - 1
            });
        }
        Ok(())
    }

    /// Adds a region of these triangles of a surface, as one element. Fails where the surface lies beyond ±2,047 mm.
    ///
    /// # Panics
    /// Where it has no such triangle.
    pub fn add_triangles(&mut self, surface: &Surface, triangles: &[u32]) -> Result<()> {
        let chosen = triangles.iter().map(|&n| surface.triangles()[n as usize]).collect();
        let chosen = Surface::new(surface.vertices().to_vec(), chosen, surface.structure())?;
        let geometry = SurfaceGeometry::new(&chosen)?;
        let element = self.number(1)?;
        self.parts.push(Part::Triangles { geometry, element });
        Ok(())
    }

    /// Adds what is inside of an odd number of closed surfaces, as one element: its points. Fails where one lies beyond ±2,047 mm.
    pub fn add_inside(&mut self, surfaces: &[Arc<Surface>]) -> Result<()> {
        let meshes: Result<_> = surfaces.iter().map(|surface| SurfaceGeometry::new(surface)).collect();
        let meshes = meshes?;
        let element = self.number(1)?;
        self.parts.push(Part::Inside { meshes, element });
        Ok(())
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

    /// What a streamline meets, by ascending numbers, whose seed is its point of this number.
    pub(super) fn met_by(&self, line: &[Point], seed: usize, rules: Rules) -> Vec<Met> {
        let mut found = Vec::new();
        let place = |n: usize| {
            let point = line[n].map(f64::from);
            self.to.as_ref().map_or(point, |to| to(point))
        };
        if seed >= line.len() {
            return found;
        }
        let begin = place(seed);
        if rules.with_seed {
            self.add_at(begin, 0, rules, &mut found);
        }
        let mut half = |points: &mut dyn Iterator<Item = usize>, sign: i32| {
            let mut from = begin;
            for (n, point) in points.enumerate() {
                let (to, steps) = (place(point), sign * (n as i32 + 1));
                self.add_at(to, steps, rules, &mut found);
                self.add_between(from, to, steps, rules, &mut found);
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
    fn add_at(&self, point: [f64; 3], steps: i32, rules: Rules, found: &mut Vec<Met>) {
        let mut add = |element| push(element, steps, rules, found);
        for part in &self.parts {
            match part {
                Part::Voxels { grid, elements } => {
                    grid.voxel_at(point).into_iter().for_each(|voxel| add(elements[voxel]));
                }
                Part::Regions { grid, sets, lists } => {
                    let set = grid.voxel_at(point).map_or(0, |voxel| sets[voxel]);
                    lists[set as usize].iter().for_each(|&element| add(element));
                }
                Part::Inside { meshes, element } => {
                    if meshes.iter().filter(|mesh| mesh.is_inside(point)).count() % 2 == 1 {
                        add(*element);
                    }
                }
                Part::Vertices { .. } | Part::Triangles { .. } => {}
            }
        }
    }

    /// Adds what is met by a segment.
    fn add_between(&self, from: [f64; 3], to: [f64; 3], steps: i32, rules: Rules, found: &mut Vec<Met>) {
        for part in &self.parts {
            match part {
                Part::Vertices { geometry, elements } => geometry.for_each_contact(from, to, |triangle| {
                    let corners = elements[triangle as usize];
                    if rules.own.is_none_or(|own| !corners.contains(&own)) {
                        for element in corners {
                            push(element, steps, rules, found);
                        }
                    }
                }),
                Part::Triangles { geometry, element } => {
                    let mut is_met = false;
                    geometry.for_each_contact(from, to, |_| is_met = true);
                    if is_met {
                        push(*element, steps, rules, found);
                    }
                }
                Part::Voxels { .. } | Part::Regions { .. } | Part::Inside { .. } => {}
            }
        }
    }
}

fn push(element: u32, steps: i32, rules: Rules, found: &mut Vec<Met>) {
    // Most points lie where the one before does.
    let is_last = found.last().is_some_and(|last| last.element == element);
    if element != NONE && !is_last && rules.own != Some(element) {
        found.push(Met { element, steps });
    }
}
