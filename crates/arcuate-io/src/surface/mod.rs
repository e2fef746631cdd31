//! Reads and writes surfaces, and values of their vertices, in every supported format. The name and the
//! content of a file select the format.

mod annot;
mod ascii;
mod bytes;
mod file;
mod freesurfer;
mod gifti;
mod kind;
#[cfg(test)]
mod tests;
mod vtk;

pub use file::{StoredCoordinates, StoredMesh, SurfaceFile, SurfaceReading};
pub use kind::SurfaceKind;

use crate::gzip::GzipReader;
use crate::plain_file::PlainFile;
use arcuate_core::{Error, Grid, Result, Structure, VolumeGeometry};
use std::path::Path;

/// Maximum size in bytes of the decompressed content of a surface file. The largest files in use have some
/// hundred megabytes.
const LARGEST: u64 = 1 << 32;

/// FreeSurfer's file names after `lh.` or `rh.`.
const FREESURFER_NAMES: [&str; 17] = [
    "white",
    "pial",
    "orig",
    "inflated",
    "sphere",
    "reg",
    "smoothwm",
    "midthickness",
    "graymid",
    "nofix",
    "curv",
    "thickness",
    "area",
    "sulc",
    "volume",
    "mid",
    "avg_curv",
];

/// The format of a surface file, which the file name selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Gifti,
    GiftiCompressed,
    Annotation,
    Ascii,
    Vtk,
    /// FreeSurfer's binary files. The content decides whether a file contains a surface or one value per
    /// vertex.
    FreeSurfer,
}

fn format_of(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let ending = name.rsplit('.').next().unwrap_or_default();
    let is_hemisphere = Structure::of_file_name(&name).is_some();
    Some(match ending {
        "gii" => Format::Gifti,
        "gz" if name.ends_with(".gii.gz") => Format::GiftiCompressed,
        "annot" => Format::Annotation,
        "asc" | "srf" => Format::Ascii,
        "vtk" => Format::Vtk,
        _ if FREESURFER_NAMES.contains(&ending) && (is_hemisphere || name.matches('.').count() == 1) => {
            Format::FreeSurfer
        }
        _ => return None,
    })
}

/// Returns the format of a mesh in text form, which its first bytes determine, whatever the file name.
fn format_within(beginning: &[u8]) -> Option<Format> {
    if beginning.starts_with(b"#!ascii") {
        Some(Format::Ascii)
    } else {
        beginning.starts_with(vtk::MAGIC).then_some(Format::Vtk)
    }
}

/// Returns true if a file is a surface according to its name, or a mesh in text form according to its first
/// line. Returns false for a file that cannot be read.
pub fn is_surface_file(path: &Path) -> bool {
    let is_matlab = || {
        let file = PlainFile::open(path).ok()?;
        format_within(&file.bytes(0, file.size().min(64) as usize).ok()?)
    };
    format_of(path).is_some() || is_matlab().is_some()
}

/// Returns true if a file name is that of a surface, of values of vertices, or of a parcellation of a
/// surface. These file names end in `.gii`, `.gii.gz`, `.annot`, `.asc`, `.srf` or `.vtk`, or are
/// FreeSurfer's names such as `lh.white` and `rh.thickness`.
pub fn is_surface_name(path: &Path) -> bool {
    format_of(path).is_some()
}

fn unknown_name(path: &Path) -> Error {
    Error::usage(
        path.display(),
        "the ending of this file name is not a surface format",
        "give a file that ends in .gii, .gii.gz, .annot, .asc or .srf, or one of FreeSurfer's such as lh.white",
    )
}

/// Reads the whole content of a surface file. The allocated memory grows with the content of the file, not
/// with the size that its header states.
pub fn read_surface_file(path: &Path) -> Result<SurfaceFile> {
    let named = format_of(path);
    let file = match named {
        None if !is_surface_file(path) => return Err(unknown_name(path)),
        _ => PlainFile::open(path)?,
    };
    let format = named.unwrap_or(Format::Ascii);
    let bytes = if format == Format::GiftiCompressed || format == Format::Gifti && file.is_gzip() {
        let mut bytes = Vec::new();
        let mut reader = GzipReader::new(&file);
        reader.read_up_to(LARGEST, &mut bytes)?;
        reader.finish()?;
        bytes
    } else {
        file.bytes(0, file.size() as usize)?
    };
    parse(path, format, &bytes)
}

/// Parses the bytes of a surface file.
fn parse(path: &Path, format: Format, bytes: &[u8]) -> Result<SurfaceFile> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let structure = Structure::of_file_name(&name);
    let mut file = match format {
        Format::Gifti | Format::GiftiCompressed => gifti::read(path, bytes, structure),
        Format::Annotation => annot::read(path, bytes, structure),
        Format::Vtk => vtk::read(path, bytes, structure),
        Format::Ascii if bytes.starts_with(vtk::MAGIC) => vtk::read(path, bytes, structure),
        Format::Ascii => ascii::read(path, bytes, structure),
        // FreeSurfer also uses these file names for its text format.
        Format::FreeSurfer if bytes.starts_with(b"#!ascii") => ascii::read(path, bytes, structure),
        Format::FreeSurfer => freesurfer::read(path, bytes, structure),
    }?;
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
    let format = format_of(path).ok_or_else(|| unknown_name(path))?;
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
    let refuse = |problem: &str| {
        Err(Error::usage(path.display(), format!("{problem}, of {}", from.display()), "write GIFTI (.gii)"))
    };
    match format {
        Format::GiftiCompressed => Err(Error::usage(
            path.display(),
            "the data in a GIFTI file are already compressed",
            "use a file name that ends in \
                .gii",
        )),
        Format::Gifti => {
            let (maps, labels) = (&file.maps, &file.labels);
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let kind = file.kind.or_else(|| SurfaceKind::of_name(&name));
            let structure = file.structure;
            let content = gifti::Content { surface: surface.as_ref(), maps, labels, structure, kind };
            gifti::write(path, &content)
        }
        Format::Annotation => match (&surface, file.maps.as_slice(), file.labels.as_slice()) {
            (None, [], [labels]) => annot::write(path, labels),
            _ => refuse("an annotation holds one parcellation and nothing else"),
        },
        Format::Ascii => match (&surface, file.maps.as_slice(), file.labels.as_slice()) {
            (Some(surface), [], []) => ascii::write(path, surface, None),
            (Some(surface), [map], []) => ascii::write(path, surface, Some(map)),
            _ => refuse("a surface in text form holds a mesh and one map at most"),
        },
        Format::Vtk => refuse("VTK is only read"),
        Format::FreeSurfer => match (&surface, file.maps.as_slice(), file.labels.as_slice()) {
            (Some(surface), [], []) => {
                let volume = file.mesh.as_ref().and_then(|mesh| mesh.volume);
                let reference = reading.reference.map(VolumeGeometry::of_grid);
                let volume = volume.or(reference).ok_or_else(|| need_volume(path))?;
                freesurfer::write_mesh(path, surface, &volume)
            }
            (None, [map], []) => freesurfer::write_values(path, map),
            _ => refuse("FreeSurfer's files hold a mesh or one map"),
        },
    }
}

fn need_volume(path: &Path) -> Error {
    let problem = "FreeSurfer's coordinates are with respect to a volume, which is not known";
    Error::usage(path.display(), problem, "name it (orig.mgz) with ‘reference’")
}

/// Returns true if the surface can be written to a file of this name only with a reference image.
pub fn surface_needs_reference(path: &Path, file: &SurfaceFile) -> bool {
    file.mesh.as_ref().is_some_and(|mesh| {
        let is_binary = format_of(path) == Some(Format::FreeSurfer);
        mesh.needs_reference() || is_binary && mesh.volume.is_none()
    })
}

/// Reads the mesh of a surface file and converts it to scanner coordinates in mm.
pub fn read_surface(path: &Path, reference: Option<&Grid>) -> Result<arcuate_core::Surface> {
    let file = read_surface_file(path)?;
    file.surface(path, SurfaceReading { reference, mesh_space: None })
}
