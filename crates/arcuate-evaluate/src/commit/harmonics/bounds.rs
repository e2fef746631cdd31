//! Computes upper bounds of the elements of A x and Aᵀ y, the products of COMMIT's linear operator A.

use super::Segment;
use super::arrays::HarmonicArrays;
use crate::column_sums::largest_column_sum;
use arcuate_solve::{Bounds, Real};
use rayon::prelude::*;

/// Computes upper bounds of the elements of A x and Aᵀ y from the lengths of segments and the largest values
/// of the responses. The bounds are the same for any number of threads.
pub(super) fn bounds<T: Real>(operator: &HarmonicArrays<T>) -> Bounds {
    let (intra, extra) = (&operator.basis.intra, &operator.basis.extra);
    let isotropic: Vec<f64> = operator.tables.isotropic.iter().map(|v| v.double().abs()).collect();
    let shells = operator.tables.constant_row.len().max(1);
    // Subtracting the mean over samples can at most double the magnitude of a value.
    let demeaned = 2.0;
    let scale = |voxel: usize| operator.voxel_scale.as_ref().map_or(1.0, |scale| scale[voxel].double().abs());
    let length =
        |segment: &Segment| segment.piece.iter().map(|&c| f64::from(c) * f64::from(c)).sum::<f64>().sqrt();
    let constant = (0..shells)
        .map(|shell| isotropic.iter().skip(shell).step_by(shells).sum::<f64>())
        .fold(0.0, f64::max);
    let image = (0..operator.layout.voxels)
        .into_par_iter()
        .map(|voxel| {
            let total: f64 = operator.segments.of_voxel(voxel).iter().map(length).sum();
            let axes = (operator.axis_starts[voxel + 1] - operator.axis_starts[voxel]) as f64;
            scale(voxel) * (total * intra.largest_sum() + axes * extra.largest_sum() + constant)
        })
        .reduce(|| 0.0, f64::max);
    let largest_scale = (0..operator.layout.voxels).map(scale).fold(0.0, f64::max);
    let column = largest_scale
        * largest_column_sum(
            operator.layout.streamlines,
            operator.segments.pieces.par_iter().map(|s| (s.streamline as usize, length(s))),
        );
    let samples = operator.samples as f64;
    let of_family = |family: &super::basis::Family, amount: f64| {
        amount * samples * family.largest() * family.largest_row().max(1.0)
    };
    let of_voxel = largest_scale * samples * isotropic.iter().copied().fold(0.0, f64::max);
    let adjoint = of_family(intra, column).max(of_family(extra, largest_scale)).max(of_voxel);
    // The bounds are increased by 0.1 %, because rounding affects these sums as well as the products A x and
    // Aᵀ y.
    Bounds { image: 1.001 * demeaned * image, adjoint: 1.001 * demeaned * adjoint }
}
