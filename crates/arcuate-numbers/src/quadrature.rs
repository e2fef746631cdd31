//! Numerical integration of even functions.

use crate::legendre::next;

/// The positive nodes, descending, and the weights of the Gauss–Legendre quadrature with `2 · half` nodes on
/// [−1, 1]. The negative nodes have the same weights. The quadrature is exact for polynomials up to degree 4
/// · half − 1.
///
/// The nodes are the roots of the Legendre polynomial P_n with n = 2 · half. Newton's method finds them from
/// Tricomi's estimate. The weights are 2 / ((1 − x²) P_n′(x)²) (Abramowitz and Stegun 25.4.29).
pub fn half_gauss_legendre(half: usize) -> Vec<(f64, f64)> {
    let count = 2 * half;
    (1..=half)
        .map(|k| {
            let angle = std::f64::consts::PI * (4 * k - 1) as f64 / (4 * count + 2) as f64;
            let mut x = angle.cos();
            let mut slope = 1.0;
            for _ in 0..20 {
                let (mut before, mut p) = (1.0, x);
                for l in 2..=count {
                    (before, p) = (p, next(l, x, p, before));
                }
                slope = count as f64 * (x * p - before) / (x * x - 1.0);
                let change = p / slope;
                x -= change;
                if change.abs() < 1e-15 {
                    break;
                }
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quadrature_integrates_even_polynomials() {
        let nodes = half_gauss_legendre(12);
        let total: f64 = nodes.iter().map(|(_, w)| 2.0 * w).sum();
        assert!((total - 2.0).abs() < 1e-14);
        for power in [2, 10, 40] {
            let integral: f64 = nodes.iter().map(|(x, w)| 2.0 * w * x.powi(power)).sum();
            assert!((integral - 2.0 / f64::from(power + 1)).abs() < 1e-14);
        }
    }
}
