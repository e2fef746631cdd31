//! Numbers of options, as clap takes them apart. Numbers that [no option can mean](impossible) pass the parsers of single options:
//! [`Invocation::of`](crate::invocation::Invocation::of) refuses them for all options alike.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// Sizes of the numbers that an option can mean, whatever it is: computations in single precision have no others.
const SIZES: RangeInclusive<f64> = 1e-30..=1e30;

/// Describes the problem of a number that no option can mean. It is not finite, or not 0 and beyond [`SIZES`].
pub(crate) fn impossible(value: f64) -> Option<&'static str> {
    if !value.is_finite() {
        Some("is no finite number")
    } else if value != 0.0 && !SIZES.contains(&value.abs()) {
        Some("is beyond 1e-30 to 1e30, the sizes of numbers here")
    } else {
        None
    }
}

/// A number of 0 or more.
pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    number(text, |value: &f64| *value >= 0.0 || !value.is_finite(), "it is not 0 or more")
}

/// A number above 0.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    number(text, |value: &f64| *value > 0.0 || !value.is_finite(), "it is not above 0")
}

/// A whole number of 1 or more.
pub(crate) fn one_or_more<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    number(text, |value: &T| *value >= T::from(1), "it is not 1 or more")
}

fn number<T: FromStr>(text: &str, fits: impl Fn(&T) -> bool, problem: &str) -> Result<T, String> {
    let value: T = text.trim().parse().map_err(|_| "it is no such number".to_owned())?;
    if fits(&value) { Ok(value) } else { Err(problem.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_any_measurement_are_impossible() {
        for value in [0.0, -0.0, 1e-30, -5.0, 1e30] {
            assert_eq!(impossible(value), None, "{value}");
        }
        for value in [1e-45, -1e-300, 1e31, -1e308] {
            assert!(impossible(value).unwrap().starts_with("is beyond"), "{value}");
        }
        for value in [f64::NAN, f64::INFINITY] {
            assert_eq!(impossible(value), Some("is no finite number"));
        }
    }
}
