//! Functions of one value, once for the processor and for kernels.

use crate::language::Unary;
use arcuate_compute::elementary::transcendental::{
    arc_cosine, arc_tangent, bessel_i0e, bessel_i1e, cosine, dawson, erf, sine,
};
use arcuate_compute::numbers::Operations;

/// What a step makes of its operand.
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
