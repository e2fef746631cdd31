//! Roots of the derivatives of the Bessel functions J₁ and j₁: the eigenvalues of diffusion in a disc and in a
//! ball with a reflecting boundary.

use std::sync::LazyLock;

/// Returns the first 200 positive roots x of J₁′(x) = 0, in ascending order.
///
/// Newton's method refines a starting value from McMahon's expansion (Abramowitz and Stegun, Handbook of
/// Mathematical Functions, 9.5.13). The sums over these roots in [`super::cylinder`] need at most 200 roots.
pub(crate) fn roots() -> &'static [f64] {
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

/// Returns the first 20 positive roots x of j₁′(x) = 0 (with the spherical Bessel function j₁), in ascending
/// order.
pub(crate) fn spherical_roots() -> &'static [f64] {
    static ROOTS: LazyLock<Vec<f64>> = LazyLock::new(|| (1..=20).map(spherical_root).collect());
    &ROOTS
}

fn spherical_root(number: usize) -> f64 {
    // The derivative j₁′ is proportional to f(x) = (2 − x²) sin x − 2x cos x, and f′(x) = −x² cos x. For large
    // x, the roots of f are those of tan x = −2/x.
    let beta = number as f64 * std::f64::consts::PI;
    let mut x = beta - 2.0 / beta;
    for _ in 0..8 {
        let (sine, cosine) = (libm::sin(x), libm::cos(x));
        x += ((2.0 - x * x) * sine - 2.0 * x * cosine) / (x * x * cosine);
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
    fn spherical_roots_agree_with_bisection() {
        let expected =
            [2.0815759778, 5.9403699906, 9.2058401429, 12.4044450219, 15.5792364104, 18.7426455848];
        for (root, expected) in spherical_roots().iter().zip(expected) {
            assert!((root - expected).abs() < 1e-10, "{root} is not {expected}");
        }
        for (n, root) in spherical_roots().iter().enumerate() {
            // Exactly one root is in each interval between two multiples of π.
            assert_eq!((root / std::f64::consts::PI).floor(), n as f64);
            let slope = (2.0 - root * root) * root.sin() - 2.0 * root * root.cos();
            assert!(slope.abs() < 1e-14 * root.powi(3), "{root}: {slope}");
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
