//! Real spherical harmonics of even degree in single precision, with a fixed order of operations.
//! `distributions.cuh` implements the same for GPUs, operation by operation. Always change both.

use super::constants;
use arcuate_core::harmonics::EvenHarmonics;

/// Maximum degree of the harmonics. Coefficients of images with a lower degree are padded with zeros, so that
/// the compiler knows the lengths of all loops.
pub(super) const DEGREE: usize = 8;
/// Number of values in a row of coefficients: the 45 harmonics up to the maximum degree, padded with zeros to
/// a multiple of four.
pub(super) const BASIS: usize = 4 * constants::FOURS as usize;
/// Number of orders m of the harmonics. [`EvenHarmonics`] stores the orders as m = 1, 2, …, then 0.
const ORDERS: usize = constants::ORDERS as usize;
/// Number of steps of the recurrence over degrees for each order m of the harmonics.
const STEPS: [usize; ORDERS] = [3, 3, 2, 2, 1, 1, 0, 0, 4];
const MAX_STEPS: usize = 4;
const ALL_STEPS: usize = 16;

/// One step of the recurrence over degrees of the harmonics.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    square: f32,
    constant: f32,
    before: f32,
}

/// Harmonics in the sequence of [`EvenHarmonics`]: m = 1, 2, …, then m = 0. For each m, l starts at m or m +
/// 1 and increases by 2, with cosine before sine.
#[derive(Debug, Clone)]
pub(super) struct Basis {
    /// Start value of the recurrence for each order m: the harmonic of the lowest even degree, divided by z
    /// if m is odd.
    firsts: [f32; ORDERS],
    steps: [[Step; MAX_STEPS]; ORDERS],
    /// For each harmonic: the index of its coefficient in MRtrix's order, and the factor of this coefficient.
    from_mrtrix: Vec<(usize, f64)>,
}

impl Basis {
    pub(super) fn new() -> Self {
        let mut basis = Self {
            firsts: [0.0; ORDERS],
            steps: [[Step::default(); MAX_STEPS]; ORDERS],
            from_mrtrix: Vec::new(),
        };
        for (n, (m, first, steps)) in EvenHarmonics::new(DEGREE).recurrences().enumerate() {
            basis.firsts[n] = first as f32;
            for (out, step) in basis.steps[n].iter_mut().zip(steps) {
                let [square, constant, before] =
                    [step.square, step.constant, step.before].map(|factor| factor as f32);
                *out = Step { square, constant, before };
            }
            for k in 0..=steps.len() {
                let l = m.next_multiple_of(2) + 2 * k;
                // The factor of a coefficient converts from Schmidt normalisation to orthonormal harmonics.
                // MRtrix's harmonics have the phase (−1)^m.
                let phase = if m % 2 == 1 { -1.0 } else { 1.0 };
                let scale = phase * ((2 * l + 1) as f64 / (4.0 * std::f64::consts::PI)).sqrt();
                let middle = l * (l + 1) / 2;
                basis.from_mrtrix.push((middle + m, scale));
                if m > 0 {
                    basis.from_mrtrix.push((middle - m, scale));
                }
            }
        }
        basis
    }

    /// Returns the start values of the recurrence for each order m, and the coefficients of all recurrence
    /// steps, in the layout that GPU kernels read.
    pub(super) fn numbers(&self) -> ([f32; ORDERS], [f32; 3 * ALL_STEPS]) {
        let mut numbers = [0.0; 3 * ALL_STEPS];
        let steps = self.steps.iter().zip(STEPS).flat_map(|(steps, count)| &steps[..count]);
        for (out, step) in numbers.chunks_exact_mut(3).zip(steps) {
            out.copy_from_slice(&[step.square, step.constant, step.before]);
        }
        (self.firsts, numbers)
    }

    /// Returns degree and order of each harmonic. Cosines have positive orders, sines negative ones.
    pub(super) fn degrees_and_orders(&self) -> Vec<(i64, i64)> {
        let of = |&(place, _): &(usize, f64)| {
            let place = i64::try_from(place).unwrap_or(0);
            let degree = (0..).step_by(2).find(|l| (l + 1) * (l + 2) / 2 > place).unwrap_or(0);
            (degree, place - degree * (degree + 1) / 2)
        };
        self.from_mrtrix.iter().map(of).collect()
    }

    /// Converts coefficients from MRtrix's order to this basis. Coefficients of higher degrees are dropped.
    pub(super) fn row(&self, mrtrix: &[f32]) -> [f32; BASIS] {
        let mut row = [0.0; BASIS];
        for (out, &(place, scale)) in row.iter_mut().zip(&self.from_mrtrix) {
            *out = mrtrix.get(place).map_or(0.0, |&c| (f64::from(c) * scale) as f32);
        }
        row
    }

    /// Converts coefficients from this basis to MRtrix's order.
    #[cfg(test)]
    pub(super) fn to_mrtrix(&self, values: &[f64]) -> Vec<f32> {
        let mut mrtrix = vec![0.0; values.len()];
        for (value, &(place, scale)) in values.iter().zip(&self.from_mrtrix) {
            mrtrix[place] = (value * scale) as f32;
        }
        mrtrix
    }

    /// Evaluates all harmonics in a direction.
    #[inline(always)]
    pub(super) fn at(&self, [x, y, z]: [f32; 3]) -> [f32; BASIS] {
        let mut values = [0.0; BASIS];
        let mut at = 0;
        let (mut cosine, mut sine) = (1.0f32, 0.0f32);
        let square = z * z;
        for n in 0..ORDERS {
            let is_zonal = n + 1 == ORDERS;
            if !is_zonal {
                (cosine, sine) = (cosine * x - sine * y, cosine * y + sine * x);
            }
            // The order m = n + 1 is odd if n is even.
            let first = self.firsts[n];
            let (mut before, mut q) = (0.0, if n % 2 == 0 && !is_zonal { first * z } else { first });
            for level in 0..=STEPS[n] {
                if level > 0 {
                    let Step { square: of_square, constant, before: of_before } = self.steps[n][level - 1];
                    let next = (of_square * square - constant) * q - of_before * before;
                    (before, q) = (q, next);
                }
                if is_zonal {
                    values[at] = q;
                    at += 1;
                } else {
                    values[at] = q * cosine;
                    values[at + 1] = q * sine;
                    at += 2;
                }
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_compute::{Purpose, Random};

    #[test]
    fn harmonics_agree_with_double_precision() {
        let harmonics = EvenHarmonics::new(DEGREE);
        let basis = Basis::new();
        assert_eq!(basis.from_mrtrix.len(), harmonics.count());
        let mut random = Random::new(1, Purpose::Resampling, 0);
        let mut worst = 0.0f64;
        for _ in 0..1000 {
            let direction = random.on_sphere();
            let single = basis.at(direction.map(|c| c as f32));
            for (a, b) in single.iter().zip(harmonics.evaluate(direction)) {
                worst = worst.max((f64::from(*a) - b).abs());
            }
        }
        // Rounding errors accumulate over eight steps of the recurrence. No harmonic exceeds 1.
        assert!(worst < 2e-6, "{worst}");
    }
}
