//! Example rows of a connectivity matrix whose columns include vertices of surfaces. Each example row is
//! written as values at the vertices, and shows the connections of one seed.

use crate::matrix_elements::{ElementList, ElementsOfPart};
use crate::output_files::{Kind, OutputFile};
use crate::stages::tracking::region_name;
use crate::surface_files::file_of_maps;
use arcuate_core::{MatrixRowSink, Result, SurfaceMap};
use arcuate_io::{SurfaceFile, SurfaceReading, write_surface_file};
use std::path::{Path, PathBuf};

/// Maximum number of rows that are kept.
const MOST: usize = 8;

/// Returns, for each surface, the name of the file of values at its vertices. If surfaces have the same name,
/// a number is appended.
pub(crate) fn names(surfaces: &[PathBuf]) -> Vec<String> {
    let stems: Vec<String> = surfaces.iter().map(|path| region_name(path)).collect();
    let name = |(n, stem): (usize, &String)| {
        let before = stems[..n].iter().filter(|other| *other == stem).count();
        let number = if before == 0 { String::new() } else { format!("_{}", before + 1) };
        format!("matrix_rows_on_{stem}{number}.func.gii")
    };
    stems.iter().enumerate().map(name).collect()
}

/// Describes the files. The report shows their values.
pub(crate) fn output_files(surfaces: &[PathBuf]) -> Vec<OutputFile> {
    let file = |(name, surface): (String, &PathBuf)| {
        let title = format!("Some rows of the matrix on {}", crate::record::name_of(surface));
        let surfaces = vec![surface.display().to_string().into()];
        OutputFile::shown(
            name,
            title,
            Kind::Vertices { surfaces, quantity: "streamlines".into(), places: Vec::new() },
        )
    };
    names(surfaces).into_iter().zip(surfaces).map(file).collect()
}

/// Matrix rows with the most streamlines. The matrix is divided into [`MOST`] equal ranges of rows. The row
/// with the most streamlines in each range is kept. If several rows of a range have the same number of
/// streamlines, the first of these rows is kept.
#[derive(Debug)]
pub(crate) struct ExampleRows {
    /// Path of each surface, and the file of the values at its vertices.
    files: Vec<(PathBuf, PathBuf)>,
    rows: ElementList,
    /// Vertices and voxels of the matrix columns. `None` if the columns are the same as the rows.
    columns: Option<ElementList>,
    count: usize,
    kept: [Option<Row>; MOST],
}

#[derive(Debug)]
struct Row {
    number: usize,
    total: f64,
    columns: Vec<u32>,
    counts: Vec<f64>,
}

impl ExampleRows {
    /// Creates an empty set of example rows, which are written to files in `folder`. The matrix columns must
    /// contain vertices of the surfaces.
    pub(crate) fn new(
        surfaces: &[PathBuf],
        folder: &Path,
        rows: ElementList,
        columns: Option<ElementList>,
    ) -> Self {
        let files = names(surfaces)
            .into_iter()
            .zip(surfaces)
            .map(|(name, surface)| (surface.clone(), folder.join(name)));
        let count = rows.parts().map(|part| part.len()).sum();
        Self { files: files.collect(), rows, columns, count, kept: [const { None }; MOST] }
    }

    /// Writes the files of values. Returns the positions, in mm, of the seeds of the example rows.
    pub(crate) fn finish(self) -> Result<Vec<[f64; 3]>> {
        let rows: Vec<&Row> = self.kept.iter().flatten().collect();
        let columns = self.columns.as_ref().unwrap_or(&self.rows);
        for (surface, path) in &self.files {
            let Some(mut file) = empty(surface, columns, &rows, &self.rows) else { continue };
            for (map, row) in file.maps.iter_mut().zip(&rows) {
                fill(map, surface, columns, row);
            }
            write_surface_file(path, surface, &file, SurfaceReading::default())?;
        }
        let places = self.rows.places(0.0);
        Ok(rows.iter().map(|row| places[row.number]).collect())
    }
}

/// Creates a file of values for `surface`, with one map of zeros for each example row. Returns `None` if no
/// matrix column is a vertex of this surface.
fn empty(surface: &Path, columns: &ElementList, rows: &[&Row], names: &ElementList) -> Option<SurfaceFile> {
    let of_it = columns.parts().find_map(|part| match part {
        ElementsOfPart::Vertices { file, surface: mesh, .. } if file == surface => Some(mesh),
        _ => None,
    })?;
    let map = |row: &&Row| SurfaceMap {
        name: format!("from {}", names.element_text(row.number)),
        values: vec![0.0; of_it.vertices().len()],
    };
    // If the matrix has no entries, the file of values has one map of zeros with the name "no streamline".
    let none = || SurfaceMap { name: "no streamline".into(), values: vec![0.0; of_it.vertices().len()] };
    let maps = if rows.is_empty() { vec![none()] } else { rows.iter().map(map).collect() };
    let structure = of_it.structure();
    Some(file_of_maps(structure, maps))
}

/// Writes the counts of streamlines in an example row to the values at the vertices of a surface.
fn fill(map: &mut SurfaceMap, surface: &Path, columns: &ElementList, row: &Row) {
    let mut first = 0;
    for part in columns.parts() {
        if let ElementsOfPart::Vertices { file, vertices, .. } = part
            && file == surface
        {
            let begin = row.columns.partition_point(|&column| (column as usize) < first);
            for (&column, &count) in row.columns[begin..].iter().zip(&row.counts[begin..]) {
                let Some(&vertex) = vertices.get(column as usize - first) else { break };
                map.values[vertex as usize] = count as f32;
            }
        }
        first += part.len();
    }
}

impl MatrixRowSink for ExampleRows {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        let Some(counts) = values.first() else { return Ok(()) };
        let share = (row * MOST / self.count.max(1)).min(MOST - 1);
        let total: f64 = counts.iter().sum();
        let kept = &mut self.kept[share];
        if total > kept.as_ref().map_or(0.0, |kept| kept.total) {
            *kept = Some(Row { number: row, total, columns: columns.to_vec(), counts: counts.clone() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regions::RegionFile;
    use crate::surface_files::write_tetrahedron;
    use arcuate_core::Structure;
    use arcuate_io::read_surface_file;
    use std::fs;

    #[test]
    fn the_largest_row_of_each_group_is_shown_on_its_surfaces() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("r")).unwrap();
        let surfaces = [at("white.surf.gii"), at("r/white.surf.gii")];
        write_tetrahedron(&surfaces[0], Structure::CORTEX_LEFT, 0.0);
        write_tetrahedron(&surfaces[1], Structure::CORTEX_RIGHT, 0.0);
        assert_eq!(names(&surfaces), ["matrix_rows_on_white.func.gii", "matrix_rows_on_white_2.func.gii"]);
        assert_eq!(output_files(&surfaces).len(), 2);
        let regions: Vec<RegionFile> = surfaces.iter().map(|path| RegionFile::of(path).unwrap()).collect();
        let list = ElementList::of_files(&regions).unwrap();
        let mut examples = ExampleRows::new(&surfaces, folder.path(), list, None);
        // The matrix has eight rows, each in a range of its own. Row 3 has no streamlines.
        for row in [0usize, 1, 2, 4, 5, 6, 7] {
            let counts = vec![row as f64 + 1.0, 10.0];
            examples.take_row(row, &[1, 6], &[counts, vec![0.5, 0.5]]).unwrap();
        }
        let places = examples.finish().unwrap();
        assert_eq!(places.len(), 7);
        assert_eq!(places[4], [3.0, 0.0, 0.0], "row 5 is vertex 1 of the second surface");
        let [left, right] =
            [&names(&surfaces)[0], &names(&surfaces)[1]].map(|name| read_surface_file(&at(name)).unwrap());
        assert_eq!(left.structure, Some(Structure::CORTEX_LEFT));
        assert_eq!((left.maps.len(), right.maps.len()), (7, 7));
        assert_eq!(left.maps[2].values, [0.0, 3.0, 0.0, 0.0]);
        assert_eq!(right.maps[2].values, [0.0, 0.0, 10.0, 0.0]);
        assert!(
            right.maps[4].name.ends_with("white.surf.gii")
                && right.maps[4].name.starts_with("from vertex 1 of ")
        );
    }

    #[test]
    fn the_first_of_several_largest_rows_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let surface = [folder.path().join("white.surf.gii")];
        write_tetrahedron(&surface[0], Structure::CORTEX_LEFT, 0.0);
        let region = RegionFile::of(&surface[0]).unwrap();
        let list = ElementList::of_files(std::slice::from_ref(&region)).unwrap();
        let mut examples = ExampleRows::new(&surface, folder.path(), list.clone(), Some(list.clone()));
        examples.count = 800;
        for (row, count) in [(0, 2.0), (50, 7.0), (99, 7.0), (100, 1.0)] {
            examples.take_row(row, &[3], &[vec![count]]).unwrap();
        }
        let kept: Vec<usize> = examples.kept.iter().flatten().map(|row| row.number).collect();
        assert_eq!(kept, [50, 100]);
        // A file of values is written even if the matrix has no entries, because the record lists the file.
        let none = ExampleRows::new(&surface, folder.path(), list.clone(), Some(list));
        assert!(none.finish().unwrap().is_empty());
        let file = read_surface_file(&folder.path().join(&names(&surface)[0])).unwrap();
        assert_eq!(file.maps[0].values, [0.0; 4]);
    }
}
