//! Reads and writes surfaces, and values of their vertices, in every supported format. The name and the
//! content of a file select the format.

pub(crate) mod annot;
pub(crate) mod ascii;
mod bytes;
mod file;
pub(crate) mod freesurfer;
pub(crate) mod gifti;
mod kind;
pub(crate) mod names;
mod output;
#[cfg(test)]
mod tests;
pub(crate) mod vtk;

pub use file::{StoredCoordinates, StoredMesh, SurfaceFile, SurfaceReading};
pub use gifti::ENDINGS as GIFTI_ENDINGS;
pub use kind::SurfaceKind;
pub(crate) use output::SurfaceOutput;

use crate::endings::is_gzip_name;
use crate::formats::{FileKind, SURFACES, find, read_endings};
use crate::gzip::GzipReader;
use crate::plain_file::PlainFile;
use arcuate_core::{Error, Grid, Result, Structure};
use std::path::Path;

/// Maximum size in bytes of the decompressed content of a surface file. The largest files in use have some
/// hundred megabytes.
const LARGEST: u64 = 1 << 32;

/// Returns true if a file with these first bytes is a mesh in text form, whatever its name.
fn is_text_mesh(beginning: &[u8]) -> bool {
    beginning.starts_with(ascii::MAGIC) || beginning.starts_with(vtk::MAGIC)
}

/// Returns true if a file is a surface according to its name, or a mesh in text form according to its first
/// line. Returns false for a file that cannot be read.
pub fn is_surface_file(path: &Path) -> bool {
    let begins = || {
        let file = PlainFile::open(path).ok()?;
        file.bytes(0, file.size().min(64) as usize).ok().map(|bytes| is_text_mesh(&bytes))
    };
    is_surface_name(path) || begins() == Some(true)
}

/// Returns true if a file name is that of a surface, of values of vertices, or of a parcellation of a
/// surface. These file names have the ending of a surface format, or are FreeSurfer's names such as `lh.white`
/// and `rh.thickness`.
pub fn is_surface_name(path: &Path) -> bool {
    find(SURFACES, path).is_some()
}

fn unknown_name(path: &Path) -> Error {
    let known = read_endings(FileKind::Surface).join(", ");
    Error::usage(
        path.display(),
        "the ending of this file name is not a surface format",
        format!("give a file that ends in {known}, or one of FreeSurfer's such as lh.white"),
    )
}

/// Reads the whole content of a surface file. The allocated memory grows with the content of the file, not
/// with the size that its header states.
pub fn read_surface_file(path: &Path) -> Result<SurfaceFile> {
    let named = find(SURFACES, path);
    let file = match named {
        None if !is_surface_file(path) => return Err(unknown_name(path)),
        _ => PlainFile::open(path)?,
    };
    let may_be_compressed = named.is_some_and(|(_, functions)| functions.may_be_compressed);
    let bytes = if may_be_compressed && (is_gzip_name(path) || file.is_gzip()) {
        let mut bytes = Vec::new();
        let mut reader = GzipReader::new(&file);
        reader.read_up_to(LARGEST, &mut bytes)?;
        reader.finish()?;
        bytes
    } else {
        file.bytes(0, file.size() as usize)?
    };
    // A file whose name states no format is a mesh in text form.
    parse(path, named.map_or(ascii::read_text, |(_, functions)| functions.read), &bytes)
}

/// Parses the bytes of a surface file.
fn parse(
    path: &Path,
    read: fn(&Path, &[u8], Option<Structure>) -> Result<SurfaceFile>,
    bytes: &[u8],
) -> Result<SurfaceFile> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut file = read(path, bytes, Structure::of_file_name(&name))?;
    file.kind = file.kind.or_else(|| SurfaceKind::of_name(&name));
    Ok(file)
}

/// Writes the content of a surface file to another file, in the format of its name: `.gii`, `.annot`, `.asc`,
/// `.srf`, or FreeSurfer's binary formats. Vertices are written in scanner mm. FreeSurfer's surfaces use the
/// coordinates of an image volume. If the source file states this volume, it is used. If not, the image
/// `reference` is used.
///
/// Returns an error if the format cannot store the content, or if the coordinate space of the surface is
/// unknown.
pub fn write_surface_file(
    path: &Path,
    from: &Path,
    file: &SurfaceFile,
    reading: SurfaceReading,
) -> Result<()> {
    let (_, functions) = find(SURFACES, path).ok_or_else(|| unknown_name(path))?;
    let surface = file.mesh.as_ref().map(|_| file.surface(from, reading)).transpose()?;
    if surface.is_none() && file.maps.is_empty() && file.labels.is_empty() {
        return Err(Error::invalid(
            from.display(),
            "the file has no surface, values or labels",
            "check the file",
        ));
    }
    if let Some(surface) = &surface {
        let vertices = surface.vertices().len();
        file.maps.iter().try_for_each(|map| map.require_vertices(vertices, from.display()))?;
        file.labels.iter().try_for_each(|labels| labels.require_vertices(vertices, from.display()))?;
    }
    (functions.write)(&SurfaceOutput { path, from, file, surface, reading })
}

/// Returns true if the surface can be written to a file of this name only with a reference image.
pub fn surface_needs_reference(path: &Path, file: &SurfaceFile) -> bool {
    file.mesh.as_ref().is_some_and(|mesh| {
        let needs_volume = find(SURFACES, path).is_some_and(|(_, functions)| functions.needs_volume);
        mesh.needs_reference() || needs_volume && mesh.volume.is_none()
    })
}

/// Reads the mesh of a surface file and converts it to scanner coordinates in mm.
pub fn read_surface(path: &Path, reference: Option<&Grid>) -> Result<arcuate_core::Surface> {
    let file = read_surface_file(path)?;
    file.surface(path, SurfaceReading { reference, mesh_space: None })
}
