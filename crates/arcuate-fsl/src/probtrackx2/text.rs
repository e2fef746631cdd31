//! Numbers as FSL's programs write them: with a fixed number of significant digits, and followed by two
//! spaces.

use arcuate_core::narrow;
use std::fmt::Write;

/// Significant digits of numbers in tables.
pub(super) const OF_TABLES: usize = 10;
/// Significant digits of entries of sparse matrices.
pub(super) const OF_ENTRIES: usize = 8;
/// Significant digits of the coordinates of points.
pub(super) const OF_POINTS: usize = 6;

/// Formats a number with at most `digits` significant digits, as C++ streams do.
pub(super) fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { value.to_string() };
    }
    let digits = digits.max(1);
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let short = |text: &str| {
        let end = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
        end.to_owned()
    };
    if exponent < -4 || exponent >= narrow::<i32>(digits) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", short(mantissa), exponent.abs());
    }
    short(&format!("{value:.*}", (narrow::<i32>(digits) - 1 - exponent).max(0) as usize))
}

/// Formats a row of a table.
pub(super) fn row(values: impl IntoIterator<Item = f64>) -> String {
    let mut line = String::new();
    for value in values {
        // Writing to a string cannot fail.
        let _ = write!(line, "{}  ", significant(value, OF_TABLES));
    }
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_as_cpp_streams() {
        for (value, digits, text) in [
            (1234.0, 10, "1234"),
            (0.5, 10, "0.5"),
            (1.0 / 3.0, 10, "0.3333333333"),
            (2.0 / 3.0, 6, "0.666667"),
            (12_345_678.0, 6, "1.23457e+07"),
            (1e-5, 10, "1e-05"),
            (-0.00012, 6, "-0.00012"),
            (999_999.96, 7, "1000000"),
            (100.0, 3, "100"),
            (0.0, 10, "0"),
        ] {
            assert_eq!(significant(value, digits), text);
        }
        assert_eq!(row([1.0, 0.25]), "1  0.25  \n");
    }
}
