//! Checks for implausible diffusivities. The usual cause is a wrong unit, which changes diffusivities by a
//! power of ten.

use crate::units::shown_value;
use arcuate_core::statistics;
use arcuate_report::human;

/// Range of plausible median diffusivities of tissue (living or fixed) and of water, in mm²/s.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 5e-5..=4e-3;

/// Typical diffusivity of tissue in mm²/s, the reference for guessing a wrong unit.
const OF_TISSUE: f64 = 0.7e-3;

/// Factors by which diffusivities are wrong if the b-values or the diffusivities have a wrong unit, each with
/// an explanation for the user.
const GUESSES: [(f64, &str); 3] = [
    (1e-6, "b-values in s/m² that are read as s/mm² cause such values"),
    (1e3, "b-values in ms/µm² that are read as s/mm² cause such values, and so do diffusivities in µm²/ms"),
    (1e-3, "b-values that are a thousand times too large cause such values"),
];

/// Warns if the median of a diffusivity (mm²/s) over voxels is not plausible for tissue or water.
pub fn warn_of_median(what: &str, median: f64) {
    if median.is_nan() || PLAUSIBLE.contains(&median) {
        return;
    }
    let ratio = median / OF_TISSUE;
    let guess = GUESSES.into_iter().find(|(factor, _)| (0.1..=10.0).contains(&(ratio / factor)));
    let guess =
        guess.map_or("check b-values and that the signal is a magnitude, not a logarithm", |(_, says)| says);
    let (shown, unit) = shown_value(median as f32, "mm²/s");
    tracing::warn!(
        "the median {what} is {} {unit}, but tissue has values from 0.1 to 3 {unit}: {guess}",
        human::number(shown, 3)
    );
}

/// Warns if the value of an option (µm²/ms) is not a plausible diffusivity of tissue or water.
pub fn warn_of_option(option: &str, value: f64) {
    let guess = match value.abs() {
        v if v == 0.0 || v.is_nan() || (0.01..=5.0).contains(&v) => return,
        v if (1e-5..0.01).contains(&v) => "it looks like mm²/s",
        v if v < 1e-5 => "it looks like m²/s",
        v if v >= 100.0 => "it looks like µm²/s",
        _ => "free water of body temperature has 3",
    };
    tracing::warn!("{option}: {value} µm²/ms is not a diffusivity of tissue: {guess}");
}

/// Returns the median of the values that are finite and not 0. Values of 0 are ignored, because voxels that
/// were not fitted have the value 0. Returns `None` if no value remains.
pub fn median(values: impl Iterator<Item = f32>) -> Option<f64> {
    let mut values: Vec<f32> = values.filter(|value| value.is_finite() && *value != 0.0).collect();
    statistics::median(&mut values)
}
