//! Signal of diffusion that is restricted in a cylinder, by the Gaussian-phase approximation. The cylinder
//! has one radius, or the radii of many cylinders have a gamma distribution.

use super::bessel;
use arcuate_core::{PROTON_GYROMAGNETIC_RATIO, PulseTiming};
use std::f64::consts::PI;

/// Returns −ln S, where S is the signal of diffusion across a cylinder with reflecting walls and this
/// `radius` (m). The gradient is perpendicular to the cylinder's axis. If the gradient has the angle θ to the
/// axis, multiply the result by sin²θ. `diffusivity` in m²/s is the intrinsic diffusivity.
///
/// The formula is the Gaussian-phase approximation of Van Gelderen et al., J. Magn. Reson. B 103:255 (1994),
/// doi:10.1006/jmrb.1994.1038, after Neuman, J. Chem. Phys. 60:4508 (1974), doi:10.1063/1.1680931. With the
/// roots μ of J₁′ (the derivative of a Bessel function), the radius R, the diffusivity d, α = μ/R and Y(t) =
/// exp(−dα²t), the formula is:
///
/// −ln S = 2 γ²G² Σ (2dα²δ − 2 + 2Y(δ) + 2Y(Δ) − Y(Δ−δ) − Y(Δ+δ)) / (d²α⁶(R²α² − 1)), summed over the roots
/// μ.
///
/// With x = dα²δ and the function [`bracket`], the formula becomes −ln S = 2 (γGδR)² Σ bracket / (μ²(μ² −
/// 1)). No term of this sum overflows or loses digits by cancellation, for any radius.
pub(super) fn perpendicular_exponent(diffusivity: f64, radius: f64, timing: &PulseTiming) -> f64 {
    // For radii R below a picometre, the exponent −ln S is below 1e-20 at any gradient strength. R² would
    // almost underflow.
    if radius < 1e-12 || timing.amplitude == 0.0 || diffusivity == 0.0 {
        return 0.0;
    }
    let rate = diffusivity / (radius * radius);
    let mut sum = 0.0;
    let mut last = (0.0, 0.0);
    for (number, mu) in (1..).zip(bessel::roots()) {
        let square = mu * mu;
        let (x, wait) = (rate * square * timing.duration, rate * square * timing.separation);
        let term = bracket(x, wait) / (square * (square - 1.0));
        sum += term;
        last = (*mu, x);
        // For large roots μ, the terms of the sum decrease like μ⁻⁶. The sum of all omitted terms is then
        // less than a fifth of n times the last term, with the index n of the last root.
        if x > 1.0 && term * number as f64 <= 1e-15 * sum {
            break;
        }
    }
    // Adds the terms of all roots after the last one, approximated by an integral. Adjacent roots differ by
    // π, and the function `bracket` is about 2/x for large x. For water in a cylinder of 100 µm with δ = 1
    // ms, this remainder is 1e-7 of the sum. The remainder itself has an error of 2 %.
    if last.1 > 1.0 {
        let beyond = last.0 + 0.5 * PI;
        sum += 2.0 / (rate * timing.duration) * beyond.powi(-5) / (5.0 * PI);
    }
    2.0 * (PROTON_GYROMAGNETIC_RATIO * timing.amplitude * timing.duration * radius).powi(2) * sum
}

/// Returns (2x − 2 + 2e⁻ˣ + 2e⁻ʷ − e⁻⁽ʷ⁻ˣ⁾ − e⁻⁽ʷ⁺ˣ⁾) / x² for 0 ≤ x ≤ w. The result is accurate except for
/// its last digits. It is 0 at x = 0, and about 2/x for large x.
///
/// The function computes the result as 2(x − 1 + e⁻ˣ)/x² − e⁻ʷ (sinh(x/2) / (x/2))². Both terms tend to 1 for
/// small x. Power series therefore compute the difference of each term from 1 if x is small.
fn bracket(x: f64, wait: f64) -> f64 {
    if x >= 1.0 {
        let decayed = -(-x).exp_m1();
        return 2.0 * (x - decayed) / (x * x) - (x - wait).exp() * (decayed / x).powi(2);
    }
    // For x below 1, the first term minus 1 is computed by a series. The series is 2(x − 1 + e⁻ˣ)/x² − 1 = 2
    // Σ (−x)ⁿ/(n+2)!, with n ≥ 1. At x = 1, the terms after n = 17 are below 1e-17.
    let mut first = 0.0;
    for n in (1..=17).rev() {
        first = (1.0 + first) * -x / (n + 2) as f64;
    }
    // The function sinh(y)/y − 1, with y = x/2 ≤ ½, is computed by the series Σ y²ⁿ/(2n+1)!, with n ≥ 1.
    let y_square = x * x / 4.0;
    let mut sinh = 0.0;
    for n in (1..=6).rev() {
        sinh = (1.0 + sinh) * y_square / (2 * n * (2 * n + 1)) as f64;
    }
    first - (2.0 * sinh.ln_1p() - wait).exp_m1()
}

/// Returns the signal across the axis of cylinders with gamma-distributed radii, as a sum of exponentials:
/// pairs of a weight and an exponent −ln S (see [`perpendicular_exponent`]). The weights add up to 1. The
/// distribution of the radius r has the shape κ and the scale θ (m). The density of this distribution is ∝
/// rᵏ⁻¹ exp(−r/θ) with k = κ, and its mean is κθ.
///
/// The gamma distribution counts axons, as histology does. The amount of water in an axon is proportional to
/// the axon's volume. The signal is therefore ∫ r² p(r) S(r) dr / ∫ r² p(r) dr. Models with this signal are
/// AxCaliber (Assaf et al., Magn. Reson. Med. 59:1347 (2008), doi:10.1002/mrm.21577), and GDRCylinders of
/// Panagiotaki et al., NeuroImage 59:2241 (2012), doi:10.1016/j.neuroimage.2011.09.081.
///
/// The integral over the radius r uses the trapezoidal rule in ln r. The integrand decreases at least
/// exponentially towards both ends, so that the error decreases exponentially with the step.
pub(super) fn gamma_exponents(
    diffusivity: f64,
    shape: f64,
    scale: f64,
    timing: &PulseTiming,
) -> Vec<(f64, f64)> {
    // The integrand over the radius r is r² p(r) dr = r^(κ+2) e^(−r/θ) d(ln r). With t = ln(r/θ), the
    // logarithm of the integrand is (κ+2)t − eᵗ, which has its maximum at t = ln(κ+2).
    let power = shape + 2.0;
    let peak = power.ln();
    let density = |t: f64| (power * (t - peak) - (t.exp() - power)).exp();
    // The signal S(r) is also defined for complex ln r. If the imaginary part of ln r is beyond ±π/8, S(r) is
    // unbounded, because the real part of r⁴ is negative. The error of the trapezoidal rule is therefore
    // about exp(−(π/4)·π/step), which is 3e-13 for steps of 0.08 in ln r. At large κ (the shape of the
    // distribution), the peak of the integrand is narrow and needs smaller steps.
    let step = (0.25 / power.sqrt()).min(0.08);
    let mut nodes = Vec::new();
    for direction in [-1.0, 1.0] {
        for n in (usize::from(direction > 0.0)).. {
            let t = peak + direction * step * n as f64;
            let weight = density(t);
            if weight < 1e-16 {
                break;
            }
            nodes.push((weight, perpendicular_exponent(diffusivity, scale * t.exp(), timing)));
        }
    }
    let total: f64 = nodes.iter().map(|(weight, _)| weight).sum();
    // All exponents (−ln of a signal) below 1e-6 are replaced by one exponent, their weighted mean. The
    // resulting error of the signal is of second order in these exponents.
    let mut merged = (0.0, 0.0);
    let mut exponents = Vec::new();
    for (weight, exponent) in nodes {
        let weight = weight / total;
        if exponent < 1e-6 {
            merged = (merged.0 + weight, merged.1 + weight * exponent);
        } else {
            exponents.push((weight, exponent));
        }
    }
    if merged.0 > 0.0 {
        exponents.push((merged.0, merged.1 / merged.0));
    }
    exponents
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMING: PulseTiming =
        PulseTiming { amplitude: 0.08, separation: 0.04, duration: 0.02, echo_time: 0.08 };

    #[test]
    fn the_series_and_the_formula_agree_at_their_border() {
        for ratio in [1.0, 1.3, 2.0, 10.0] {
            let (below, above) = (1.0 - 1e-12, 1.0 + 1e-12);
            // The two values of x are just below and just above 1, where the function `bracket` changes its
            // formula. Between them, the value of the function itself changes by about 1e-12.
            assert!((bracket(below, ratio * below) - bracket(above, ratio * above)).abs() < 3e-12);
        }
        // For x → 0, the value of `bracket` is w − x/3. The next term of its series is about x².
        let small = bracket(1e-7, 2e-7);
        assert!((small / (2e-7 - 1e-7 / 3.0) - 1.0).abs() < 1e-6, "{small}");
        assert_eq!(bracket(0.0, 0.0), 0.0);
        // For x → ∞, the value of `bracket` is 2/x − 2/x². The computation must not overflow.
        assert!((bracket(1e20, 2e20) / 2e-20 - 1.0).abs() < 1e-15);
    }

    #[test]
    fn cylinders_have_the_narrow_and_wide_limits() {
        let d = 1.7e-9;
        for radius in [1e-9_f64, 1e-8, 1e-7] {
            // For narrow cylinders, the exponent −ln S is Neuman's limit 4 γ²G²δR⁴/d · 7/192. The next term
            // of the expansion is smaller by a factor of R²/(dδ).
            let gradient = PROTON_GYROMAGNETIC_RATIO * TIMING.amplitude;
            let limit = 7.0 / 48.0 * gradient.powi(2) * TIMING.duration * radius.powi(4) / d;
            let exponent = perpendicular_exponent(d, radius, &TIMING);
            let next = radius * radius / (d * TIMING.duration);
            assert!((exponent / limit - 1.0).abs() < next.max(1e-13), "{radius}: {exponent} for {limit}");
        }
        assert_eq!(perpendicular_exponent(d, 0.0, &TIMING), 0.0);
        assert_eq!(perpendicular_exponent(d, 1e-200, &TIMING), 0.0);
        // In wide cylinders, the exponent −ln S is that of free diffusion, reduced by the walls by a fraction
        // of about √(dΔ)/R.
        let free = TIMING.b_value() * 1e6 * d;
        let wide = perpendicular_exponent(d, 1e-4, &TIMING) / free;
        assert!(wide < 1.0 && wide > 1.0 - (d * TIMING.separation).sqrt() / 1e-4, "{wide}");
    }

    #[test]
    fn narrow_radius_distributions_agree_with_one_cylinder() {
        let d = 1.7e-9;
        // For a gamma distribution with the shape κ = 1000 and a mean radius of 3 µm, the volume-weighted
        // mean radius is 3.006 µm. The standard deviation of the radius is 3 %. The exponent −ln S is ∝ R⁴.
        // The spread of the radii increases the mean exponent by a fraction of 6 · 0.001: half the second
        // derivative of R⁴, times the variance.
        let nodes = gamma_exponents(d, 1000.0, 3e-9, &TIMING);
        let mean: f64 = nodes.iter().map(|(w, e)| w * e).sum();
        let one = perpendicular_exponent(d, 3.006e-6, &TIMING);
        assert!((mean / one - 1.0).abs() < 0.007, "{mean} for {one}");
        assert!((nodes.iter().map(|(w, _)| w).sum::<f64>() - 1.0).abs() < 1e-14);
        assert!(gamma_exponents(d, 2.0, 1e-6, &TIMING).len() < 150);
    }
}
