//! Units as people read them.

use std::borrow::Cow;

/// What a signal is in, as long as nobody has calibrated it.
pub const SIGNAL_UNIT: &str = "signal units";

/// The unit of a parameter as people read it: that of a signal is whatever the image is in, and numbers without one have none.
pub fn unit_in_words(unit: &str) -> &str {
    match unit {
        "signal" => SIGNAL_UNIT,
        "1" => "",
        other => other,
    }
}

/// A value of a map and its unit as the report shows them: diffusivities in the one unit that [maps](unit_of_map) have there.
pub fn shown_value(value: f32, unit: &str) -> (f64, Cow<'static, str>) {
    let (factor, unit) = unit_of_map(unit);
    // By its own shortest decimals, not those of the double next to it.
    let text = match factor {
        // A product has another digit of rounding.
        Some(factor) => format!("{:.6e}", f64::from(value) * f64::from(factor)),
        None => value.to_string(),
    };
    (text.parse().unwrap_or(f64::NAN), unit)
}

/// The unit in which the report shows a map of parameters, and by what its values are multiplied for that: diffusivities are in
/// that which people speak.
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
