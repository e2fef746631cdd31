//! Reads and writes FreeSurfer's binary files. In surface files (`lh.white`), the geometry of the image
//! volume follows the triangles. Files with one value per vertex (`lh.thickness`) are read in the new and the
//! old format.

use super::ascii;
use super::bytes::Bytes;
use super::file::{StoredCoordinates, StoredMesh, SurfaceFile};
use super::output::SurfaceOutput;
use crate::write_file;
use crate::xml::damaged;
use arcuate_core::{Error, Result, Structure, Surface, SurfaceMap, VolumeGeometry, printable};
use std::fmt::Write;
use std::path::Path;

const TRIANGLES: [u8; 3] = [0xff, 0xff, 0xfe];
const NEW_VALUES: [u8; 3] = [0xff, 0xff, 0xff];

/// Tags that mark the pieces of data after the triangles of a surface.
const USES_SCANNER_COORDINATES: i32 = 2;
const VOLUME_GEOMETRY: i32 = 20;

/// Reads a surface file or a file with one value per vertex.
///
/// FreeSurfer also uses these file names for its text format.
pub(crate) fn read(path: &Path, bytes: &[u8], structure: Option<Structure>) -> Result<SurfaceFile> {
    if bytes.starts_with(ascii::MAGIC) {
        return ascii::read_text(path, bytes, structure);
    }
    let mut rest = Bytes::new(path, bytes);
    if bytes.starts_with(&TRIANGLES) {
        rest.take(3)?;
        return read_mesh(path, rest, structure);
    }
    let name = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let (format, values) = if bytes.starts_with(&NEW_VALUES) {
        rest.take(3)?;
        ("FreeSurfer values at vertices", read_values(path, rest)?)
    } else {
        ("FreeSurfer values at vertices, old format", read_old_values(path, rest)?)
    };
    let mut file = SurfaceFile::new(format, structure);
    file.maps.push(SurfaceMap { name, values });
    Ok(file)
}

fn read_values(path: &Path, mut rest: Bytes) -> Result<Vec<f32>> {
    let count = rest.i32()?;
    let _triangles = rest.i32()?;
    let per_vertex = rest.i32()?;
    if per_vertex != 1 {
        let problem = format!("the file has {per_vertex} values per vertex");
        return Err(Error::invalid(path.display(), problem, "give a file with one value per vertex"));
    }
    let count = rest.there("values", count.into(), 4)?;
    rest.words(count, f32::from_be_bytes)
}

/// Reads the values of the vertices in the old format: the numbers of vertices and triangles with 24 bits
/// each, then each value in hundredths with 16 bits.
fn read_old_values(path: &Path, mut rest: Bytes) -> Result<Vec<f32>> {
    let all = rest.rest().len();
    // The old format does not begin with a magic number. Only the size of the file, which follows from the
    // number of vertices, identifies it.
    let count = if all < 6 { None } else { Some(rest.u24()? as usize) };
    let Some(count) = count.filter(|count| all == 6 + 2 * count) else {
        let problem = "it is neither a surface nor values at vertices of FreeSurfer";
        return Err(Error::invalid(
            path.display(),
            problem,
            "give a surface file of FreeSurfer, or a file of FreeSurfer with one value per vertex",
        ));
    };
    let _triangles = rest.u24()?;
    (0..count).map(|_| rest.i16().map(|hundredths| f32::from(hundredths) / 100.0)).collect()
}

fn read_mesh(path: &Path, mut rest: Bytes, structure: Option<Structure>) -> Result<SurfaceFile> {
    // The first line after the magic number has the author and the date. An empty line ends this text.
    let text = rest.rest();
    let end = text.windows(2).take(1 << 16).position(|two| two == b"\n\n");
    let end = end.ok_or_else(|| damaged(path, "the line about its origin does not end".to_owned()))?;
    rest.take(end + 2)?;
    let (vertices, triangles) = (rest.i32()?, rest.i32()?);
    let vertices = rest.there("vertices", vertices.into(), 12)?;
    let coordinates = rest.words(3 * vertices, f32::from_be_bytes)?;
    let triangles = rest.there("triangles", triangles.into(), 12)?;
    // Negative vertex indices become large unsigned numbers. They are rejected together with all other
    // indices that are out of range.
    let corners = rest.words(3 * triangles, u32::from_be_bytes)?;
    let mut file = SurfaceFile::new("FreeSurfer surface", structure);
    let (coordinates_are, volume) = footer(path, rest, &mut file.warnings)?;
    file.mesh = Some(StoredMesh {
        vertices: coordinates.chunks_exact(3).map(|v| [v[0], v[1], v[2]]).collect(),
        triangles: corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
        coordinates: coordinates_are,
        volume,
    });
    Ok(file)
}

/// Reads the data after the triangles: whether the coordinates are scanner coordinates, and the geometry of
/// the image volume.
fn footer(
    path: &Path,
    mut rest: Bytes,
    warnings: &mut Vec<String>,
) -> Result<(StoredCoordinates, Option<VolumeGeometry>)> {
    let mut coordinates = StoredCoordinates::Tkras;
    while rest.rest().len() >= 4 {
        match rest.i32()? {
            USES_SCANNER_COORDINATES => {
                if rest.i32()? != 0 {
                    coordinates = StoredCoordinates::Scanner;
                }
            }
            VOLUME_GEOMETRY => return Ok((coordinates, volume_geometry(path, rest.rest(), warnings)?)),
            // No other tags occur before the geometry of the image volume.
            _ => break,
        }
    }
    Ok((coordinates, None))
}

/// Reads the geometry of an image volume from eight lines `name = value`. Returns `None` if the file marks
/// the geometry as not valid.
fn volume_geometry(path: &Path, bytes: &[u8], warnings: &mut Vec<String>) -> Result<Option<VolumeGeometry>> {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 14)]);
    let value = |name: &str| {
        let with = |line: &str| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == name).then(|| value.split('#').next().unwrap_or_default().trim().to_owned())
        };
        text.lines().take(8).find_map(with)
    };
    let three = |name: &str| -> Result<[f64; 3]> {
        let words = value(name).unwrap_or_default();
        let numbers: Vec<f64> = words.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        <[f64; 3]>::try_from(numbers).ok().filter(|three| three.iter().all(|x| x.is_finite())).ok_or_else(
            || {
                let problem = format!(
                    "`{name}` of its volume is `{}`, which is not three numbers",
                    printable(&words, 60)
                );
                damaged(path, problem)
            },
        )
    };
    if value("valid").is_none_or(|valid| !valid.starts_with('1')) {
        warnings.push("its volume geometry is marked as not valid".to_owned());
        return Ok(None);
    }
    let shape = three("volume")?;
    if shape.iter().any(|n| n.fract() != 0.0 || !(1.0..=1e6).contains(n)) {
        return Err(damaged(path, format!("{shape:?} is not a possible size of its volume")));
    }
    let geometry = VolumeGeometry {
        shape: shape.map(|n| n as usize),
        voxel_sizes: three("voxelsize")?,
        axes: [three("xras")?, three("yras")?, three("zras")?],
        centre: three("cras")?,
    };
    geometry.tkras_to_scanner().map_err(|e| e.about(path.display()))?;
    Ok(Some(geometry))
}

/// Writes the content of a surface file, if it is a mesh or one map. A mesh needs the image volume to which its
/// coordinates refer.
pub(crate) fn write_output(output: &SurfaceOutput<'_>) -> Result<()> {
    let SurfaceOutput { path, file, .. } = output;
    match (&output.surface, file.maps.as_slice(), file.labels.as_slice()) {
        (Some(surface), [], []) => {
            let volume = file.mesh.as_ref().and_then(|mesh| mesh.volume);
            let reference = output.reading.reference.map(VolumeGeometry::of_grid);
            let volume = volume.or(reference).ok_or_else(|| {
                let problem = "FreeSurfer's coordinates are with respect to a volume, which is not known";
                Error::usage(path.display(), problem, "name it (orig.mgz) with ‘reference’")
            })?;
            write_mesh(path, surface, &volume)
        }
        (None, [map], []) => write_values(path, map),
        _ => Err(output.refuse("FreeSurfer's files hold a mesh or one map")),
    }
}

/// Writes a surface in FreeSurfer's surface coordinates (tkRAS) of an image volume.
fn write_mesh(path: &Path, surface: &Surface, volume: &VolumeGeometry) -> Result<()> {
    let transform = volume.scanner_to_tkras().map_err(|e| e.about(path.display()))?;
    // The order of the three vertices of each triangle is not changed, because FreeSurfer reads files with
    // either order. Only if the image volume is mirrored, tkRAS coordinates are mirrored relative to scanner
    // coordinates.
    let surface = surface.clone().transformed(&transform);
    let mut bytes = TRIANGLES.to_vec();
    bytes.extend_from_slice(b"created by arcuate\n\n");
    let too_many =
        |_| Error::invalid(path.display(), "the surface has too many vertices or triangles", "write GIFTI");
    for count in [surface.vertices().len(), surface.triangles().len()] {
        bytes.extend(i32::try_from(count).map_err(too_many)?.to_be_bytes());
    }
    bytes.extend(surface.vertices().iter().flatten().flat_map(|x| x.to_be_bytes()));
    bytes.extend(surface.triangles().iter().flatten().flat_map(|n| n.to_be_bytes()));
    for word in [USES_SCANNER_COORDINATES, 0, VOLUME_GEOMETRY] {
        bytes.extend(word.to_be_bytes());
    }
    let [nx, ny, nz] = volume.shape;
    let mut text = format!("valid = 1  # volume info valid\nfilename = unknown\nvolume = {nx} {ny} {nz}\n");
    let lines = [("voxelsize", volume.voxel_sizes)].into_iter();
    let axes = ["xras  ", "yras  ", "zras  "].into_iter().zip(volume.axes);
    for (name, [x, y, z]) in lines.chain(axes).chain([("cras  ", volume.centre)]) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name} = {x:.15e} {y:.15e} {z:.15e}");
    }
    bytes.extend_from_slice(text.as_bytes());
    write_file(path, bytes)
}

/// Writes vertex values as 32-bit floating-point numbers.
fn write_values(path: &Path, map: &SurfaceMap) -> Result<()> {
    let count = i32::try_from(map.values.len())
        .map_err(|_| Error::invalid(path.display(), "it has too many vertices", "write GIFTI"))?;
    let mut bytes = NEW_VALUES.to_vec();
    // The number of triangles is unknown here and is written as 0, because readers do not need it.
    for word in [count, 0, 1] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend(map.values.iter().flat_map(|value| value.to_be_bytes()));
    write_file(path, bytes)
}
