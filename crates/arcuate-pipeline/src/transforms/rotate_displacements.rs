//! Rotation of displacement vectors.

use arcuate_core::{Affine, Volume};

/// Applies the linear part of an affine transform to the displacement vector (three values) of each voxel.
pub(super) fn turn(field: &mut Volume<f32>, axes: &Affine) {
    for displacement in field.values_mut().chunks_exact_mut(3) {
        let turned = axes.apply_vector([0, 1, 2].map(|n| f64::from(displacement[n])));
        for axis in 0..3 {
            displacement[axis] = turned[axis] as f32;
        }
    }
}
