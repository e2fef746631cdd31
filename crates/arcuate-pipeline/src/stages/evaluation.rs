//! Code that the two methods for the evaluation of streamlines (LiFE and COMMIT) share.

use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::{Kind, OutputFile};
use crate::record::Record;
use crate::scan::SIGNAL_UNIT;
use crate::series::Series;
use arcuate_core::{
    Column, Error, Grid, Result, Scalars, StreamlineBatch, StreamlineSink, StreamlineSubset, Volume,
};
use arcuate_io::{Space, TractogramReader, TractogramWriter, WriteOptions, write_image};
use arcuate_model::noise_at_b0;
use arcuate_solve::Outcome;
use std::path::Path;

/// Name that the record of a command uses for the number of supported streamlines (weight above 0). The
/// record of `arcuate run` contains this value, too.
pub const SUPPORTED: &str = "streamlines supported (weight above 0)";

/// Name that the record of a command uses for the statement that the solver stopped before it reached its
/// tolerance. If the solver reached it, the record has no such statement.
pub const END_OF_FIT: &str = "end of the fit";

/// Name that the record of a command uses for the standard deviation of the noise at b = 0. It is computed in
/// the evaluated voxels, and is in the unit of the prediction error.
pub const NOISE: &str = "noise at b = 0 in these voxels";

const WEIGHTED_TRACKS: &str = "tracks_weighted.trx";
const SUPPORTED_TRACKS: &str = "tracks_supported.trx";

/// Returns the unit of the signals and of the prediction errors, as text. If `is_normalised`, signals are
/// divided by the signal at b = 0. If not, they have the unit of the image.
pub fn unit_of_signal(is_normalised: bool) -> &'static str {
    if is_normalised { "of the signal at b = 0" } else { SIGNAL_UNIT }
}

/// Returns the two tractograms that an evaluation writes: all streamlines with their weights, and those with
/// a weight above 0. `weights` is the name of the file of weights.
pub fn tractograms(weights: &'static str) -> [OutputFile; 2] {
    let all = Kind::Streamlines { weights: Some(weights.into()) };
    [
        OutputFile::shown(WEIGHTED_TRACKS, "All streamlines with their weights", all).with_content(format!(
            "All streamlines, with their weights as dps/{}",
            weights.trim_end_matches(".txt")
        )),
        OutputFile::file(SUPPORTED_TRACKS, "Streamlines with a weight above 0"),
    ]
}

/// Returns an error unless the parameter is a fraction that is at least 0 and below 1. Tolerances and relative
/// penalties are such fractions.
pub fn check_fraction(parameter: &str, value: f64) -> Result<()> {
    if (0.0..1.0).contains(&value) {
        return Ok(());
    }
    Err(Error::usage(
        parameter,
        format!("{value} is not a fraction"),
        "give a number of at least 0 and below 1",
    ))
}

/// Returns a sentence with the number of supported streamlines (weight above 0). If the fit has not
/// converged, the sentence states that the number is preliminary.
pub fn supported_text(supported: usize, streamlines: usize, outcome: Outcome) -> String {
    let so_far = match outcome {
        Outcome::Converged => "",
        Outcome::IterationLimit | Outcome::PrecisionLimit => " so far (the fit stopped before its tolerance)",
    };
    format!("{supported} of {streamlines} streamlines supported{so_far}")
}

/// Adds the number of supported streamlines (weight above 0) to the record. If the fit has not converged,
/// adds a text that states this.
pub fn note_supported(supported: usize, outcome: Outcome, record: &mut Record) {
    record.figure(SUPPORTED, supported).key();
    if outcome != Outcome::Converged {
        record.figure(END_OF_FIT, "before its tolerance: supported streamlines are those so far");
    }
}

/// Writes a map. Voxels that were not evaluated, and voxels in which a division by zero occurred, have the
/// value NaN. They are written as 0.
pub fn write_map(path: &Path, map: &Volume<f32>, options: &WriteOptions) -> Result<()> {
    let map = map.clone().map(|value| if value.is_nan() { 0.0 } else { value });
    write_image(path, &map, options)
}

/// Writes two tractograms: all streamlines, and the streamlines with a weight above 0. The weights are stored
/// as data called `name`, one value per streamline. Both files keep the other data and the groups of the
/// input tractogram.
pub fn write_tractograms(
    folder: &OutputFolder,
    tractogram: &Path,
    name: &str,
    weights: &[f64],
    grid: &Grid,
    job: &Job,
) -> Result<()> {
    let options = job.tractogram_options();
    let create = |name| TractogramWriter::create(&folder.file(name), Some(grid), &options);
    let supported = StreamlineSubset::new(create(SUPPORTED_TRACKS)?);
    let mut reader = TractogramReader::open_in(tractogram, Space::Likely(grid))?;
    let (groups, data) = (reader.read_groups()?, reader.data());
    let mut weighted = Weighted { name, weights, seen: 0, all: create(WEIGHTED_TRACKS)?, supported };
    reader.stream_with(&data, &mut weighted)?;
    weighted.all.finish_with_groups(&groups)?;
    let (kept, supported) = weighted.supported.into_parts();
    supported.finish_with_groups(&groups.of(&kept))
}

/// Receiver of streamlines that adds the weights to their data. It passes all streamlines to the sink `all`,
/// and those with a weight above 0 also to the sink `supported`.
struct Weighted<'a, S> {
    name: &'a str,
    weights: &'a [f64],
    seen: usize,
    all: S,
    supported: StreamlineSubset<S>,
}

impl<S: StreamlineSink> StreamlineSink for Weighted<'_, S> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let weights = self.weights.get(self.seen..self.seen + batch.len()).ok_or_else(|| {
            let problem = "the tractogram has more streamlines than before";
            Error::invalid("tractogram", problem, "do not change the tractogram during the evaluation")
        })?;
        self.seen += batch.len();
        let mut columns = batch.copied_per_streamline();
        let column = Column::new(1, Scalars::F32(weights.iter().map(|&weight| weight as f32).collect()))?;
        columns.insert(self.name.to_owned(), column);
        let batch = batch.with_per_streamline(&columns);
        let supported: Vec<usize> = (0..batch.len()).filter(|&n| weights[n] > 0.0).collect();
        self.all.take(batch)?;
        self.supported.take(batch, &supported)
    }
}

/// Returns the mean of the values that are finite. Returns 0 if no value is finite.
pub fn mean(values: &[f32]) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    for value in values.iter().filter(|v| v.is_finite()) {
        sum += f64::from(*value);
        count += 1;
    }
    sum / count.max(1) as f64
}

/// Adds the standard deviation of the noise at b = 0 in these voxels to the record, if the series has enough
/// measurements at b = 0. If `is_normalised`, the noise of each voxel is divided by its mean signal at b = 0.
pub fn note_noise(series: &Series, voxels: &[usize], is_normalised: bool, record: &mut Record) {
    if let Some(noise) = noise_at_b0(&series.dwi, &series.gradients, voxels, is_normalised) {
        record.measure(NOISE, noise, unit_of_signal(is_normalised));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Tractogram;

    #[test]
    fn selected_streamlines_do_not_depend_on_batches() {
        let mut whole = Tractogram::new();
        for n in 0..6u8 {
            whole.push(&vec![[f32::from(n); 3]; usize::from(n)]);
        }
        let weights = [1.0, 0.0, 2.0, 3.0, 0.0, 4.0];
        let all = 0..6;
        for parts in [vec![all], vec![0..1, 1..4, 4..4, 4..6]] {
            let supported = StreamlineSubset::new(Tractogram::new());
            let mut weighted =
                Weighted { name: "w", weights: &weights, seen: 0, all: Tractogram::new(), supported };
            for part in parts {
                weighted.take(whole.as_batch().part(part)).unwrap();
            }
            let all = weighted.all;
            assert_eq!(all.positions(), whole.positions());
            assert_eq!(all.per_streamline["w"].values().to_f64(), weights);
            let (kept, supported) = weighted.supported.into_parts();
            assert_eq!((supported, kept.len()), (all.select(&[0, 2, 3, 5]), 4));
        }
    }

    #[test]
    fn streamlines_without_a_weight_are_an_error() {
        let mut two = Tractogram::new();
        two.push(&[[0.0; 3]]);
        two.push(&[[1.0; 3]]);
        let supported = StreamlineSubset::new(());
        let mut weighted = Weighted { name: "w", weights: &[1.0], seen: 0, all: (), supported };
        assert!(weighted.take(two.as_batch()).is_err());
    }
}
