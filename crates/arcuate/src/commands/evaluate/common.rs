//! What both methods say and write.

use crate::products::{Kind, Product};
use crate::record::Record;
use crate::scan::SIGNAL_UNIT;
use arcuate_core::{Error, Result, Volume};
use arcuate_io::{WriteOptions, write_image};
use arcuate_solve::Outcome;
use std::path::Path;

/// Name of a key figure that `run` repeats.
pub(crate) const SUPPORTED: &str = "streamlines supported (weight above 0)";

/// What a signal and its errors are in: as the image has them, or divided by the signal at b = 0.
pub(super) fn unit_of_signal(is_normalised: bool) -> &'static str {
    if is_normalised { "of the signal at b = 0" } else { SIGNAL_UNIT }
}

/// The two tractograms of an evaluation; `weights` is the file of all weights.
pub(super) fn tractograms(weights: &'static str) -> [Product; 2] {
    let all = Kind::Streamlines { weights: Some(weights.into()) };
    [
        Product::shown("tracks_weighted.trx", "All streamlines with their weights", all),
        Product::file("tracks_supported.trx", "Streamlines with a weight above 0"),
    ]
}

/// A penalty that leaves fewer streamlines, as both methods take it.
pub(super) fn check_fraction(option: &str, value: f64) -> Result<()> {
    if (0.0..1.0).contains(&value) {
        return Ok(());
    }
    Err(Error::usage(option, format!("{value} is not a fraction"), "give a number from 0 to below 1"))
}

/// How many streamlines the signal supports; not without a word where the fit has not come to its end, for they may be
/// others there.
pub(super) fn supported_in_words(supported: usize, streamlines: usize, outcome: Outcome) -> String {
    let so_far = match outcome {
        Outcome::Converged => "",
        Outcome::IterationLimit | Outcome::PrecisionLimit => " so far (the fit stopped before its tolerance)",
    };
    format!("{supported} of {streamlines} streamlines supported{so_far}")
}

/// The same for the record.
pub(super) fn note_supported(supported: usize, outcome: Outcome, record: &mut Record) {
    record.figure(SUPPORTED, supported).key();
    if outcome != Outcome::Converged {
        record.figure("end of the fit", "before its tolerance: supported streamlines are those so far");
    }
}

/// Writes a map, 0 where it says nothing: in voxels that the evaluation is not about, and where what it divides by is 0.
pub(super) fn write_map(path: &Path, map: &Volume<f32>, options: &WriteOptions) -> Result<()> {
    let map = map.clone().map(|value| if value.is_nan() { 0.0 } else { value });
    write_image(path, &map, options)
}

/// Mean of the values that are numbers.
pub(super) fn mean(values: &[f32]) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    for value in values.iter().filter(|v| v.is_finite()) {
        sum += f64::from(*value);
        count += 1;
    }
    sum / count.max(1) as f64
}
