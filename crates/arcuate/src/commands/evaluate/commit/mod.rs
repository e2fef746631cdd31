//! `arcuate evaluate commit`.

mod fit;
mod model;
mod options;

pub(crate) use options::EvaluateCommit;

use crate::stage_command::Typed;
use arcuate_core::{Error, PeakFrame, Result};
use arcuate_evaluate::commit::{Blur, SegmentOptions};
use arcuate_pipeline::stages;
use arcuate_pipeline::stages::commit::{
    CommitNormalisation, CommitOrientations, CommitSignal, DictionaryFiles,
};
use options::{DictionaryArgs, NormalisationArgs, SegmentArgs};
use std::path::PathBuf;

impl Typed for EvaluateCommit {
    type Work = stages::EvaluateCommit;

    fn typed(&self) -> Result<stages::EvaluateCommit> {
        let signal = match (&self.scalar_map, &self.dwi) {
            (Some(map), _) => CommitSignal::Map(map.clone()),
            (None, Some(dwi)) => CommitSignal::Series(self.gradients.series(dwi)),
            (None, None) => {
                return Err(Error::usage(
                    "--dwi",
                    "there is no signal to which a model could be fitted",
                    "give a diffusion series, or a map with --scalar-map",
                ));
            }
        };
        Ok(stages::EvaluateCommit {
            tracts: self.tractogram.clone(),
            signal,
            out: self.out.clone(),
            mask: self.mask.clone(),
            peaks: self.peaks.clone(),
            peaks_frame: self.peaks_frame.map(PeakFrame::from),
            peak_threshold: self.peak_threshold,
            confidence: self.confidence.clone(),
            orientations: orientations(&self.orientations),
            precision: self.precision.into(),
            predicted: self.predicted,
            compat: self.compat,
            format: self.maps.format(),
            normalisation: self.normalisation.normalisation(),
            dictionary: self.dictionary.files(),
            segments: self.segments.options()?,
            model: self.model.model(),
            fit: self.fit.fit(),
        })
    }
}

/// Parses the value of `--orientations`.
fn orientations(text: &str) -> CommitOrientations {
    match (text, text.parse()) {
        ("exact", _) => CommitOrientations::Exact,
        ("auto", _) => CommitOrientations::Auto,
        (_, Ok(count)) => CommitOrientations::Number(count),
        _ => CommitOrientations::File(PathBuf::from(text)),
    }
}

impl NormalisationArgs {
    /// Converts the options to the type of the library.
    fn normalisation(&self) -> CommitNormalisation {
        CommitNormalisation {
            merge_b0s: self.merge_b0,
            normalise_signal: !self.no_normalise_signal,
            normalise_kernels: !self.no_normalise_kernels,
            demean: self.demean,
            minimum_b0: self.min_b0,
        }
    }
}

impl DictionaryArgs {
    /// Returns the dictionary files, if both options are given.
    fn files(&self) -> Option<DictionaryFiles> {
        let (folder, directions) = self.dictionary.clone().zip(self.dictionary_directions.clone())?;
        Some(DictionaryFiles { folder, directions })
    }
}

impl SegmentArgs {
    fn options(&self) -> Result<SegmentOptions> {
        let blurred = self.blur_core_extent != 0.0 || self.blur_gauss_extent != 0.0;
        let default = Blur::default();
        let changed = |value: f64, default: f64| value.total_cmp(&default).is_ne();
        if self.blur_gauss_extent == 0.0 && changed(self.blur_gauss_min, default.gauss_min) {
            let problem = "there is no border it could be of";
            return Err(Error::usage("--blur-gauss-min", problem, "give --blur-gauss-extent"));
        }
        if !blurred && changed(self.blur_spacing, default.spacing) {
            let advice = "give --blur-core-extent or --blur-gauss-extent";
            return Err(Error::usage(
                "--blur-spacing",
                "this option has no effect without blur copies of streamlines",
                advice,
            ));
        }
        Ok(SegmentOptions {
            minimum_length: self.min_length,
            maximum_length: self.max_length,
            blur: blurred.then_some(Blur {
                core_extent: self.blur_core_extent,
                gauss_extent: self.blur_gauss_extent,
                gauss_min: self.blur_gauss_min,
                spacing: self.blur_spacing,
            }),
            minimum_segment: self.min_segment,
        })
    }
}
