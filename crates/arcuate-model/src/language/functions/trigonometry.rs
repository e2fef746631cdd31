//! Sine, cosine and their inverse functions.

use super::operation::{binary_operation, unary_operation};
use super::row::{Argument, COSINE, Function};
use crate::language::lowering::Value;
use crate::language::node::{Binary, Unary};
use crate::language::range::Range;
use arcuate_numbers::elementary::transcendental::{angle, arc_cosine, arc_tangent, cosine, sine};
use std::f64::consts::PI;

pub(super) const SIN: Function = Function {
    name: Sine::NAME,
    arguments: &[Argument::number("x")],
    value: "sine",
    example: "sin(3 * p) * q",
    reference: ("sin(pi / 6)", 0.5, 1e-15),
    lower: |lowering, of| Ok(Value::number(lowering.program.unary(Unary::Sine, of.id(0)))),
};

unary_operation! {
    /// The sine of x.
    Sine = "sin";
    range |_| Range::new(-1.0, 1.0);
    reference |x| libm::sin(x);
    slope |program, _, x| program.unary(Unary::Cosine, x);
    compute |x| sine(x);
}

pub(super) const COS: Function = Function {
    name: Cosine::NAME,
    arguments: &[Argument::number("x")],
    value: "cosine",
    example: "cos(3 * p) * q",
    reference: ("cos(pi / 3)", 0.5, 1e-15),
    lower: |lowering, of| Ok(Value::number(lowering.program.unary(Unary::Cosine, of.id(0)))),
};

unary_operation! {
    /// The cosine of x.
    Cosine = "cos";
    range |_| Range::new(-1.0, 1.0);
    reference |x| libm::cos(x);
    slope |program, _, x| {
        let sine = program.unary(Unary::Sine, x);
        program.negative(sine)
    };
    compute |x| cosine(x);
}

pub(super) const ATAN: Function = Function {
    name: ArcTangent::NAME,
    arguments: &[Argument::number("x")],
    value: "arc tangent",
    example: "atan(p / q)",
    reference: ("atan(1)", std::f64::consts::FRAC_PI_4, 1e-15),
    lower: |lowering, of| Ok(Value::number(lowering.program.unary(Unary::ArcTangent, of.id(0)))),
};

unary_operation! {
    /// The arc tangent of x: the angle between −π/2 and π/2 whose tangent is x.
    ArcTangent = "atan";
    range |x| x.mapped(f64::atan);
    reference |x| libm::atan(x);
    slope |program, _, x| {
        let one = program.constant(1.0);
        let square = program.multiply(x, x);
        let below = program.add(one, square);
        program.divide(one, below)
    };
    compute |x| arc_tangent(x);
}

pub(super) const ATAN2: Function = Function {
    name: ArcTangent2::NAME,
    arguments: &[Argument::any("y"), Argument::any("x").like(0)],
    value: "angle of the point (x, y), from −π to π",
    example: "atan2(p, q)",
    reference: ("atan2(1, -1)", 0.75 * PI, 1e-15),
    lower: |lowering, of| Ok(Value::number(lowering.program.binary(Binary::ArcTangent2, of.id(0), of.id(1)))),
};

binary_operation! {
    /// The angle between the x axis and the direction to the point (x, y) = (b, a).
    ArcTangent2 = "atan2";
    range |_, _| Range::new(-PI, PI);
    reference |a, b| libm::atan2(a, b);
    slope |program, _, [a, b], by_first| {
        let (yy, xx) = (program.multiply(a, a), program.multiply(b, b));
        let square = program.add(yy, xx);
        if by_first {
            return program.divide(b, square);
        }
        let slope = program.divide(a, square);
        program.negative(slope)
    };
    compute |a, b| angle(a, b);
}

pub(super) const ACOS: Function = Function {
    name: ArcCosine::NAME,
    arguments: &[Argument::number("x").within(COSINE)],
    value: "arc cosine",
    example: "acos(p * q)",
    reference: ("acos(0.5)", PI / 3.0, 1e-15),
    lower: |lowering, of| Ok(Value::number(lowering.program.unary(Unary::ArcCosine, of.id(0)))),
};

unary_operation! {
    /// The arc cosine of x: the angle between 0 and π whose cosine is x.
    ArcCosine = "acos";
    range |_| Range::new(0.0, PI);
    reference |x| libm::acos(x);
    slope |program, _, x| {
        let one = program.constant(1.0);
        let square = program.multiply(x, x);
        let rest = program.subtract(one, square);
        let root = program.unary(Unary::Root, rest);
        let slope = program.divide(one, root);
        program.negative(slope)
    };
    compute |x| arc_cosine(x);
}
