//! Units as they are shown to people.

use std::borrow::Cow;

/// Unit of an uncalibrated signal.
pub const SIGNAL_UNIT: &str = "signal units";

/// Returns the unit of a parameter as it is shown to people. The unit of a signal is arbitrary, and a number
/// without a unit has an empty unit.
pub fn unit_in_words(unit: &str) -> &str {
    match unit {
        "signal" => SIGNAL_UNIT,
        "1" => "",
        other => other,
    }
}

/// Returns a value of a map and its unit as the report shows them. Diffusivities are converted as by
/// [`unit_of_map`].
pub fn shown_value(value: f32, unit: &str) -> (f64, Cow<'static, str>) {
    let (factor, unit) = unit_of_map(unit);
    // The value is converted by its shortest decimal form, not by the nearest double.
    let text = match factor {
        // Multiplication adds a rounding error, so the product is rounded to 7 digits.
        Some(factor) => format!("{:.6e}", f64::from(value) * f64::from(factor)),
        None => value.to_string(),
    };
    (text.parse().unwrap_or(f64::NAN), unit)
}

/// Returns the factor and the unit with which the report shows a map. Diffusivities are shown in their usual
/// unit, µm²/ms.
pub fn unit_of_map(unit: &str) -> (Option<f32>, Cow<'static, str>) {
    match unit {
        "mm²/s" => (Some(1e3), "µm²/ms".into()),
        other => (None, unit_in_words(other).to_owned().into()),
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
