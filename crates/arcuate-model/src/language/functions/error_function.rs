//! The error function and Dawson's integral.

use super::operation::unary_operation;
use super::row::{Argument, Function};
use crate::language::lowering::Value;
use crate::language::node::Unary;
use crate::language::range::Range;
use arcuate_numbers::elementary::transcendental;

pub(super) const ERF: Function = Function {
    name: Erf::NAME,
    arguments: &[Argument::number("x")],
    value: "error function",
    example: "erf(p - 2 * q)",
    // From `oracles/special_functions.py`.
    reference: ("erf(1.5)", 0.9661051464753108, 1e-15),
    lower: |lowering, of| Ok(Value::number(lowering.program.unary(Unary::Erf, of.id(0)))),
};

unary_operation! {
    /// The error function of x.
    Erf = "erf";
    range |x| x.mapped(arcuate_numbers::special::erf);
    reference |x| arcuate_numbers::special::erf(x);
    slope |program, _, x| {
        let square = program.multiply(x, x);
        let minus = program.negative(square);
        let bell = program.unary(Unary::Exponential, minus);
        let factor = program.constant(std::f64::consts::FRAC_2_SQRT_PI);
        program.multiply(factor, bell)
    };
    compute |x| transcendental::erf(x);
}

pub(super) const DAWSON: Function = Function {
    name: Dawson::NAME,
    arguments: &[Argument::number("x")],
    value: "Dawson's integral exp(−x²) ∫₀ˣ exp(t²) dt",
    example: "dawson(p + 2 * q)",
    // From `oracles/special_functions.py`.
    reference: ("dawson(1.5)", 0.4282490710853986, 1e-15),
    lower: |lowering, of| Ok(Value::number(lowering.program.unary(Unary::Dawson, of.id(0)))),
};

unary_operation! {
    /// Dawson's integral of x: exp(−x²) ∫ exp(t²) dt, with t from 0 to x.
    Dawson = "dawson";
    range |_| Range::new(-0.5411, 0.5411);
    reference |x| arcuate_numbers::special::dawson(x);
    slope |program, value, x| {
        let one = program.constant(1.0);
        let two = program.constant(2.0);
        let product = program.multiply(x, value);
        let twice = program.multiply(two, product);
        program.subtract(one, twice)
    };
    compute |x| transcendental::dawson(x);
}
