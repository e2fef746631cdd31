//! Reads and writes connectivity matrices in every supported format. The file name selects the format.

use super::axis::read_axis_tsv;
use super::dot::{dot_files, is_dot_name, read_dot, write_dot};
use super::entries::{coordinate_files, unknown_axis};
use super::oxford_sparse::{oxford_sparse_files, read_oxford_sparse, stem, write_oxford_sparse};
use super::sparse::{is_npz_name, measure_files, write_measure_npz};
use super::sparse_read::{npz_shape, read_matrix_npz};
use crate::cifti::{CiftiAxis, CiftiFile, CiftiWriter, is_cifti_name};
use crate::image_errors::too_large;
use crate::memory::tried;
use arcuate_core::{
    Axis, BrainElements, ConnectivityMatrix, ElementKind, Error, Measure, Result, SparsePattern,
    is_file_or_link, narrow,
};
use std::path::{Path, PathBuf};

/// Returns true if a file name has an ending of a connectivity matrix: `.npz` (SciPy), `.dot` (FSL),
/// `_1.mtx`, `_2.mtx`, `_3.mtx` (FSL, three files). CIFTI matrices have [their own
/// names](crate::is_cifti_name).
pub fn is_matrix_name(path: &Path) -> bool {
    is_npz_name(path) || is_dot_name(path) || oxford_sparse_files(path).is_some()
}

fn unknown_name(path: &Path) -> Error {
    let advice = "give a file that ends in .npz, .dot, _1.mtx, .dconn.nii or .pconn.nii";
    Error::usage(
        path.display(),
        "the ending of this file name is not a format of connectivity matrices",
        advice,
    )
}

/// Returns the stem of a file name (the name without extension), and two shorter stems. The shorter stems
/// lack the last word and the last two words, which `_` separates. Each stem is returned with the words that
/// it lacks.
fn stems(path: &Path) -> Vec<(String, String)> {
    let whole = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut stems = vec![(whole.clone(), String::new())];
    for (at, _) in whole.rmatch_indices('_').take(2) {
        stems.push((whole[..at].to_owned(), whole[at + 1..].to_owned()));
    }
    stems
}

/// Returns the measure that a file name states after its last `_` (`x_lengths.dot`, `x_mean_fa.npz`). If the
/// name states no measure, the measure is the number of streamlines.
fn measure_of(path: &Path) -> Measure {
    let named = stems(path).into_iter().rev().find_map(|(_, word)| Measure::of_word(&word));
    named.unwrap_or(Measure::Count)
}

/// Reads a connectivity matrix in any format as a sparse matrix. The elements of the rows and columns are
/// read from files in the same folder. For a SciPy matrix `NAME_counts.npz` or `NAME.npz`, these files are
/// the tables `NAME_regions.tsv`, or `NAME_rows.tsv` and `NAME_columns.tsv`. For FSL's matrices, they are the
/// files of coordinates. Each vertex or voxel of a CIFTI matrix becomes an element whose name states the
/// brain structure and the vertex, or the voxel. Parcels become regions.
pub fn read_matrix(path: &Path) -> Result<ConnectivityMatrix> {
    if is_npz_name(path) {
        let [rows, columns] = npz_axes(path)?;
        let rows = rows.ok_or_else(|| unknown_name(path))?;
        read_matrix_npz(path, rows, columns, measure_of(path))
    } else if is_dot_name(path) {
        read_dot(path, measure_of(path))
    } else if oxford_sparse_files(path).is_some() {
        read_oxford_sparse(path)
    } else if is_cifti_name(path) {
        read_cifti(path)
    } else {
        Err(unknown_name(path))
    }
}

/// Reads what the rows and columns of a SciPy matrix represent. The result for the columns is `None` if the
/// matrix is symmetric.
fn npz_axes(path: &Path) -> Result<[Option<Axis>; 2]> {
    for (stem, _) in stems(path) {
        let sibling = |word: &str| path.with_file_name(format!("{stem}_{word}.tsv"));
        let [rows, columns] = ["rows", "columns"].map(sibling);
        if is_file_or_link(&rows) || is_file_or_link(&columns) {
            // If no table describes the rows (or columns), only their number is known.
            let [count_of_rows, count_of_columns] = npz_shape(path)?;
            let axis = |table: &Path, count: usize| {
                if is_file_or_link(table) { read_axis_tsv(table) } else { unknown_axis(path, count) }
            };
            let of_both = [axis(&rows, count_of_rows)?, axis(&columns, count_of_columns)?];
            return Ok(of_both.map(Some));
        }
        let both =
            ElementKind::ALL.iter().map(|kind| sibling(kind.plural())).find(|path| is_file_or_link(path));
        if let Some(both) = both {
            return Ok([Some(read_axis_tsv(&both)?), None]);
        }
    }
    let [rows, columns] = npz_shape(path)?;
    Ok([Some(unknown_axis(path, rows)?), Some(unknown_axis(path, columns)?)])
}

/// Returns the paths of all files that [`write_matrix`] writes for a matrix.
pub fn matrix_files(path: &Path, matrix: &ConnectivityMatrix) -> Result<Vec<PathBuf>> {
    if is_npz_name(path) {
        measure_files(path, matrix)
    } else if is_dot_name(path) {
        Ok(dot_files(path, matrix))
    } else if let Some(files) = oxford_sparse_files(path) {
        Ok(files.to_vec())
    } else {
        Ok(vec![path.to_owned()])
    }
}

/// Returns the paths of the files in the folder of a matrix that [`read_matrix`] reads if they exist.
pub fn matrix_companions(path: &Path) -> Vec<PathBuf> {
    if is_npz_name(path) {
        let words = ["rows", "columns"].into_iter().chain(ElementKind::ALL.iter().map(|kind| kind.plural()));
        let words: Vec<&str> = words.collect();
        let of_stem = |stem: &str| words.iter().map(|word| format!("{stem}_{word}.tsv")).collect::<Vec<_>>();
        let names = stems(path).into_iter().flat_map(|(stem, _)| of_stem(&stem));
        names.map(|name| path.with_file_name(name)).collect()
    } else if is_dot_name(path) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        coordinate_files(path, &name).into()
    } else if let Some(files) = oxford_sparse_files(path) {
        let coordinates = coordinate_files(path, &stem(&files[0]));
        files.into_iter().chain(coordinates).collect()
    } else {
        Vec::new()
    }
}

/// Writes one measure of a connectivity matrix. The file name selects the format. Files in the same folder
/// describe what the rows and columns represent. FSL's three-file format stores all measures that it
/// supports. A CIFTI-2 matrix (`.dconn.nii`) gets the vertices and voxels of the CIFTI-2 file `like` as rows
/// and columns.
pub fn write_matrix(
    path: &Path,
    matrix: &ConnectivityMatrix,
    measure: &Measure,
    like: Option<&Path>,
) -> Result<()> {
    if is_cifti_name(path) {
        return write_cifti(path, matrix, measure, like);
    }
    if is_npz_name(path) {
        write_measure_npz(path, matrix, measure)
    } else if is_dot_name(path) {
        write_dot(path, matrix, measure)
    } else if oxford_sparse_files(path).is_some() {
        write_oxford_sparse(path, matrix)
    } else {
        Err(unknown_name(path))
    }
}

/// Returns the elements that the rows (or columns) of a CIFTI matrix represent. Returns `None` if they are
/// neither vertices and voxels nor parcels.
fn cifti_elements(axis: &CiftiAxis) -> Result<Option<Axis>> {
    let (kind, first, names): (_, _, Vec<String>) = match axis {
        CiftiAxis::BrainModels(models) => {
            let mut names = Vec::new();
            for model in models.models() {
                let structure = model.structure;
                match &model.elements {
                    BrainElements::Vertices { numbers, .. } => {
                        names.extend(numbers.iter().map(|vertex| format!("{structure} {vertex}")));
                    }
                    BrainElements::Voxels(voxels) => {
                        names.extend(voxels.iter().map(|[i, j, k]| format!("{structure} {i} {j} {k}")));
                    }
                }
            }
            (ElementKind::Element, 0, names)
        }
        CiftiAxis::Parcels { parcels, .. } => {
            (ElementKind::Region, 1, parcels.iter().map(|parcel| parcel.name.clone()).collect())
        }
        _ => return Ok(None),
    };
    let numbers = (first..first + names.len() as u64).collect();
    Axis::new(kind, numbers, names).map(Some)
}

fn read_cifti(path: &Path) -> Result<ConnectivityMatrix> {
    let file = CiftiFile::open(path)?;
    let (Some(rows), Some(columns)) = (cifti_elements(file.rows())?, cifti_elements(file.columns())?) else {
        let problem = "its rows or columns are neither vertices and voxels nor parcels";
        return Err(Error::invalid(
            path.display(),
            problem,
            "give a CIFTI-2 connectivity matrix (.dconn.nii or .pconn.nii)",
        ));
    };
    let mut pattern = SparsePattern { offsets: vec![0], columns: Vec::new() };
    let mut values: Vec<f64> = Vec::new();
    let mut row = vec![0.0; columns.len()];
    for n in 0..rows.len() {
        file.read_row(n, &mut row)?;
        for (column, value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            let room = tried(|| values.try_reserve(1).is_ok() && pattern.columns.try_reserve(1).is_ok());
            if !room {
                return Err(too_large(path, values.len().saturating_mul(24)));
            }
            pattern.columns.push(narrow::<u32>(column));
            values.push(*value);
        }
        pattern.offsets.push(values.len());
    }
    ConnectivityMatrix::sparse(rows, Some(columns), pattern, vec![(measure_of(path), values)])
        .map_err(|e| e.about(path.display()))
}

fn write_cifti(
    path: &Path,
    matrix: &ConnectivityMatrix,
    measure: &Measure,
    like: Option<&Path>,
) -> Result<()> {
    let like = like.ok_or_else(|| {
        let problem = "the vertices and voxels of its rows are not known";
        Error::usage(
            path.display(),
            problem,
            "as ‘reference’, give a CIFTI-2 file that has the vertices and voxels of the matrix rows",
        )
    })?;
    let file = CiftiFile::open(like)?;
    let ((CiftiAxis::BrainModels(axis), _) | (_, CiftiAxis::BrainModels(axis))) =
        (file.rows(), file.columns())
    else {
        let problem = "it has no vertices and voxels";
        return Err(Error::invalid(
            like.display(),
            problem,
            "give a CIFTI-2 file of vertices and voxels (.dscalar.nii or .dconn.nii)",
        ));
    };
    let [rows, columns] = matrix.shape();
    if rows != axis.len() || columns != axis.len() {
        let problem = format!(
            "the CIFTI-2 file has {} vertices and voxels, but the matrix has {rows} × {columns} entries",
            axis.len()
        );
        return Err(Error::invalid(
            like.display(),
            problem,
            "give a file with the vertices and voxels of \
                                                            the matrix",
        ));
    }
    let values = super::dense::values(path, matrix, measure)?;
    let axis = CiftiAxis::BrainModels(axis.clone());
    let mut writer = CiftiWriter::create(path, &axis, &axis)?;
    let whole = matrix.whole_rows();
    let (mut row, mut rounded) = (vec![0.0; columns], vec![0.0; columns]);
    for n in 0..rows {
        whole.fill(n, values, &mut row);
        rounded.iter_mut().zip(&row).for_each(|(rounded, value)| *rounded = *value as f32);
        writer.write_row(&rounded)?;
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{BrainModel, BrainModels, Structure};

    fn axis(kind: ElementKind, numbers: &[u64]) -> Axis {
        Axis::new(kind, numbers.to_vec(), Vec::new()).unwrap()
    }

    fn small(columns: Option<Axis>) -> ConnectivityMatrix {
        let pattern = SparsePattern { offsets: vec![0, 2, 3], columns: vec![0, 1, 1] };
        let values = vec![(Measure::Count, vec![1.0, 2.0, 3.0])];
        ConnectivityMatrix::sparse(axis(ElementKind::Vertex, &[4, 9]), columns, pattern, values).unwrap()
    }

    #[test]
    fn each_format_survives_a_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (n, matrix) in
            [small(None), small(Some(axis(ElementKind::Region, &[5, 6, 7])))].iter().enumerate()
        {
            let path = at(&format!("a{n}.npz"));
            write_matrix(&path, matrix, &Measure::Count, None).unwrap();
            assert!(matrix_files(&path, matrix).unwrap().iter().all(|path| path.is_file()));
            assert_eq!(&read_matrix(&path).unwrap(), matrix);
            for name in [format!("b{n}.dot"), format!("c{n}_3.mtx")] {
                write_matrix(&at(&name), matrix, &Measure::Count, None).unwrap();
                assert!(matrix_files(&at(&name), matrix).unwrap().iter().all(|path| path.is_file()));
                let read = read_matrix(&at(&name)).unwrap();
                assert_eq!(read.shape(), matrix.shape());
                for (row, column) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let of = |m: &ConnectivityMatrix| m.get(&Measure::Count, row, column);
                    assert_eq!(of(&read), of(matrix));
                }
            }
        }
        // If a table is missing, only the number of rows or columns is known. For the matrix of one measure,
        // the table that was written with another measure is found, too.
        std::fs::remove_file(at("a1_rows.tsv")).unwrap();
        let half_known = read_matrix(&at("a1.npz")).unwrap();
        assert_eq!(half_known.rows().kind(), ElementKind::Element);
        assert_eq!(half_known.columns().kind(), ElementKind::Region, "one table is better than none");
        std::fs::remove_file(at("a1_columns.tsv")).unwrap();
        assert_eq!(read_matrix(&at("a1.npz")).unwrap().columns().kind(), ElementKind::Element);
        std::fs::rename(at("a0.npz"), at("a0_mean_fa.npz")).unwrap();
        let named = read_matrix(&at("a0_mean_fa.npz")).unwrap();
        assert!(named.is_symmetric() && named.measures().eq([&Measure::Mean("fa".into())]));
        assert_eq!(named.rows().numbers(), [4, 9]);
        assert!(read_matrix(&at("a.csv")).is_err());
    }

    #[test]
    fn cifti_matrices_use_the_brain_models_of_another_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let elements = BrainElements::Vertices { surface: 9, numbers: vec![2, 8] };
        let model = BrainModel { structure: Structure::CORTEX_LEFT, elements };
        let models = CiftiAxis::BrainModels(BrainModels::new(vec![model], None).unwrap());
        let mut like =
            CiftiWriter::create(&at("a.dscalar.nii"), &models, &CiftiAxis::Scalars(vec!["a".into()]))
                .unwrap();
        (0..2).for_each(|_| like.write_row(&[1.0]).unwrap());
        like.finish().unwrap();
        let matrix = small(Some(axis(ElementKind::Element, &[0, 1])));
        let out = at("a.dconn.nii");
        let error = write_matrix(&out, &matrix, &Measure::Count, None).unwrap_err();
        assert_eq!(error.problem(), "the vertices and voxels of its rows are not known");
        write_matrix(&out, &matrix, &Measure::Count, Some(&at("a.dscalar.nii"))).unwrap();
        let read = read_matrix(&out).unwrap();
        assert_eq!(read.rows().name(1), Some("CortexLeft 8"));
        assert_eq!((read.values(&Measure::Count), read.shape()), (Some(&[1.0, 2.0, 3.0][..]), [2, 2]));
        let wide = small(Some(axis(ElementKind::Element, &[0, 1, 2])));
        let error = write_matrix(&out, &wide, &Measure::Count, Some(&at("a.dscalar.nii"))).unwrap_err();
        assert_eq!(
            error.problem(),
            "the CIFTI-2 file has 2 vertices and voxels, but the matrix has 2 × 3 entries"
        );
        assert!(read_matrix(&at("a.dscalar.nii")).is_err());
    }
}
