//! Parsers of numbers for the options. A number that [no option can have](impossible) passes the parser of a single option:
//! [`Invocation::of`](crate::invocation::Invocation::of) rejects such numbers for all options in the same way.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// Absolute values that a number other than 0 can have, whatever the option. Single precision cannot compute with others.
const SIZES: RangeInclusive<f64> = 1e-30..=1e30;

/// A number that no option can have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Impossible {
    /// What is wrong, without the number.
    pub(crate) problem: &'static str,
    /// What to do.
    pub(crate) advice: String,
}

/// Checks that a number is finite, and that it is 0 or has an absolute value within [`SIZES`].
pub(crate) fn impossible(value: f64) -> Option<Impossible> {
    let (least, most) = (SIZES.start(), SIZES.end());
    let (problem, number) = if !value.is_finite() {
        ("is not a finite number", "a finite number".to_owned())
    } else if value.abs() > *most {
        ("is too large", format!("a number from -{most:e} to {most:e}"))
    } else if value != 0.0 && value.abs() < *least {
        ("is too close to 0", format!("a number whose absolute value is at least {least:e}"))
    } else {
        return None;
    };
    Some(Impossible { problem, advice: format!("give {number}, or leave the option out") })
}

/// A number of 0 or more.
pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    number(text, |value: f64| value >= 0.0, "it must be 0 or more")
}

/// A number greater than 0.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    number(text, |value: f64| value > 0.0, "it must be greater than 0")
}

/// A whole number of 1 or more.
pub(crate) fn one_or_more<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    let text = text.trim();
    match text.parse::<T>() {
        Ok(value) if value >= T::from(1) => Ok(value),
        Ok(_) => Err("it must be 1 or more".to_owned()),
        Err(_) if text.parse::<u128>().is_ok() => Err("it is too large".to_owned()),
        Err(_) => Err("it must be a whole number of 1 or more".to_owned()),
    }
}

/// A number that fits or is not finite.
fn number(text: &str, fits: impl Fn(f64) -> bool, problem: &str) -> Result<f64, String> {
    let value: f64 = text.trim().parse().map_err(|_| "it is not a number".to_owned())?;
    if fits(value) || !value.is_finite() { Ok(value) } else { Err(problem.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_any_measurement_are_impossible() {
        for value in [0.0, -0.0, 1e-30, -5.0, 1e30] {
            assert_eq!(impossible(value), None, "{value}");
        }
        for (value, problem, advice) in [
            (1e31, "is too large", "give a number from -1e30 to 1e30, or leave the option out"),
            (-1e308, "is too large", "give a number from -1e30 to 1e30, or leave the option out"),
            (
                1e-45,
                "is too close to 0",
                "give a number whose absolute value is at least 1e-30, or leave the option out",
            ),
            (
                -1e-300,
                "is too close to 0",
                "give a number whose absolute value is at least 1e-30, or leave the option out",
            ),
            (f64::NAN, "is not a finite number", "give a finite number, or leave the option out"),
            (f64::NEG_INFINITY, "is not a finite number", "give a finite number, or leave the option out"),
        ] {
            assert_eq!(impossible(value), Some(Impossible { problem, advice: advice.to_owned() }), "{value}");
        }
    }

    #[test]
    fn text_that_is_not_a_fitting_number_is_rejected_with_the_reason() {
        assert_eq!(not_negative(" 0 "), Ok(0.0));
        assert_eq!(not_negative("-1").unwrap_err(), "it must be 0 or more");
        assert_eq!(positive("0").unwrap_err(), "it must be greater than 0");
        assert_eq!(positive("two").unwrap_err(), "it is not a number");
        assert_eq!(one_or_more::<u32>("4294967295"), Ok(u32::MAX));
        for (text, problem) in [
            ("0", "it must be 1 or more"),
            ("4294967296", "it is too large"),
            ("-1", "it must be a whole number of 1 or more"),
            ("1.5", "it must be a whole number of 1 or more"),
        ] {
            assert_eq!(one_or_more::<u32>(text).unwrap_err(), problem, "{text}");
        }
    }
}
