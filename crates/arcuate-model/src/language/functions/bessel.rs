//! Scaled modified Bessel functions.

use super::operation::unary_operation;
use super::row::{Argument, Function};
use crate::language::lowering::Value;
use crate::language::node::{Binary, Unary};
use crate::language::range::Range;
use arcuate_numbers::elementary::transcendental;

pub(super) const I0E: Function = Function {
    name: BesselI0e::NAME,
    arguments: &[Argument::number("x")],
    value: "exp(−|x|) I₀(x), with the modified Bessel function I₀",
    example: "i0e(p - 3 * q)",
    // From `oracles/special_functions.py`.
    reference: ("i0e(2.5)", 0.27004644161220276, 1e-15),
    lower: |lowering, of| Ok(Value::number(lowering.program.unary(Unary::BesselI0e, of.id(0)))),
};

unary_operation! {
    /// The scaled modified Bessel function exp(−|x|) I₀(x).
    BesselI0e = "i0e";
    range |_| Range::new(0.0, 1.0);
    reference |x| arcuate_numbers::special::bessel_i0e(x);
    slope |program, value, x| {
        let next = program.unary(Unary::BesselI1e, x);
        let sign = program.sign(x);
        let fall = program.multiply(sign, value);
        program.subtract(next, fall)
    };
    compute |x| transcendental::bessel_i0e(x);
}

pub(super) const I1E: Function = Function {
    name: BesselI1e::NAME,
    arguments: &[Argument::number("x")],
    value: "exp(−|x|) I₁(x), with the modified Bessel function I₁",
    example: "i1e(p - 3 * q)",
    // From `oracles/special_functions.py`.
    reference: ("i1e(2.5)", 0.20658464953126657, 1e-15),
    lower: |lowering, of| Ok(Value::number(lowering.program.unary(Unary::BesselI1e, of.id(0)))),
};

unary_operation! {
    /// The scaled modified Bessel function exp(−|x|) I₁(x).
    BesselI1e = "i1e";
    range |_| Range::new(-0.22, 0.22);
    reference |x| arcuate_numbers::special::bessel_i1e(x);
    slope |program, value, x| {
        // The derivative of the Bessel function I₁ is I₁' = I₀ − I₁ / x. The term I₁ / x is ½ at x = 0.
        let one = program.constant(1.0);
        let before = program.unary(Unary::BesselI0e, x);
        let size = program.unary(Unary::Absolute, x);
        let [small, half] = [1e-8, 0.5].map(|value| program.constant(value));
        let is_small = program.binary(Binary::Less, size, small);
        let below = program.choose(is_small, one, x);
        let quotient = program.divide(value, below);
        let quotient = program.choose(is_small, half, quotient);
        let sign = program.sign(x);
        let fall = program.multiply(sign, value);
        let difference = program.subtract(before, quotient);
        program.subtract(difference, fall)
    };
    compute |x| transcendental::bessel_i1e(x);
}
