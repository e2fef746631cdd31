//! Evaluates programs (graphs of operations) in double precision, and finds the range of each value.

use super::id::Id;
use super::node::{Binary, Dispersed, Fanned, Input, Moments, Node, Ternary};
use super::program::Program;
use super::range::Range;
use crate::special::bingham;
use arcuate_numbers::Operations;

impl Program {
    /// Returns the range of every value of the program, if the inputs have the ranges that `input` returns.
    /// If `input` returns `None` for an input, the known range of this input is used.
    pub(crate) fn ranges(&self, input: impl Fn(Input) -> Option<Range>) -> Vec<Range> {
        let mut ranges: Vec<Range> = Vec::with_capacity(self.nodes().len());
        for (n, node) in self.nodes().iter().enumerate() {
            let known = self.known_ranges()[n];
            let range = match node {
                Node::Input(which) => input(*which).unwrap_or(known),
                node => node.range(|id| ranges[id.index()]).within(known),
            };
            ranges.push(range);
        }
        ranges
    }

    /// Returns the values of all nodes of the program in double precision. `input` returns the value of each
    /// input.
    ///
    /// This is the reference implementation. Tests compare every other implementation with it.
    pub fn evaluate(&self, input: impl Fn(Input) -> f64) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.nodes().len());
        self.evaluate_in(&mut values, input);
        values
    }

    /// Does the same as [`evaluate`](Self::evaluate), but reuses the memory of the results.
    pub fn evaluate_in(&self, values: &mut Vec<f64>, input: impl Fn(Input) -> f64) {
        values.clear();
        // All coefficients of the Bingham distribution with the same concentrations are computed together.
        let mut harmonics: Vec<([Id; 2], Vec<f64>)> = Vec::new();
        for node in self.nodes() {
            let of = |id: Id| values[id.index()];
            let value = match *node {
                Node::Constant(bits) => f64::from_bits(bits),
                Node::Input(which) => input(which),
                Node::Unary(function, x) => function.of(of(x)),
                Node::Binary(function, a, b) => function.of(of(a), of(b)),
                Node::Ternary(function, operands) => function.compute(operands.map(of)),
                Node::Moment(family, degree, x) => crate::special::moment(family, degree, of(x)),
                Node::Dispersed(part, [x, concentration, cosine]) => {
                    crate::special::dispersed(part, of(x), of(concentration), of(cosine))
                }
                Node::Harmonic { degree, order, concentrations } => {
                    let place = bingham::place(usize::from(degree) / 2, usize::from(order) / 2);
                    coefficients(&mut harmonics, concentrations, of)[place]
                }
                Node::Fanned(part, [x, first, second, cosine, of_fan]) => {
                    let all = coefficients(&mut harmonics, [first, second], of);
                    crate::special::fanned(part, all, [x, cosine, of_fan].map(of))
                }
            };
            values.push(value);
        }
    }
}

/// Returns the coefficients of the Bingham distribution for two concentrations. Computes the coefficients if
/// they are not in `known`.
fn coefficients(
    known: &mut Vec<([Id; 2], Vec<f64>)>,
    concentrations: [Id; 2],
    of: impl Fn(Id) -> f64,
) -> &[f64] {
    let place = known.iter().position(|(of, _)| *of == concentrations).unwrap_or_else(|| {
        known.push((concentrations, crate::special::bingham_coefficients(concentrations.map(of))));
        known.len() - 1
    });
    &known[place].1
}

impl Node {
    /// Returns the range of the function's value, given the ranges of its operands.
    pub(super) fn range(self, of: impl Fn(Id) -> Range) -> Range {
        match self {
            Self::Constant(bits) => Range::of(f64::from_bits(bits)),
            Self::Unary(function, x) => function.range(of(x)),
            // Interval arithmetic does not know that both factors are the same value.
            Self::Binary(Binary::Multiply, a, b) if a == b => of(a).square(),
            Self::Binary(function, a, b) => function.range(of(a), of(b)),
            Self::Ternary(function, [a, b, c]) => {
                let (a, b, c) = (of(a), of(b), of(c));
                match function {
                    Ternary::Choose => Range::around([b.low, b.high, c.low, c.high]),
                    Ternary::Fma => a.times(b).plus(c),
                    Ternary::Fms => a.times(b).plus(c.negative()),
                    Ternary::Fnma => c.plus(a.times(b).negative()),
                }
            }
            Self::Moment(Moments::Watson, ..) => Range::new(-0.5, 1.0),
            Self::Dispersed(Dispersed::Value, _) | Self::Fanned(Fanned::Value, _) => Range::new(0.0, 1.0),
            Self::Harmonic { .. } => Range::new(-1.0, 1.0),
            Self::Input(_) | Self::Moment(Moments::Stick, ..) | Self::Dispersed(..) | Self::Fanned(..) => {
                Range::ALL
            }
        }
    }
}

impl Ternary {
    /// Computes the result on the CPU, or writes the instructions of a GPU kernel that compute it.
    #[inline(always)]
    pub(crate) fn compute<N: Operations>(self, [a, b, c]: [N; 3]) -> N {
        match self {
            Self::Choose => a.size().if_above(a.known(0.0), b, c),
            Self::Fma => a.fma(b, c),
            Self::Fms => a.fma(b, -c),
            Self::Fnma => (-a).fma(b, c),
        }
    }
}
