//! What the rows and columns of matrices are that are counted while streamlines are tracked: voxels of masks and vertices of
//! surfaces, in files.

use crate::regions::RegionFile;
use crate::surface_files::{SurfacePart, require_hemispheres};
use arcuate_connect::MetElements;
use arcuate_core::{
    Axis, BrainElements, BrainModel, BrainModels, ElementKind, Error, Grid, Mask, Result, Structure, Surface,
};
use arcuate_track::{Mapping, RegionShape};
use std::sync::Arc;

/// Voxels and vertices, one file after the other.
#[derive(Debug, Clone, Default)]
pub struct ElementList {
    parts: Vec<Part>,
}

#[derive(Debug, Clone)]
struct Part {
    name: String,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    Voxels(Arc<Mask>),
    Vertices { surface: Box<Surface>, vertices: Vec<u32> },
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
                            list.parts.push(Part { name: region.name, what: What::Voxels(mask) });
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
        let of_mask =
            mask.map(|mask| Part { name: name.to_owned(), what: What::Voxels(Arc::new(mask.clone())) });
        let mut list = Self { parts: of_mask.into_iter().collect() };
        surfaces.iter().try_for_each(|surface| list.push_surface(surface))?;
        list.check()?;
        Ok(list)
    }

    fn push_surface(&mut self, part: &SurfacePart) -> Result<()> {
        let (surface, vertices) = part.vertices()?;
        let what = What::Vertices { surface: Box::new(surface), vertices };
        self.parts.push(Part { name: part.name(), what });
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
                What::Voxels(mask) => met.add_voxels(mask)?,
                What::Vertices { surface, vertices } => {
                    met.add_vertices(surface, vertices).map_err(|e| e.about(name))?;
                }
            }
        }
        Ok(met)
    }

    /// Where they lie, in mm.
    pub fn places(&self) -> Vec<[f64; 3]> {
        let place = |part: &Part| -> Vec<[f64; 3]> {
            match &part.what {
                What::Voxels(mask) => {
                    mask.indices().into_iter().map(|voxel| mask.grid().centre(voxel)).collect()
                }
                What::Vertices { surface, vertices } => {
                    let at = |&vertex: &u32| surface.vertices()[vertex as usize].map(f64::from);
                    vertices.iter().map(at).collect()
                }
            }
        };
        self.parts.iter().flat_map(place).collect()
    }

    /// The list as rows or columns. Their names are FSL's coordinates: `x y z`, the number of the file from 0, and the element's own
    /// in it; x, y and z of a voxel count from 0, those of a vertex are whole mm, voxels are numbered from 1, vertices from 0.
    pub fn axis(&self) -> Result<Axis> {
        let mut numbers: Vec<u64> = Vec::new();
        let mut names = Vec::new();
        for (n, part) in self.parts.iter().enumerate() {
            match &part.what {
                What::Voxels(mask) => {
                    for (place, voxel) in mask.indices().into_iter().enumerate() {
                        let [x, y, z] = mask.grid().coordinates(voxel);
                        numbers.push(voxel as u64);
                        names.push(format!("{x} {y} {z} {n} {}", place + 1));
                    }
                }
                What::Vertices { surface, vertices } => {
                    for &vertex in vertices {
                        // A whole number is never −0.
                        let [x, y, z] = surface.vertices()[vertex as usize].map(|c| c.round() as i64);
                        numbers.push(u64::from(vertex));
                        names.push(format!("{x} {y} {z} {n} {vertex}"));
                    }
                }
            }
        }
        let kind = kind(self.parts.len(), self.parts.first().is_some_and(|part| part.what.grid().is_some()));
        if kind == ElementKind::Element {
            numbers = (0..numbers.len() as u64).collect();
        }
        Axis::new(kind, numbers, names)
    }

    /// The list as CIFTI-2 has it: the vertices of each structure, and voxels of no structure that is known.
    ///
    /// Fails where a surface does not say of which structure it is, and on voxels of several lattices.
    pub fn brain_models(&self) -> Result<BrainModels> {
        let mut models: Vec<BrainModel> = Vec::new();
        let mut volume: Option<Grid> = None;
        for Part { name, what } in &self.parts {
            match what {
                What::Voxels(mask) => {
                    let grid = *volume.get_or_insert(*mask.grid());
                    if grid != *mask.grid() {
                        let problem =
                            "its voxels are not those of the mask before it, and CIFTI-2 has one volume";
                        return Err(Error::invalid(name, problem, "give masks on one lattice"));
                    }
                    let voxel = |voxel| grid.coordinates(voxel).map(|c| c as u32);
                    let voxels = mask.indices().into_iter().map(voxel);
                    let before = models.last_mut().map(|last| &mut last.elements);
                    if let Some(BrainElements::Voxels(before)) = before {
                        before.extend(voxels);
                    } else {
                        let elements = BrainElements::Voxels(voxels.collect());
                        models.push(BrainModel { structure: other()?, elements });
                    }
                }
                What::Vertices { surface, vertices } => {
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
    fn grid(&self) -> Option<&Grid> {
        match self {
            Self::Voxels(mask) => Some(mask.grid()),
            Self::Vertices { .. } => None,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Voxels(mask) => mask.count(),
            Self::Vertices { vertices, .. } => vertices.len(),
        }
    }
}
