//! Reads surfaces in VTK's legacy text format, as FSL's program FIRST writes them. A file has a section
//! `POINTS`, a section `POLYGONS` with three vertices per polygon, and optionally a value for each point
//! after `LOOKUP_TABLE`. These files can only be read.

use super::file::{StoredCoordinates, StoredMesh, SurfaceFile};
use crate::xml::damaged;
use arcuate_core::{Error, Result, Structure, SurfaceMap, printable};
use std::path::Path;
use std::str::{FromStr, SplitWhitespace};

/// The beginning of the first line in every version of the VTK format.
pub(super) const MAGIC: &[u8] = b"# vtk DataFile Version";

/// Reads a surface. If the value of at least one vertex is not 0, reads the values, too. The file does not
/// specify its coordinate space.
pub(crate) fn read(path: &Path, bytes: &[u8], structure: Option<Structure>) -> Result<SurfaceFile> {
    let text = String::from_utf8_lossy(bytes);
    let form = text.lines().nth(2).unwrap_or_default().trim();
    if !bytes.starts_with(MAGIC) || form != "ASCII" {
        let problem = "it is not a surface in VTK's legacy text format";
        return Err(Error::invalid(
            path.display(),
            problem,
            "write the surface as ASCII polydata, version 3.0",
        ));
    }
    // The first line has the version of the format. The second line has the title, and the third states the
    // form of the data (text or binary).
    let body = text.lines().skip(3).collect::<Vec<_>>().join("\n");
    let mut words = Words { path, words: body.split_whitespace() };
    let maximum = bytes.len() / 2;
    let (mut points, mut triangles, mut values) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(word) = words.words.next() {
        match word {
            "DATASET" => words.expect("POLYDATA")?,
            "POINTS" => {
                let count = words.count(maximum)?;
                // The number type of the points is skipped, because it does not matter in a text file.
                words.next()?;
                for _ in 0..count {
                    points.push([words.number()?, words.number()?, words.number()?]);
                }
            }
            "POLYGONS" => {
                let count = words.count(maximum)?;
                words.count(bytes.len())?;
                for _ in 0..count {
                    words.expect("3")?;
                    triangles.push([words.number()?, words.number()?, words.number()?]);
                }
            }
            "LOOKUP_TABLE" if values.is_empty() => {
                words.next()?;
                for _ in 0..points.len() {
                    values.push(words.number::<f32>()?);
                }
            }
            // Headers of data sections, and sections that do not belong to a mesh, are skipped.
            _ => {}
        }
    }
    let mut file = SurfaceFile::new("VTK, text", structure);
    let coordinates = StoredCoordinates::Unknown;
    file.mesh = Some(StoredMesh { vertices: points, triangles, coordinates, volume: None });
    if values.iter().any(|value| *value != 0.0) {
        file.maps.push(SurfaceMap { name: String::new(), values });
    }
    Ok(file)
}

struct Words<'a> {
    path: &'a Path,
    words: SplitWhitespace<'a>,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Result<&'a str> {
        self.words.next().ok_or_else(|| damaged(self.path, "it ends in the middle".to_owned()))
    }

    fn number<T: FromStr>(&mut self) -> Result<T> {
        let word = self.next()?;
        let wrong =
            || damaged(self.path, format!("it has `{}`, but a number is expected", printable(word, 40)));
        word.parse().map_err(|_| wrong())
    }

    /// Reads a number of items (such as vertices), which must not exceed `maximum`.
    fn count(&mut self, maximum: usize) -> Result<usize> {
        let count: usize = self.number()?;
        if count <= maximum {
            return Ok(count);
        }
        Err(damaged(self.path, format!("it claims {count} points or polygons")))
    }

    fn expect(&mut self, expected_word: &str) -> Result<()> {
        let word = self.next()?;
        if word == expected_word {
            return Ok(());
        }
        let problem = format!("the file has `{}` where {expected_word} is expected", printable(word, 40));
        Err(Error::invalid(self.path.display(), problem, "give a surface of triangles"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESH: &str = "# vtk DataFile Version 3.0\nthis file\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0\n1 0 0\n\
                        0 1 0\n0 0 1.5\nPOLYGONS 2 8\n3 0 1 2\n3 0 2 3\n";

    fn parsed(text: &str) -> Result<SurfaceFile> {
        read(Path::new("first.vtk"), text.as_bytes(), None)
    }

    #[test]
    fn meshes_of_fsl_first_are_read_with_values() {
        let file = parsed(MESH).unwrap();
        let mesh = file.mesh.unwrap();
        assert_eq!(mesh.vertices[3], [0.0, 0.0, 1.5]);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert!(file.maps.is_empty());
        let values = "POINT_DATA 4\nSCALARS Scalars float\nLOOKUP_TABLE default\n0\n2\n0\n1\n";
        assert_eq!(parsed(&format!("{MESH}{values}")).unwrap().maps[0].values, [0.0, 2.0, 0.0, 1.0]);
    }

    #[test]
    fn damaged_files_give_one_line_errors() {
        for (text, expected) in [
            (MESH.replace("POINTS 4", "POINTS 4000000000"), "it claims 4000000000"),
            (MESH.replace("3 0 2 3\n", ""), "it ends in the middle"),
            (MESH.replace("3 0 1 2", "4 0 1 2"), "the file has `4` where 3 is expected"),
            (MESH.replace("1.5", "x"), "it has `x`, but a number is expected"),
            (MESH.replace("ASCII", "BINARY"), "legacy text form"),
        ] {
            let error = parsed(&text).unwrap_err().to_string();
            assert!(error.starts_with("first.vtk: ") && error.contains(expected), "{error}");
        }
    }
}
