//! Legendre polynomials.

/// Computes the Legendre polynomials P_0(x), P_2(x), … of all even degrees up to `order`. It uses Bonnet's
/// recurrence (DLMF 14.10.3 with μ = 0).
pub fn even_polynomials(order: usize, x: f64) -> Vec<f64> {
    let (mut before, mut p) = (1.0, x);
    let mut values = vec![1.0];
    for l in 2..=order {
        (before, p) = (p, next(l, x, p, before));
        if l % 2 == 0 {
            values.push(p);
        }
    }
    values
}

/// Computes the Legendre polynomial P_l(x) for l ≥ 2 from `p` = P_{l−1}(x) and `before` = P_{l−2}(x).
pub(crate) fn next(l: usize, x: f64, p: f64, before: f64) -> f64 {
    ((2 * l - 1) as f64 * x * p - (l - 1) as f64 * before) / l as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_degree_polynomials_match_textbook_formulas() {
        for x in [-1.0f64, -0.3, 0.0, 0.7, 1.0] {
            let square = x * x;
            let expected =
                [1.0, (3.0 * square - 1.0) / 2.0, (35.0 * square * square - 30.0 * square + 3.0) / 8.0];
            let values = even_polynomials(4, x);
            assert_eq!(values.len(), 3);
            for (value, expected) in values.into_iter().zip(expected) {
                // The tolerance allows for the rounding errors of terms up to 4.4, which is the largest term
                // of the polynomial of highest degree.
                assert!((value - expected).abs() < 3e-15, "{x}: {value} {expected}");
            }
        }
        assert_eq!(even_polynomials(0, 0.4), [1.0]);
    }
}
