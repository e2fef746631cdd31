//! The signal of restricted diffusion in spheres and cylinders with reflecting walls, for a pair of rectangular
//! gradient pulses. It uses the Gaussian phase approximation (Neuman 1974, doi:10.1063/1.1680931; Murday and
//! Cotts 1968, doi:10.1063/1.1668160; Van Gelderen et al. 1994, doi:10.1006/jmrb.1994.1038).
//!
//! The b-value is b = γ²G²δ² (Δ − δ/3), and μ are the roots of the derivative of a Bessel function. With x = d
//! μ² δ / R² and y = d μ² (Δ − δ) / R², the exponent is
//!
//! ```text
//! −ln S = 2 b R² / (Δ − δ/3) Σ (D(x) − e⁻ʸ p(x)²) / (μ² (μ² − n))
//! ```
//!
//! D is [Debye's function](super::debye) and p(x) = (1 − e⁻ˣ) / x = 1 − x D(x) / 2. For spheres, n is 2. For
//! cylinders, n is 1. No term overflows, and none loses digits that matter, for any radius.
//! `compartments/cylinder.rs` computes the same sum for single cylinders in double precision.

use super::row::{ABOVE_0, Argument, Arguments, COSINE, FROM_0, Function};
use crate::compartments::bessel;
use crate::language::id::Id;
use crate::language::lowering::{Lowering, Value};
use crate::language::node::{Binary, Unary};
use crate::language::range::Range;
use std::f64::consts::PI;

/// Number of roots whose terms are computed. All further terms are replaced by one term. The error of the
/// signal is at most 1e-8 for radii up to 15 µm, and 1e-6 up to 50 µm.
const ROOTS: usize = 12;

/// The smallest value of Δ − δ/3 that is used, in ms. Measurements without gradient pulses have smaller
/// values. Their b is 0.
const LEAST_TIME: f64 = 1e-3;

const B: Argument = Argument::quantity("b", "s/mm²").within(FROM_0);
const SEPARATION: Argument = Argument::quantity("separation", "ms").within(FROM_0);
const DURATION: Argument = Argument::quantity("duration", "ms").within(FROM_0);
const DIFFUSIVITY: Argument = Argument::quantity("d", "mm²/s").within(FROM_0);
const RADIUS: Argument = Argument::quantity("radius", "µm").within(ABOVE_0);

pub(super) const SPHERE_GPD: Function = Function {
    name: "sphere_gpd",
    arguments: &[B, SEPARATION, DURATION, DIFFUSIVITY, RADIUS],
    value: "signal of diffusion in a sphere",
    example: "sphere_gpd(3 [ms/µm²], 30 [ms], 10 [ms] * q, 2 [µm²/ms] * p, 9 [µm] * q)",
    // From `oracles/restricted_diffusion.py`.
    reference: ("sphere_gpd(3000 [s/mm²], 30 [ms], 10 [ms], 2e-3 [mm²/s], 5 [µm])", 0.7932277891563613, 1e-8),
    lower: |lowering, of| {
        let exponent = lowering.restricted_exponent(of, bessel::spherical_roots(), 2.0);
        let minus = lowering.program.negative(exponent);
        Ok(Value::number(lowering.program.unary(Unary::Exponential, minus)))
    },
};

pub(super) const CYLINDER_GPD: Function = Function {
    name: "cylinder_gpd",
    arguments: &[B, SEPARATION, DURATION, DIFFUSIVITY, RADIUS, Argument::number("c").within(COSINE)],
    value: "signal of diffusion in a cylinder whose axis is at cosine c to the gradient",
    example: "cylinder_gpd(3 [ms/µm²], 30 [ms], 10 [ms] * q, 2 [µm²/ms] * p, 9 [µm] * q, p * q)",
    // From `oracles/restricted_diffusion.py`.
    reference: (
        "cylinder_gpd(3000 [s/mm²], 30 [ms], 10 [ms], 2e-3 [mm²/s], 5 [µm], 0.3)",
        0.42921446886347064,
        1e-8,
    ),
    lower: |lowering, of| {
        let across = lowering.restricted_exponent(of, bessel::roots(), 1.0);
        let (b, d, cosine) = (of.id(0), of.id(3), of.id(5));
        let program = &mut lowering.program;
        // The diffusion along the axis is free.
        let along = program.multiply(b, d);
        let square = program.multiply(cosine, cosine);
        program.narrow(square, Range::new(0.0, 1.0));
        let one = program.constant(1.0);
        let rest = program.subtract(one, square);
        let along = program.multiply(along, square);
        let across = program.multiply(across, rest);
        let exponent = program.add(along, across);
        let minus = program.negative(exponent);
        Ok(Value::number(program.unary(Unary::Exponential, minus)))
    },
};

impl Lowering<'_> {
    /// Returns the node of −ln S for a gradient across the walls. The first arguments are b, Δ, δ, the
    /// diffusivity and the radius. The formula is above, with n = `order`.
    fn restricted_exponent(&mut self, of: &Arguments, roots: &[f64], order: f64) -> Id {
        let program = &mut self.program;
        let [b, separation, duration, d, radius] = [0, 1, 2, 3, 4].map(|n| of.id(n));
        let [zero, half, one, two, third, least] =
            [0.0, 0.5, 1.0, 2.0, 1.0 / 3.0, LEAST_TIME].map(|value| program.constant(value));
        let area = program.multiply(radius, radius);
        let rate = program.divide(d, area);
        let during = program.multiply(rate, duration);
        let pause = program.subtract(separation, duration);
        let pause = program.binary(Binary::Maximum, pause, zero);
        let between = program.multiply(rate, pause);
        let mut sum = zero;
        let terms = roots[..ROOTS].iter().map(|root| {
            let square = root * root;
            (square, 1.0 / (square * (square - order)))
        });
        // Adjacent roots differ by about π. An integral replaces the sum of the weights of all further roots,
        // which decrease like μ⁻⁴ times the bracket, that is μ⁻⁶.
        let further = roots[ROOTS - 1] + 0.5 * PI;
        let rest = (further * further, 1.0 / (5.0 * PI * further.powi(3)));
        for (square, weight) in terms.chain([rest]) {
            let [square, weight] = [square, weight].map(|value| program.constant(value));
            let x = program.multiply(square, during);
            let y = program.multiply(square, between);
            let debye = program.unary(Unary::Debye, x);
            let product = program.multiply(x, debye);
            let product = program.multiply(half, product);
            let mean = program.subtract(one, product);
            let minus = program.negative(y);
            let decay = program.unary(Unary::Exponential, minus);
            let mean_square = program.multiply(mean, mean);
            let decayed = program.multiply(decay, mean_square);
            let bracket = program.subtract(debye, decayed);
            let term = program.multiply(weight, bracket);
            sum = program.add(sum, term);
        }
        let third_of_duration = program.multiply(third, duration);
        let time = program.subtract(separation, third_of_duration);
        let time = program.binary(Binary::Maximum, time, least);
        let weighting = program.divide(b, time);
        let weighting = program.multiply(weighting, area);
        let weighting = program.multiply(two, weighting);
        let exponent = program.multiply(weighting, sum);
        program.narrow(exponent, Range::new(0.0, f64::INFINITY));
        exponent
    }
}

#[cfg(test)]
mod tests;
