//! Limits for the numbers of options.

use std::ops::RangeInclusive;

/// Range of valid absolute values for the numbers of all options. 0 is valid, too. With numbers outside this
/// range, computations in single precision can overflow or underflow.
const SIZES: RangeInclusive<f64> = 1e-30..=1e30;

/// Reason why a number is not valid as the value of an option.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidNumber {
    /// Text that describes the problem with the number, without the number itself.
    pub problem: &'static str,
    /// Advice to the user.
    pub advice: String,
}

/// Returns the problem with a number that is not valid as the value of an option, or `None` if it is valid. A
/// number is valid if it is 0, or if its absolute value is in the range `SIZES`.
pub fn invalid_number(value: f64) -> Option<InvalidNumber> {
    let (minimum, maximum) = (SIZES.start(), SIZES.end());
    let (problem, number) = if !value.is_finite() {
        ("is not a finite number", "a finite number".to_owned())
    } else if value.abs() > *maximum {
        ("is too large", format!("a number from -{maximum:e} to {maximum:e}"))
    } else if value != 0.0 && value.abs() < *minimum {
        ("is too close to 0", format!("a number whose absolute value is at least {minimum:e}"))
    } else {
        return None;
    };
    Some(InvalidNumber { problem, advice: format!("give {number}, or leave the option out") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implausible_numbers_are_rejected() {
        for value in [0.0, -0.0, 1e-30, -5.0, 1e30] {
            assert_eq!(invalid_number(value), None, "{value}");
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
            assert_eq!(
                invalid_number(value),
                Some(InvalidNumber { problem, advice: advice.to_owned() }),
                "{value}"
            );
        }
    }
}
