//! The operators of formulas that are operations of programs.

use super::operation::{binary_operation, unary_operation};
use crate::language::range::Range;

unary_operation! {
    /// The negative value −x.
    Negative = "-";
    range |x| x.negative();
    reference |x| -x;
    slope |program, _, _| program.constant(-1.0);
    compute |x| -x;
}

binary_operation! {
    /// The sum a + b.
    Add = "+";
    range |a, b| a.plus(b);
    reference |a, b| a + b;
    slope |program, _, _, _| program.constant(1.0);
    compute |a, b| a + b;
}

binary_operation! {
    /// The difference a − b.
    Subtract = "-";
    range |a, b| a.plus(b.negative());
    reference |a, b| a - b;
    slope |program, _, _, by_first| program.constant(if by_first { 1.0 } else { -1.0 });
    compute |a, b| a - b;
}

binary_operation! {
    /// The product a b.
    Multiply = "*";
    range |a, b| a.times(b);
    reference |a, b| a * b;
    slope |_, _, [a, b], by_first| if by_first { b } else { a };
    compute |a, b| a * b;
}

binary_operation! {
    /// The quotient a / b.
    Divide = "/";
    range |a, b| a.times(b.inverse());
    reference |a, b| a / b;
    slope |program, value, [_, b], by_first| {
        let one = program.constant(1.0);
        let inverse = program.divide(one, b);
        if by_first {
            return inverse;
        }
        let product = program.multiply(value, inverse);
        program.negative(product)
    };
    compute |a, b| a / b;
}

binary_operation! {
    /// The value 1 if a < b, and 0 if not.
    Less = "<";
    range |_, _| Range::new(0.0, 1.0);
    reference |a, b| f64::from(u8::from(a < b));
    slope |program, _, _, _| program.constant(0.0);
    compute |a, b| b.if_above(a, a.known(1.0), a.known(0.0));
}
