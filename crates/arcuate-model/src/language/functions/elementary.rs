//! Exponential, logarithm, square root and absolute value.

use super::operation::unary_operation;
use super::row::{ABOVE_0, Argument, FROM_0, Function};
use crate::language::lowering::Value;
use crate::language::node::Unary;
use arcuate_numbers::elementary::double;

pub(super) const EXP: Function = Function {
    name: Exponential::NAME,
    arguments: &[Argument::number("x")],
    value: "eˣ",
    example: "exp(p - 2 * q)",
    reference: ("exp(1)", std::f64::consts::E, 1e-15),
    lower: |lowering, of| Ok(Value::number(lowering.program.unary(Unary::Exponential, of.id(0)))),
};

unary_operation! {
    /// The exponential eˣ.
    Exponential = "exp";
    range |x| x.mapped(f64::exp);
    reference |x| double::exp(x);
    slope |_, value, _| value;
    compute |x| x.exponential();
}

pub(super) const LN: Function = Function {
    name: Logarithm::NAME,
    arguments: &[Argument::number("x").within(ABOVE_0)],
    value: "natural logarithm",
    example: "ln(p + q)",
    reference: ("ln(2)", std::f64::consts::LN_2, 1e-15),
    lower: |lowering, of| Ok(Value::number(lowering.program.unary(Unary::Logarithm, of.id(0)))),
};

unary_operation! {
    /// The natural logarithm ln x.
    Logarithm = "ln";
    range |x| x.mapped(|x| x.max(0.0).ln());
    reference |x| double::ln(x);
    slope |program, _, x| {
        let one = program.constant(1.0);
        program.divide(one, x)
    };
    compute |x| x.logarithm();
}

pub(super) const SQRT: Function = Function {
    name: Root::NAME,
    arguments: &[Argument::any("x").within(FROM_0)],
    value: "square root",
    example: "sqrt(p * q)",
    reference: ("sqrt(2)", std::f64::consts::SQRT_2, 1e-15),
    lower: |lowering, of| {
        let Some(dimension) = of.dimension(0).to_the_halves(1) else {
            let problem = format!("{} has no square root", of.dimension(0));
            return Err(lowering.error(of.place(0), problem, "check the formula"));
        };
        Ok(Value::scalar(lowering.program.unary(Unary::Root, of.id(0)), dimension))
    },
};

unary_operation! {
    /// The square root √x.
    Root = "sqrt";
    range |x| x.mapped(|x| x.max(0.0).sqrt());
    reference |x| x.sqrt();
    slope |program, value, _| {
        let half = program.constant(0.5);
        program.divide(half, value)
    };
    compute |x| x.root();
}

pub(super) const ABS: Function = Function {
    name: Absolute::NAME,
    arguments: &[Argument::any("x")],
    value: "absolute value",
    example: "abs(p - 1.7) * q",
    reference: ("abs(0 - 3)", 3.0, 0.0),
    lower: |lowering, of| {
        Ok(Value::scalar(lowering.program.unary(Unary::Absolute, of.id(0)), of.dimension(0)))
    },
};

unary_operation! {
    /// The absolute value |x|.
    Absolute = "abs";
    range |x| x.absolute();
    reference |x| x.abs();
    slope |program, _, x| program.sign(x);
    compute |x| x.size();
}
