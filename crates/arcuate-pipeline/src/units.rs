//! Units as they are shown to people.

use std::borrow::Cow;

/// Unit of an uncalibrated signal.
pub const SIGNAL_UNIT: &str = "signal units";

/// Returns the unit of a parameter as it is shown to people. Signals have an arbitrary unit. For a number
/// without a unit, the text is empty.
pub fn unit_name(unit: &str) -> &str {
    match unit {
        "signal" => SIGNAL_UNIT,
        "1" => "",
        other => other,
    }
}

/// Converts a value of a map to the unit in which the report shows it, as [`unit_of_map`] does. Returns the
/// value and this unit.
pub fn shown_value(value: f32, unit: &str) -> (f64, Cow<'static, str>) {
    let (factor, unit) = unit_of_map(unit);
    // The single-precision value is written in its shortest decimal form, and this text is read as a double.
    // The result thus has no additional digits.
    let text = match factor {
        // The product with the factor has a rounding error, so it is rounded to 7 digits.
        Some(factor) => format!("{:.6e}", f64::from(value) * f64::from(factor)),
        None => value.to_string(),
    };
    (text.parse().unwrap_or(f64::NAN), unit)
}

/// Returns the unit in which the report shows a map, and the factor by which its values are multiplied for
/// this. Diffusivities are shown in µm²/ms.
pub fn unit_of_map(unit: &str) -> (Option<f32>, Cow<'static, str>) {
    match unit {
        "mm²/s" => (Some(1e3), "µm²/ms".into()),
        other => (None, unit_name(other).to_owned().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffusivities_are_shown_in_one_unit() {
        assert_eq!(shown_value(1.2e-3, "mm²/s"), (1.2, "µm²/ms".into()));
        assert_eq!(shown_value(0.1, "1"), (0.1, "".into()));
        assert_eq!(shown_value(584.5, "signal"), (584.5, SIGNAL_UNIT.into()));
        assert_eq!(unit_of_map("mm²/s").1, shown_value(0.0, "mm²/s").1);
    }
}
