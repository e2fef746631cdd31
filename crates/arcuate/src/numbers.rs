//! Parsers for numbers in options. They accept numbers such as infinity that
//! [no option can have](arcuate_pipeline::numbers::impossible).
//! [`Invocation::of`](crate::invocation::Invocation::of) rejects these later, for all options in the same
//! way.

use std::str::FromStr;

/// Parses a number of 0 or more.
pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    number(text, |value: f64| value >= 0.0, "it must be 0 or more")
}

/// Parses a number greater than 0.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    number(text, |value: f64| value > 0.0, "it must be greater than 0")
}

/// Parses a whole number of 1 or more.
pub(crate) fn one_or_more<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    let text = text.trim();
    match text.parse::<T>() {
        Ok(value) if value >= T::from(1) => Ok(value),
        Ok(_) => Err("it must be 1 or more".to_owned()),
        Err(_) if text.parse::<u128>().is_ok() => Err("it is too large".to_owned()),
        Err(_) => Err("it must be a whole number of 1 or more".to_owned()),
    }
}

/// Parses a number that meets the condition `fits` or is not finite. A number that is not finite is rejected
/// elsewhere.
fn number(text: &str, fits: impl Fn(f64) -> bool, problem: &str) -> Result<f64, String> {
    let value: f64 = text.trim().parse().map_err(|_| "it is not a number".to_owned())?;
    if fits(value) || !value.is_finite() { Ok(value) } else { Err(problem.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
