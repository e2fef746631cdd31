//! Real spherical harmonics of even degree.

/// One step of the recurrence over degrees at one order m: q(l + 2) = (square · z² − constant) · q(l) − before · q(l −
/// 2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    pub(super) square: f64,
    pub(super) constant: f64,
    pub(super) before: f64,
}

/// The even real spherical harmonics up to a degree, in Schmidt's semi-normalisation: Σ_m Y_lm(u) Y_lm(g) = P_l(u · g),
/// so that none exceeds 1.
///
/// With u = (x, y, z) and Y_l0 = q, Y_lm = q · Re (x + iy)^m and q · Im (x + iy)^m, where the polynomials q_l^m(z)
/// follow from each other over l (the recurrence of the associated Legendre functions, DLMF 14.10.3, taken twice).
/// They are numbered m = 1, 2, … with l = m or m + 1, then in steps of 2, cosine before sine; then m = 0.
#[derive(Debug, Clone)]
pub(super) struct EvenHarmonics {
    order: usize,
    /// For m = 0, 1, …: q at the lowest even degree, over z where that is m + 1.
    firsts: Vec<f64>,
    /// For each m, the steps to the higher degrees.
    steps: Vec<Vec<Step>>,
}

impl EvenHarmonics {
    /// Up to degree `order`, which is even.
    pub(super) fn new(order: usize) -> Self {
        assert!(order.is_multiple_of(2), "even degrees only");
        let (mut firsts, mut steps) = (Vec::new(), Vec::new());
        // q_m^m.
        let mut sectoral = 1.0;
        for m in 0..=order {
            if m == 1 {
                sectoral = 1.0;
            } else if m > 1 {
                sectoral *= ((2 * m - 1) as f64 / (2 * m) as f64).sqrt();
            }
            let square = |n: usize| (n * n) as f64;
            // q_l = rise(l) · z · q_{l−1} − fall(l) · q_{l−2}.
            let rise = |l: usize| (2 * l - 1) as f64 / (square(l) - square(m)).sqrt();
            let fall = |l: usize| ((square(l - 1) - square(m)) / (square(l) - square(m))).sqrt();
            let lowest = m.next_multiple_of(2);
            firsts.push(if lowest == m { sectoral } else { rise(m + 1) * sectoral });
            let step = |l: usize| {
                // z q_{l−1} = (q_l + fall(l) q_{l−2}) / rise(l), which is z q_m where l = m.
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

    /// The number of harmonics up to a degree.
    pub(super) fn count_up_to(order: usize) -> usize {
        (order + 1) * (order + 2) / 2
    }

    /// The number of harmonics.
    pub(super) fn count(&self) -> usize {
        Self::count_up_to(self.order)
    }

    /// What [`evaluate`](Self::evaluate) goes by, m after m from 1 on and then m = 0.
    pub(super) fn recurrences(&self) -> impl Iterator<Item = (usize, f64, &[Step])> {
        (1..=self.order).chain([0]).map(|m| (m, self.firsts[m], self.steps[m].as_slice()))
    }

    /// For each harmonic the factor from its polynomial whose first coefficient is 1.
    pub(super) fn leading(&self) -> Vec<f64> {
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

    /// The degree of each harmonic.
    pub(super) fn degrees(&self) -> Vec<usize> {
        let mut degrees = Vec::with_capacity(self.count());
        for (m, _, steps) in self.recurrences() {
            for n in 0..=steps.len() {
                let degree = m.next_multiple_of(2) + 2 * n;
                degrees.extend(std::iter::repeat_n(degree, if m == 0 { 1 } else { 2 }));
            }
        }
        degrees
    }

    /// All harmonics in a direction (unit vector), in double precision: the reference.
    pub(super) fn evaluate(&self, [x, y, z]: [f64; 3]) -> Vec<f64> {
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

/// P_0(x), P_2(x), …, P_order(x).
pub(super) fn even_legendre(order: usize, x: f64) -> Vec<f64> {
    let (mut before, mut p) = (1.0, x);
    let mut values = vec![1.0];
    for l in 2..=order {
        (before, p) = (p, ((2 * l - 1) as f64 * x * p - (l - 1) as f64 * before) / l as f64);
        if l % 2 == 0 {
            values.push(p);
        }
    }
    values
}

/// Nodes and weights of the Gauss–Legendre quadrature with `2 · half` nodes on [−1, 1], those above 0: exact for even
/// polynomials up to degree 4 · half − 1, with each weight counted twice. Newton's method from Tricomi's estimate.
pub(super) fn half_quadrature(half: usize) -> Vec<(f64, f64)> {
    let count = 2 * half;
    (1..=half)
        .map(|k| {
            let angle = std::f64::consts::PI * (4 * k - 1) as f64 / (4 * count + 2) as f64;
            let mut x = angle.cos();
            let mut slope = 1.0;
            for _ in 0..20 {
                let (mut before, mut p) = (1.0, x);
                for l in 2..=count {
                    (before, p) = (p, ((2 * l - 1) as f64 * x * p - (l - 1) as f64 * before) / l as f64);
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
    use arcuate_core::Orientations;

    #[test]
    fn sums_over_orders_are_legendre_polynomials() {
        // The addition theorem fixes every harmonic up to a rotation among those of its degree.
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
                for (sum, expected) in sums.iter().zip(even_legendre(order, cosine)) {
                    // Some 60 terms below 1, each from a recurrence of up to 15 steps.
                    assert!((sum - expected).abs() < 1e-12, "{sum} {expected}");
                }
            }
        }
    }

    #[test]
    fn single_precision_suffices_for_harmonics_of_high_degree() {
        // The kernels take the same steps in f32: 30 of them lose two digits of seven.
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

    #[test]
    fn the_quadrature_integrates_even_polynomials() {
        let nodes = half_quadrature(12);
        let total: f64 = nodes.iter().map(|(_, w)| 2.0 * w).sum();
        assert!((total - 2.0).abs() < 1e-14);
        for power in [2, 10, 40] {
            let integral: f64 = nodes.iter().map(|(x, w)| 2.0 * w * x.powi(power)).sum();
            assert!((integral - 2.0 / f64::from(power + 1)).abs() < 1e-14);
        }
    }
}
