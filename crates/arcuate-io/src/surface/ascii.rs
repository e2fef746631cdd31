//! Reads and writes the text format for surfaces of FreeSurfer (`.asc`, `.srf`) and FSL. The first line is
//! `#!ascii`, and the second line has the numbers of vertices and triangles. Each vertex has a line `x y z
//! value`, and each triangle has a line `i j k value`.

use super::file::{StoredCoordinates, StoredMesh, SurfaceFile};
use super::output::SurfaceOutput;
use super::vtk;
use crate::AtomicFile;
use crate::xml::damaged;
use arcuate_core::{Error, Result, Structure, Surface, SurfaceMap, printable};
use std::io::Write;
use std::path::Path;

/// The beginning of a file.
pub(super) const MAGIC: &[u8] = b"#!ascii";

/// Reads a surface in text form: in this format or, as its beginning states, in VTK's.
pub(crate) fn read_text(path: &Path, bytes: &[u8], structure: Option<Structure>) -> Result<SurfaceFile> {
    if bytes.starts_with(vtk::MAGIC) {
        vtk::read(path, bytes, structure)
    } else {
        read(path, bytes, structure)
    }
}

/// Writes the content of a surface file, if it is a mesh with at most one map.
pub(crate) fn write_output(output: &SurfaceOutput<'_>) -> Result<()> {
    match (&output.surface, output.file.maps.as_slice(), output.file.labels.as_slice()) {
        (Some(surface), [], []) => write(output.path, surface, None),
        (Some(surface), [map], []) => write(output.path, surface, Some(map)),
        _ => Err(output.refuse("a surface in text form holds a mesh and one map at most")),
    }
}

/// Reads a surface. If the value of at least one vertex is not 0, reads the values, too. The file does not
/// specify its coordinate space.
fn read(path: &Path, bytes: &[u8], structure: Option<Structure>) -> Result<SurfaceFile> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    if !text.starts_with("#!ascii") {
        let problem = "it does not begin with `#!ascii`";
        return Err(Error::invalid(
            path.display(),
            problem,
            "give a surface of FreeSurfer or FSL in text form",
        ));
    }
    let mut row = || -> Result<(usize, Vec<&str>)> {
        let (number, line) =
            lines.next().ok_or_else(|| damaged(path, "it has fewer lines than it claims".to_owned()))?;
        Ok((number + 1, line.split_whitespace().collect()))
    };
    let (_, counts) = row()?;
    let count = |n: usize| -> Result<usize> {
        let word = counts.get(n).copied().unwrap_or_default();
        // The stated numbers of vertices and triangles are compared with the size of the file: each of their
        // lines has at least seven characters.
        word.parse().ok().filter(|count: &usize| *count <= bytes.len() / 7).ok_or_else(|| {
            damaged(path, format!("it claims `{}` vertices or triangles", printable(word, 40)))
        })
    };
    let (vertices, triangles) = (count(0)?, count(1)?);
    let wrong =
        |line: usize| damaged(path, format!("line {line} does not hold the numbers that belong there"));
    let mut stored = (Vec::new(), Vec::new());
    let mut values = Vec::new();
    for _ in 0..vertices {
        let (number, words) = row()?;
        let numbers: Option<Vec<f32>> = words.iter().map(|word| word.parse().ok()).collect();
        let (place, value) = match numbers.as_deref() {
            Some([x, y, z]) => ([*x, *y, *z], 0.0),
            Some([x, y, z, value]) => ([*x, *y, *z], *value),
            _ => return Err(wrong(number)),
        };
        stored.0.push(place);
        values.push(value);
    }
    for _ in 0..triangles {
        let (number, words) = row()?;
        let corners: Option<Vec<u32>> = words.iter().take(3).map(|word| word.parse().ok()).collect();
        match corners.as_deref() {
            Some([a, b, c]) if words.len() <= 4 => stored.1.push([*a, *b, *c]),
            _ => return Err(wrong(number)),
        }
    }
    let mut file = SurfaceFile::new("surface in text form", structure);
    file.mesh = Some(StoredMesh {
        vertices: stored.0,
        triangles: stored.1,
        coordinates: StoredCoordinates::Unknown,
        volume: None,
    });
    if values.iter().any(|value| *value != 0.0) {
        file.maps.push(SurfaceMap { name: String::new(), values });
    }
    Ok(file)
}

/// Writes a surface in scanner mm, which FSL calls `--meshspace=caret`. If `map` is given, the value of each
/// vertex is that of the map. If not, it is 0.
fn write(path: &Path, surface: &Surface, map: Option<&SurfaceMap>) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    let mut text = || -> std::io::Result<()> {
        writeln!(file, "#!ascii version of a surface in scanner mm")?;
        writeln!(file, "{} {}", surface.vertices().len(), surface.triangles().len())?;
        for (n, [x, y, z]) in surface.vertices().iter().enumerate() {
            writeln!(file, "{x} {y} {z} {}", map.map_or(0.0, |map| map.values[n]))?;
        }
        for [a, b, c] in surface.triangles() {
            writeln!(file, "{a} {b} {c} 0")?;
        }
        Ok(())
    };
    text().map_err(|e| Error::write(path, e))?;
    file.finish()
}
