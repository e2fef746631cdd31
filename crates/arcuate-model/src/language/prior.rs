//! What is known of a parameter before anything is measured: `prior` in a model file, `--prior` on the command line. Chains take
//! it into account (`crate::sample`); fits do not.

use super::expression::{Expression, Kind};
use super::parser::{Start as TextStart, Text};
use super::range::Range;
use super::source::{Source, did_you_mean};
use arcuate_core::{Result, printable};

/// A density; numbers are in the parameter's unit. Within bounds alone: beyond them it is 0.
#[derive(Debug, Clone, Default)]
pub enum Prior {
    /// The same everywhere: of an orientation uniform on the sphere.
    #[default]
    Uniform,
    /// A normal distribution.
    Normal {
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        deviation: f64,
    },
    /// A gamma distribution: x^(shape − 1) exp(−x / scale).
    Gamma {
        /// Without unit.
        shape: f64,
        /// In the parameter's unit.
        scale: f64,
    },
    /// Automatic relevance determination: x^(−weight), which draws towards 0 what the measurements do not ask for (Behrens et
    /// al. 2007, doi:10.1016/j.neuroimage.2006.09.018, eq. 7). With weight 1 it is uniform in ln x.
    Relevance {
        /// 1 unless something else is known.
        weight: f64,
        /// Below it the density is 0, in the parameter's unit. The integral down to 0 is infinite: with 0, as FSL has it, a
        /// number that the measurements say nothing of has no posterior.
        least: f64,
    },
    /// 1/x: uniform in ln x, of a number of which not even the scale is known. Within bounds, of which the lower one is
    /// [`LEAST_PART`](Self::LEAST_PART) of the upper one where it is 0; a number without an upper bound has none.
    LogUniform,
    /// exp(−energy), in terms of this and other parameters.
    Energy(Expression),
}

/// Kinds of priors, as they are written.
const KINDS: [&str; 6] = ["uniform", "normal", "gamma", "ard", "log_uniform", "energy"];
const ADVICE: &str = "write uniform, normal(mean, deviation), gamma(shape, scale), ard, ard(weight), ard(weight, least), log_uniform or energy(formula)";

impl Prior {
    /// What `ard` takes for the least part of the signal. The prior odds of less than x against more are ln(x / least) to
    /// ln(1 / x): a part of less than 0.05 has 57 % beforehand.
    pub const LEAST_PART: f64 = 1e-3;

    /// Below which number of a parameter with these bounds the density is 0, in its unit.
    pub(crate) fn least(&self, bounds: Range) -> f64 {
        match *self {
            Self::Relevance { least, .. } => least.max(bounds.low),
            Self::LogUniform if bounds.low == 0.0 && bounds.high.is_finite() => {
                Self::LEAST_PART * bounds.high
            }
            _ => bounds.low,
        }
    }

    /// The prior that a text says, as in `normal(1.7e-3, 0.3e-3)`; a formula in it is checked by the model that it is for.
    pub fn parse(text: &str) -> Result<Self> {
        let source = Source { name: format!("`{}`", printable(text, 80)), ..Source::default() };
        Self::of(&Text { source: &source, formula: text, start: TextStart::String(0) })
    }

    pub(super) fn of(text: &Text<'_>) -> Result<Self> {
        let formula = text.parse()?;
        let place = formula.term().place;
        let refuse = |problem: String, advice: &str| Err(text.source.error(place, problem, advice));
        let (name, arguments) = match &formula.term().kind {
            Kind::Name(name) => (name.as_str(), &[][..]),
            Kind::Call(name, arguments) => (name.as_str(), &arguments[..]),
            _ => return refuse("this is no prior".to_owned(), ADVICE),
        };
        if let ("energy", [energy]) = (name, arguments) {
            return Ok(Self::Energy(energy.clone()));
        }
        let numbers: Option<Vec<f64>> = arguments.iter().map(number).collect();
        let prior = match (name, numbers.as_deref()) {
            ("uniform", Some([])) => Self::Uniform,
            ("normal", Some(&[mean, deviation])) => Self::Normal { mean, deviation },
            ("gamma", Some(&[shape, scale])) => Self::Gamma { shape, scale },
            ("ard", Some([])) => Self::Relevance { weight: 1.0, least: Self::LEAST_PART },
            ("ard", Some(&[weight])) => Self::Relevance { weight, least: Self::LEAST_PART },
            ("ard", Some(&[weight, least])) => Self::Relevance { weight, least },
            ("log_uniform", Some([])) => Self::LogUniform,
            _ if KINDS.contains(&name) => {
                return refuse(format!("the prior `{name}` takes something else"), ADVICE);
            }
            _ => {
                let advice = did_you_mean(name, KINDS, ADVICE);
                return refuse(format!("`{}` is no prior", printable(name, 40)), &advice);
            }
        };
        let positive = match prior {
            Self::Normal { deviation, .. } => vec![("the deviation", deviation)],
            Self::Gamma { shape, scale } => vec![("the shape", shape), ("the scale", scale)],
            Self::Relevance { weight, least } => vec![("the weight", weight), ("the least number", least)],
            Self::Uniform | Self::LogUniform | Self::Energy(_) => Vec::new(),
        };
        match positive.iter().find(|(_, value)| *value <= 0.0) {
            Some((what, value)) => refuse(format!("{what} of the prior is {value}"), "give a number above 0"),
            None => Ok(prior),
        }
    }

    /// Whether it asks for a logarithm, which only numbers above 0 have.
    pub(super) fn needs_positive(&self) -> bool {
        matches!(self, Self::Gamma { .. } | Self::Relevance { .. } | Self::LogUniform)
    }
}

/// The number that a formula is.
fn number(formula: &Expression) -> Option<f64> {
    match &formula.term().kind {
        Kind::Number(value) => Some(*value),
        Kind::Negative(of) => number(of).map(|value| -value),
        _ => None,
    }
}
