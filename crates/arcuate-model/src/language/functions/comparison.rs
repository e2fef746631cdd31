//! Functions that select one of two values.

use super::operation::binary_operation;
use super::row::{Argument, Function};
use crate::language::id::Id;
use crate::language::lowering::Value;
use crate::language::node::Binary;
use crate::language::program::Program;
use crate::language::range::Range;

/// Two numbers with the same unit.
const PAIR: &[Argument] = &[Argument::any("x"), Argument::any("y").like(0)];

pub(super) const MIN: Function = Function {
    name: Minimum::NAME,
    arguments: PAIR,
    value: "smaller value",
    example: "min(p, q - 2) * q",
    reference: ("min(2, 0.5)", 0.5, 0.0),
    lower: |lowering, of| {
        let smaller = lowering.program.binary(Binary::Minimum, of.id(0), of.id(1));
        Ok(Value::scalar(smaller, of.dimension(1)))
    },
};

binary_operation! {
    /// The smaller one of a and b.
    Minimum = "min";
    range |a, b| Range::new(a.low.min(b.low), a.high.min(b.high));
    reference |a, b| if a < b { a } else { b };
    slope |program, _, [a, b], by_first| {
        let is_first = program.binary(Binary::Less, a, b);
        of_selected(program, is_first, by_first)
    };
    compute |a, b| a.smaller(b);
}

pub(super) const MAX: Function = Function {
    name: Maximum::NAME,
    arguments: PAIR,
    value: "larger value",
    example: "max(p, q - 2) * q",
    reference: ("max(2, 0.5)", 2.0, 0.0),
    lower: |lowering, of| {
        let larger = lowering.program.binary(Binary::Maximum, of.id(0), of.id(1));
        Ok(Value::scalar(larger, of.dimension(1)))
    },
};

binary_operation! {
    /// The larger one of a and b.
    Maximum = "max";
    range |a, b| Range::new(a.low.max(b.low), a.high.max(b.high));
    reference |a, b| if a > b { a } else { b };
    slope |program, _, [a, b], by_first| {
        let is_first = program.binary(Binary::Less, b, a);
        of_selected(program, is_first, by_first)
    };
    compute |a, b| a.larger(b);
}

/// Returns the derivative of a value that is the first of two operands if `is_first` is 1, and the second if
/// it is 0.
fn of_selected(program: &mut Program, is_first: Id, by_first: bool) -> Id {
    if by_first {
        return is_first;
    }
    let one = program.constant(1.0);
    program.subtract(one, is_first)
}

pub(super) const WHERE: Function = Function {
    name: "where",
    arguments: &[Argument::comparison("x <= y"), Argument::any("u"), Argument::any("v").like(1)],
    value: "u where the comparison holds, else v",
    example: "where(p <= q - 2, p, q * p)",
    reference: ("where(1 <= 1, 5, 7)", 5.0, 0.0),
    lower: |lowering, of| {
        Ok(Value::scalar(lowering.program.choose(of.id(0), of.id(1), of.id(2)), of.dimension(2)))
    },
};
