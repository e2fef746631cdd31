//! Roots of the derivative of the Bessel function J₁: the eigenvalues of diffusion in a disc with a reflecting
//! boundary.

use std::sync::LazyLock;

/// Returns the first 200 positive roots x of J₁′(x) = 0, in ascending order.
///
/// Newton's method refines a starting value from McMahon's expansion (Abramowitz and Stegun, Handbook of
/// Mathematical Functions, 9.5.13). The sums over these roots in [`super::cylinder`] need at most 200 roots.
pub(super) fn roots() -> &'static [f64] {
    static ROOTS: LazyLock<Vec<f64>> = LazyLock::new(|| (1..=200).map(root).collect());
    &ROOTS
}

fn root(number: usize) -> f64 {
    let beta = (number as f64 - 0.25) * std::f64::consts::PI;
    let eighth = 8.0 * beta;
    let mut x = beta - 7.0 / eighth - 4.0 * 424.0 / (3.0 * eighth.powi(3));
    // For the first root, McMahon's expansion has an error of 0.01. Each Newton step doubles the number of
    // correct digits.
    for _ in 0..6 {
        let j1 = arcuate_numbers::special::bessel_j1(x);
        // The first derivative is J₁′ = J₀ − J₁/x. Bessel's differential equation gives the second derivative
        // J₁″ from J₁ and J₁′ (Abramowitz and Stegun, 9.1.27 and 9.1.1).
        let first = arcuate_numbers::special::bessel_j0(x) - j1 / x;
        let second = -first / x - (1.0 - 1.0 / (x * x)) * j1;
        x -= first / second;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_agree_with_published_tables() {
        // The expected roots are from Abramowitz and Stegun, table 9.5, which has the roots j′₁ₛ to five
        // decimals. The last expected root is from scipy.special.jnp_zeros.
        let published = [1.84118, 5.33144, 8.53632, 11.70600, 14.86359, 18.01553, 21.16437, 24.31133];
        for (root, published) in roots().iter().zip(published) {
            assert!((root - published).abs() < 5.1e-6, "{root} is not {published}");
        }
        // SciPy's function scipy.special.jnp_zeros(1, 200) prints fifteen digits of each root. The tolerance
        // of 1e-12 allows for this rounding.
        let scipy = [
            (1, 1.8411837813406595),
            (10, 30.601922972669094),
            (50, 156.28863580700812),
            (100, 313.37107496712537),
            (200, 627.5317382013313),
        ];
        for (number, scipy) in scipy {
            assert!((roots()[number - 1] - scipy).abs() < 1e-12, "{number}: {}", roots()[number - 1]);
        }
    }

    #[test]
    fn sums_over_the_roots_agree_with_closed_forms() {
        // In the limit of wide cylinders, the signal is that of free diffusion because the sum over the roots
        // μ of 1/(μ²−1) is 1/2. In the limit of narrow cylinders, the signal is Neuman's limit because the
        // sum of 1/(μ⁴(μ²−1)) is 7/192.
        let wide: f64 = roots().iter().map(|mu| 1.0 / (mu * mu - 1.0)).sum();
        // The rest is the sum over all roots after the 200th: Σ 1/(π(m − ¼))², where the index m of a root
        // starts at 201.
        let rest = 1.0 / (std::f64::consts::PI.powi(2) * 200.25);
        // The sum over the roots after the 200th was replaced by an integral. The error of this integral is
        // about 200⁻³.
        assert!((wide + rest - 0.5).abs() < 1e-7, "{}", wide + rest);
        let narrow: f64 = roots().iter().map(|mu| 1.0 / (mu.powi(4) * (mu * mu - 1.0))).sum();
        // In this sum, the terms for all roots after the 200th add up to less than 629⁻⁵/(5π) = 6e-16.
        assert!((narrow - 7.0 / 192.0).abs() < 1e-14, "{narrow}");
    }
}
