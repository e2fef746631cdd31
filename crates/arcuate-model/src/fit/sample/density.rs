//! Energies (−ln of probability densities) of priors and of measurements, for the CPU and for GPU kernels.

use crate::language::Prior;
use arcuate_numbers::{Operations, Real};

/// Coefficients of a prior's energy (−ln density) as a function of the parameter x: log · ln x + linear · x +
/// square · (x − middle)². Every prior that is not a formula has this form, up to a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(crate) struct PriorTerms<T> {
    pub(crate) log: T,
    pub(crate) linear: T,
    pub(crate) square: T,
    pub(crate) middle: T,
}

impl<T: Real> PriorTerms<T> {
    /// Returns the coefficients of the energy (−ln density) for the prior of a parameter. In base units, the
    /// value of the parameter is `factor` times as large. Priors that are formulas have no coefficients.
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

    /// Returns whether the prior is uniform.
    pub(crate) fn is_uniform(&self) -> bool {
        let zero = T::of(0.0);
        self.log == zero && self.linear == zero && self.square == zero
    }

    #[inline(always)]
    pub(crate) fn energy<N: Operations>(&self, x: N) -> N {
        let beside = x - x.known(self.middle.double());
        let rest = (beside * x.known(self.square.double())).fma(beside, x * x.known(self.linear.double()));
        if self.log == T::of(0.0) {
            return rest;
        }
        x.known(self.log.double()).fma(x.logarithm(), rest)
    }
}

/// The factor 1 / (2 σ²).
#[inline(always)]
pub(super) fn half_precision<N: Operations>(sigma: N) -> N {
    sigma.known(0.5) / (sigma * sigma)
}

/// Coefficients of the two polynomials of [`ln_scaled_bessel`]: one for arguments below `MIDDLE`, and one for
/// arguments above.
const SMALL: [f64; 7] = [1.0, 3.515_622_9, 3.089_942_4, 1.206_749_2, 0.265_973_2, 0.036_076_8, 0.004_581_3];
const LARGE: [f64; 9] = [
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
const MIDDLE: f64 = 3.75;

/// Returns ln (e⁻ˣ I₀(x)) for x ≥ 0, with an error below 3 · 10⁻⁷ (after Abramowitz and Stegun 1964, 9.8.1
/// and 9.8.2). I₀ is the modified Bessel function.
#[inline(always)]
pub(crate) fn ln_scaled_bessel<N: Operations>(x: N) -> N {
    let middle = x.known(MIDDLE);
    let smaller = x.smaller(middle);
    let y = smaller * x.known(1.0 / MIDDLE);
    let y = y * y;
    let mut small = x.known(SMALL[6]);
    for n in (0..6).rev() {
        small = small.fma(y, x.known(SMALL[n]));
    }
    let larger = x.larger(middle);
    let t = middle / larger;
    let mut large = x.known(LARGE[8]);
    for n in (0..8).rev() {
        large = large.fma(t, x.known(LARGE[n]));
    }
    // The argument of the logarithm is selected before the logarithm is computed, so that only one logarithm
    // is needed.
    let large = large * large * (t * x.known(1.0 / MIDDLE));
    let logarithm = x.if_above(middle, large, small).logarithm();
    x.if_above(middle, logarithm * x.known(0.5), logarithm - x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_numbers::Lanes;

    #[test]
    fn the_log_bessel_function_agrees_with_its_integral() {
        for x in [0.0, 1e-3, 0.5, 1.0, 3.0, 3.749, 3.7501, 4.0, 8.0, 30.0, 500.0, 1e5] {
            // The expected value is the mean of exp(x (cos t − 1)) over half a turn, computed as a sum. The
            // sum converges faster than any power of the number of its terms.
            let count = 20_000;
            let mean: f64 = (0..count)
                .map(|n| {
                    (x * ((std::f64::consts::PI * (f64::from(n) + 0.5) / f64::from(count)).cos() - 1.0)).exp()
                })
                .sum::<f64>()
                / f64::from(count);
            let found = ln_scaled_bessel(Lanes::<f64, 1>::all(x)).0[0];
            assert!((found - mean.ln()).abs() < 3e-7, "{x}: {found} for {}", mean.ln());
            let single = ln_scaled_bessel(Lanes::<f32, 1>::all(x)).0[0];
            assert!((f64::from(single) - mean.ln()).abs() < 1e-6 * (1.0 + mean.ln().abs()), "{x}: {single}");
        }
    }

    #[test]
    fn energies_agree_with_the_prior_densities() {
        let energy =
            |prior: &Prior, x: f64| PriorTerms::<f64>::new(prior, 2.0).energy(Lanes::<f64, 1>::all(x)).0[0];
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
