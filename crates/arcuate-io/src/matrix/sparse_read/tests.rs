use super::*;
use crate::matrix::{npz_files, read_axis_tsv, write_matrix_npz};
use arcuate_core::ElementKind;
use proptest::prelude::*;
use std::io::Write;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

fn axis(n: usize) -> Axis {
    Axis::new(ElementKind::Region, (1..=n as u64).collect(), Vec::new()).unwrap()
}

fn array(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

fn whole(numbers: &[i32]) -> Vec<u8> {
    array(
        "<i4",
        &format!("{},", numbers.len()),
        &numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>(),
    )
}

fn real(numbers: &[f64]) -> Vec<u8> {
    array(
        "<f8",
        &format!("{},", numbers.len()),
        &numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>(),
    )
}

/// Returns the arrays of the matrix [[0, 4, 0], [7, 0, 9]] in SciPy's format.
fn arrays() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("indices", whole(&[1, 2, 0])),
        ("indptr", whole(&[0, 1, 3])),
        ("format", array("|S3", "", b"csr")),
        ("shape", array("<i8", "2,", &[2i64, 3].map(i64::to_le_bytes).concat())),
        ("data", real(&[4.0, 9.0, 7.0])),
    ]
}

fn archive(arrays: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(format!("{name}.npy"), options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn read(
    bytes: &[u8],
    rows: usize,
    columns: Option<usize>,
) -> std::result::Result<ConnectivityMatrix, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    std::fs::write(&path, bytes).unwrap();
    let found = read_matrix_npz(&path, axis(rows), columns.map(axis), Measure::Weight);
    found.map_err(|e| e.to_string().replace(&format!("{}/", folder.path().display()), ""))
}

/// Returns the file of [`arrays`] with one array replaced.
fn with(name: &'static str, bytes: Vec<u8>) -> Vec<u8> {
    let mut arrays = arrays();
    arrays.iter_mut().find(|(there, _)| *there == name).unwrap().1 = bytes;
    archive(&arrays, CompressionMethod::Stored)
}

#[test]
fn matrices_of_scipy_are_read() {
    let pattern = SparsePattern { offsets: vec![0, 1, 3], columns: vec![1, 0, 2] };
    let values = vec![(Measure::Weight, vec![4.0, 7.0, 9.0])];
    let expected = ConnectivityMatrix::sparse(axis(2), Some(axis(3)), pattern, values).unwrap();
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        assert_eq!(read(&archive(&arrays(), method), 2, Some(3)).unwrap(), expected);
    }
    for (kind, data) in [
        ("<f4", [4.0f32, 9.0, 7.0].map(f32::to_le_bytes).concat()),
        (">f8", [4.0f64, 9.0, 7.0].map(f64::to_be_bytes).concat()),
        ("<i8", [4i64, 9, 7].map(i64::to_le_bytes).concat()),
        (">u2", [4u16, 9, 7].map(u16::to_be_bytes).concat()),
        ("|u1", vec![4, 9, 7]),
    ] {
        assert_eq!(read(&with("data", array(kind, "3,", &data)), 2, Some(3)).unwrap(), expected, "{kind}");
    }
}

#[test]
fn invalid_matrices_give_one_line_errors() {
    let advice = format!("; {ADVICE}");
    let stored = |name, bytes| read(&with(name, bytes), 2, Some(3)).unwrap_err();
    for (name, bytes, problem) in [
        ("format", array("|S3", "", b"coo"), "the format of the matrix is `coo`, not `csr`"),
        ("indptr", whole(&[0, 1]), "its indptr are (2,), not 3 numbers"),
        ("indptr", whole(&[0, 2, 1]), "its indptr does not cut its entries into rows"),
        ("indptr", whole(&[0, 1, -3]), "its indptr does not cut its entries into rows"),
        ("indptr", whole(&[1, 1, 3]), "its indptr does not cut its entries into rows"),
        ("indptr", whole(&[0, 1, 7]), "its indptr does not cut its entries into rows"),
        ("indptr", whole(&[0, 1, 2]), "its indices are (3,), not 2 numbers"),
        ("indptr", real(&[0.0, 1.0, 3.0]), "the values of indptr in the matrix file are not whole numbers"),
        ("indices", whole(&[1, 2, -1]), "it has an entry in no column"),
        ("indices", whole(&[1, 3, 0]), "row 1 has an entry outside of columns 0 to 3"),
        ("indices", whole(&[1, 2, 2]), "the columns of row 1 do not ascend"),
        ("data", real(&[4.0, 9.0]), "its data are (2,), not 3 numbers"),
        ("data", array("<c16", "3,", &[0; 48]), "its data are of type `c16`"),
        ("data", array("<f8", "3, 1", &[0; 24]), "its data are (3, 1), not 3 numbers"),
        ("data", array("<f8", "3,", &[0; 25]), "its data are longer than their header says"),
        (
            "data",
            b"0123456789ab".to_vec(),
            "the entry data of the matrix file is not an array: it is not an array of NumPy",
        ),
    ] {
        assert_eq!(stored(name, bytes), format!("a.npz: {problem}{advice}"));
    }
    assert_eq!(
        stored("data", array("<f8", "3,", &[0; 20])),
        "a.npz: the entry data of the matrix file ends early; copy the file again"
    );
    assert_eq!(
        stored("data", b"\x93NUM".to_vec()),
        "a.npz: the entry data of the matrix file ends early; copy the file again"
    );
    let claims = array("<f8", "3,", &[])[..10].to_vec();
    let claimed = stored("data", claims);
    assert!(
        claimed.starts_with("a.npz: the entry data of the matrix file is not an array: its header of "),
        "{claimed}"
    );
    let axes = "a.npz: the matrix has 2 × 3 entries, but its axes have 3 × 3; give the axes that belong to \
                this matrix";
    assert_eq!(read(&with("format", array("|S3", "", b"csr")), 3, None).unwrap_err(), axes);
    let missing = archive(&arrays()[1..], CompressionMethod::Stored);
    assert!(
        read(&missing, 2, Some(3))
            .unwrap_err()
            .starts_with("a.npz: the entry indices of the matrix file cannot be read (")
    );
    let error = read(b"PK\x03\x04 and no more", 2, Some(3)).unwrap_err();
    assert!(
        error.starts_with("a.npz: the file is not a zip archive, or the archive is incomplete ("),
        "{error}"
    );
}

#[test]
fn claimed_sizes_are_verified() {
    // The matrix is empty and claims 4 × 10⁹ rows and columns.
    let rows = 1 << 22;
    let mut arrays = arrays();
    arrays[1].1 = array("<i8", &format!("{},", rows + 1), &[]);
    arrays[3].1 = array("<i8", "2,", &[rows as i64; 2].map(i64::to_le_bytes).concat());
    let error = read(&archive(&arrays, CompressionMethod::Deflated), rows, None).unwrap_err();
    assert_eq!(error, "a.npz: the entry indptr of the matrix file ends early; copy the file again");
}

#[test]
fn asymmetric_matrices_are_rejected_as_symmetric() {
    let square = |values: &[f64]| {
        let mut arrays = arrays();
        arrays[0].1 = whole(&[1, 0, 1]);
        arrays[3].1 = array("<i8", "2,", &[2i64; 2].map(i64::to_le_bytes).concat());
        arrays[4].1 = real(values);
        archive(&arrays, CompressionMethod::Stored)
    };
    let matrix = read(&square(&[4.0, 4.0, 9.0]), 2, None).unwrap();
    assert!(matrix.is_symmetric());
    assert_eq!(matrix.values(&Measure::Weight), Some(&[4.0, 9.0][..]));
    let error = read(&square(&[4.0, 5.0, 9.0]), 2, None).unwrap_err();
    let expected = "a.npz: the matrix is not symmetric: row 0, column 1 (counted from 0) has the value 4, \
                    but row 1, column 0 has another value; read the matrix as one with different rows and \
                    columns";
    assert_eq!(error, expected);
    assert!(!read(&square(&[4.0, 5.0, 9.0]), 2, Some(2)).unwrap().is_symmetric());
}

/// Writes a matrix and reads it back.
fn again(matrix: &ConnectivityMatrix) -> Vec<ConnectivityMatrix> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("m.npz");
    write_matrix_npz(&out, matrix).unwrap();
    let columns = (!matrix.is_symmetric()).then(|| matrix.columns().kind());
    let measures: Vec<&Measure> = matrix.measures().collect();
    let files = npz_files(&out, measures.iter().copied(), matrix.rows().kind(), columns).unwrap();
    let mut there: Vec<_> = folder.path().read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    let mut expected = files.clone();
    there.sort();
    expected.sort();
    assert_eq!(there, expected);
    let axes: Vec<Axis> = files[measures.len()..].iter().map(|path| read_axis_tsv(path).unwrap()).collect();
    let read = |(path, measure): (&std::path::PathBuf, &&Measure)| {
        read_matrix_npz(path, axes[0].clone(), axes.get(1).cloned(), (*measure).clone()).unwrap()
    };
    files.iter().zip(&measures).map(read).collect()
}

#[test]
fn dense_and_sparse_matrices_give_the_same_files() {
    let names = vec!["left".to_owned(), String::new(), "=right".to_owned()];
    let axis = Axis::new(ElementKind::Region, vec![2, 5, 9], names).unwrap();
    let counts = (Measure::Count, vec![0.0, 2.0, 0.0, 1.0, 0.0, 5.0]);
    let weights = (Measure::Weight, vec![0.0, 0.0, 0.0, 0.25, 0.0, 7.0]);
    let dense = ConnectivityMatrix::dense(axis.clone(), None, vec![counts, weights]).unwrap();
    let pattern = SparsePattern { offsets: vec![0, 1, 2, 3], columns: vec![1, 1, 2] };
    let counts = (Measure::Count, vec![2.0, 1.0, 5.0]);
    let weights = (Measure::Weight, vec![0.0, 0.25, 7.0]);
    let sparse = ConnectivityMatrix::sparse(axis, None, pattern, vec![counts, weights]).unwrap();
    for matrix in [&dense, &sparse] {
        for (read, measure) in again(matrix).iter().zip([Measure::Count, Measure::Weight]) {
            assert_eq!((read.rows(), read.pattern()), (sparse.rows(), sparse.pattern()));
            assert_eq!(read.values(&measure), sparse.values(&measure));
        }
    }
    // The matrices have no element, and one element.
    for (rows, values) in [(0, vec![]), (1, vec![3.0]), (1, vec![0.0])] {
        let matrix =
            ConnectivityMatrix::dense(self::axis(rows), None, vec![(Measure::Count, values)]).unwrap();
        let read = again(&matrix).remove(0);
        assert_eq!(read.shape(), [rows, rows]);
        assert_eq!(read.sums(&Measure::Count), matrix.sums(&Measure::Count));
    }
    let odd = (Measure::Mean("a/b".into()), vec![]);
    let matrix = ConnectivityMatrix::dense(self::axis(0), None, vec![odd]).unwrap();
    let error = write_matrix_npz(Path::new("m.npz"), &matrix).unwrap_err();
    assert_eq!(error.problem(), "the name `mean_a/b` of a measure cannot be part of a file name");
}

proptest! {
    #[test]
    fn rectangular_matrices_survive_a_round_trip(
        rows in 1..6usize,
        columns in 1..6usize,
        values in proptest::collection::vec(prop_oneof![Just(0.0), -1e9..1e9], 36),
    ) {
        let of = |kind, n| Axis::new(kind, (0..n as u64).map(|n| 3 * n).collect(), Vec::new()).unwrap();
        let (rows, columns) = (of(ElementKind::Vertex, rows), of(ElementKind::File, columns));
        let values = values[..rows.len() * columns.len()].to_vec();
        let measure = Measure::Sum("fa".into());
        let values = vec![(measure.clone(), values)];
        let matrix = ConnectivityMatrix::dense(rows, Some(columns), values).unwrap();
        let read = again(&matrix).remove(0);
        prop_assert_eq!((read.rows(), read.columns()), (matrix.rows(), matrix.columns()));
        for row in 0..matrix.rows().len() {
            for column in 0..matrix.columns().len() {
                prop_assert_eq!(read.get(&measure, row, column), matrix.get(&measure, row, column));
            }
        }
    }

    /// A file with any content is either read or rejected.
    #[test]
    fn damaged_files_are_read_or_rejected(
        deflated in any::<bool>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let method = if deflated { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        let mut bytes = archive(&arrays(), method);
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        match read(&bytes, 2, Some(3)) {
            Ok(matrix) => prop_assert_eq!(matrix.shape(), [2, 3]),
            Err(error) => prop_assert!(error.starts_with("a.npz: ") && !error.contains('\n'), "{}", error),
        }
    }
}
