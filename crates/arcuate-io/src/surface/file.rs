//! What a surface file holds, in any format.

use super::kind::SurfaceKind;
use arcuate_core::{
    Affine, Error, Grid, MeshSpace, Result, Structure, Surface, SurfaceLabels, SurfaceMap, VolumeGeometry,
};
use std::path::Path;

/// What the coordinates in a file are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StoredCoordinates {
    /// Scanner mm.
    Scanner,
    /// Millimetres that this transform of the file takes to scanner mm.
    Transformed(Affine),
    /// FreeSurfer's surface coordinates (tkRAS).
    Tkras,
    /// The file does not say.
    Unknown,
}

/// A mesh as its file has it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMesh {
    /// Coordinates of vertices as they are stored.
    pub vertices: Vec<[f32; 3]>,
    /// Triangles, as numbers of vertices.
    pub triangles: Vec<[u32; 3]>,
    /// What the coordinates are.
    pub coordinates: StoredCoordinates,
    /// The volume that the surface was made in, where the file says it.
    pub volume: Option<VolumeGeometry>,
}

/// All that a surface file holds. GIFTI may have all of it in one file, other formats have one thing each.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceFile {
    /// For people.
    pub format: &'static str,
    /// The part of the brain, where the file or its name says it.
    pub structure: Option<Structure>,
    /// The anatomical type, if the metadata or the name of the file state it.
    pub kind: Option<SurfaceKind>,
    /// The mesh, where it has one.
    pub mesh: Option<StoredMesh>,
    /// Values at vertices.
    pub maps: Vec<SurfaceMap>,
    /// Parcellations.
    pub labels: Vec<SurfaceLabels>,
    /// What looks wrong but can be read.
    pub warnings: Vec<String>,
}

/// What is said of the coordinates in a file by who reads it.
#[derive(Debug, Clone, Copy, Default)]
pub struct SurfaceReading<'a> {
    /// The image that the surface was made in, or with respect to which its coordinates are.
    pub reference: Option<&'a Grid>,
    /// What the coordinates are, whatever the file says.
    pub mesh_space: Option<MeshSpace>,
}

impl SurfaceFile {
    /// A file that holds nothing yet.
    pub(super) fn new(format: &'static str, structure: Option<Structure>) -> Self {
        Self {
            format,
            structure,
            kind: None,
            mesh: None,
            maps: Vec::new(),
            labels: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The mesh in scanner mm. Fails where there is none, and where neither file nor `reading` say what the coordinates are:
    /// that is never guessed.
    pub fn surface(&self, path: &Path, reading: SurfaceReading) -> Result<Surface> {
        let mesh = self.mesh.as_ref().ok_or_else(|| {
            let problem = "it holds no mesh, only values at vertices";
            Error::invalid(path.display(), problem, "give the surface to which they belong")
        })?;
        let surface = Surface::new(mesh.vertices.clone(), mesh.triangles.clone(), self.structure)
            .map_err(|e| e.about(path.display()))?;
        Ok(match mesh.to_scanner(path, reading)? {
            Some(transform) => surface.transformed(&transform),
            None => surface,
        })
    }
}

impl StoredMesh {
    /// What takes stored coordinates to scanner mm; nothing where they are.
    fn to_scanner(&self, path: &Path, reading: SurfaceReading) -> Result<Option<Affine>> {
        let need_reference = |problem: &str| {
            let advice = "name the image that it was made in (FreeSurfer: orig.mgz) with ‘reference’";
            Error::usage(path.display(), problem, advice)
        };
        if let Some(space) = reading.mesh_space {
            if space == MeshSpace::Caret {
                return Ok(None);
            }
            let grid = reading.reference.ok_or_else(|| {
                need_reference("its coordinates are with respect to an image, which is not known")
            })?;
            return space.to_scanner(grid).map(Some);
        }
        match (self.coordinates, self.volume) {
            (StoredCoordinates::Scanner, _) => Ok(None),
            (StoredCoordinates::Transformed(transform), _) => Ok(Some(transform)),
            (StoredCoordinates::Tkras, Some(volume)) => {
                volume.tkras_to_scanner().map(Some).map_err(|e| e.about(path.display()))
            }
            (StoredCoordinates::Tkras, None) => {
                let grid = reading.reference.ok_or_else(|| {
                    need_reference(
                        "it is in FreeSurfer's surface coordinates and does not say of which volume",
                    )
                })?;
                VolumeGeometry::of_grid(grid).tkras_to_scanner().map(Some)
            }
            (StoredCoordinates::Unknown, _) => Err(Error::usage(
                path.display(),
                "it does not say what its coordinates are",
                "say it with ‘mesh_space’: `caret` for scanner mm, `tkras` for FreeSurfer's (with ‘reference’)",
            )),
        }
    }

    /// Whether an image is needed to know where it is.
    pub fn needs_reference(&self) -> bool {
        matches!((self.coordinates, self.volume), (StoredCoordinates::Tkras, None))
    }
}
