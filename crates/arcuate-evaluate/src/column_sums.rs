use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns an upper bound of the largest column sum of a sparse matrix, slightly above the exact value. A
/// column sum is the sum of the magnitudes of the entries in one column. Entries are (column, value) pairs
/// with columns below `columns`. The result is the same for any number of threads.
pub(crate) fn largest_column_sum(
    columns: usize,
    entries: impl ParallelIterator<Item = (usize, f64)> + Clone,
) -> f64 {
    let largest = entries.clone().map(|(_, value)| value.abs()).reduce(|| 0.0, f64::max);
    if largest == 0.0 {
        return 0.0;
    }
    // Sums are integers. Their unit is the largest magnitude divided by 2^31, and each magnitude is rounded
    // up to this unit. Up to 2^32 magnitudes can then be added exactly in any order.
    let unit = largest / 2f64.powi(31);
    let sums: Vec<AtomicU64> = (0..columns).map(|_| AtomicU64::new(0)).collect();
    entries.for_each(|(column, value)| {
        sums[column].fetch_add((value.abs() / unit).ceil() as u64, Ordering::Relaxed);
    });
    sums.iter().map(|sum| sum.load(Ordering::Relaxed)).max().unwrap_or(0) as f64 * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_column_sum_is_never_underestimated() {
        let entries = [(0, 1.0), (2, -0.3), (0, 0.25), (2, 0.3)];
        let sum = largest_column_sum(3, entries.par_iter().copied());
        assert!((1.25..1.25 + 1e-8).contains(&sum), "{sum}");
        assert_eq!(largest_column_sum(2, [(1, 0.0)].par_iter().copied()), 0.0);
    }
}
