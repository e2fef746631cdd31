//! Gradient deviations: errors of the diffusion gradients that differ between voxels, because the fields of
//! scanner gradients are not linear in space.

use arcuate_core::Volume;

/// Converts gradient deviations from the axes of FSL to scanner axes. FSL and the Human Connectome Project
/// write images of gradient deviations as `grad_dev`. The axes of FSL are the axes of the image, with x
/// reversed if the determinant of the affine is positive.
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
        // The converted matrix of gradient deviations is R L Rᵀ, with the matrix L in FSL's axes. The columns
        // of R are the axes of the image. R and L are stored in column-major order.
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
