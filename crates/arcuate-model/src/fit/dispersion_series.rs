//! The signal of dispersed sticks as a series of Legendre polynomials. The code here determines the number of
//! terms, and computes the terms.

use super::protocol::Protocol;
use crate::language::{Dispersed, Id, Input, Moments, Node, Program, Range, Ternary};
use crate::special::bingham;
use crate::special::watson::{LARGEST_CONCENTRATION, LARGEST_STICK, degree_for, even_degree_for};
use arcuate_core::{Error, Result, narrow};
use arcuate_numbers::legendre::scaled_recurrence;

/// The accuracy that a series of the signal must have. It determines the number of terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SeriesLength {
    /// Single precision: 1e-5 of the signal.
    Single,
    /// Double precision: 1e-12 of the signal.
    Double,
}

/// Minimum degree of a series of the signal, in single and in double precision. With this minimum, most
/// protocols have the same number of terms.
pub(crate) const MIN_DEGREES: [u16; 2] = [14, 34];

/// Largest truncation error of the signal's series for the Bingham distribution, in single and in double
/// precision, as a fraction of the signal.
const BINGHAM_TOLERANCES: [f64; 2] = [1e-6, 1e-12];
/// Largest x = b d (b-value times diffusivity) of sticks with a Bingham distribution for which a series of
/// degree `bingham::LARGEST_DEGREE` is accurate in double precision.
const LARGEST_FANNED_STICK: f64 = 16.0;

/// Determines the degrees that series need.
pub(super) struct Degrees {
    ranges: Vec<Range>,
    length: SeriesLength,
}

impl Degrees {
    pub(super) fn new(
        program: &Program,
        protocol: &Protocol,
        settings: &[f64],
        length: SeriesLength,
    ) -> Self {
        let ranges = program.ranges(|input| match input {
            Input::Setting(n) => Some(Range::new(settings[usize::from(n)], settings[usize::from(n)])),
            Input::Measurement(n) => Some(protocol.range(n)),
            _ => None,
        });
        Self { ranges, length }
    }

    /// Returns the degree that the Legendre series of dispersed sticks needs, from the ranges of the operands
    /// (x = b d and the concentration).
    pub(super) fn of(&self, [x, concentration, _]: [Id; 3]) -> Result<u16> {
        let (tolerance, least) = match self.length {
            SeriesLength::Single => (1e-5, MIN_DEGREES[0]),
            SeriesLength::Double => (1e-12, MIN_DEGREES[1]),
        };
        let (x, concentration) = (self.ranges[x.index()].high, self.ranges[concentration.index()].high);
        let degree = degree_for(x, concentration.min(LARGEST_CONCENTRATION), tolerance);
        degree.map(|degree| degree.max(least)).ok_or_else(|| beyond_series(x))
    }

    /// Returns the degree that the series of spherical harmonics needs, from the ranges of the operands (x =
    /// b d and the two concentrations). The narrowest axially symmetric distribution determines this degree,
    /// because other distributions have smaller coefficients.
    pub(super) fn of_bingham(&self, [x, first, second, ..]: [Id; 5]) -> Result<u16> {
        let tolerance = match self.length {
            SeriesLength::Single => BINGHAM_TOLERANCES[0],
            SeriesLength::Double => BINGHAM_TOLERANCES[1],
        };
        let x = self.ranges[x.index()].high;
        let concentration = [first, second].map(|id| self.ranges[id.index()].high);
        let concentration = concentration[0].max(concentration[1]).min(LARGEST_CONCENTRATION);
        let degree = even_degree_for(x, concentration, tolerance);
        degree.filter(|degree| *degree <= bingham::LARGEST_DEGREE).ok_or_else(|| {
            let largest = LARGEST_FANNED_STICK;
            let problem = format!(
                "the product of b and the diffusivity of the sticks reaches {x:.1}, but the series for \
                 Bingham's distribution is valid only up to {largest}"
            );
            Error::invalid("gradient table", problem, BEYOND)
        })
    }

    /// Returns an error if x = b d of the sticks can exceed the largest value for which their series is
    /// accurate.
    pub(super) fn check_stick(&self, x: Id) -> Result<()> {
        let largest = self.ranges[x.index()].high;
        if largest > LARGEST_STICK { Err(beyond_series(largest)) } else { Ok(()) }
    }
}

fn beyond_series(x: f64) -> Error {
    let problem = format!(
        "the product of b and the diffusivity of the sticks reaches {x:.1}, but the series for the signal of \
         a stick is valid only up to {LARGEST_STICK}"
    );
    Error::invalid("gradient table", problem, BEYOND)
}

const BEYOND: &str =
    "leave out the strongest shell with ‘max_b’, or give the diffusivity a smaller upper bound";

/// Adds nodes for Σ C_l(x) w_l(κ) P_l(t) over even degrees l, or for a derivative of this sum, to the
/// program. C_l are the coefficients of a stick's signal, w_l those of the distribution, and P_l Legendre
/// polynomials. Uses the recurrence of scaled Legendre polynomials.
pub(super) fn dispersion_series(
    program: &mut Program,
    part: Dispersed,
    [x, concentration, cosine]: [Id; 3],
    degree: u16,
) -> Id {
    let count = usize::from(degree) / 2 + 1;
    let recurrence = scaled_recurrence(count);
    let square = program.multiply(cosine, cosine);
    // The Legendre polynomials P_l(t) of all degrees, and their derivatives with respect to t².
    let mut values = vec![program.constant(1.0)];
    let mut slopes = vec![program.constant(0.0)];
    for n in 0..count - 1 {
        let [_, a, b] = recurrence[n];
        let [a, b] = [a, -b].map(|value| program.constant(value));
        let factor = program.make(Node::Ternary(Ternary::Fma, [square, a, b]));
        let next = match n {
            0 => factor,
            n => program.make(Node::Ternary(Ternary::Fms, [factor, values[n], values[n - 1]])),
        };
        if part == Dispersed::ByCosine {
            let slope = match n {
                0 => a,
                1 => {
                    let product = program.multiply(factor, slopes[1]);
                    program.make(Node::Ternary(Ternary::Fma, [a, values[1], product]))
                }
                n => {
                    let rest = program.make(Node::Ternary(Ternary::Fms, [factor, slopes[n], slopes[n - 1]]));
                    program.make(Node::Ternary(Ternary::Fma, [a, values[n], rest]))
                }
            };
            slopes.push(slope);
        }
        values.push(next);
    }
    let mut sum = None;
    for (n, [scale, ..]) in recurrence.into_iter().enumerate() {
        let degree = 2 * narrow::<u16>(n);
        let scale = program.constant(scale);
        let of_stick = if part == Dispersed::ByX {
            program.moment_slope(Moments::Stick, degree, x)
        } else {
            program.make(Node::Moment(Moments::Stick, degree, x))
        };
        let stick = program.multiply(scale, of_stick);
        let watson = match (part, degree) {
            (Dispersed::ByConcentration, 0) => program.constant(0.0),
            (Dispersed::ByConcentration, _) => program.moment_slope(Moments::Watson, degree, concentration),
            (_, 0) => program.constant(1.0),
            _ => program.make(Node::Moment(Moments::Watson, degree, concentration)),
        };
        let (first, second) = if part == Dispersed::ByCosine {
            (program.multiply(stick, watson), slopes[n])
        } else {
            (program.multiply(stick, values[n]), watson)
        };
        sum = Some(match sum {
            None => program.multiply(first, second),
            Some(_) if program.constant_of(second) == Some(0.0) => sum.unwrap_or(first),
            Some(sum) if program.constant_of(sum) == Some(0.0) => program.multiply(first, second),
            Some(sum) => program.make(Node::Ternary(Ternary::Fma, [first, second, sum])),
        });
    }
    let sum = sum.unwrap_or(x);
    if part == Dispersed::ByCosine {
        let two = program.constant(2.0);
        let twice = program.multiply(two, cosine);
        return program.multiply(sum, twice);
    }
    sum
}
