//! Legendre polynomials of even degree.

use super::row::{Argument, Function};
use crate::language::lowering::Value;
use crate::language::range::Range;
use arcuate_numbers::legendre::times_square;

pub(super) const LEGENDRE: Function = Function {
    name: "legendre",
    arguments: &[Argument::degree("l"), Argument::number("x")],
    value: "Legendre polynomial P_l(x)",
    example: "legendre(4, p * q)",
    reference: ("legendre(2, 0.5)", -0.125, 1e-15),
    lower: |lowering, of| {
        let (degree, x) = (of.degree(lowering, 0), of.id(1));
        let program = &mut lowering.program;
        let square = program.multiply(x, x);
        let (mut before, mut here) = (program.constant(0.0), program.constant(1.0));
        for l in (0..degree).step_by(2) {
            let [up, middle, down] = times_square(l).map(|value| program.constant(value));
            let factor = program.subtract(square, middle);
            let product = program.multiply(factor, here);
            let taken = program.multiply(down, before);
            let difference = program.subtract(product, taken);
            (before, here) = (here, program.divide(difference, up));
        }
        if program.range(x).size() <= 1.0 {
            program.narrow(here, Range::new(-0.5, 1.0));
        }
        Ok(Value::number(here))
    },
};
