//! Limits for the numbers of options.

use std::ops::RangeInclusive;

/// Valid absolute values of a number other than 0, for every option. Single precision cannot compute with
/// numbers outside this range.
const SIZES: RangeInclusive<f64> = 1e-30..=1e30;

/// Reason why a number is not valid for any option.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidNumber {
    /// Problem with the number. The text does not contain the number itself.
    pub problem: &'static str,
    /// Advice to the user.
    pub advice: String,
}

/// Checks that a number is finite, and that it is 0 or its absolute value is within `SIZES`. Returns the
/// problem otherwise.
pub fn invalid_number(value: f64) -> Option<InvalidNumber> {
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
    Some(InvalidNumber { problem, advice: format!("give {number}, or leave the option out") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_any_measurement_are_impossible() {
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
