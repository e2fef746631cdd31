//! Gradients that differ between voxels because of gradient nonlinearity.

use arcuate_core::Volume;

/// Converts gradient deviations as written by FSL and the Human Connectome Project (`grad_dev`) to scanner axes. Their
/// matrix L refers to FSL's axes: those of the image, with x reversed if the affine's determinant is positive.
#[must_use]
pub fn in_scanner_axes(deviations: &Volume<f32>) -> Volume<f32> {
    let affine = deviations.grid().affine();
    let mut axes = affine.axes();
    if affine.determinant() > 0.0 {
        axes[0] = axes[0].map(|component| -component);
    }
    let mut turned = deviations.clone();
    for voxel in 0..turned.grid().len() {
        let from = deviations.voxel(voxel).to_vec();
        let out = turned.voxel_mut(voxel);
        // R L Rᵀ, both in column-major order. The columns of R are the image's axes.
        for (n, out) in out.iter_mut().enumerate() {
            let (row, column) = (n % 3, n / 3);
            let mut sum = 0.0;
            for k in 0..3 {
                for l in 0..3 {
                    sum += axes[k][row] * f64::from(from[3 * l + k]) * axes[l][column];
                }
            }
            *out = sum as f32;
        }
    }
    turned
}
