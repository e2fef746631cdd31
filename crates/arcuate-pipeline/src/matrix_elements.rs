//! Elements of the rows and columns of matrices that are counted during tracking: voxels of masks and
//! vertices of surfaces.

use crate::record::name_of;
use crate::regions::RegionFile;
use crate::stages::tracking::region_name;
use crate::surface_files::{SurfacePart, require_hemispheres};
use arcuate_connect::PassedElements;
use arcuate_core::{
    Axis, BrainElements, BrainModel, BrainModels, ElementKind, Error, Grid, Mask, Result, Structure, Surface,
    narrow,
};
use arcuate_track::{Mapping, RegionShape};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// List of voxels and vertices, the elements of a matrix axis. It has one part for each file or brain
/// structure.
#[derive(Debug, Clone, Default)]
pub struct ElementList {
    parts: Vec<Part>,
    /// True if the elements come from a CIFTI-2 file, which numbers the elements of all brain structures in
    /// one sequence.
    is_of_cifti: bool,
}

#[derive(Debug, Clone)]
struct Part {
    name: String,
    what: ElementGeometry,
}

#[derive(Debug, Clone)]
enum ElementGeometry {
    Voxels(Box<Voxels>),
    /// Vertices of the surface in `file`.
    Vertices {
        file: PathBuf,
        surface: Box<Surface>,
        vertices: Vec<u32>,
    },
}

/// Voxels of a grid, in the order of the list.
#[derive(Debug, Clone)]
struct Voxels {
    grid: Grid,
    numbers: Vec<usize>,
    /// Brain structure of the voxels, if known.
    structure: Option<Structure>,
}

impl Voxels {
    fn of(mask: &Mask) -> Self {
        Self { grid: *mask.grid(), numbers: mask.indices(), structure: None }
    }
}

/// Elements of one part (file or brain structure) of an [`ElementList`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum ElementsOfPart<'a> {
    /// Voxel indices on a grid.
    Voxels { numbers: &'a [usize] },
    /// Vertices of the surface in `file`.
    Vertices { file: &'a Path, surface: &'a Surface, vertices: &'a [u32] },
}

impl ElementsOfPart<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Voxels { numbers } => numbers.len(),
            Self::Vertices { vertices, .. } => vertices.len(),
        }
    }
}

/// Returns the kind of elements of a list with this number of parts (files or brain structures). `of_voxels`
/// is true if the first part contains voxels. If the list has one part, its elements are numbered as voxels
/// of the grid or vertices of the surface. If it has several, they have a common numbering.
fn kind(parts: usize, of_voxels: bool) -> ElementKind {
    match (parts, of_voxels) {
        (1, true) => ElementKind::Voxel,
        (1, false) => ElementKind::Vertex,
        _ => ElementKind::Element,
    }
}

impl ElementList {
    /// Returns the kind of elements (voxels, vertices, or both) that a list of these files will have.
    pub fn kind_of_files(files: &[RegionFile]) -> ElementKind {
        let of_voxels = files.first().is_some_and(|file| file.image().is_some());
        kind(files.iter().map(|file| file.each().len()).sum(), of_voxels)
    }

    /// Returns the kind of elements (voxels, vertices, or both) that a list of seeds will have. `in_voxels`
    /// is true if there are seeds in voxels. The other seeds are at the vertices of surfaces.
    pub fn kind_of_seeds(in_voxels: bool, surfaces: &[SurfacePart]) -> ElementKind {
        kind(usize::from(in_voxels) + surfaces.len(), in_voxels)
    }

    /// Reads the voxels of masks and the vertices of surfaces from these files. Each selected label of a
    /// label image becomes a mask of its own.
    ///
    /// Returns an error if a file cannot be read, or if a region is the inside of a surface, which has no
    /// vertices. Also returns an error if the surfaces of the left and right hemispheres are swapped.
    pub fn of_files(files: &[RegionFile]) -> Result<Self> {
        let mut list = Self::default();
        for file in files {
            match file.surface() {
                Some(surface) => list.push_surface(surface)?,
                None => {
                    for region in file.read(None)? {
                        if let RegionShape::Voxels(mask) = region.shape {
                            list.push(region.name, ElementGeometry::Voxels(Box::new(Voxels::of(&mask))));
                        }
                    }
                }
            }
        }
        list.check()?;
        Ok(list)
    }

    /// Creates the list of seeds: first the voxels of a mask called `name`, then vertices of surfaces.
    pub fn of_seeds(name: &str, mask: Option<&Mask>, surfaces: &[SurfacePart]) -> Result<Self> {
        let mut list = Self::default();
        if let Some(mask) = mask {
            list.push(name.to_owned(), ElementGeometry::Voxels(Box::new(Voxels::of(mask))));
        }
        surfaces.iter().try_for_each(|surface| list.push_surface(surface))?;
        list.check()?;
        Ok(list)
    }

    /// Creates the list of the vertices and voxels of a CIFTI-2 file, in the order of the file. `surfaces`
    /// contains the path and the surface of each brain structure that has vertices.
    ///
    /// Returns an error if the surface of a brain structure is missing or is given twice. Also returns an
    /// error if a surface does not belong to a structure of the CIFTI-2 file, or if their numbers of vertices
    /// differ.
    pub(crate) fn of_brain_models(
        name: &str,
        models: &BrainModels,
        surfaces: &[(String, Surface)],
    ) -> Result<Self> {
        let mut of_structures: BTreeMap<Structure, (&str, &Surface)> = BTreeMap::new();
        for (path, surface) in surfaces {
            let Some(structure) = surface.structure() else {
                let problem = "its file does not state its brain structure";
                return Err(Error::invalid(path, problem, "give a .surf.gii that does"));
            };
            models.require_surface(structure, surface.vertices().len(), path)?;
            if let Some((other, _)) = of_structures.insert(structure, (path, surface)) {
                let problem =
                    format!("this surface belongs to the brain structure {structure}, and so does {other}");
                return Err(Error::invalid(path, problem, "give one surface per brain structure"));
            }
        }
        let mut list = Self { is_of_cifti: true, ..Self::default() };
        for BrainModel { structure, elements } in models.models() {
            let what = match elements {
                BrainElements::Vertices { numbers, .. } => {
                    let (path, surface) = of_structures.get(structure).ok_or_else(|| {
                        let problem = format!(
                            "the CIFTI-2 file has vertices of {structure}, but no surface of this structure \
                             is given"
                        );
                        Error::invalid(name, problem, "give its surface as ‘white’")
                    })?;
                    let (file, surface) = (PathBuf::from(path), Box::new((*surface).clone()));
                    ElementGeometry::Vertices { file, surface, vertices: numbers.clone() }
                }
                BrainElements::Voxels(voxels) => {
                    // A CIFTI-2 file that lists voxels always states their voxel grid.
                    let Some(&grid) = models.volume() else { continue };
                    let number = |voxel: &[u32; 3]| grid.index(voxel.map(|c| c as usize));
                    let numbers = voxels.iter().map(number).collect();
                    ElementGeometry::Voxels(Box::new(Voxels { grid, numbers, structure: Some(*structure) }))
                }
            };
            list.push(format!("{name}, {structure}"), what);
        }
        list.parts.retain(|part| part.what.len() > 0);
        if list.parts.is_empty() {
            return Err(Error::invalid(
                name,
                "the file has no vertices and no voxels",
                "give another CIFTI-2 file",
            ));
        }
        list.check()?;
        Ok(list)
    }

    /// Returns the parts of the list (files or brain structures) in their order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = ElementsOfPart<'_>> {
        self.parts.iter().map(|part| match &part.what {
            ElementGeometry::Voxels(voxels) => ElementsOfPart::Voxels { numbers: &voxels.numbers },
            ElementGeometry::Vertices { file, surface, vertices } => {
                ElementsOfPart::Vertices { file, surface, vertices }
            }
        })
    }

    /// Returns a short name of each part of the list. If the elements are from a CIFTI-2 file, this is the
    /// name of the brain structure. If not, it is the file name and the selected label.
    pub(crate) fn part_names(&self) -> Vec<String> {
        let name = |part: &Part| {
            let structure = match &part.what {
                ElementGeometry::Voxels(voxels) => voxels.structure,
                ElementGeometry::Vertices { surface, .. } => surface.structure().filter(|_| self.is_of_cifti),
            };
            let after_file = |file: &Path| {
                let whole = part.name.strip_prefix(&file.display().to_string()).unwrap_or_default();
                whole.rsplit(':').next().filter(|_| !whole.is_empty()).map(str::to_owned)
            };
            match (structure, &part.what) {
                (Some(structure), _) => structure.to_string(),
                (None, ElementGeometry::Vertices { file, .. }) => match after_file(file) {
                    Some(label) => format!("{} {}", region_name(file), region_name(Path::new(&label))),
                    None => region_name(file),
                },
                (None, ElementGeometry::Voxels(_)) => region_name(Path::new(&part.name)),
            }
        };
        self.parts.iter().map(name).collect()
    }

    /// Returns the voxel grid of the first part of the list that contains voxels.
    pub(crate) fn lattice(&self) -> Option<Grid> {
        self.parts.iter().find_map(|part| match &part.what {
            ElementGeometry::Voxels(voxels) => Some(voxels.grid),
            ElementGeometry::Vertices { .. } => None,
        })
    }

    /// Describes an element, for example `vertex 12 of lh.white.surf.gii`.
    pub(crate) fn element_text(&self, element: usize) -> String {
        let mut place = element;
        for Part { name, what } in &self.parts {
            if place < what.len() {
                return match what {
                    ElementGeometry::Voxels(voxels) => {
                        let [x, y, z] = voxels.grid.coordinates(voxels.numbers[place]);
                        format!("voxel {x} {y} {z} of {}", name_of(Path::new(name)))
                    }
                    ElementGeometry::Vertices { file, vertices, .. } => {
                        format!("vertex {} of {}", vertices[place], name_of(file))
                    }
                };
            }
            place -= what.len();
        }
        format!("element {element}")
    }

    fn push(&mut self, name: String, what: ElementGeometry) {
        self.parts.push(Part { name, what });
    }

    fn push_surface(&mut self, part: &SurfacePart) -> Result<()> {
        let (surface, vertices) = part.vertices()?;
        let (file, surface) = (part.path().to_owned(), Box::new(surface));
        self.push(part.name(), ElementGeometry::Vertices { file, surface, vertices });
        Ok(())
    }

    fn check(&self) -> Result<()> {
        for part in &self.parts {
            if part.what.len() == 0 {
                return Err(Error::invalid(
                    &part.name,
                    "no voxel is inside",
                    "give a mask with voxels above 0.5",
                ));
            }
        }
        require_hemispheres(self.parts.iter().filter_map(|part| match &part.what {
            ElementGeometry::Vertices { surface, .. } => Some((part.name.as_str(), surface.as_ref())),
            ElementGeometry::Voxels(_) => None,
        }))
    }

    /// Returns the voxels and vertices in a form that finds those that a streamline passes. `mapping` maps
    /// from the space of the streamlines to the space of the voxels and vertices.
    pub fn met(&self, mapping: Option<&Arc<Mapping>>) -> Result<PassedElements> {
        let mut met = PassedElements::new(mapping.cloned());
        for Part { name, what } in &self.parts {
            match what {
                ElementGeometry::Voxels(voxels) => met.add_voxels_in_order(&voxels.grid, &voxels.numbers)?,
                ElementGeometry::Vertices { surface, vertices, .. } => {
                    met.add_vertices(surface, vertices).map_err(|e| e.about(name))?;
                }
            }
        }
        Ok(met)
    }

    /// Returns the seed position of each element, in mm. The seed of a voxel is its centre. The seed of a
    /// vertex is `depth_mm` below the surface, along the inward normal.
    pub fn places(&self, depth_mm: f64) -> Vec<[f64; 3]> {
        let place = |part: &Part| -> Vec<[f64; 3]> {
            match &part.what {
                ElementGeometry::Voxels(voxels) => {
                    let Voxels { grid, numbers, .. } = &**voxels;
                    numbers.iter().map(|&voxel| grid.centre(voxel)).collect()
                }
                ElementGeometry::Vertices { surface, vertices, .. } => {
                    let normals = if depth_mm == 0.0 { Vec::new() } else { surface.inward_normals() };
                    let below = |&vertex: &u32| {
                        let at = surface.vertices()[vertex as usize].map(f64::from);
                        match normals.get(vertex as usize) {
                            Some(normal) => std::array::from_fn(|axis| at[axis] + depth_mm * normal[axis]),
                            None => at,
                        }
                    };
                    vertices.iter().map(below).collect()
                }
            }
        };
        self.parts.iter().flat_map(place).collect()
    }

    /// Distributes `count` seeds over the vertices, in proportion to the surface area of each vertex. The
    /// number of seeds at a vertex is rounded to a whole number. Returns the positions of the seeds in mm, in
    /// the order of the vertices.
    ///
    /// Returns an error if the list contains voxels, or if the total area is zero.
    pub(crate) fn places_by_area(&self, count: u64, depth_mm: f64) -> Result<Vec<[f64; 3]>> {
        let mut areas = Vec::new();
        for Part { name, what } in &self.parts {
            let ElementGeometry::Vertices { surface, vertices, .. } = what else {
                let problem = "a number of seeds is drawn by the areas of vertices, and voxels have none";
                return Err(Error::usage(
                    name,
                    problem,
                    "remove the voxels from the seeds, or give ‘per_seed’ instead of ‘seed_number’",
                ));
            };
            let of_all = surface.vertex_areas();
            areas.extend(vertices.iter().map(|&vertex| of_all[vertex as usize]));
        }
        let whole: f64 = areas.iter().sum();
        if !(whole > 0.0 && whole.is_finite()) {
            let problem = "the triangles around their vertices have no area";
            return Err(Error::invalid("‘seed_surfaces’", problem, "give surfaces of triangles"));
        }
        let (mut places, mut below) = (Vec::with_capacity(count as usize), 0.0);
        for (place, area) in self.places(depth_mm).into_iter().zip(areas) {
            below += area;
            // The areas are summed over the vertices in their order. Seed n is at the first vertex at which
            // the sum reaches the fraction (n + ½) / count of the total area.
            let end = (below / whole * count as f64 + 0.5).floor().min(count as f64) as usize;
            places.resize(end.max(places.len()), place);
        }
        Ok(places)
    }

    /// Returns the list as a matrix axis. The name of an element contains its coordinates `x y z`, the index
    /// of its file, counted from 0, and its number in the file, as in FSL's text format. The coordinates of a
    /// voxel are its voxel indices, counted from 0. The coordinates of a vertex are in mm, rounded to whole
    /// numbers. Voxels are numbered from 1, and vertices from 0.
    pub fn axis(&self) -> Result<Axis> {
        let mut numbers: Vec<u64> = Vec::new();
        let mut names = Vec::new();
        for (n, part) in self.parts.iter().enumerate() {
            match &part.what {
                ElementGeometry::Voxels(voxels) => {
                    let Voxels { grid, numbers: voxels, .. } = &**voxels;
                    for (place, &voxel) in voxels.iter().enumerate() {
                        let [x, y, z] = grid.coordinates(voxel);
                        numbers.push(voxel as u64);
                        names.push(format!("{x} {y} {z} {n} {}", place + 1));
                    }
                }
                ElementGeometry::Vertices { surface, vertices, .. } => {
                    for &vertex in vertices {
                        // The conversion to an integer changes −0 to 0.
                        let [x, y, z] = surface.vertices()[vertex as usize].map(|c| c.round() as i64);
                        numbers.push(u64::from(vertex));
                        names.push(format!("{x} {y} {z} {n} {vertex}"));
                    }
                }
            }
        }
        let of_voxels = matches!(self.parts.first(), Some(Part { what: ElementGeometry::Voxels(_), .. }));
        let kind = if self.is_of_cifti { ElementKind::Element } else { kind(self.parts.len(), of_voxels) };
        if kind == ElementKind::Element {
            numbers = (0..numbers.len() as u64).collect();
        }
        Axis::new(kind, numbers, names)
    }

    /// Converts the list to the brain models of a CIFTI-2 file: the vertices of each brain structure, and the
    /// voxels. If the list is not from a CIFTI-2 file, the voxels have the structure OTHER.
    ///
    /// Returns an error if a surface file does not state its brain structure, or if the voxels are on several
    /// grids.
    pub fn brain_models(&self) -> Result<BrainModels> {
        let mut models: Vec<BrainModel> = Vec::new();
        let mut volume: Option<Grid> = None;
        for Part { name, what } in &self.parts {
            match what {
                ElementGeometry::Voxels(voxels) => {
                    let Voxels { grid: of_these, numbers, structure } = &**voxels;
                    let grid = *volume.get_or_insert(*of_these);
                    if grid != *of_these {
                        let problem =
                            "its voxels are not those of the mask before it, and CIFTI-2 has one volume";
                        return Err(Error::invalid(name, problem, "give masks on one grid"));
                    }
                    let voxel = |voxel| grid.coordinates(voxel).map(narrow::<u32>);
                    let voxels = numbers.iter().map(|&number| voxel(number));
                    let structure = structure.map_or_else(other, Ok)?;
                    let before = models.last_mut().filter(|last| last.structure == structure);
                    if let Some(BrainModel { elements: BrainElements::Voxels(before), .. }) = before {
                        before.extend(voxels);
                    } else {
                        let elements = BrainElements::Voxels(voxels.collect());
                        models.push(BrainModel { structure, elements });
                    }
                }
                ElementGeometry::Vertices { surface, vertices, .. } => {
                    let structure = surface.structure().ok_or_else(|| {
                        let problem = "its file does not state its brain structure, which CIFTI-2 requires";
                        Error::invalid(
                            name,
                            problem,
                            "give a .surf.gii that states its brain structure, or choose another \
                             ‘matrix_format’",
                        )
                    })?;
                    let (surface, numbers) = (surface.vertices().len(), vertices.clone());
                    let elements = BrainElements::Vertices { surface, numbers };
                    models.push(BrainModel { structure, elements });
                }
            }
        }
        BrainModels::new(models, volume)
    }
}

/// Returns the CIFTI-2 structure OTHER, for voxels whose brain structure is unknown.
fn other() -> Result<Structure> {
    Structure::of_name("OTHER")
        .ok_or_else(|| Error::invalid("CIFTI-2", "it has no other structure", "give .npz"))
}

impl ElementGeometry {
    fn len(&self) -> usize {
        match self {
            Self::Voxels(voxels) => voxels.numbers.len(),
            Self::Vertices { vertices, .. } => vertices.len(),
        }
    }
}
