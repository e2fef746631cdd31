//! Compares a reconstructed image with the true image of a simulated object.

use arcuate_core::{Error, Result};

/// The error of a reconstructed complex image. The scale and phase of a reconstruction are arbitrary. The
/// image is therefore first multiplied by the complex number for which the error is smallest.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageError {
    /// The complex number by which the image is multiplied, as a real and an imaginary part. With this
    /// factor, the error is smallest.
    pub factor: [f64; 2],
    /// Normalised root mean square error ‖image − truth‖ / ‖truth‖, between the scaled image and the true
    /// image. It is the error in percent divided by 100.
    pub nrmse: f64,
    /// Peak signal-to-noise ratio in dB: 20 log₁₀ of a ratio. The ratio is the largest modulus of the true
    /// image, divided by the root mean square error.
    pub psnr: f64,
    /// The difference |image| − |truth| in each voxel, between the scaled image and the true image.
    pub differences: Vec<f32>,
}

/// Compares two complex images. Each voxel has a real and an imaginary part.
///
/// Returns an error if the numbers of voxels differ, if a value is not finite, or if an image is 0 everywhere.
pub fn compare_images(image: &[[f32; 2]], truth: &[[f32; 2]]) -> Result<ImageError> {
    let invalid = |problem: String| {
        Err(Error::invalid(
            "truth",
            problem,
            "give the truth image of this \
        scan",
        ))
    };
    if image.len() != truth.len() {
        return invalid(format!("its {} voxels are not the {} of the image", truth.len(), image.len()));
    }
    let wide = |value: &[f32; 2]| value.map(f64::from);
    let (mut dot, mut of_image, mut of_truth, mut peak) = ([0.0; 2], 0.0, 0.0, 0.0f64);
    for (a, b) in image.iter().map(wide).zip(truth.iter().map(wide)) {
        dot[0] += a[0] * b[0] + a[1] * b[1];
        dot[1] += a[0] * b[1] - a[1] * b[0];
        of_image += a[0] * a[0] + a[1] * a[1];
        let square = b[0] * b[0] + b[1] * b[1];
        of_truth += square;
        peak = peak.max(square);
    }
    for (name, square) in [("it", of_truth), ("the image", of_image)] {
        if !(square > 0.0 && square.is_finite()) {
            return invalid(format!("{name} is 0 everywhere, or not finite"));
        }
    }
    let factor = dot.map(|part| part / of_image);
    let mut square = 0.0;
    let differences = image
        .iter()
        .map(wide)
        .zip(truth.iter().map(wide))
        .map(|(a, b)| {
            let scaled = [factor[0] * a[0] - factor[1] * a[1], factor[0] * a[1] + factor[1] * a[0]];
            square += (scaled[0] - b[0]).powi(2) + (scaled[1] - b[1]).powi(2);
            (scaled[0].hypot(scaled[1]) - b[0].hypot(b[1])) as f32
        })
        .collect();
    let mean = square / truth.len() as f64;
    Ok(ImageError {
        factor,
        nrmse: (square / of_truth).sqrt(),
        psnr: 10.0 * (peak / mean).log10(),
        differences,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_do_not_depend_on_scale_and_phase() {
        let truth = [[2.0f32, 0.0], [0.0, 1.0], [1.0, -1.0], [0.0, 0.0]];
        // The image is the true image multiplied by 3 e^(iπ/2).
        let turned = truth.map(|[a, b]| [-3.0 * b, 3.0 * a]);
        let error = compare_images(&turned, &truth).unwrap();
        assert!(error.nrmse < 1e-7 && error.psnr > 120.0, "{error:?}");
        assert!((error.factor[0]).abs() < 1e-7 && (error.factor[1] + 1.0 / 3.0).abs() < 1e-7);
        // In one voxel, noise that is orthogonal to the image is added. ‖truth‖² is 7, and the largest
        // modulus is 2.
        let mut spoilt = truth;
        spoilt[3] = [0.7, 0.0];
        let error = compare_images(&spoilt, &truth).unwrap();
        let expected = (0.49f64 / 7.49).sqrt();
        assert!((error.nrmse - expected).abs() < 1e-7, "{} {expected}", error.nrmse);
        assert!((error.psnr - 10.0 * (4.0 / (expected * expected * 7.0 / 4.0)).log10()).abs() < 1e-6);
        assert!((f64::from(error.differences[3]) - 0.7 * 7.0 / 7.49).abs() < 1e-6);
        for (image, truth, problem) in [
            (&truth[..3], &truth[..], "its 4 voxels are not the 3 of the image"),
            (&truth[..], &[[0.0; 2]; 4][..], "it is 0 everywhere, or not finite"),
            (&[[f32::NAN; 2]; 4], &truth, "the image is 0 everywhere, or not finite"),
        ] {
            let message = compare_images(image, truth).unwrap_err().to_string();
            assert_eq!(message, format!("truth: {problem}; give the truth image of this scan"));
        }
    }
}
