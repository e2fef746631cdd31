//! Numbers of options, as clap takes them apart. Numbers that are not finite pass here: for all options alike
//! [`Invocation::of`](crate::invocation::Invocation::of) refuses them.

use std::str::FromStr;

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
