//! Selects voxels by a threshold or a quantile of their values.

use arcuate_core::{Grid, Mask, Result, statistics};

/// Returns a mask that contains the voxels with these indices.
pub(super) fn mask_of(grid: &Grid, voxels: &[usize]) -> Result<Mask> {
    let mut flags = vec![false; grid.len()];
    for &voxel in voxels {
        flags[voxel] = true;
    }
    Mask::new(*grid, flags)
}

/// Returns the threshold that separates values into two classes best. For this threshold, the class (0 or 1)
/// has the highest correlation with the value (Ridgway et al. 2009, doi:10.1016/j.neuroimage.2008.08.045).
/// The variance between the two classes is then also largest. The threshold is between two neighbouring
/// values. Returns `None` if all values are equal.
pub(super) fn best_threshold(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (count, total) = (sorted.len() as f64, sorted.iter().sum::<f64>());
    let (mut below, mut largest, mut best) = (0.0, 0.0, None);
    for (n, pair) in sorted.windows(2).enumerate() {
        below += pair[0];
        let (low, high) = ((n + 1) as f64, count - (n + 1) as f64);
        let between = low * high * ((total - below) / high - below / low).powi(2);
        if pair[0] < pair[1] && between > largest {
            (largest, best) = (between, Some(f64::midpoint(pair[0], pair[1])));
        }
    }
    best
}

/// Returns a quantile of these values. If there are no values, returns 0.
pub(super) fn quantile(values: &[f64], part: f64) -> f64 {
    statistics::quantile(&mut values.to_vec(), part).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_separates_two_groups() {
        let values = [5.0, 1.0, 1.2, 0.9, 5.5, 4.8, 1.1];
        assert_eq!(best_threshold(&values), Some(3.0));
        assert_eq!(best_threshold(&[2.0; 4]), None);
        assert_eq!(best_threshold(&[]), None);
    }
}
