//! Means over Watson's distribution of fibre directions.

use super::row::{Argument, CONCENTRATION, COSINE, Function, STICK};
use crate::language::lowering::Value;
use crate::language::node::{Dispersed, Moments, Node};
use crate::language::range::Range;

pub(super) const POWDER_STICK: Function = Function {
    name: "powder_stick",
    arguments: &[Argument::number("x").within(STICK)],
    value: "mean of exp(−x cos²) over all orientations",
    example: "powder_stick(3 * p * q)",
    // √π erf(√x) / (2√x).
    reference: ("powder_stick(1)", 0.746_824_132_812_427, 1e-15),
    lower: |lowering, of| Ok(Value::number(lowering.program.make(Node::Moment(Moments::Stick, 0, of.id(0))))),
};

pub(super) const WATSON_STICK: Function = Function {
    name: "watson_stick",
    arguments: &[
        Argument::number("x").within(STICK),
        Argument::number("kappa").within(CONCENTRATION),
        Argument::number("c").within(COSINE),
    ],
    value: "mean of exp(−x (g·n)²) over Watson's distribution of n about an axis at cosine c to g",
    example: "watson_stick(3 * p, 5 * q, p * q)",
    // For c = 1 the mean is ∫ exp((κ − x) t²) dt / ∫ exp(κ t²) dt. For κ = x = 1 it is e⁻¹ divided by Dawson's
    // integral of 1.
    reference: ("watson_stick(1, 1, 1)", 0.683_689_745_558_516, 1e-14),
    lower: |lowering, of| {
        let node = Node::Dispersed(Dispersed::Value, [0, 1, 2].map(|n| of.id(n)));
        Ok(Value::number(lowering.program.make(node)))
    },
};

pub(super) const WATSON_COS2: Function = Function {
    name: "watson_cos2",
    arguments: &[Argument::number("kappa").within(CONCENTRATION)],
    value: "mean of the squared cosine to the axis of Watson's distribution",
    example: "watson_cos2(4 * p * q)",
    // (1 + 2 P₂)/3 with P₂ from `oracles/special_functions.py`.
    reference: ("watson_cos2(16)", 0.935_135_246_045_883, 1e-15),
    lower: |lowering, of| {
        let program = &mut lowering.program;
        let moment = program.make(Node::Moment(Moments::Watson, 2, of.id(0)));
        let [two, third] = [2.0 / 3.0, 1.0 / 3.0].map(|value| program.constant(value));
        let product = program.multiply(two, moment);
        let mean = program.add(product, third);
        program.narrow(mean, Range::new(1.0 / 3.0, 1.0));
        Ok(Value::number(mean))
    },
};

pub(super) const WATSON_MOMENT: Function = Function {
    name: "watson_moment",
    arguments: &[Argument::degree("l"), Argument::number("kappa").within(CONCENTRATION)],
    value: "mean of the Legendre polynomial P_l over Watson's distribution",
    example: "watson_moment(4, 8 * p * q)",
    // From `oracles/special_functions.py`.
    reference: ("watson_moment(8, 16)", 0.30371872013032924, 1e-14),
    lower: |lowering, of| {
        let node = Node::Moment(Moments::Watson, of.degree(lowering, 0), of.id(1));
        Ok(Value::number(lowering.program.make(node)))
    },
};
