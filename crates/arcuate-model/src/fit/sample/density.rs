//! Energies, −ln of densities: of priors, and of what was measured. `written.rs` is the same for GPUs, operation by operation.

use crate::fit::interpreter::Row;
use crate::language::Prior;
use arcuate_compute::numbers::{Lanes, Real};

/// log · ln x + linear · x + square · (x − middle)²: what each kind of prior is, but for a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(crate) struct PriorTerms<T> {
    pub(crate) log: T,
    pub(crate) linear: T,
    pub(crate) square: T,
    pub(crate) middle: T,
}

impl<T: Real> PriorTerms<T> {
    /// Those of a prior of a number that is `factor` times as large in base units. Formulas have none of these terms.
    pub(crate) fn new(prior: &Prior, factor: f64) -> Self {
        let terms = |log: f64, linear: f64, square: f64, middle: f64| Self {
            log: T::of(log),
            linear: T::of(linear),
            square: T::of(square),
            middle: T::of(middle),
        };
        match *prior {
            Prior::Uniform | Prior::Energy(_) => terms(0.0, 0.0, 0.0, 0.0),
            Prior::Normal { mean, deviation } => {
                terms(0.0, 0.0, 0.5 / (deviation * factor).powi(2), mean * factor)
            }
            Prior::Gamma { shape, scale } => terms(1.0 - shape, 1.0 / (scale * factor), 0.0, 0.0),
            Prior::Relevance { weight, .. } => terms(weight, 0.0, 0.0, 0.0),
            Prior::LogUniform => terms(1.0, 0.0, 0.0, 0.0),
        }
    }

    /// Whether it is the same everywhere.
    pub(crate) fn is_uniform(&self) -> bool {
        let zero = T::of(0.0);
        self.log == zero && self.linear == zero && self.square == zero
    }

    #[inline(always)]
    pub(crate) fn energy(&self, x: Row<T>) -> Row<T> {
        let beside = x - Lanes::all(self.middle.double());
        let rest =
            (beside * Lanes::all(self.square.double())).fma(beside, x * Lanes::all(self.linear.double()));
        if self.log == T::of(0.0) {
            return rest;
        }
        Lanes::all(self.log.double()).fma(x.logarithm(), rest)
    }
}

/// Coefficients of the polynomials of [`ln_scaled_bessel`] below and above `MIDDLE`.
pub(super) const SMALL: [f64; 7] =
    [1.0, 3.515_622_9, 3.089_942_4, 1.206_749_2, 0.265_973_2, 0.036_076_8, 0.004_581_3];
pub(super) const LARGE: [f64; 9] = [
    0.398_942_28,
    0.013_285_92,
    0.002_253_19,
    -0.001_575_65,
    0.009_162_81,
    -0.020_577_06,
    0.026_355_37,
    -0.016_476_33,
    0.003_923_77,
];
pub(super) const MIDDLE: f64 = 3.75;

/// ln (e⁻ˣ I₀(x)) for x ≥ 0, within 3 · 10⁻⁷ (after Abramowitz and Stegun 1964, 9.8.1 and 9.8.2).
#[inline(always)]
pub(crate) fn ln_scaled_bessel<T: Real>(x: Row<T>) -> Row<T> {
    let middle = Lanes::all(MIDDLE);
    let smaller = x.smaller(middle);
    let y = smaller * Lanes::all(1.0 / MIDDLE);
    let y = y * y;
    let mut small = Lanes::all(SMALL[6]);
    for n in (0..6).rev() {
        small = small.fma(y, Lanes::all(SMALL[n]));
    }
    let larger = x.larger(middle);
    let t = middle / larger;
    let mut large = Lanes::all(LARGE[8]);
    for n in (0..8).rev() {
        large = large.fma(t, Lanes::all(LARGE[n]));
    }
    // Of the two squares or none, so that there is one logarithm.
    let large = large * large * (t * Lanes::all(1.0 / MIDDLE));
    let logarithm = x.if_above(middle, large, small).logarithm();
    x.if_above(middle, logarithm * Lanes::all(0.5), logarithm - x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bessels_logarithm_is_that_of_its_integral() {
        for x in [0.0, 1e-3, 0.5, 1.0, 3.0, 3.749, 3.7501, 4.0, 8.0, 30.0, 500.0, 1e5] {
            // The mean of exp(x (cos t − 1)) over half a turn, by a sum that converges faster than any power.
            let count = 20_000;
            let mean: f64 = (0..count)
                .map(|n| {
                    (x * ((std::f64::consts::PI * (f64::from(n) + 0.5) / f64::from(count)).cos() - 1.0)).exp()
                })
                .sum::<f64>()
                / f64::from(count);
            let found = ln_scaled_bessel::<f64>(Lanes::all(x)).0[0];
            assert!((found - mean.ln()).abs() < 3e-7, "{x}: {found} for {}", mean.ln());
            let single = ln_scaled_bessel::<f32>(Lanes::all(x)).0[0];
            assert!((f64::from(single) - mean.ln()).abs() < 1e-6 * (1.0 + mean.ln().abs()), "{x}: {single}");
        }
    }

    #[test]
    fn energies_are_those_of_the_densities() {
        let energy = |prior: &Prior, x: f64| PriorTerms::<f64>::new(prior, 2.0).energy(Lanes::all(x)).0[0];
        let differs = |prior: &Prior, a: f64, b: f64| energy(prior, 2.0 * a) - energy(prior, 2.0 * b);
        let normal = |x: f64| 0.5 * ((x - 3.0) / 0.5f64).powi(2);
        let gamma = |x: f64| -1.5 * x.ln() + x / 0.25;
        let found = differs(&Prior::Normal { mean: 3.0, deviation: 0.5 }, 2.0, 3.5);
        assert!((found - (normal(2.0) - normal(3.5))).abs() < 1e-12);
        let found = differs(&Prior::Gamma { shape: 2.5, scale: 0.25 }, 2.0, 3.5);
        assert!((found - (gamma(2.0) - gamma(3.5))).abs() < 1e-12);
        let found = differs(&Prior::Relevance { weight: 3.0, least: 0.0 }, 2.0, 3.5);
        assert!((found - 3.0 * (2.0f64 / 3.5).ln()).abs() < 1e-12);
        assert!(PriorTerms::<f32>::new(&Prior::Uniform, 1.0).is_uniform());
    }
}
