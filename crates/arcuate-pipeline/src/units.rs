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

/// The unit in which the report shows a map of parameters, and by what its values are multiplied for that: diffusivities are in
/// that which people speak.
pub fn unit_of_map(unit: &str) -> (Option<f32>, Cow<'static, str>) {
    match unit {
        "mm²/s" => (Some(1e3), "µm²/ms".into()),
        other => (None, unit_in_words(other).to_owned().into()),
    }
}
