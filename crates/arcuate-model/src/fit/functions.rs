//! Computes the operations of formulas. The CPU interpreter and the generator of GPU kernels share these
//! functions.

use crate::language::{Binary, Ternary, Unary};
use arcuate_numbers::Operations;

/// Applies an operation with one operand.
#[inline(always)]
pub(super) fn unary<N: Operations>(operation: Unary, x: N) -> N {
    operation.compute(x)
}

/// Applies an operation with two operands.
#[inline(always)]
pub(super) fn binary<N: Operations>(operation: Binary, a: N, b: N) -> N {
    operation.compute(a, b)
}

/// Applies an operation with three operands.
#[inline(always)]
pub(super) fn ternary<N: Operations>(function: Ternary, [a, b, c]: [N; 3]) -> N {
    match function {
        Ternary::Choose => a.size().if_above(a.known(0.0), b, c),
        Ternary::Fma => a.fma(b, c),
        Ternary::Fms => a.fma(b, -c),
        Ternary::Fnma => (-a).fma(b, c),
    }
}
