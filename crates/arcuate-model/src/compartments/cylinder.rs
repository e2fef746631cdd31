//! Diffusion restricted in a cylinder by the Gaussian-phase approximation: one radius, or gamma-distributed radii.

use super::bessel;
use arcuate_core::{PROTON_GYROMAGNETIC_RATIO, PulseTiming};
use std::f64::consts::PI;

/// Returns −ln of the signal of diffusion across a cylinder of `radius` (m) with reflecting walls, for a gradient
/// perpendicular to its axis. At other angles, multiply by sin². `diffusivity` in m²/s is the intrinsic diffusivity.
///
/// The Gaussian-phase approximation: Van Gelderen et al., J. Magn. Reson. B 103:255 (1994), doi:10.1006/jmrb.1994.1038,
/// after Neuman, J. Chem. Phys. 60:4508 (1974), doi:10.1063/1.1680931. With μ the roots of J₁′, α = μ/R, and Y(t) =
/// exp(−dα²t):
///
/// −ln S = 2 γ²G² Σ (2dα²δ − 2 + 2Y(δ) + 2Y(Δ) − Y(Δ−δ) − Y(Δ+δ)) / (d²α⁶(R²α² − 1))
///
/// With x = dα²δ and [`bracket`] = (…)/x², this is 2 (γGδR)² Σ bracket / (μ²(μ² − 1)). No term overflows or cancels for
/// any radius.
pub(super) fn perpendicular_exponent(diffusivity: f64, radius: f64, timing: &PulseTiming) -> f64 {
    // Below a picometre, the exponent is below 1e-20 at any gradient, and R² almost underflows.
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
        // Terms eventually decrease like μ⁻⁶, so that the rest is less than a fifth of `number` terms.
        if x > 1.0 && term * number as f64 <= 1e-15 * sum {
            break;
        }
    }
    // The rest: roots are π apart, the bracket is 2/x, and the sum is nearly an integral. For water in 100 µm with δ =
    // 1 ms, it is 1e-7 of the total, with an error of 2 %.
    if last.1 > 1.0 {
        let beyond = last.0 + 0.5 * PI;
        sum += 2.0 / (rate * timing.duration) * beyond.powi(-5) / (5.0 * PI);
    }
    2.0 * (PROTON_GYROMAGNETIC_RATIO * timing.amplitude * timing.duration * radius).powi(2) * sum
}

/// Returns (2x − 2 + 2e⁻ˣ + 2e⁻ʷ − e⁻⁽ʷ⁻ˣ⁾ − e⁻⁽ʷ⁺ˣ⁾) / x² for 0 ≤ x ≤ w, accurate except for the last digits; 0 at 0,
/// 2/x for large x.
///
/// = 2(x − 1 + e⁻ˣ)/x² − e⁻ʷ (sinh(x/2) / (x/2))². Both terms tend to 1 for small x. Series give their differences from
/// 1 there.
fn bracket(x: f64, wait: f64) -> f64 {
    if x >= 1.0 {
        let decayed = -(-x).exp_m1();
        return 2.0 * (x - decayed) / (x * x) - (x - wait).exp() * (decayed / x).powi(2);
    }
    // 2(x − 1 + e⁻ˣ)/x² − 1 = 2 Σ (−x)ⁿ/(n+2)! from n = 1; at x = 1 the terms after n = 17 are below 1e-17.
    let mut first = 0.0;
    for n in (1..=17).rev() {
        first = (1.0 + first) * -x / (n + 2) as f64;
    }
    // sinh(y)/y − 1 = Σ y²ⁿ/(2n+1)! from n = 1; y ≤ ½.
    let y_square = x * x / 4.0;
    let mut sinh = 0.0;
    for n in (1..=6).rev() {
        sinh = (1.0 + sinh) * y_square / (2 * n * (2 * n + 1)) as f64;
    }
    first - (2.0 * sinh.ln_1p() - wait).exp_m1()
}

/// Returns weights (with sum 1) and perpendicular exponents (see [`perpendicular_exponent`]) of cylinders with
/// gamma-distributed radii, with shape κ and scale θ (m): density ∝ rᵏ⁻¹ exp(−r/θ), mean κθ.
///
/// The distribution counts axons, as histology does. Water is proportional to their volume, so that the signal is ∫ r²
/// p(r) S(r) dr / ∫ r² p(r) dr: AxCaliber (Assaf et al., Magn. Reson. Med. 59:1347 (2008), doi:10.1002/mrm.21577), and
/// GDRCylinders of Panagiotaki et al., NeuroImage 59:2241 (2012), doi:10.1016/j.neuroimage.2011.09.081.
///
/// The integral uses the trapezoidal rule in ln r. Both tails decrease at least exponentially, so that the error
/// decreases exponentially with the step.
pub(super) fn gamma_exponents(
    diffusivity: f64,
    shape: f64,
    scale: f64,
    timing: &PulseTiming,
) -> Vec<(f64, f64)> {
    // r² p(r) dr = r^(κ+2) e^(−r/θ) d(ln r). As a function of t = ln(r/θ), the density's logarithm is (κ+2)t − eᵗ, with
    // its peak at ln(κ+2).
    let power = shape + 2.0;
    let peak = power.ln();
    let density = |t: f64| (power * (t - peak) - (t.exp() - power)).exp();
    // S(r) is unbounded at complex ln r beyond ±π/8, where r⁴ has a negative real part. This bounds the rule's error by
    // exp(−(π/4)·π/step) = 3e-13 for steps of 0.08. At large κ, the narrow peak needs smaller steps.
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
    // Exponents below 1e-6 are replaced by their mean; the error is of second order.
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
    fn the_bracket_is_the_same_on_both_sides_of_its_seam() {
        for ratio in [1.0, 1.3, 2.0, 10.0] {
            let (below, above) = (1.0 - 1e-12, 1.0 + 1e-12);
            // It changes by about 1e-12 over this distance.
            assert!((bracket(below, ratio * below) - bracket(above, ratio * above)).abs() < 3e-12);
        }
        // x → 0: w − x/3. The next term is about x².
        let small = bracket(1e-7, 2e-7);
        assert!((small / (2e-7 - 1e-7 / 3.0) - 1.0).abs() < 1e-6, "{small}");
        assert_eq!(bracket(0.0, 0.0), 0.0);
        // x → ∞: 2/x − 2/x², without overflow.
        assert!((bracket(1e20, 2e20) / 2e-20 - 1.0).abs() < 1e-15);
    }

    #[test]
    fn narrow_cylinders_have_neumans_limit_and_wide_ones_diffuse_freely() {
        let d = 1.7e-9;
        for radius in [1e-9_f64, 1e-8, 1e-7] {
            // Neuman's limit, 4 γ²G²δR⁴/d · 7/192. The relative size of the next term is R²/(dδ).
            let gradient = PROTON_GYROMAGNETIC_RATIO * TIMING.amplitude;
            let limit = 7.0 / 48.0 * gradient.powi(2) * TIMING.duration * radius.powi(4) / d;
            let exponent = perpendicular_exponent(d, radius, &TIMING);
            let next = radius * radius / (d * TIMING.duration);
            assert!((exponent / limit - 1.0).abs() < next.max(1e-13), "{radius}: {exponent} for {limit}");
        }
        assert_eq!(perpendicular_exponent(d, 0.0, &TIMING), 0.0);
        assert_eq!(perpendicular_exponent(d, 1e-200, &TIMING), 0.0);
        // The walls reduce free diffusion by a fraction of √(dΔ)/R.
        let free = TIMING.b_value() * 1e6 * d;
        let wide = perpendicular_exponent(d, 1e-4, &TIMING) / free;
        assert!(wide < 1.0 && wide > 1.0 - (d * TIMING.separation).sqrt() / 1e-4, "{wide}");
    }

    #[test]
    fn a_narrow_distribution_of_radii_is_one_cylinder() {
        let d = 1.7e-9;
        // κ = 1000 and mean 3 µm: the volume-weighted mean is 3.006 µm with a deviation of 3 %. The curvature of the
        // exponent (∝ R⁴: half the second derivative times the variance) adds 6 · 0.001.
        let nodes = gamma_exponents(d, 1000.0, 3e-9, &TIMING);
        let mean: f64 = nodes.iter().map(|(w, e)| w * e).sum();
        let one = perpendicular_exponent(d, 3.006e-6, &TIMING);
        assert!((mean / one - 1.0).abs() < 0.007, "{mean} for {one}");
        assert!((nodes.iter().map(|(w, _)| w).sum::<f64>() - 1.0).abs() < 1e-14);
        assert!(gamma_exponents(d, 2.0, 1e-6, &TIMING).len() < 150);
    }
}
