use arcuate_numbers::{Deviator, Eigensystem, vector3};

/// A diffusion tensor in mm²/s and scanner axes. Its six elements are D11, D22, D33, D12, D13, D23 (MRtrix's
/// order).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiffusionTensor(pub [f64; 6]);

impl DiffusionTensor {
    /// Computes the mean diffusivity, MD = (λ₁ + λ₂ + λ₃) / 3, in mm²/s.
    pub fn mean_diffusivity(&self) -> f64 {
        Deviator::of(self.0).mean
    }

    /// Computes the fractional anisotropy, FA = √(3/2) · ‖D − MD·I‖ / ‖D‖, from the elements of the tensor,
    /// without eigenvalues. See [`Deviator::fractional_anisotropy`].
    pub fn fractional_anisotropy(&self) -> f64 {
        Deviator::of(self.0).fractional_anisotropy()
    }

    /// Computes dᵀ D d, the diffusivity along the direction d.
    pub fn along(&self, d: [f64; 3]) -> f64 {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        xx * d[0] * d[0]
            + yy * d[1] * d[1]
            + zz * d[2] * d[2]
            + 2.0 * (xy * d[0] * d[1] + xz * d[0] * d[2] + yz * d[1] * d[2])
    }

    /// Computes the product D d of the tensor and a direction d.
    pub fn times(&self, d: [f64; 3]) -> [f64; 3] {
        vector3::times(self.0, d)
    }

    /// Computes the eigenvalues and eigenvectors of the tensor in closed form. See [`Deviator::eigensystem`].
    pub fn eigensystem(&self) -> Eigensystem {
        Deviator::of(self.0).eigensystem()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_numbers::vector3::dot;

    /// Creates the tensor D = Σ λᵢ eᵢ eᵢᵀ whose eigenvectors eᵢ are rotated by three angles.
    fn tensor(values: [f64; 3], angles: [f64; 3]) -> DiffusionTensor {
        let r = nalgebra::Rotation3::from_euler_angles(angles[0], angles[1], angles[2]);
        let m = r * nalgebra::Matrix3::from_diagonal(&values.into()) * r.inverse();
        DiffusionTensor([m[(0, 0)], m[(1, 1)], m[(2, 2)], m[(0, 1)], m[(0, 2)], m[(1, 2)]])
    }

    #[test]
    fn the_eigensystem_reconstructs_the_tensor() {
        let spectra = [
            [1.7e-3, 0.3e-3, 0.2e-3],
            [1.0e-3, 1.0e-3, 0.2e-3],
            [1.7e-3, 0.3e-3, 0.3e-3],
            [0.7e-3, 0.7e-3, 0.7e-3],
            [1.0e-3, 1e-9, -0.4e-3],
            [0.0, 0.0, 0.0],
        ];
        for values in spectra {
            for step in 0..50 {
                let t = step as f64;
                let d = tensor(values, [0.37 * t, 1.1 * t, 2.3 * t]);
                let e = d.eigensystem();
                let rebuilt = |a: usize, b: usize| -> f64 {
                    (0..3).map(|n| e.values[n] * e.vectors[n][a] * e.vectors[n][b]).sum()
                };
                let elements = [
                    rebuilt(0, 0),
                    rebuilt(1, 1),
                    rebuilt(2, 2),
                    rebuilt(0, 1),
                    rebuilt(0, 2),
                    rebuilt(1, 2),
                ];
                for (a, b) in elements.iter().zip(&d.0) {
                    // The tolerance allows for about twenty rounding errors of the largest eigenvalue,
                    // 1.1e-16 each.
                    assert!((a - b).abs() <= 3e-15 * 1.7e-3, "{values:?} {step}: {a} {b}");
                }
                for n in 0..3 {
                    // The elements of the tensor have rounding errors as well. If eigenvalues are nearly
                    // equal, these errors change the eigenvalues by up to the square root of a rounding
                    // error.
                    assert!((e.values[n] - values[n]).abs() <= 3e-8 * 1.7e-3);
                    assert!((dot(e.vectors[n], e.vectors[n]) - 1.0).abs() < 2e-15);
                    assert!(dot(e.vectors[n], e.vectors[(n + 1) % 3]).abs() < 2e-15);
                }
            }
        }
    }

    #[test]
    fn anisotropy_of_a_stick_a_sphere_and_a_zero_tensor() {
        assert!((tensor([1e-3, 0.0, 0.0], [0.3, 0.2, 0.1]).fractional_anisotropy() - 1.0).abs() < 1e-12);
        assert!(tensor([1e-3; 3], [0.3, 0.2, 0.1]).fractional_anisotropy() < 1e-7);
        assert_eq!(DiffusionTensor([0.0; 6]).fractional_anisotropy(), 0.0);
    }
}
