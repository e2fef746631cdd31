//! Real spherical harmonics of even degree in single precision, with a fixed order of operations. Directions
//! are evaluated in parallel lanes of SIMD vectors.
//!
//! `distributions.cuh` implements the same for GPUs, operation by operation. Always change both.

use super::constants;
use arcuate_core::harmonics::EvenHarmonics;
use pulp::{Scalar, Simd};

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
    pub(super) fn at(&self, direction: [f32; 3]) -> [f32; BASIS] {
        let mut values = Values([0.0; BASIS]);
        self.visit(Scalar::new(), direction, &mut values);
        values.0
    }

    /// Evaluates all harmonics in several directions, one per lane of a SIMD vector, and passes them to
    /// `visitor` in their sequence. Each lane rounds as a single direction would.
    #[inline(always)]
    pub(super) fn visit<S: Simd>(
        &self,
        simd: S,
        direction: [S::f32s; 3],
        visitor: &mut impl HarmonicVisitor<S>,
    ) {
        let (one, zero) = (simd.splat_f32s(1.0), simd.splat_f32s(0.0));
        let square = simd.mul_f32s(direction[2], direction[2]);
        let mut orders =
            Orders { basis: self, simd, direction, square, cosine: one, sine: zero, q: zero, before: zero };
        // The numbers of the orders are constants, so that the compiler knows the indices of all harmonics.
        orders.visit::<0>(visitor);
        orders.visit::<1>(visitor);
        orders.visit::<2>(visitor);
        orders.visit::<3>(visitor);
        orders.visit::<4>(visitor);
        orders.visit::<5>(visitor);
        orders.visit::<6>(visitor);
        orders.visit::<7>(visitor);
        orders.visit::<8>(visitor);
    }
}

/// Receives the values of the harmonics in several directions, one per lane.
pub(super) trait HarmonicVisitor<S: Simd> {
    /// Receives harmonic number `n`. The numbers increase from 0.
    fn visit(&mut self, simd: S, n: usize, value: S::f32s);
}

/// The values of all harmonics in one direction.
struct Values([f32; BASIS]);

impl HarmonicVisitor<Scalar> for Values {
    #[inline(always)]
    fn visit(&mut self, _: Scalar, n: usize, value: f32) {
        self.0[n] = value;
    }
}

/// Recurrence over the orders m of the harmonics.
struct Orders<'a, S: Simd> {
    basis: &'a Basis,
    simd: S,
    direction: [S::f32s; 3],
    /// Square of the z component of the direction.
    square: S::f32s,
    /// Real and imaginary part of (x + iy)^m.
    cosine: S::f32s,
    sine: S::f32s,
    /// State of the recurrence over degrees: the last value, and the value before it.
    q: S::f32s,
    before: S::f32s,
}

/// Returns the number of harmonics before those of order number `n`.
const fn harmonics_before(n: usize) -> usize {
    let (mut count, mut order) = (0, 0);
    while order < n {
        count += 2 * (STEPS[order] + 1);
        order += 1;
    }
    count
}

impl<S: Simd> Orders<'_, S> {
    /// Evaluates the harmonics of order number `N`, which is m = `N` + 1, or m = 0 for the last number.
    #[inline(always)]
    fn visit<const N: usize>(&mut self, visitor: &mut impl HarmonicVisitor<S>) {
        let (simd, [x, y, z]) = (self.simd, self.direction);
        let is_zonal = N + 1 == ORDERS;
        if !is_zonal {
            let (cosine, sine) = (self.cosine, self.sine);
            self.cosine = simd.sub_f32s(simd.mul_f32s(cosine, x), simd.mul_f32s(sine, y));
            self.sine = simd.add_f32s(simd.mul_f32s(cosine, y), simd.mul_f32s(sine, x));
        }
        // The order m = N + 1 is odd if N is even.
        let first = simd.splat_f32s(self.basis.firsts[N]);
        self.q = if N.is_multiple_of(2) && !is_zonal { simd.mul_f32s(first, z) } else { first };
        self.visit_level::<N, 0>(visitor);
        self.visit_level::<N, 1>(visitor);
        self.visit_level::<N, 2>(visitor);
        self.visit_level::<N, 3>(visitor);
        self.visit_level::<N, 4>(visitor);
    }

    /// Evaluates the harmonics of order number `N` after `LEVEL` steps of the recurrence over degrees.
    #[inline(always)]
    fn visit_level<const N: usize, const LEVEL: usize>(&mut self, visitor: &mut impl HarmonicVisitor<S>) {
        if LEVEL > STEPS[N] {
            return;
        }
        let simd = self.simd;
        if LEVEL > 0 {
            let Step { square, constant, before } = self.basis.steps[N][LEVEL - 1];
            let factor = simd.mul_f32s(simd.splat_f32s(square), self.square);
            let factor = simd.sub_f32s(factor, simd.splat_f32s(constant));
            let mut next = simd.mul_f32s(factor, self.q);
            // At the first step, the value before the last one is 0.
            if LEVEL > 1 {
                next = simd.sub_f32s(next, simd.mul_f32s(simd.splat_f32s(before), self.before));
            }
            (self.before, self.q) = (self.q, next);
        }
        let first = const { harmonics_before(N) };
        if N + 1 == ORDERS {
            visitor.visit(simd, first + LEVEL, self.q);
        } else {
            visitor.visit(simd, first + 2 * LEVEL, simd.mul_f32s(self.q, self.cosine));
            visitor.visit(simd, first + 2 * LEVEL + 1, simd.mul_f32s(self.q, self.sine));
        }
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
