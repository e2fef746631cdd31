//! What the rows and columns of matrices are that are counted while streamlines are tracked: voxels of masks and vertices of
//! surfaces, in files.

use crate::record::name_of;
use crate::regions::RegionFile;
use crate::stages::tracking::region_name;
use crate::surface_files::{SurfacePart, require_hemispheres};
use arcuate_connect::MetElements;
use arcuate_core::{
    Axis, BrainElements, BrainModel, BrainModels, ElementKind, Error, Grid, Mask, Result, Structure, Surface,
    narrow,
};
use arcuate_track::{Mapping, RegionShape};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Voxels and vertices, one file after the other, or one part of the brain.
#[derive(Debug, Clone, Default)]
pub struct ElementList {
    parts: Vec<Part>,
    /// Whether they are those of a CIFTI-2 file, which has a number for them all.
    is_of_cifti: bool,
}

#[derive(Debug, Clone)]
struct Part {
    name: String,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    Voxels(Box<Voxels>),
    /// Of the surface in a file.
    Vertices {
        file: PathBuf,
        surface: Box<Surface>,
        vertices: Vec<u32>,
    },
}

/// Voxels of a lattice, in their order.
#[derive(Debug, Clone)]
struct Voxels {
    grid: Grid,
    numbers: Vec<usize>,
    /// Of which they are, where that is known.
    structure: Option<Structure>,
}

impl Voxels {
    fn of(mask: &Mask) -> Self {
        Self { grid: *mask.grid(), numbers: mask.indices(), structure: None }
    }
}

/// The elements of a part of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ElementsOfPart<'a> {
    /// Voxels of a lattice.
    Voxels { numbers: &'a [usize] },
    /// Vertices of the surface in a file.
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

/// What a list of so many parts is, of which the first is voxels or not: of one part its voxels or vertices, by their own numbers.
fn kind(parts: usize, of_voxels: bool) -> ElementKind {
    match (parts, of_voxels) {
        (1, true) => ElementKind::Voxel,
        (1, false) => ElementKind::Vertex,
        _ => ElementKind::Element,
    }
}

impl ElementList {
    /// What a list of these files will be.
    pub fn kind_of_files(files: &[RegionFile]) -> ElementKind {
        let of_voxels = files.first().is_some_and(|file| file.image().is_some());
        kind(files.iter().map(|file| file.each().len()).sum(), of_voxels)
    }

    /// What a list of seeds will be: in a mask or everywhere where `in_voxels`, and at the vertices of surfaces.
    pub fn kind_of_seeds(in_voxels: bool, surfaces: &[SurfacePart]) -> ElementKind {
        kind(usize::from(in_voxels) + surfaces.len(), in_voxels)
    }

    /// Reads the masks and surfaces of these files; each label that is chosen is a mask.
    ///
    /// Fails where one cannot be read, where what is inside of a surface is meant, and where hemispheres are exchanged.
    pub fn of_files(files: &[RegionFile]) -> Result<Self> {
        let mut list = Self::default();
        for file in files {
            match file.surface() {
                Some(surface) => list.push_surface(surface)?,
                None => {
                    for region in file.read(None)? {
                        if let RegionShape::Voxels(mask) = region.shape {
                            list.push(region.name, What::Voxels(Box::new(Voxels::of(&mask))));
                        }
                    }
                }
            }
        }
        list.check()?;
        Ok(list)
    }

    /// The places where streamlines begin: in the voxels of a mask, called `name`, then at vertices.
    pub fn of_seeds(name: &str, mask: Option<&Mask>, surfaces: &[SurfacePart]) -> Result<Self> {
        let mut list = Self::default();
        if let Some(mask) = mask {
            list.push(name.to_owned(), What::Voxels(Box::new(Voxels::of(mask))));
        }
        surfaces.iter().try_for_each(|surface| list.push_surface(surface))?;
        list.check()?;
        Ok(list)
    }

    /// The elements of a CIFTI-2 file, in its order; `surfaces` are those of its vertices, by structure.
    ///
    /// Fails where a surface is missing, is given twice, is none of the file's, or has another number of vertices.
    pub(crate) fn of_brain_models(
        name: &str,
        models: &BrainModels,
        surfaces: &[(String, Surface)],
    ) -> Result<Self> {
        let mut of_structures: BTreeMap<Structure, (&str, &Surface)> = BTreeMap::new();
        for (path, surface) in surfaces {
            let Some(structure) = surface.structure() else {
                let problem = "its file does not say of which structure it is";
                return Err(Error::invalid(path, problem, "give a .surf.gii that does"));
            };
            models.require_surface(structure, surface.vertices().len(), path)?;
            if let Some((other, _)) = of_structures.insert(structure, (path, surface)) {
                let problem = format!("it is of {structure}, and {other} is, too");
                return Err(Error::invalid(path, problem, "give one surface for each structure"));
            }
        }
        let mut list = Self { is_of_cifti: true, ..Self::default() };
        for BrainModel { structure, elements } in models.models() {
            let what = match elements {
                BrainElements::Vertices { numbers, .. } => {
                    let (path, surface) = of_structures.get(structure).ok_or_else(|| {
                        let problem = format!("it has vertices of {structure}, of which no surface is given");
                        Error::invalid(name, problem, "give its surface as ‘white’")
                    })?;
                    let (file, surface) = (PathBuf::from(path), Box::new((*surface).clone()));
                    What::Vertices { file, surface, vertices: numbers.clone() }
                }
                BrainElements::Voxels(voxels) => {
                    // A model of voxels has a volume.
                    let Some(&grid) = models.volume() else { continue };
                    let number = |voxel: &[u32; 3]| grid.index(voxel.map(|c| c as usize));
                    let numbers = voxels.iter().map(number).collect();
                    What::Voxels(Box::new(Voxels { grid, numbers, structure: Some(*structure) }))
                }
            };
            list.push(format!("{name}, {structure}"), what);
        }
        list.parts.retain(|part| part.what.len() > 0);
        if list.parts.is_empty() {
            return Err(Error::invalid(name, "it has no vertex and no voxel", "give another"));
        }
        list.check()?;
        Ok(list)
    }

    /// What was listed, one after the other.
    pub(crate) fn parts(&self) -> impl Iterator<Item = ElementsOfPart<'_>> {
        self.parts.iter().map(|part| match &part.what {
            What::Voxels(voxels) => ElementsOfPart::Voxels { numbers: &voxels.numbers },
            What::Vertices { file, surface, vertices } => {
                ElementsOfPart::Vertices { file, surface, vertices }
            }
        })
    }

    /// What its parts are called, in a few words: the structures of a CIFTI-2 file, else the names of files and what of them is
    /// meant.
    pub(crate) fn part_names(&self) -> Vec<String> {
        let name = |part: &Part| {
            let structure = match &part.what {
                What::Voxels(voxels) => voxels.structure,
                What::Vertices { surface, .. } => surface.structure().filter(|_| self.is_of_cifti),
            };
            let after_file = |file: &Path| {
                let whole = part.name.strip_prefix(&file.display().to_string()).unwrap_or_default();
                whole.rsplit(':').next().filter(|_| !whole.is_empty()).map(str::to_owned)
            };
            match (structure, &part.what) {
                (Some(structure), _) => structure.to_string(),
                (None, What::Vertices { file, .. }) => match after_file(file) {
                    Some(label) => format!("{} {}", region_name(file), region_name(Path::new(&label))),
                    None => region_name(file),
                },
                (None, What::Voxels(_)) => region_name(Path::new(&part.name)),
            }
        };
        self.parts.iter().map(name).collect()
    }

    /// The lattice of its voxels, where it has any: that of the first.
    pub(crate) fn lattice(&self) -> Option<Grid> {
        self.parts.iter().find_map(|part| match &part.what {
            What::Voxels(voxels) => Some(voxels.grid),
            What::Vertices { .. } => None,
        })
    }

    /// What an element is, in words: `vertex 12 of lh.white.surf.gii`.
    pub(crate) fn in_words(&self, element: usize) -> String {
        let mut place = element;
        for Part { name, what } in &self.parts {
            if place < what.len() {
                return match what {
                    What::Voxels(voxels) => {
                        let [x, y, z] = voxels.grid.coordinates(voxels.numbers[place]);
                        format!("voxel {x} {y} {z} of {}", name_of(Path::new(name)))
                    }
                    What::Vertices { file, vertices, .. } => {
                        format!("vertex {} of {}", vertices[place], name_of(file))
                    }
                };
            }
            place -= what.len();
        }
        format!("element {element}")
    }

    fn push(&mut self, name: String, what: What) {
        self.parts.push(Part { name, what });
    }

    fn push_surface(&mut self, part: &SurfacePart) -> Result<()> {
        let (surface, vertices) = part.vertices()?;
        let (file, surface) = (part.path().to_owned(), Box::new(surface));
        self.push(part.name(), What::Vertices { file, surface, vertices });
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
            What::Vertices { surface, .. } => Some((part.name.as_str(), surface.as_ref())),
            What::Voxels(_) => None,
        }))
    }

    /// The elements, to be met by streamlines from whose space `mapping` leads to theirs.
    pub fn met(&self, mapping: Option<&Arc<Mapping>>) -> Result<MetElements> {
        let mut met = MetElements::new(mapping.cloned());
        for Part { name, what } in &self.parts {
            match what {
                What::Voxels(voxels) => met.add_voxels_in_order(&voxels.grid, &voxels.numbers)?,
                What::Vertices { surface, vertices, .. } => {
                    met.add_vertices(surface, vertices).map_err(|e| e.about(name))?;
                }
            }
        }
        Ok(met)
    }

    /// Where streamlines begin in them, in mm: at the centres of voxels, and `depth_mm` below vertices, along their inward normals.
    pub fn places(&self, depth_mm: f64) -> Vec<[f64; 3]> {
        let place = |part: &Part| -> Vec<[f64; 3]> {
            match &part.what {
                What::Voxels(voxels) => {
                    let Voxels { grid, numbers, .. } = &**voxels;
                    numbers.iter().map(|&voxel| grid.centre(voxel)).collect()
                }
                What::Vertices { surface, vertices, .. } => {
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

    /// Where `count` streamlines begin at its vertices, each by its area: as many of each as the area around it has of the whole, to one.
    /// They come in the order of the vertices.
    ///
    /// Fails where any of it are voxels, and where nothing has an area.
    pub(crate) fn places_by_area(&self, count: u64, depth_mm: f64) -> Result<Vec<[f64; 3]>> {
        let mut areas = Vec::new();
        for Part { name, what } in &self.parts {
            let What::Vertices { surface, vertices, .. } = what else {
                let problem = "a number of seeds is drawn by the areas of vertices, and voxels have none";
                return Err(Error::usage(
                    name,
                    problem,
                    "leave them out, or give ‘per_seed’ instead of ‘seed_number’",
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
            // Streamline n is in the middle of its share, (n + ½) / count.
            let end = (below / whole * count as f64 + 0.5).floor().min(count as f64) as usize;
            places.resize(end.max(places.len()), place);
        }
        Ok(places)
    }

    /// The list as rows or columns. Their names are FSL's coordinates: `x y z`, the number of the file from 0, and the element's own
    /// in it; x, y and z of a voxel count from 0, those of a vertex are whole mm, voxels are numbered from 1, vertices from 0.
    pub fn axis(&self) -> Result<Axis> {
        let mut numbers: Vec<u64> = Vec::new();
        let mut names = Vec::new();
        for (n, part) in self.parts.iter().enumerate() {
            match &part.what {
                What::Voxels(voxels) => {
                    let Voxels { grid, numbers: voxels, .. } = &**voxels;
                    for (place, &voxel) in voxels.iter().enumerate() {
                        let [x, y, z] = grid.coordinates(voxel);
                        numbers.push(voxel as u64);
                        names.push(format!("{x} {y} {z} {n} {}", place + 1));
                    }
                }
                What::Vertices { surface, vertices, .. } => {
                    for &vertex in vertices {
                        // A whole number is never −0.
                        let [x, y, z] = surface.vertices()[vertex as usize].map(|c| c.round() as i64);
                        numbers.push(u64::from(vertex));
                        names.push(format!("{x} {y} {z} {n} {vertex}"));
                    }
                }
            }
        }
        let of_voxels = matches!(self.parts.first(), Some(Part { what: What::Voxels(_), .. }));
        let kind = if self.is_of_cifti { ElementKind::Element } else { kind(self.parts.len(), of_voxels) };
        if kind == ElementKind::Element {
            numbers = (0..numbers.len() as u64).collect();
        }
        Axis::new(kind, numbers, names)
    }

    /// The list as CIFTI-2 has it: the vertices of each structure, and voxels, which are of no structure that is known unless they
    /// come from such a file.
    ///
    /// Fails where a surface does not say of which structure it is, and on voxels of several lattices.
    pub fn brain_models(&self) -> Result<BrainModels> {
        let mut models: Vec<BrainModel> = Vec::new();
        let mut volume: Option<Grid> = None;
        for Part { name, what } in &self.parts {
            match what {
                What::Voxels(voxels) => {
                    let Voxels { grid: of_these, numbers, structure } = &**voxels;
                    let grid = *volume.get_or_insert(*of_these);
                    if grid != *of_these {
                        let problem =
                            "its voxels are not those of the mask before it, and CIFTI-2 has one volume";
                        return Err(Error::invalid(name, problem, "give masks on one lattice"));
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
                What::Vertices { surface, vertices, .. } => {
                    let structure = surface.structure().ok_or_else(|| {
                        let problem = "its file does not say of which structure it is, as CIFTI-2 must";
                        Error::invalid(
                            name,
                            problem,
                            "give a .surf.gii that does, or another ‘matrix_format’",
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

/// The structure of voxels of which nothing is known.
fn other() -> Result<Structure> {
    Structure::of_name("OTHER")
        .ok_or_else(|| Error::invalid("CIFTI-2", "it has no other structure", "give .npz"))
}

impl What {
    fn len(&self) -> usize {
        match self {
            Self::Voxels(voxels) => voxels.numbers.len(),
            Self::Vertices { vertices, .. } => vertices.len(),
        }
    }
}
