//! Connectivity-based parcellation: assigns a label to each row (seed) of a connectivity matrix, and writes
//! the labels.

use arcuate_connect::{ClusterOptions, RowClusters, biggest_columns, cluster_rows};
use arcuate_core::{
    Axis, ConnectivityMatrix, ElementKind, Error, Grid, NamedLabel, Result, Structure, SurfaceLabels, Volume,
    cell, checked, narrow,
};
use arcuate_io::{
    CiftiAxis, CiftiFile, CiftiMap, CiftiWriter, SurfaceFile, SurfaceReading, WriteOptions, describe_image,
    has_ending, is_cifti_name, is_image_name, is_surface_name, read_surface_file, write_file, write_image,
    write_surface_file,
};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Label of each row of a connectivity matrix, and the names of the labels.
#[derive(Debug, Clone, PartialEq)]
pub struct RowLabels {
    /// Label of each matrix row. It is 0 for rows without connections.
    pub labels: Vec<u32>,
    /// Name of each label.
    pub names: BTreeMap<u32, String>,
    /// Result of the k-means clustering. `None` if the rows were not clustered.
    pub clusters: Option<RowClusters>,
}

/// Assigns a label to each row of a connectivity matrix, using the values of its first measure. If `clusters`
/// is given, rows are labelled by k-means clustering. If not, the label of a row is the column with its
/// largest value.
pub fn label_rows(matrix: &ConnectivityMatrix, clusters: Option<&ClusterOptions>) -> Result<RowLabels> {
    let measure = matrix.measures().next().ok_or_else(|| {
        Error::invalid("matrix", "the matrix has no values", "give a matrix with counts or another measure")
    })?;
    if let Some(options) = clusters {
        let found = cluster_rows(matrix, measure, options)?;
        let names = (1..=narrow::<u32>(options.clusters)).map(|n| (n, format!("cluster {n}"))).collect();
        return Ok(RowLabels { labels: found.labels.clone(), names, clusters: Some(found) });
    }
    let labels = biggest_columns(matrix, measure)?;
    let columns = matrix.columns();
    let name = |&label: &u32| {
        let place = label as usize - 1;
        let word = columns.kind().word();
        let name =
            columns.name(place).map_or_else(|| format!("{word} {}", columns.numbers()[place]), str::to_owned);
        (label, name)
    };
    let names = labels.iter().filter(|label| **label != 0).map(name).collect();
    Ok(RowLabels { labels, names, clusters: None })
}

/// Checks whether a file name is that of a table (`.tsv`).
fn is_table_name(path: &Path) -> bool {
    has_ending(path, &[".tsv"])
}

/// Writes the labels of the matrix rows. The file ending selects the format: an image, labels of surface
/// vertices (`.label.gii`), CIFTI-2 (`.dlabel.nii`), or a table with one line per matrix row (`.tsv`). All
/// formats except the table need the file `like`. It is an image, surface or CIFTI-2 file that contains the
/// voxels or vertices of the rows.
///
/// The voxel or vertex of a matrix row is found as follows. In an image, the voxel index is the number of the
/// row; if the row name is a position in FSL's format, this position is used. On a surface, the vertex is the
/// number of the row, or the last number of a name in FSL's format. In CIFTI-2, the rows have the order of
/// the vertices and voxels of `like`.
pub fn write_row_labels(
    path: &Path,
    rows: &Axis,
    labels: &RowLabels,
    like: Option<&Path>,
    options: &WriteOptions,
) -> Result<()> {
    if is_table_name(path) {
        if like.is_some() {
            return Err(Error::usage(
                "‘like’",
                "a table of labels does not need voxels or vertices",
                "leave it out",
            ));
        }
        return write_file(path, table(rows, labels));
    }
    let like = like.ok_or_else(|| {
        let advice =
            "name the image, surface or CIFTI-2 file of the rows with ‘like’, or write a table (.tsv)";
        Error::usage(path.display(), "the voxels or vertices of the matrix rows are not known", advice)
    })?;
    if is_cifti_name(path) {
        as_cifti(path, rows, labels, like)
    } else if is_surface_name(path) {
        as_surface(path, rows, labels, like)
    } else if is_image_name(path) {
        let grid = describe_image(like)?.grid;
        as_image(path, rows, labels, like, &grid, options)
    } else {
        let advice = "use a file name that ends in .nii.gz, .label.gii, .dlabel.nii or .tsv";
        Err(Error::usage(path.display(), "the ending of this file name is not a format of labels", advice))
    }
}

fn table(rows: &Axis, RowLabels { labels, names, .. }: &RowLabels) -> String {
    let mut text = format!("place\t{}\tname\tlabel\tlabel_name\n", rows.kind().word());
    for (place, label) in labels.iter().enumerate() {
        let name = cell(rows.name(place).unwrap_or_default());
        let of_label = cell(names.get(label).map_or("", String::as_str));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{place}\t{}\t{name}\t{label}\t{of_label}", rows.numbers()[place]);
    }
    text
}

/// Parses a row name that is a position in FSL's format: three or five whole numbers. Returns `None` for
/// other names.
fn place_of(name: &str) -> Option<Vec<i64>> {
    let numbers: Option<Vec<i64>> = name
        .split(' ')
        .map(|word| word.parse::<f64>().ok().filter(|n| n.fract() == 0.0).map(|n| n as i64))
        .collect();
    numbers.filter(|numbers| [3, 5].contains(&numbers.len()))
}

fn wrong_like(like: &Path, problem: String) -> Error {
    Error::invalid(like.display(), problem, "give the file whose voxels or vertices are the matrix rows")
}

fn as_image(
    path: &Path,
    rows: &Axis,
    labels: &RowLabels,
    like: &Path,
    grid: &Grid,
    options: &WriteOptions,
) -> Result<()> {
    let [nx, ny, nz] = grid.shape();
    let voxel = |place: usize| -> Result<usize> {
        let number = rows.numbers()[place];
        if rows.kind() == ElementKind::Voxel {
            let there = usize::try_from(number).ok().filter(|&voxel| voxel < grid.len());
            return there
                .ok_or_else(|| wrong_like(like, format!("it has no voxel {number}, which row {place} is")));
        }
        let Some(numbers) = rows.name(place).and_then(place_of) else {
            let problem = format!("row {place} of the matrix (counted from 0) has no voxel");
            return Err(wrong_like(like, problem));
        };
        let shape = [nx, ny, nz];
        let inside = (0..3).all(|axis| (0..shape[axis] as i64).contains(&numbers[axis]));
        if !inside {
            return Err(wrong_like(
                like,
                format!("it has no voxel {:?}, which row {place} is", &numbers[..3]),
            ));
        }
        Ok(grid.index(std::array::from_fn(|axis| numbers[axis] as usize)))
    };
    let places: Vec<usize> = (0..rows.len()).map(voxel).collect::<Result<_>>()?;
    let mut values = vec![0u32; grid.len()];
    places.into_iter().zip(&labels.labels).for_each(|(voxel, &label)| values[voxel] = label);
    write_image(path, &Volume::new(*grid, 1, values)?, options)
}

/// Returns the colour of a label, as red, green, blue and opacity. The hues of successive labels differ by
/// the golden ratio times the full colour circle, so that they are easy to distinguish.
fn colour(label: u32) -> [f32; 4] {
    let hue = 6.0 * (f64::from(label) * 0.618_033_988_749_895).fract();
    let channel = |shift: f64| (((hue + shift) % 6.0 - 3.0).abs() - 1.0).clamp(0.0, 1.0) as f32;
    [channel(0.0), channel(4.0), channel(2.0), 1.0]
}

/// Returns the label table of a surface parcellation, with the name and the colour of each label. Label 0
/// means no region.
pub fn label_table(names: &BTreeMap<u32, String>) -> BTreeMap<i32, NamedLabel> {
    let none = (0, NamedLabel { name: "???".to_owned(), colour: [0.0; 4] });
    let of = |(&label, name): (&u32, &String)| {
        (narrow::<i32>(label), NamedLabel { name: name.clone(), colour: colour(label) })
    };
    std::iter::once(none).chain(names.iter().map(of)).collect()
}

fn as_surface(path: &Path, rows: &Axis, labels: &RowLabels, like: &Path) -> Result<()> {
    let file = read_surface_file(like)?;
    let of_maps =
        file.maps.first().map(|map| map.values.len()).or(file.labels.first().map(|map| map.values.len()));
    let count = file.mesh.as_ref().map(|mesh| mesh.vertices.len()).or(of_maps).unwrap_or(0);
    let structure: Option<Structure> = file.structure;
    let mut values = vec![0i32; count];
    let mut region = None;
    for (place, &label) in labels.labels.iter().enumerate() {
        let vertex = match rows.name(place).and_then(place_of).as_deref() {
            _ if rows.kind() == ElementKind::Vertex => rows.numbers()[place],
            Some([_, _, _, of_region, vertex]) if *vertex >= 0 => {
                if *region.get_or_insert(*of_region) != *of_region {
                    let problem = "the rows of the matrix are of several regions of interest".to_owned();
                    return Err(wrong_like(like, problem));
                }
                *vertex as u64
            }
            _ => {
                let problem = format!("row {place} of the matrix (counted from 0) has no vertex");
                return Err(wrong_like(like, problem));
            }
        };
        let slot = usize::try_from(vertex).ok().and_then(|vertex| values.get_mut(vertex));
        *slot
            .ok_or_else(|| wrong_like(like, format!("it has no vertex {vertex}, which row {place} is")))? =
            checked::<i32>(label, path.display(), "regions")?;
    }
    let map = SurfaceLabels { name: "parcellation".to_owned(), values, table: label_table(&labels.names) };
    let written = SurfaceFile {
        format: "GIFTI",
        structure,
        kind: None,
        mesh: None,
        maps: Vec::new(),
        labels: vec![map],
        warnings: Vec::new(),
    };
    write_surface_file(path, like, &written, SurfaceReading::default())
}

fn as_cifti(path: &Path, rows: &Axis, labels: &RowLabels, like: &Path) -> Result<()> {
    let file = CiftiFile::open(like)?;
    let CiftiAxis::BrainModels(models) = file.rows() else {
        return Err(wrong_like(like, "its rows are not vertices and voxels".to_owned()));
    };
    if models.len() != rows.len() {
        let problem =
            format!("it has {} vertices and voxels, but the matrix has {} rows", models.len(), rows.len());
        return Err(wrong_like(like, problem));
    }
    let map = CiftiMap { name: "parcellation".to_owned(), table: label_table(&labels.names) };
    let mut writer = CiftiWriter::create(path, file.rows(), &CiftiAxis::Labels(vec![map]))?;
    labels.labels.iter().try_for_each(|&label| writer.write_row(&[label as f32]))?;
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_connect::ClusterOptions;
    use arcuate_core::{Affine, BrainElements, BrainModel, BrainModels, Measure, Surface};
    use arcuate_io::{read_labels, read_matrix};

    fn matrix(rows: Axis) -> ConnectivityMatrix {
        let columns = Axis::new(ElementKind::File, vec![0, 1], vec!["a".into(), String::new()]).unwrap();
        let values = vec![(Measure::Count, vec![5.0, 1.0, 0.0, 0.0, 1.0, 4.0])];
        ConnectivityMatrix::dense(rows, Some(columns), values).unwrap()
    }

    fn axis(kind: ElementKind, numbers: [u64; 3], names: &[&str]) -> Axis {
        Axis::new(kind, numbers.to_vec(), names.iter().map(|&name| name.to_owned()).collect()).unwrap()
    }

    #[test]
    fn rows_have_labels_with_names() {
        let of = matrix(axis(ElementKind::Element, [0, 1, 2], &["x", "y", "z"]));
        let labels = label_rows(&of, None).unwrap();
        assert_eq!(labels.labels, [1, 0, 2]);
        assert_eq!(labels.names, BTreeMap::from([(1, "a".to_owned()), (2, "file 1".to_owned())]));
        let clusters = label_rows(&of, Some(&ClusterOptions::new(2))).unwrap();
        assert_eq!(clusters.labels, [1, 0, 2]);
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("a.tsv");
        write_row_labels(&out, of.rows(), &labels, None, &WriteOptions::default()).unwrap();
        assert_eq!(
            std::fs::read_to_string(&out).unwrap(),
            "place\telement\tname\tlabel\tlabel_name\n0\t0\tx\t1\ta\n1\t1\ty\t0\t\n2\t2\tz\t2\tfile 1\n"
        );
        let like = Some(Path::new("x.nii"));
        assert!(write_row_labels(&out, of.rows(), &labels, like, &WriteOptions::default()).is_err());
        let image = folder.path().join("a.nii");
        let error = write_row_labels(&image, of.rows(), &labels, None, &WriteOptions::default()).unwrap_err();
        assert_eq!(error.problem(), "the voxels or vertices of the matrix rows are not known");
    }

    #[test]
    fn row_labels_are_written_at_the_positions_of_the_rows() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let options = WriteOptions::default();
        // The labels are written as an image. The voxel of a row is found by the number of the row, and by a
        // position in its name.
        let grid = Grid::new([2, 3, 4], Affine::identity()).unwrap();
        write_image(&at("like.nii"), &Volume::new(grid, 1, vec![0u8; 24]).unwrap(), &options).unwrap();
        for rows in [
            axis(ElementKind::Voxel, [1, 9, 23], &[]),
            axis(ElementKind::Element, [0, 1, 2], &["1 0 0 0 1", "1 1 1 0 2", "1 2 3 0 3"]),
        ] {
            let of = matrix(rows);
            let labels = label_rows(&of, None).unwrap();
            write_row_labels(&at("out.nii"), of.rows(), &labels, Some(&at("like.nii")), &options).unwrap();
            let written = read_labels(&at("out.nii")).unwrap();
            assert_eq!((written.values()[1], written.values()[9], written.values()[23]), (1, 0, 2));
        }
        let labels = label_rows(&matrix(axis(ElementKind::Voxel, [1, 9, 23], &[])), None).unwrap();
        let error = |rows: &Axis, out: &str, like: &str| {
            let written = write_row_labels(&at(out), rows, &labels, Some(&at(like)), &options);
            written.unwrap_err().problem().to_owned()
        };
        let unknown = Axis::unknown(3).unwrap();
        assert_eq!(error(&unknown, "o.nii", "like.nii"), "row 0 of the matrix (counted from 0) has no voxel");
        let far = axis(ElementKind::Voxel, [1, 9, 24], &[]);
        assert_eq!(error(&far, "o.nii", "like.nii"), "it has no voxel 24, which row 2 is");
        let companion_path = axis(ElementKind::Element, [0, 1, 2], &["1 0 0", "1 3 1", "1 2 3"]);
        assert_eq!(error(&companion_path, "o.nii", "like.nii"), "it has no voxel [1, 3, 1], which row 1 is");
        // The labels are written for a surface. The vertex of a row is found by the number of the row, and by
        // a name in FSL's format.
        let surface = Surface::new(vec![[0.0; 3]; 5], Vec::new(), Some(Structure::CORTEX_LEFT)).unwrap();
        let mesh = arcuate_io::StoredMesh {
            vertices: surface.vertices().to_vec(),
            triangles: Vec::new(),
            coordinates: arcuate_io::StoredCoordinates::Scanner,
            volume: None,
        };
        let file = SurfaceFile {
            format: "GIFTI",
            structure: Some(Structure::CORTEX_LEFT),
            kind: None,
            mesh: Some(mesh),
            maps: Vec::new(),
            labels: Vec::new(),
            warnings: Vec::new(),
        };
        write_surface_file(&at("like.surf.gii"), &at("x"), &file, SurfaceReading::default()).unwrap();
        for rows in [
            axis(ElementKind::Vertex, [0, 2, 4], &[]),
            axis(ElementKind::Element, [0, 1, 2], &["9 9 9 0 0", "9 9 9 0 2", "9 9 9 0 4"]),
        ] {
            write_row_labels(&at("out.label.gii"), &rows, &labels, Some(&at("like.surf.gii")), &options)
                .unwrap();
            let written = read_surface_file(&at("out.label.gii")).unwrap();
            assert_eq!(written.labels[0].values, [1, 0, 0, 0, 2]);
            assert_eq!(written.labels[0].table[&2].name, "file 1");
            assert_eq!(written.structure, Some(Structure::CORTEX_LEFT));
        }
        let problem = "row 0 of the matrix (counted from 0) has no vertex";
        assert_eq!(error(&unknown, "o.label.gii", "like.surf.gii"), problem);
        let several = axis(ElementKind::Element, [0, 1, 2], &["9 9 9 0 0", "9 9 9 1 2", "9 9 9 0 4"]);
        let problem = "the rows of the matrix are of several regions of interest";
        assert_eq!(error(&several, "o.label.gii", "like.surf.gii"), problem);
        assert_eq!(
            error(&far, "o.txt", "like.nii"),
            "the ending of this file name is not a format of labels"
        );
        // The labels are written in CIFTI-2 format. The rows have the order of the vertices in the file.
        let elements = BrainElements::Vertices { surface: 5, numbers: vec![4, 1, 0] };
        let model = BrainModel { structure: Structure::CORTEX_LEFT, elements };
        let models = CiftiAxis::BrainModels(BrainModels::new(vec![model], None).unwrap());
        let scalars = CiftiAxis::Scalars(vec!["a".to_owned()]);
        let mut like = CiftiWriter::create(&at("like.dscalar.nii"), &models, &scalars).unwrap();
        (0..3).for_each(|_| like.write_row(&[0.0]).unwrap());
        like.finish().unwrap();
        write_row_labels(&at("o.dlabel.nii"), &unknown, &labels, Some(&at("like.dscalar.nii")), &options)
            .unwrap();
        let (_, written) =
            CiftiFile::open(&at("o.dlabel.nii")).unwrap().on_surface(Structure::CORTEX_LEFT).unwrap();
        assert_eq!(written[0].values, [2, 0, -1, -1, 1]);
        let problem = "it has 3 vertices and voxels, but the matrix has 4 rows";
        assert_eq!(error(&Axis::unknown(4).unwrap(), "o.dlabel.nii", "like.dscalar.nii"), problem);
        assert!(read_matrix(&at("o.dlabel.nii")).is_err());
    }
}
