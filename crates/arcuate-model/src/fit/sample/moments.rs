//! Means over the samples of scalar values and of axes (orientations).

use arcuate_numbers::{Lanes, eigensystem};

/// Returns the mean and the variance of scalar samples.
pub(super) fn moments<'a>(values: impl Iterator<Item = &'a f32> + Clone) -> (f64, f64) {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().map(|v| f64::from(*v)).sum::<f64>() / count;
    let squares = values.map(|v| (f64::from(*v) - mean).powi(2)).sum::<f64>();
    (mean, squares / (count - 1.0).max(1.0))
}

/// Returns the mean of the matrix n nᵀ over the samples of an axis n. The six elements have the order xx, yy,
/// zz, xy, xz, yz.
pub(super) fn dyadic(of_voxel: &[f32], first: usize, numbers: usize) -> [f64; 6] {
    let mut sums = [0.0; 6];
    let mut count = 0.0;
    for row in of_voxel.chunks_exact(numbers) {
        let [x, y, z] = [0, 1, 2].map(|n| f64::from(row[first + n]));
        for (sum, product) in sums.iter_mut().zip([x * x, y * y, z * z, x * y, x * z, y * z]) {
            *sum += product;
        }
        count += 1.0;
    }
    sums.map(|sum| sum / count)
}

/// Returns the eigenvector of the largest eigenvalue of the mean matrix n nᵀ, and this eigenvalue.
pub(super) fn principal_axis(dyadic: &[f64; 6]) -> ([f64; 3], f64) {
    let (values, vectors) = eigensystem(&dyadic.map(|element| Lanes([element])));
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| values[b].0[0].total_cmp(&values[a].0[0]));
    (vectors[order[0]].map(|component| component.0[0]), values[order[0]].0[0])
}
