//! Describes the content of a surface file in any format.

use super::kind::SurfaceKind;
use arcuate_core::{
    Affine, Error, Grid, MeshSpace, Result, Structure, Surface, SurfaceLabels, SurfaceMap, VolumeGeometry,
};
use std::path::Path;

/// The coordinate space of a surface file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StoredCoordinates {
    /// The coordinates are scanner coordinates in mm.
    Scanner,
    /// The coordinates are in mm. This affine maps them to scanner coordinates in mm.
    Transformed(Affine),
    /// Coordinates are FreeSurfer's surface coordinates (tkRAS).
    Tkras,
    /// The file does not specify the coordinate space of the surface.
    Unknown,
}

/// A mesh as its file stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMesh {
    /// The coordinates of each vertex as the file stores them.
    pub vertices: Vec<[f32; 3]>,
    /// The three vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// The coordinate space of the vertices.
    pub coordinates: StoredCoordinates,
    /// The image volume from which the surface was made, if the file specifies it.
    pub volume: Option<VolumeGeometry>,
}

/// The content of a surface file. A GIFTI file can contain a mesh, maps and parcellations at once; files in
/// other formats contain one of these.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceFile {
    /// Name of the file format, for messages.
    pub format: &'static str,
    /// The brain structure of the surface (such as the left cortex), if the file or its name specifies it.
    pub structure: Option<Structure>,
    /// The anatomical type of the surface (such as white or pial), if the metadata or the name of the file
    /// state it.
    pub kind: Option<SurfaceKind>,
    /// The mesh (vertices and triangles), if the file contains one.
    pub mesh: Option<StoredMesh>,
    /// Maps of values at the vertices.
    pub maps: Vec<SurfaceMap>,
    /// Parcellations of the surface.
    pub labels: Vec<SurfaceLabels>,
    /// Warnings about problems of the file that do not prevent reading it.
    pub warnings: Vec<String>,
}

/// Options of the user that specify the coordinates of a surface file.
#[derive(Debug, Clone, Copy, Default)]
pub struct SurfaceReading<'a> {
    /// The image from which the surface was made, or to which its coordinates refer.
    pub reference: Option<&'a Grid>,
    /// The coordinate space of the surface. If it is set, the coordinate space in the file is ignored.
    pub mesh_space: Option<MeshSpace>,
}

impl SurfaceFile {
    /// Creates the content of a surface file without a mesh, maps and parcellations, which are added later.
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

    /// Returns the mesh in scanner coordinates (mm). Returns an error if the file has no mesh. Also returns
    /// an error if neither the file nor `reading` specifies the coordinate space, because it is never
    /// guessed.
    pub fn surface(&self, path: &Path, reading: SurfaceReading) -> Result<Surface> {
        let mesh = self.mesh.as_ref().ok_or_else(|| {
            let problem = "it holds no mesh, only values at vertices";
            Error::invalid(
                path.display(),
                problem,
                "give the file of the surface to whose vertices the values belong",
            )
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
    /// Returns the affine from the coordinates in the file to scanner coordinates in mm. Returns `None` if
    /// both are the same.
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

    /// Returns true if the surface can be put in scanner space only with an image.
    pub fn needs_reference(&self) -> bool {
        matches!((self.coordinates, self.volume), (StoredCoordinates::Tkras, None))
    }
}
