//! The content of a surface file in any format.

use super::kind::SurfaceKind;
use arcuate_core::{
    Affine, Error, Grid, MeshSpace, Result, Structure, Surface, SurfaceLabels, SurfaceMap, VolumeGeometry,
};
use std::path::Path;

/// The coordinate space of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StoredCoordinates {
    /// Scanner mm.
    Scanner,
    /// Millimetres that this transform from the file maps to scanner mm.
    Transformed(Affine),
    /// FreeSurfer's surface coordinates (tkRAS).
    Tkras,
    /// Not specified by the file.
    Unknown,
}

/// A mesh as stored in its file.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMesh {
    /// Coordinates of vertices as they are stored.
    pub vertices: Vec<[f32; 3]>,
    /// Triangles, as vertex indices.
    pub triangles: Vec<[u32; 3]>,
    /// The coordinate space.
    pub coordinates: StoredCoordinates,
    /// The volume that the surface was made from, if the file specifies it.
    pub volume: Option<VolumeGeometry>,
}

/// The content of a surface file. GIFTI can combine everything in one file; other formats have one kind of
/// content.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceFile {
    /// Name of the format, for messages.
    pub format: &'static str,
    /// The brain structure, if the file or its name specifies it.
    pub structure: Option<Structure>,
    /// The anatomical type, if the metadata or the name of the file state it.
    pub kind: Option<SurfaceKind>,
    /// The mesh, if it has one.
    pub mesh: Option<StoredMesh>,
    /// Values at vertices.
    pub maps: Vec<SurfaceMap>,
    /// Parcellations.
    pub labels: Vec<SurfaceLabels>,
    /// Warnings about problems that do not prevent reading.
    pub warnings: Vec<String>,
}

/// Options for the coordinates of a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct SurfaceReading<'a> {
    /// The image that the surface was made from, or that its coordinates refer to.
    pub reference: Option<&'a Grid>,
    /// The coordinate space, whatever the file specifies.
    pub mesh_space: Option<MeshSpace>,
}

impl SurfaceFile {
    /// Creates an empty file.
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

    /// The mesh in scanner mm. Returns an error if there is none, or if neither the file nor `reading`
    /// specifies the coordinate space: it is never guessed.
    pub fn surface(&self, path: &Path, reading: SurfaceReading) -> Result<Surface> {
        let mesh = self.mesh.as_ref().ok_or_else(|| {
            let problem = "it holds no mesh, only values at vertices";
            Error::invalid(path.display(), problem, "give the surface to which the values belong")
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
    /// The transform from stored coordinates to scanner mm; `None` if they are equal.
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
                        "it is in FreeSurfer's surface coordinates, but does not state the volume they \
                         refer to",
                    )
                })?;
                VolumeGeometry::of_grid(grid).tkras_to_scanner().map(Some)
            }
            (StoredCoordinates::Unknown, _) => Err(Error::usage(
                path.display(),
                "the surface file does not state its coordinate space",
                "give the space with ‘mesh_space’: `caret` for scanner mm, `tkras` for FreeSurfer's \
                 coordinates (with ‘reference’)",
            )),
        }
    }

    /// Returns whether an image is needed to place the surface.
    pub fn needs_reference(&self) -> bool {
        matches!((self.coordinates, self.volume), (StoredCoordinates::Tkras, None))
    }
}
