//! Real spherical harmonics of even degree, for functions with equal values in opposite directions.

/// Coefficients of one step of the recurrence
///
/// `q(l + 2) = (square · z² − constant) · q(l) − before · q(l − 2)`.
///
/// The polynomial q(l) has degree l. All polynomials of a recurrence have the same order m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The factor of z² · q(l) in the recurrence.
    pub square: f64,
    /// The factor of q(l) that the recurrence subtracts.
    pub constant: f64,
    /// The factor of q(l − 2) in the recurrence; 0 in the first step of an order.
    pub before: f64,
}

/// The real spherical harmonics of even degree l in Schmidt's semi-normalisation: Σ_m Y_lm(u) Y_lm(g) = P_l(u
/// · g). So no harmonic has a value above 1. The harmonics are orthogonal, with ∫ Y_lm² = 4π/(2l + 1) over
/// the sphere. Multiplied by √((2l + 1)/4π), they are orthonormal. There is no Condon–Shortley phase.
///
/// Let u = (x, y, z) be a direction. Then Y_l0 = q, and Y_lm is q · Re (x + iy)^m or q · Im (x + iy)^m. The
/// polynomials q_l^m(z) follow from a recurrence over l (that of the associated Legendre functions, DLMF
/// 14.10.3, applied twice). Harmonics are sorted by m = 1, 2, …; the harmonics with m = 0 are last. For each
/// m, the degree l starts at m or m + 1, whichever is even, and increases in steps of 2. For each l, the
/// cosine precedes the sine.
#[derive(Debug, Clone)]
pub struct EvenHarmonics {
    order: usize,
    /// For each order m = 0, 1, …, the polynomial q of the lowest even degree l, which is a constant. (If l
    /// is m + 1, this is q divided by z.)
    firsts: Vec<f64>,
    /// For each order m, the steps of the recurrence that compute the polynomials of higher degree.
    steps: Vec<Vec<Step>>,
}

impl EvenHarmonics {
    /// Prepares the harmonics of all even degrees up to `order`.
    ///
    /// # Panics
    ///
    /// Panics if `order` is odd.
    pub fn new(order: usize) -> Self {
        assert!(order.is_multiple_of(2), "even degrees only");
        let (mut firsts, mut steps) = (Vec::new(), Vec::new());
        // The polynomial q of degree m and order m, which is a constant.
        let mut sectoral = 1.0;
        for m in 0..=order {
            if m == 1 {
                sectoral = 1.0;
            } else if m > 1 {
                sectoral *= ((2 * m - 1) as f64 / (2 * m) as f64).sqrt();
            }
            let square = |n: usize| (n * n) as f64;
            // The recurrence over single degrees is q_l = rise(l) · z · q_{l−1} − fall(l) · q_{l−2}.
            let rise = |l: usize| (2 * l - 1) as f64 / (square(l) - square(m)).sqrt();
            let fall = |l: usize| ((square(l - 1) - square(m)) / (square(l) - square(m))).sqrt();
            let lowest = m.next_multiple_of(2);
            firsts.push(if lowest == m { sectoral } else { rise(m + 1) * sectoral });
            let step = |l: usize| {
                // From the recurrence over single degrees, z q_{l−1} = (q_l + fall(l) q_{l−2}) / rise(l). If
                // l = m, this product is z q_m.
                let (constant, before) = if l == m {
                    (0.0, 0.0)
                } else {
                    (rise(l + 2) * fall(l + 1) / rise(l), rise(l + 2) * fall(l + 1) * fall(l) / rise(l))
                };
                Step {
                    square: rise(l + 2) * rise(l + 1),
                    constant: constant + fall(l + 2),
                    before: if l < m + 2 { 0.0 } else { before },
                }
            };
            steps.push((lowest..order).step_by(2).map(step).collect());
        }
        Self { order, firsts, steps }
    }

    /// The number of harmonics of even degree up to `order`.
    pub const fn count_up_to(order: usize) -> usize {
        (order + 1) * (order + 2) / 2
    }

    /// The number of harmonics of this set.
    pub fn count(&self) -> usize {
        Self::count_up_to(self.order)
    }

    /// The recurrences of [`evaluate`](Self::evaluate), for m = 1, 2, … and then m = 0. Each item has the
    /// order m, the polynomial q of the lowest even degree, and the recurrence steps to the higher degrees.
    /// If the lowest even degree is m + 1, q is divided by z.
    pub fn recurrences(&self) -> impl Iterator<Item = (usize, f64, &[Step])> {
        (1..=self.order).chain([0]).map(|m| (m, self.firsts[m], self.steps[m].as_slice()))
    }

    /// For each harmonic, the coefficient of the highest power of z in its polynomial q.
    pub fn leading(&self) -> Vec<f64> {
        let mut leading = Vec::with_capacity(self.count());
        for (m, first, steps) in self.recurrences() {
            let mut factor = first;
            for n in 0..=steps.len() {
                if n > 0 {
                    factor *= steps[n - 1].square;
                }
                leading.extend(std::iter::repeat_n(factor, if m == 0 { 1 } else { 2 }));
            }
        }
        leading
    }

    /// The degree l of each harmonic.
    pub fn degrees(&self) -> Vec<usize> {
        let mut degrees = Vec::with_capacity(self.count());
        for (m, _, steps) in self.recurrences() {
            for n in 0..=steps.len() {
                let degree = m.next_multiple_of(2) + 2 * n;
                degrees.extend(std::iter::repeat_n(degree, if m == 0 { 1 } else { 2 }));
            }
        }
        degrees
    }

    /// Converts from MRtrix's order of spherical harmonics. For each volume of an MRtrix image, returns the
    /// index of the same harmonic in the order of this type, and a factor. MRtrix's harmonic is this factor
    /// times the harmonic of this type. Volume l(l + 1)/2 + m has degree l and order m, −l ≤ m ≤ l: sines for
    /// m < 0 and cosines for m > 0. MRtrix's harmonics are orthonormal over the sphere, ∫ Y_lm² = 1, with the
    /// Condon–Shortley phase (−1)^m (Tournier et al. 2019, doi:10.1016/j.neuroimage.2019.116137).
    pub fn mrtrix_order(&self) -> Vec<(usize, f64)> {
        let mut order = vec![(0, 0.0); self.count()];
        let mut at = 0;
        for (m, _, steps) in self.recurrences() {
            for n in 0..=steps.len() {
                let degree = m.next_multiple_of(2) + 2 * n;
                let phase = if m % 2 == 1 { -1.0 } else { 1.0 };
                let factor = phase * ((2 * degree + 1) as f64 / (4.0 * std::f64::consts::PI)).sqrt();
                let middle = degree * (degree + 1) / 2;
                order[middle + m] = (at, factor);
                at += 1;
                if m > 0 {
                    order[middle - m] = (at, factor);
                    at += 1;
                }
            }
        }
        order
    }

    /// Evaluates all harmonics in one direction (a unit vector), in double precision.
    pub fn evaluate(&self, [x, y, z]: [f64; 3]) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.count());
        let (mut cosine, mut sine) = (1.0, 0.0);
        for (m, first, steps) in self.recurrences() {
            if m > 0 {
                (cosine, sine) = (cosine * x - sine * y, cosine * y + sine * x);
            }
            let (mut before, mut q) = (0.0, if m % 2 == 1 { first * z } else { first });
            for n in 0..=steps.len() {
                if n > 0 {
                    let step = &steps[n - 1];
                    (before, q) = (q, (step.square * z * z - step.constant) * q - step.before * before);
                }
                if m > 0 {
                    values.extend([q * cosine, q * sine]);
                } else {
                    values.push(q);
                }
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Orientations;
    use arcuate_numbers::legendre::even_polynomials;
    use arcuate_numbers::quadrature::half_gauss_legendre;
    use std::f64::consts::{PI, TAU};

    #[test]
    fn low_degree_harmonics_match_textbook_formulas_and_documented_order() {
        let harmonics = EvenHarmonics::new(2);
        assert_eq!(harmonics.degrees(), [2, 2, 2, 2, 0, 2]);
        for [x, y, z] in Orientations::half_sphere(20).directions().iter().copied() {
            let root = 3f64.sqrt();
            let expected = [
                root * x * z,
                root * y * z,
                root / 2.0 * (x * x - y * y),
                root * x * y,
                1.0,
                (3.0 * z * z - 1.0) / 2.0,
            ];
            for (value, expected) in harmonics.evaluate([x, y, z]).into_iter().zip(expected) {
                // The tolerance allows for a few rounding errors of numbers up to 3.
                assert!((value - expected).abs() < 2e-15, "{value} {expected}");
            }
        }
    }

    #[test]
    fn harmonics_are_orthogonal_with_the_documented_norm() {
        // The product of two harmonics of degree 8 has at most degree 16. For the integral of a product
        // over the sphere, 17 equal steps of the angle about z are exact. The 10 nodes in z are exact up to
        // degree 19.
        const ORDER: usize = 8;
        let harmonics = EvenHarmonics::new(ORDER);
        let (count, degrees, angles) = (harmonics.count(), harmonics.degrees(), 2 * ORDER + 1);
        let mut integrals = vec![0.0; count * count];
        for (node, weight) in half_gauss_legendre(5) {
            for z in [node, -node] {
                for angle in (0..angles).map(|n| TAU * n as f64 / angles as f64) {
                    let radius = (1.0 - z * z).sqrt();
                    let values = harmonics.evaluate([radius * angle.cos(), radius * angle.sin(), z]);
                    for (n, integral) in integrals.iter_mut().enumerate() {
                        *integral += weight * TAU / angles as f64 * values[n / count] * values[n % count];
                    }
                }
            }
        }
        for (n, integral) in integrals.into_iter().enumerate() {
            let norm = 4.0 * PI / (2 * degrees[n / count] + 1) as f64;
            let expected = if n / count == n % count { norm } else { 0.0 };
            // The tolerance allows for the rounding errors of about 170 terms with a sum of at most 4π.
            assert!((integral - expected).abs() < 1e-13, "{n}: {integral} {expected}");
        }
    }

    #[test]
    fn amplitudes_agree_with_mrtrix() {
        // Amplitudes that MRtrix 3.0.3's `sh2amp` computes in the directions (0.6, 0, 0.8) and (0.36, 0.48,
        // 0.8). Each input image has the value 1 in one volume, and 0 in all other volumes.
        let shown = [
            ([0.6, 0.0, 0.8], [0.2821, 0.0, 0.0, 0.2902, -0.5244, 0.1967]),
            ([0.36, 0.48, 0.8], [0.2821, 0.1888, -0.4195, 0.2902, -0.3147, -0.0551]),
        ];
        let harmonics = EvenHarmonics::new(2);
        for (direction, expected) in shown {
            let values = harmonics.evaluate(direction);
            for ((at, factor), expected) in harmonics.mrtrix_order().into_iter().zip(expected) {
                // MRtrix's values have four decimal places.
                assert!((factor * values[at] - expected).abs() < 5.1e-5, "{at}: {expected}");
            }
        }
        // Every harmonic corresponds to one volume of an MRtrix image, and the degrees of the volumes ascend.
        let harmonics = EvenHarmonics::new(8);
        let (order, degrees) = (harmonics.mrtrix_order(), harmonics.degrees());
        let mut numbers: Vec<usize> = order.iter().map(|(at, _)| *at).collect();
        assert!(numbers.windows(2).all(|pair| degrees[pair[0]] <= degrees[pair[1]]));
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..45));
    }

    #[test]
    fn sums_over_orders_are_legendre_polynomials() {
        // The addition theorem, which is tested here, determines the harmonics of each degree except for a
        // rotation (a change of basis).
        for order in [0, 2, 8, 16, 30] {
            let harmonics = EvenHarmonics::new(order);
            let degrees = harmonics.degrees();
            assert_eq!(degrees.len(), harmonics.count());
            let directions = Orientations::half_sphere(40);
            for pair in directions.directions().windows(2) {
                let (u, g) = (pair[0], pair[1].map(|c| -c));
                let (a, b) = (harmonics.evaluate(u), harmonics.evaluate(g));
                assert_eq!(a.len(), harmonics.count());
                let mut sums = vec![0.0; order / 2 + 1];
                for ((a, b), degree) in a.iter().zip(&b).zip(&degrees) {
                    sums[degree / 2] += a * b;
                }
                let cosine = (0..3).map(|n| u[n] * g[n]).sum::<f64>();
                for (sum, expected) in sums.iter().zip(even_polynomials(order, cosine)) {
                    // The tolerance allows for the rounding errors of about 60 terms below 1, each from a
                    // recurrence of up to 15 steps.
                    assert!((sum - expected).abs() < 1e-12, "{sum} {expected}");
                }
            }
        }
    }

    #[test]
    fn single_precision_is_accurate_at_high_degrees() {
        // The test computes the recurrence in single precision (f32). At degree 30, two of the seven decimal
        // digits are lost.
        let harmonics = EvenHarmonics::new(30);
        for u in Orientations::half_sphere(300).directions() {
            let exact = harmonics.evaluate(*u);
            let [x, y, z] = u.map(|c| c as f32);
            let (mut cosine, mut sine, mut at) = (1f32, 0f32, 0);
            for (m, first, steps) in harmonics.recurrences() {
                if m > 0 {
                    (cosine, sine) = (cosine * x - sine * y, cosine * y + sine * x);
                }
                let (mut before, mut q) = (0f32, if m % 2 == 1 { first as f32 * z } else { first as f32 });
                for n in 0..=steps.len() {
                    if n > 0 {
                        let s = &steps[n - 1];
                        let next =
                            (s.square as f32 * z * z - s.constant as f32) * q - s.before as f32 * before;
                        (before, q) = (q, next);
                    }
                    let both: &[f32] = if m > 0 { &[q * cosine, q * sine] } else { &[q] };
                    for value in both {
                        assert!(
                            (f64::from(*value) - exact[at]).abs() < 2e-5,
                            "m = {m}, {value} {}",
                            exact[at]
                        );
                        at += 1;
                    }
                }
            }
        }
    }
}
