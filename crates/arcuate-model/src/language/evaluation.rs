//! Evaluates programs (graphs of operations) in double precision, and finds the range of each value.

use super::id::Id;
use super::node::{Binary, Dispersed, Fanned, Input, Moments, Node, Ternary, Unary};
use super::program::Program;
use super::range::Range;
use crate::special::bingham;

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
                Node::Ternary(function, [a, b, c]) => function.of(of(a), of(b), of(c)),
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
            Self::Unary(function, x) => {
                let x = of(x);
                match function {
                    Unary::Negative => x.negative(),
                    Unary::Root => x.mapped(|x| x.max(0.0).sqrt()),
                    Unary::Exponential => x.mapped(f64::exp),
                    Unary::Logarithm => x.mapped(|x| x.max(0.0).ln()),
                    Unary::Absolute => x.absolute(),
                    Unary::Sine | Unary::Cosine => Range::new(-1.0, 1.0),
                    Unary::ArcTangent => x.mapped(f64::atan),
                    Unary::ArcCosine => Range::new(0.0, std::f64::consts::PI),
                    Unary::Erf => x.mapped(arcuate_numbers::special::erf),
                    Unary::Dawson => Range::new(-0.5411, 0.5411),
                    Unary::BesselI0e => Range::new(0.0, 1.0),
                    Unary::BesselI1e => Range::new(-0.22, 0.22),
                }
            }
            Self::Binary(function, a, b) => {
                let square = a == b;
                let (a, b) = (of(a), of(b));
                match function {
                    Binary::Add => a.plus(b),
                    Binary::Subtract => a.plus(b.negative()),
                    Binary::Multiply if square => a.square(),
                    Binary::Multiply => a.times(b),
                    Binary::Divide => a.times(b.inverse()),
                    Binary::Minimum => Range::new(a.low.min(b.low), a.high.min(b.high)),
                    Binary::Maximum => Range::new(a.low.max(b.low), a.high.max(b.high)),
                    Binary::Less => Range::new(0.0, 1.0),
                    Binary::ArcTangent2 => Range::new(-std::f64::consts::PI, std::f64::consts::PI),
                }
            }
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

impl Unary {
    /// Returns the value of the function of one argument in double precision.
    #[inline]
    pub fn of(self, x: f64) -> f64 {
        use arcuate_numbers::elementary::double;
        match self {
            Self::Negative => -x,
            Self::Root => x.sqrt(),
            Self::Exponential => double::exp(x),
            Self::Logarithm => double::ln(x),
            Self::Absolute => x.abs(),
            Self::Sine => libm::sin(x),
            Self::Cosine => libm::cos(x),
            Self::ArcTangent => libm::atan(x),
            Self::ArcCosine => libm::acos(x),
            Self::Erf => arcuate_numbers::special::erf(x),
            Self::Dawson => arcuate_numbers::special::dawson(x),
            Self::BesselI0e => arcuate_numbers::special::bessel_i0e(x),
            Self::BesselI1e => arcuate_numbers::special::bessel_i1e(x),
        }
    }
}

impl Binary {
    /// Returns the value of the function of two arguments in double precision.
    #[inline]
    pub fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Minimum => {
                if a < b {
                    a
                } else {
                    b
                }
            }
            Self::Maximum => {
                if a > b {
                    a
                } else {
                    b
                }
            }
            Self::Less => f64::from(u8::from(a < b)),
            Self::ArcTangent2 => libm::atan2(a, b),
        }
    }
}

impl Ternary {
    /// Returns the value of the function of three arguments in double precision.
    #[inline]
    pub fn of(self, a: f64, b: f64, c: f64) -> f64 {
        match self {
            Self::Choose => {
                if a == 0.0 {
                    c
                } else {
                    b
                }
            }
            Self::Fma => a.mul_add(b, c),
            Self::Fms => a.mul_add(b, -c),
            Self::Fnma => (-a).mul_add(b, c),
        }
    }
}
