/// A diffusion tensor: symmetric 3 × 3, mm²/s, scanner axes, as D11, D22, D33, D12, D13, D23 (MRtrix's order).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiffusionTensor(pub [f64; 6]);

/// Eigenvalues in descending order with their orthonormal eigenvectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Eigensystem {
    /// λ₁ ≥ λ₂ ≥ λ₃ in mm²/s; noise can make them negative.
    pub values: [f64; 3],
    /// Unit eigenvectors e₁, e₂, e₃; their signs are arbitrary.
    pub vectors: [[f64; 3]; 3],
}

impl DiffusionTensor {
    /// MD = (λ₁ + λ₂ + λ₃) / 3 in mm²/s.
    pub fn mean_diffusivity(&self) -> f64 {
        (self.0[0] + self.0[1] + self.0[2]) / 3.0
    }

    /// FA = √(3/2) · ‖D − MD·I‖ / ‖D‖ (Basser and Pierpaoli 1996), from the elements, without eigenvalues. Between 0
    /// and 1 where no eigenvalue is negative; 0 for a zero tensor.
    pub fn fractional_anisotropy(&self) -> f64 {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        let mean = self.mean_diffusivity();
        let off = 2.0 * (xy * xy + xz * xz + yz * yz);
        let norm = xx * xx + yy * yy + zz * zz + off;
        let spread = (xx - mean).powi(2) + (yy - mean).powi(2) + (zz - mean).powi(2) + off;
        if norm > 0.0 { (1.5 * spread / norm).sqrt() } else { 0.0 }
    }

    /// dᵀ D d for a direction d.
    pub fn along(&self, d: [f64; 3]) -> f64 {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        xx * d[0] * d[0]
            + yy * d[1] * d[1]
            + zz * d[2] * d[2]
            + 2.0 * (xy * d[0] * d[1] + xz * d[0] * d[2] + yz * d[1] * d[2])
    }

    /// D d for a direction d.
    pub fn times(&self, d: [f64; 3]) -> [f64; 3] {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        [
            xx * d[0] + xy * d[1] + xz * d[2],
            xy * d[0] + yy * d[1] + yz * d[2],
            xz * d[0] + yz * d[1] + zz * d[2],
        ]
    }

    /// Eigenvalues in closed form, descending, in mm²/s (Smith 1961, doi:10.1145/355578.366316).
    pub fn eigenvalues(&self) -> [f64; 3] {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        let mean = self.mean_diffusivity();
        let (a, b, c) = (xx - mean, yy - mean, zz - mean);
        let off = xy * xy + xz * xz + yz * yz;
        let p = ((a * a + b * b + c * c + 2.0 * off) / 6.0).sqrt();
        if p == 0.0 {
            return [mean; 3];
        }
        let determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
        let angle = (determinant / (2.0 * p * p * p)).clamp(-1.0, 1.0).acos() / 3.0;
        let largest = mean + 2.0 * p * angle.cos();
        let smallest = mean + 2.0 * p * (angle + std::f64::consts::TAU / 3.0).cos();
        [largest, 3.0 * mean - largest - smallest, smallest]
    }

    /// Eigenvalues and eigenvectors in closed form.
    ///
    /// The eigenvector of the eigenvalue that stands furthest from the others comes first, as the largest cross
    /// product of two rows of D − λI; the second is found in the plane that remains (Eberly 2014, "A robust
    /// eigensolver for 3 × 3 symmetric matrices"), so that equal eigenvalues still give an orthonormal frame.
    pub fn eigensystem(&self) -> Eigensystem {
        let values = self.eigenvalues();
        let first_is_isolated = values[0] - values[1] >= values[1] - values[2];
        let isolated = if first_is_isolated { values[0] } else { values[2] };
        let apart = self.null_vector(isolated);
        let (u, v) = plane(apart);
        // The 2 × 2 problem in the plane (u, v), solved by a half angle.
        let (du, dv) = (self.times(u), self.times(v));
        let (uu, uv, vv) = (dot(u, du), dot(u, dv), dot(v, dv));
        let theta = 0.5 * (2.0 * uv).atan2(uu - vv);
        let (s, c) = theta.sin_cos();
        let large: [f64; 3] = std::array::from_fn(|i| c * u[i] + s * v[i]);
        let small: [f64; 3] = std::array::from_fn(|i| c * v[i] - s * u[i]);
        let vectors = if first_is_isolated { [apart, large, small] } else { [large, small, apart] };
        Eigensystem { values, vectors }
    }

    fn null_vector(&self, eigenvalue: f64) -> [f64; 3] {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        let rows = [[xx - eigenvalue, xy, xz], [xy, yy - eigenvalue, yz], [xz, yz, zz - eigenvalue]];
        let mut best = [0.0; 3];
        let mut largest = 0.0;
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let n = cross(rows[a], rows[b]);
            let length = dot(n, n);
            if length > largest {
                (best, largest) = (n, length);
            }
        }
        if largest > 0.0 { best.map(|c| c / largest.sqrt()) } else { [1.0, 0.0, 0.0] }
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Two unit vectors that complete `n` to an orthonormal frame.
fn plane(n: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let smallest = (0..3).min_by(|&a, &b| n[a].abs().total_cmp(&n[b].abs())).unwrap_or(0);
    let mut axis = [0.0; 3];
    axis[smallest] = 1.0;
    let u = cross(n, axis);
    let length = dot(u, u).sqrt();
    let u = u.map(|c| c / length);
    (u, cross(n, u))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D = Σ λᵢ eᵢ eᵢᵀ for a frame turned by three angles.
    fn tensor(values: [f64; 3], angles: [f64; 3]) -> DiffusionTensor {
        let r = nalgebra::Rotation3::from_euler_angles(angles[0], angles[1], angles[2]);
        let m = r * nalgebra::Matrix3::from_diagonal(&values.into()) * r.inverse();
        DiffusionTensor([m[(0, 0)], m[(1, 1)], m[(2, 2)], m[(0, 1)], m[(0, 2)], m[(1, 2)]])
    }

    #[test]
    fn eigensystem_rebuilds_the_tensor() {
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
                    // Closed forms lose half the digits where eigenvalues meet: √ε ≈ 1.5e-8 of the largest.
                    assert!((a - b).abs() <= 3e-8 * 1.7e-3, "{values:?} {step}: {a} {b}");
                }
                for n in 0..3 {
                    assert!((e.values[n] - values[n]).abs() <= 3e-8 * 1.7e-3);
                    assert!((dot(e.vectors[n], e.vectors[n]) - 1.0).abs() < 1e-12);
                    assert!(dot(e.vectors[n], e.vectors[(n + 1) % 3]).abs() < 1e-7);
                }
            }
        }
    }

    #[test]
    fn anisotropy_of_a_stick_a_sphere_and_nothing() {
        assert!((tensor([1e-3, 0.0, 0.0], [0.3, 0.2, 0.1]).fractional_anisotropy() - 1.0).abs() < 1e-12);
        assert!(tensor([1e-3; 3], [0.3, 0.2, 0.1]).fractional_anisotropy() < 1e-7);
        assert_eq!(DiffusionTensor([0.0; 6]).fractional_anisotropy(), 0.0);
    }
}
