//! The range of valid signal-to-noise ratios in simulations.

use arcuate_core::{Error, Result};
use std::ops::RangeInclusive;

/// Valid signal-to-noise ratios. With a ratio below this range, the noise would exceed the signal and the
/// range of f32. With a ratio above this range, the noise would be too small for f32.
const RATIOS: RangeInclusive<f64> = 1e-3..=1e9;

/// Checks a signal-to-noise ratio that the user gives. The value 0 means no noise. Returns an error if
/// another value is outside the range from 0.001 to 1e9.
pub fn signal_to_noise(ratio: f64) -> Result<Option<f64>> {
    if ratio == 0.0 {
        return Ok(None);
    }
    check_ratio(Some(ratio)).map(|()| Some(ratio))
}

/// Returns an error if a signal-to-noise ratio is outside the range from 0.001 to 1e9.
pub(crate) fn check_ratio(ratio: Option<f64>) -> Result<()> {
    match ratio.filter(|ratio| !RATIOS.contains(ratio)) {
        Some(ratio) => {
            let problem = format!("the signal-to-noise ratio {ratio:e} cannot be simulated");
            let advice = "give a number from 0.001 to 1e9, such as 30, or 0 for no noise";
            Err(Error::usage("‘snr’", problem, advice))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_small_signal_to_noise_ratios_are_rejected() {
        assert_eq!(signal_to_noise(0.0).unwrap(), None);
        for ratio in [1e-3, 30.0, 1e9] {
            assert_eq!(signal_to_noise(ratio).unwrap(), Some(ratio));
        }
        for ratio in [1e-45, 9e-4, -1.0, 1e10, f64::NAN, f64::INFINITY] {
            let message = signal_to_noise(ratio).unwrap_err().to_string();
            assert!(message.starts_with("‘snr’: "), "{message}");
        }
    }
}
