//! Mathematical functions that the formulas of a model use. The CPU interpreter and the generator of GPU
//! kernels share these functions.

use crate::language::{Binary, Ternary, Unary};
use arcuate_numbers::Operations;
use arcuate_numbers::elementary::transcendental::{
    angle, arc_cosine, arc_tangent, bessel_i0e, bessel_i1e, cosine, dawson, erf, sine,
};

/// Applies a function of one argument.
#[inline(always)]
pub(super) fn unary<N: Operations>(function: Unary, x: N) -> N {
    match function {
        Unary::Negative => -x,
        Unary::Root => x.root(),
        Unary::Exponential => x.exponential(),
        Unary::Logarithm => x.logarithm(),
        Unary::Absolute => x.size(),
        Unary::Sine => sine(x),
        Unary::Cosine => cosine(x),
        Unary::ArcTangent => arc_tangent(x),
        Unary::ArcCosine => arc_cosine(x),
        Unary::Erf => erf(x),
        Unary::Dawson => dawson(x),
        Unary::BesselI0e => bessel_i0e(x),
        Unary::BesselI1e => bessel_i1e(x),
    }
}

/// Applies a function of two arguments.
#[inline(always)]
pub(super) fn binary<N: Operations>(function: Binary, a: N, b: N) -> N {
    match function {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide => a / b,
        Binary::Minimum => a.smaller(b),
        Binary::Maximum => a.larger(b),
        Binary::Less => b.if_above(a, a.known(1.0), a.known(0.0)),
        Binary::ArcTangent2 => angle(a, b),
    }
}

/// Applies a function of three arguments.
#[inline(always)]
pub(super) fn ternary<N: Operations>(function: Ternary, [a, b, c]: [N; 3]) -> N {
    match function {
        Ternary::Choose => a.size().if_above(a.known(0.0), b, c),
        Ternary::Fma => a.fma(b, c),
        Ternary::Fms => a.fma(b, -c),
        Ternary::Fnma => (-a).fma(b, c),
    }
}
