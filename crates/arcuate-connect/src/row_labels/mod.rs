//! Connectivity-based parcellation. Each seed gets a label that is computed from its row in a seeds × targets
//! matrix.

mod clusters;

pub use clusters::{ClusterOptions, RowClusters, Similarity, cluster_rows};

use arcuate_core::{ConnectivityMatrix, Error, Measure, Result, narrow};

/// Returns, for each row of the matrix, the number of the column with the largest value, counted from 1
/// ("find the biggest"). If several columns have the largest value, returns the first of these columns. If no
/// value of the row is positive, returns 0. Returns an error if the matrix does not have the measure, or if a
/// value is not finite.
pub fn biggest_columns(matrix: &ConnectivityMatrix, measure: &Measure) -> Result<Vec<u32>> {
    let values = values(matrix, measure)?;
    let whole = matrix.whole_rows();
    let of_row = |row: usize| {
        let mut best = (0.0, 0);
        for (column, entry) in whole.row(row) {
            // The entries are in ascending order of columns. If several columns have the largest value, the
            // first one is therefore kept.
            if values[entry] > best.0 {
                best = (values[entry], narrow::<u32>(column) + 1);
            }
        }
        best.1
    };
    Ok((0..matrix.rows().len()).map(of_row).collect())
}

fn values<'a>(matrix: &'a ConnectivityMatrix, measure: &Measure) -> Result<&'a [f64]> {
    let values = matrix.values(measure).ok_or_else(|| {
        let problem = format!("the matrix has no measure {}", measure.word());
        Error::invalid("matrix", problem, "give a connectivity matrix that has this measure")
    })?;
    if let Some(value) = values.iter().find(|value| !value.is_finite()) {
        return Err(Error::invalid(
            "matrix",
            format!("it holds {value}"),
            "give a connectivity matrix whose entries are finite numbers",
        ));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Axis;

    #[test]
    fn the_first_of_the_largest_columns_is_found() {
        let axis = |n| Axis::unknown(n).unwrap();
        let values = vec![0.0, 2.0, 2.0, 0.0, 0.0, 0.0, -1.0, -2.0, 0.5, 3.0, 1.0, 3.5];
        let matrix =
            ConnectivityMatrix::dense(axis(4), Some(axis(3)), vec![(Measure::Count, values)]).unwrap();
        assert_eq!(biggest_columns(&matrix, &Measure::Count).unwrap(), [2, 0, 3, 3]);
        let upper = vec![(Measure::Count, vec![1.0, 5.0, 0.0])];
        let symmetric = ConnectivityMatrix::dense(axis(2), None, upper).unwrap();
        assert_eq!(biggest_columns(&symmetric, &Measure::Count).unwrap(), [2, 1]);
        assert_eq!(
            biggest_columns(&matrix, &Measure::Weight).unwrap_err().problem(),
            "the matrix has no measure weights"
        );
        let nan = vec![(Measure::Count, vec![f64::NAN])];
        let nan = ConnectivityMatrix::dense(axis(1), None, nan).unwrap();
        assert_eq!(biggest_columns(&nan, &Measure::Count).unwrap_err().problem(), "it holds NaN");
    }
}
