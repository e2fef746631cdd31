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

/// Computes the factors `up`, `here` and `down` in the formula t² P_l = up P_{l+2} + here P_l + down P_{l−2}.
/// The formula holds for Legendre polynomials P_l (Abramowitz and Stegun 1964, 8.5.3, applied twice).
pub fn times_square(degree: u16) -> [f64; 3] {
    factors_of(f64::from(degree))
}

fn factors_of(l: f64) -> [f64; 3] {
    [
        (l + 1.0) * (l + 2.0) / ((2.0 * l + 1.0) * (2.0 * l + 3.0)),
        (2.0 * l * l + 2.0 * l - 1.0) / ((2.0 * l - 1.0) * (2.0 * l + 3.0)),
        l * (l - 1.0) / ((2.0 * l + 1.0) * (2.0 * l - 1.0)),
    ]
}

/// Computes the first `count` Legendre polynomials of even degree (P_0, P_2, …) at `t`, and their derivatives
/// with respect to t.
pub fn even_polynomials_and_slopes(t: f64, count: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut values, mut slopes) = (vec![1.0], vec![0.0]);
    for n in 0..count.saturating_sub(1) {
        let [up, here, down] = factors_of((2 * n) as f64);
        let before = |of: &[f64]| n.checked_sub(1).map_or(0.0, |before| of[before]);
        let factor = t * t - here;
        values.push((factor * values[n] - down * before(&values)) / up);
        slopes.push((factor * slopes[n] + 2.0 * t * values[n] - down * before(&slopes)) / up);
    }
    (values, slopes)
}

/// Computes the constants `scale`, a and b of a recurrence for Legendre polynomials of even degree, for each
/// n. The polynomials are P_2n = scale_n p_n with p_{n+1} = (a_n t² − b_n) p_n − p_{n−1}, p_0 = 1 and p_{−1}
/// = 0. A step of this recurrence has two operations.
pub fn scaled_recurrence(count: usize) -> Vec<[f64; 3]> {
    let mut scales = vec![1.0, 1.0];
    for n in 1..count {
        let [up, _, down] = factors_of((2 * n) as f64);
        scales.push(scales[n - 1] * down / up);
    }
    (0..count)
        .map(|n| {
            let [up, here, _] = factors_of((2 * n) as f64);
            let a = scales[n] / (up * scales[n + 1]);
            [scales[n], a, a * here]
        })
        .collect()
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

    #[test]
    fn both_recurrences_give_legendre_polynomials() {
        for t in [0.0, 0.3, -0.7, 1.0] {
            let (values, slopes) = even_polynomials_and_slopes(t, 12);
            assert!((values[1] - (1.5 * t * t - 0.5)).abs() < 1e-15);
            let p4 = (35.0 * t.powi(4) - 30.0 * t * t + 3.0) / 8.0;
            assert!(
                (values[2] - p4).abs() < 1e-15 && (slopes[2] - (17.5 * t.powi(3) - 7.5 * t)).abs() < 1e-14
            );
            let (mut before, mut here) = (0.0, 1.0);
            for (n, [scale, a, b]) in scaled_recurrence(12).into_iter().enumerate() {
                assert!((scale * here - values[n]).abs() < 1e-14, "{n} at {t}");
                (before, here) = (here, (a * t * t - b) * here - before);
            }
        }
        assert!((even_polynomials_and_slopes(1.0, 30).0[29] - 1.0).abs() < 1e-13);
    }
}
