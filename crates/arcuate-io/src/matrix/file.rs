//! Reads and writes connectivity matrices in every supported format. The file name selects the format.

use crate::formats::{CIFTI, FileKind, MATRICES, MatrixFunctions, find, listed, read_endings};
use arcuate_core::{ConnectivityMatrix, Error, Measure, Result};
use std::path::{Path, PathBuf};

/// Returns true if a file name has an ending of a connectivity matrix: `.npz` (SciPy), `.dot` (FSL),
/// `_1.mtx`, `_2.mtx`, `_3.mtx` (FSL, three files). CIFTI matrices have [their own
/// names](crate::is_cifti_name).
pub fn is_matrix_name(path: &Path) -> bool {
    find(MATRICES, path).is_some()
}

/// Returns true if a file name has an ending of CIFTI-2 files: `.dconn.nii`, `.pconn.nii`, `.dscalar.nii`,
/// `.dlabel.nii`, `.dtseries.nii`, `.ptseries.nii` and similar.
pub fn is_cifti_name(path: &Path) -> bool {
    find(CIFTI, path).is_some()
}

fn functions_of(path: &Path) -> Option<&'static MatrixFunctions> {
    find(MATRICES, path).or_else(|| find(CIFTI, path)).map(|(_, functions)| functions)
}

fn unknown_name(path: &Path) -> Error {
    let mut known = read_endings(FileKind::Matrix);
    known.extend([".dconn.nii", ".pconn.nii"]);
    Error::usage(
        path.display(),
        "the ending of this file name is not a format of connectivity matrices",
        format!("give a file that ends in {}", listed(&known, "or")),
    )
}

/// Reads a connectivity matrix in any format as a sparse matrix. The elements of the rows and columns are
/// read from files in the same folder. For a SciPy matrix `NAME_counts.npz` or `NAME.npz`, these files are
/// the tables `NAME_regions.tsv`, or `NAME_rows.tsv` and `NAME_columns.tsv`. For FSL's matrices, they are the
/// files of coordinates. Each vertex or voxel of a CIFTI matrix becomes an element whose name states the
/// brain structure and the vertex, or the voxel. Parcels become regions.
pub fn read_matrix(path: &Path) -> Result<ConnectivityMatrix> {
    (functions_of(path).ok_or_else(|| unknown_name(path))?.read)(path)
}

/// Returns the paths of all files that [`write_matrix`] writes for a matrix.
pub fn matrix_files(path: &Path, matrix: &ConnectivityMatrix) -> Result<Vec<PathBuf>> {
    functions_of(path).map_or_else(|| Ok(vec![path.to_owned()]), |functions| (functions.files)(path, matrix))
}

/// Returns the paths of the files in the folder of a matrix that [`read_matrix`] reads if they exist.
pub fn matrix_companions(path: &Path) -> Vec<PathBuf> {
    functions_of(path).map_or_else(Vec::new, |functions| (functions.companions)(path))
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
    (functions_of(path).ok_or_else(|| unknown_name(path))?.write)(path, matrix, measure, like)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cifti::{CiftiAxis, CiftiWriter};
    use arcuate_core::{Axis, BrainElements, BrainModel, BrainModels, ElementKind, SparsePattern, Structure};

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
