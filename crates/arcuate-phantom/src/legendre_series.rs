//! Expands functions of a cosine in series of Legendre polynomials.

use arcuate_numbers::legendre::even_polynomials;
use arcuate_numbers::quadrature::half_gauss_legendre;

/// Half of the number of quadrature nodes for integrals over the cosine. With this number, the coefficients
/// of signals up to b = 10,000 s/mm² are exact up to rounding errors.
const HALF_NODES: usize = 40;

/// Returns the coefficients c_0, c_2, … of the Legendre series Σ c_l P_l of an even function f on [−1, 1].
/// The coefficients are c_l = (2l + 1)/2 ∫ f P_l. The highest degree is `degree`.
pub(crate) fn coefficients(degree: usize, function: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut coefficients = vec![0.0; degree / 2 + 1];
    for (x, weight) in half_gauss_legendre(HALF_NODES) {
        let value = weight * function(x);
        for ((n, sum), polynomial) in coefficients.iter_mut().enumerate().zip(even_polynomials(degree, x)) {
            // The expanded function is even. Each quadrature node therefore also represents the node with the
            // opposite sign.
            *sum += (4 * n + 1) as f64 * value * polynomial;
        }
    }
    coefficients
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legendre_series_reproduce_the_function() {
        let of = |x: f64| {
            let p = even_polynomials(8, x);
            0.3 * p[0] - 1.2 * p[1] + 0.7 * p[4]
        };
        for (found, expected) in coefficients(8, of).into_iter().zip([0.3, -1.2, 0.0, 0.0, 0.7]) {
            // Each computed coefficient is a sum of 40 terms with factors of at most 17, so that rounding
            // errors are small.
            assert!((found - expected).abs() < 1e-13, "{found} {expected}");
        }
    }
}
