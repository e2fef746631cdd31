//! Legendre polynomials of even degree, as functions of the square of their argument.

use arcuate_core::narrow;

/// Returns the factors `up`, `here` and `down` in the formula t² P_l = up P_{l+2} + here P_l + down P_{l−2}.
/// The formula holds for Legendre polynomials P_l (Abramowitz and Stegun 1964, 8.5.3, applied twice).
pub(crate) fn times_square(degree: u16) -> [f64; 3] {
    let l = f64::from(degree);
    [
        (l + 1.0) * (l + 2.0) / ((2.0 * l + 1.0) * (2.0 * l + 3.0)),
        (2.0 * l * l + 2.0 * l - 1.0) / ((2.0 * l - 1.0) * (2.0 * l + 3.0)),
        l * (l - 1.0) / ((2.0 * l + 1.0) * (2.0 * l - 1.0)),
    ]
}

/// Returns the first `count` Legendre polynomials of even degree (P_0, P_2, …) at `t`, and their derivatives
/// with respect to t.
pub(crate) fn even_polynomials(t: f64, count: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut values, mut slopes) = (vec![1.0], vec![0.0]);
    for n in 0..count.saturating_sub(1) {
        let [up, here, down] = times_square(2 * narrow::<u16>(n));
        let before = |of: &[f64]| n.checked_sub(1).map_or(0.0, |before| of[before]);
        let factor = t * t - here;
        values.push((factor * values[n] - down * before(&values)) / up);
        slopes.push((factor * slopes[n] + 2.0 * t * values[n] - down * before(&slopes)) / up);
    }
    (values, slopes)
}

/// Returns the constants `scale`, a and b of a recurrence for Legendre polynomials of even degree, for each
/// n. The polynomials are P_2n = scale_n p_n with p_{n+1} = (a_n t² − b_n) p_n − p_{n−1}, p_0 = 1 and p_{−1}
/// = 0. A step of this recurrence has two operations.
pub(crate) fn scaled_recurrence(count: usize) -> Vec<[f64; 3]> {
    let mut scales = vec![1.0, 1.0];
    for n in 1..count {
        let [up, _, down] = times_square(2 * narrow::<u16>(n));
        scales.push(scales[n - 1] * down / up);
    }
    (0..count)
        .map(|n| {
            let [up, here, _] = times_square(2 * narrow::<u16>(n));
            let a = scales[n] / (up * scales[n + 1]);
            [scales[n], a, a * here]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_recurrences_give_legendre_polynomials() {
        for t in [0.0, 0.3, -0.7, 1.0] {
            let (values, slopes) = even_polynomials(t, 12);
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
        assert!((even_polynomials(1.0, 30).0[29] - 1.0).abs() < 1e-13);
    }
}
