use super::*;

fn axis(n: u64) -> Axis {
    Axis::new(ElementKind::Region, (0..n).map(|n| 2 * n + 3).collect(), Vec::new()).unwrap()
}

/// Returns the full matrix as nested rows.
fn whole(matrix: &ConnectivityMatrix, measure: &Measure) -> Vec<Vec<f64>> {
    let rows = matrix.whole_rows();
    let [n, columns] = matrix.shape();
    let row = |row| {
        let mut places = vec![f64::NAN; columns];
        rows.fill(row, matrix.values(measure).unwrap(), &mut places);
        let one_by_one: Vec<f64> = (0..columns).map(|c| matrix.get(measure, row, c).unwrap()).collect();
        assert_eq!(places, one_by_one);
        let stored: Vec<usize> = rows.row(row).map(|(column, _)| column).collect();
        assert!(stored.is_sorted_by(|a, b| a < b), "{stored:?}");
        places
    };
    (0..n).map(row).collect()
}

#[test]
fn dense_and_sparse_symmetric_matrices_agree() {
    let dense = ConnectivityMatrix::dense(
        axis(3),
        None,
        vec![
            (Measure::Count, vec![0.0, 2.0, 1.0, 1.0, 0.0, 5.0]),
            (Measure::Weight, vec![0.0, 1.5, 0.0, 0.25, 0.0, 7.0]),
        ],
    )
    .unwrap();
    let pattern = SparsePattern { offsets: vec![0, 2, 3, 4], columns: vec![1, 2, 1, 2] };
    let sparse = ConnectivityMatrix::sparse(
        axis(3),
        None,
        pattern,
        vec![(Measure::Count, vec![2.0, 1.0, 1.0, 5.0]), (Measure::Weight, vec![1.5, 0.0, 0.25, 7.0])],
    )
    .unwrap();
    for matrix in [&dense, &sparse] {
        assert_eq!(whole(matrix, &Measure::Count), [[0.0, 2.0, 1.0], [2.0, 1.0, 0.0], [1.0, 0.0, 5.0]]);
        assert_eq!(whole(matrix, &Measure::Weight), [[0.0, 1.5, 0.0], [1.5, 0.25, 0.0], [0.0, 0.0, 7.0]]);
        assert_eq!(matrix.sums(&Measure::Count), Some([6.0, 3.0]));
        assert_eq!(matrix.sums(&Measure::Weight), Some([7.25, 1.5]));
        assert_eq!((matrix.sums(&Measure::MeanLength), matrix.get(&Measure::MeanLength, 0, 0)), (None, None));
        assert!(matrix.is_symmetric() && matrix.shape() == [3, 3] && matrix.columns() == matrix.rows());
        assert_eq!(matrix.measures().cloned().collect::<Vec<_>>(), [Measure::Count, Measure::Weight]);
    }
    assert!(dense.pattern().is_none() && sparse.pattern().is_some());
}

#[test]
fn dense_and_sparse_rectangular_matrices_agree() {
    let columns = || Some(Axis::new(ElementKind::Voxel, vec![10, 11, 99], Vec::new()).unwrap());
    let value = Measure::Sum("fa".into());
    let values = vec![0.0, 4.0, 0.0, 7.0, 8.0, 9.0];
    let dense = ConnectivityMatrix::dense(axis(2), columns(), vec![(value.clone(), values)]).unwrap();
    let pattern = SparsePattern { offsets: vec![0, 1, 4], columns: vec![1, 0, 1, 2] };
    let values = vec![4.0, 7.0, 8.0, 9.0];
    let sparse =
        ConnectivityMatrix::sparse(axis(2), columns(), pattern, vec![(value.clone(), values)]).unwrap();
    for matrix in [&dense, &sparse] {
        assert_eq!(whole(matrix, &value), [[0.0, 4.0, 0.0], [7.0, 8.0, 9.0]]);
        assert_eq!(matrix.sums(&value), Some([8.0, 20.0]));
        assert!(!matrix.is_symmetric() && matrix.shape() == [2, 3]);
        assert_eq!(
            (matrix.rows().kind(), matrix.columns().kind()),
            (ElementKind::Region, ElementKind::Voxel)
        );
    }
}

#[test]
fn matrices_of_no_element_and_of_one_element() {
    let empty = ConnectivityMatrix::dense(axis(0), None, vec![(Measure::Count, vec![])]).unwrap();
    assert!(whole(&empty, &Measure::Count).is_empty());
    let pattern = || SparsePattern { offsets: vec![0], columns: vec![] };
    let empty = ConnectivityMatrix::sparse(axis(0), None, pattern(), vec![(Measure::Count, vec![])]).unwrap();
    assert!(whole(&empty, &Measure::Count).is_empty() && empty.sums(&Measure::Count) == Some([0.0; 2]));
    let no_columns =
        ConnectivityMatrix::dense(axis(2), Some(axis(0)), vec![(Measure::Count, vec![])]).unwrap();
    assert_eq!(whole(&no_columns, &Measure::Count), [[0.0; 0]; 2]);
    let one = ConnectivityMatrix::dense(axis(1), None, vec![(Measure::Count, vec![3.0])]).unwrap();
    assert_eq!(whole(&one, &Measure::Count), [[3.0]]);
    for (columns, value) in [(vec![0], 3.0), (vec![], 0.0)] {
        let values = vec![(Measure::Count, vec![3.0; columns.len()])];
        let pattern = SparsePattern { offsets: vec![0, columns.len()], columns };
        let one = ConnectivityMatrix::sparse(axis(1), None, pattern, values).unwrap();
        assert_eq!(whole(&one, &Measure::Count), [[value]]);
    }
    assert_eq!(ConnectivityMatrix::dense_entries(usize::MAX / 2, None), None);
    assert_eq!(ConnectivityMatrix::dense_entries(0, None), Some(0));
}

#[test]
fn inconsistent_parts_are_rejected() {
    let sparse = |rows, columns: Option<u64>, offsets: &[usize], entries: &[u32]| {
        let pattern = SparsePattern { offsets: offsets.to_vec(), columns: entries.to_vec() };
        let values = vec![(Measure::Count, vec![1.0; entries.len()])];
        let made = ConnectivityMatrix::sparse(axis(rows), columns.map(axis), pattern, values);
        made.unwrap_err().problem().to_owned()
    };
    assert_eq!(sparse(2, None, &[0, 1], &[0]), "2 offsets for 2 rows");
    assert_eq!(sparse(2, None, &[0, 1, 1], &[0, 1]), "its rows do not share its 2 entries");
    assert_eq!(sparse(2, None, &[1, 1, 2], &[0, 1]), "its rows do not share its 2 entries");
    assert_eq!(sparse(2, Some(2), &[0, 3, 2], &[0, 1]), "its rows do not share its 2 entries");
    assert_eq!(sparse(2, None, &[0, 1, 2], &[0, 0]), "row 1 has an entry outside of columns 1 to 2");
    assert_eq!(sparse(2, Some(3), &[0, 1, 2], &[0, 3]), "row 1 has an entry outside of columns 0 to 3");
    assert_eq!(sparse(1, Some(3), &[0, 2], &[2, 1]), "the columns of row 0 do not ascend");
    assert_eq!(sparse(1, Some(3), &[0, 2], &[1, 1]), "the columns of row 0 do not ascend");
    let dense = |values: Vec<(Measure, Vec<f64>)>| {
        ConnectivityMatrix::dense(axis(2), None, values).unwrap_err().problem().to_owned()
    };
    assert_eq!(
        dense(vec![(Measure::Weight, vec![0.0; 4])]),
        "4 weights do not match the shape of the matrix, [2, 2]"
    );
    let twice = (Measure::Count, vec![0.0; 3]);
    assert_eq!(dense(vec![twice.clone(), twice]), "it has counts twice");
}
