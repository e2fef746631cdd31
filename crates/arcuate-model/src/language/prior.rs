//! Prior distributions of parameters. Users set them with `prior` in a model file or with `--prior` on the
//! command line. Markov chains (`crate::fit::sample`) use priors, and fits do not.

use super::expression::{Expression, Kind};
use super::parser::{Start as TextStart, Text};
use super::range::Range;
use super::source::{Source, did_you_mean};
use arcuate_core::{Result, printable};

/// The probability density of a parameter's prior. The constants of the density are in the unit of the
/// parameter. The density is 0 outside the bounds of the parameter.
#[derive(Debug, Clone, Default)]
pub enum Prior {
    /// A constant density between the bounds of the parameter. For an orientation, the distribution is
    /// uniform on the sphere.
    #[default]
    Uniform,
    /// A normal distribution.
    Normal {
        /// The mean of the normal distribution.
        mean: f64,
        /// The standard deviation of the normal distribution.
        deviation: f64,
    },
    /// A gamma distribution, with the density ∝ x^(shape − 1) exp(−x / scale) for the parameter x.
    Gamma {
        /// The shape of the gamma distribution, dimensionless.
        shape: f64,
        /// The scale of the gamma distribution, in the parameter's unit.
        scale: f64,
    },
    /// Automatic relevance determination, with the density ∝ x^(−weight) for the parameter x. It draws a
    /// parameter to 0 unless the data support the parameter (Behrens et al. 2007,
    /// doi:10.1016/j.neuroimage.2006.09.018, eq. 7). With a weight of 1, the density is uniform in ln x.
    Relevance {
        /// The weight in the exponent of the density x^(−weight); 1 by default.
        weight: f64,
        /// Smallest parameter value at which the density is above 0, in the unit of the parameter. It is
        /// needed because the integral of the density down to 0 is infinite. With the value 0, as in FSL, a
        /// parameter that the data do not determine has no proper posterior.
        least: f64,
    },
    /// A density ∝ 1/x, which is uniform in ln x, for a parameter x whose order of magnitude is unknown. The
    /// parameter needs an upper bound. If its lower bound is 0, the density begins at the fraction
    /// [`MIN_FRACTION`](Self::MIN_FRACTION) of the upper bound.
    LogUniform,
    /// A density ∝ exp(−energy). The energy is a formula that can contain this parameter and other
    /// parameters.
    Energy(Expression),
}

/// Names of the kinds of priors in model files and options.
const KINDS: [&str; 6] = ["uniform", "normal", "gamma", "ard", "log_uniform", "energy"];
const ADVICE: &str = "write uniform, normal(mean, deviation), gamma(shape, scale), ard, ard(weight), ard(weight, least), log_uniform or energy(formula)";

impl Prior {
    /// Smallest signal fraction with a density above 0 for the prior `ard`. For this prior, the odds that the
    /// fraction is below x (instead of above x) are ln(x / least) to ln(1 / x). A fraction below 0.05 has a
    /// prior probability of 57 %.
    pub const MIN_FRACTION: f64 = 1e-3;

    /// Returns the smallest value at which the prior's density is above 0, for a parameter with these bounds.
    /// The value is in the unit of the parameter.
    pub(crate) fn least(&self, bounds: Range) -> f64 {
        match *self {
            Self::Relevance { least, .. } => least.max(bounds.low),
            Self::LogUniform if bounds.low == 0.0 && bounds.high.is_finite() => {
                Self::MIN_FRACTION * bounds.high
            }
            _ => bounds.low,
        }
    }

    /// Parses a prior such as `normal(1.7e-3, 0.3e-3)`. A prior that is a formula is checked later, by the
    /// model that uses it.
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
            _ => return refuse("this is not a prior".to_owned(), ADVICE),
        };
        if let ("energy", [energy]) = (name, arguments) {
            return Ok(Self::Energy(energy.clone()));
        }
        let numbers: Option<Vec<f64>> = arguments.iter().map(number).collect();
        let prior = match (name, numbers.as_deref()) {
            ("uniform", Some([])) => Self::Uniform,
            ("normal", Some(&[mean, deviation])) => Self::Normal { mean, deviation },
            ("gamma", Some(&[shape, scale])) => Self::Gamma { shape, scale },
            ("ard", Some([])) => Self::Relevance { weight: 1.0, least: Self::MIN_FRACTION },
            ("ard", Some(&[weight])) => Self::Relevance { weight, least: Self::MIN_FRACTION },
            ("ard", Some(&[weight, least])) => Self::Relevance { weight, least },
            ("log_uniform", Some([])) => Self::LogUniform,
            _ if KINDS.contains(&name) => {
                return refuse(format!("the prior `{name}` takes something else"), ADVICE);
            }
            _ => {
                let advice = did_you_mean(name, KINDS, ADVICE);
                return refuse(format!("`{}` is not a prior", printable(name, 40)), &advice);
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

    /// Returns whether the energy (−ln density) of the prior contains a logarithm. If so, parameter values
    /// must be positive.
    pub(super) fn needs_positive(&self) -> bool {
        matches!(self, Self::Gamma { .. } | Self::Relevance { .. } | Self::LogUniform)
    }
}

/// Returns the value of a formula that must be a constant.
fn number(formula: &Expression) -> Option<f64> {
    match &formula.term().kind {
        Kind::Number(value) => Some(*value),
        Kind::Negative(of) => number(of).map(|value| -value),
        _ => None,
    }
}
