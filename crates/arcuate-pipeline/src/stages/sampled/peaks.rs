//! Tracking through peaks from any source.

use super::field::{self, DATA, FOLLOWED, REFERENCES, SampledField};
use super::rules::SampleRules;
use crate::job::Job;
use crate::orientation_files::Peaks;
use crate::space;
use crate::stages::tracking::Tracking;
use crate::stages::tracking::field::Source;
use crate::stages::work::Work;
use crate::tensor_order::require_no_tensors;
use arcuate_core::{Error, PeakFrame, Result};
use arcuate_io::read_volume;
use arcuate_track::{ConstraintUnit, OrientationTable, SampleTracks};
use std::path::PathBuf;

/// Tracks through peaks. Each peak is a fibre. Its fibre fraction is its length divided by the length of the
/// longest peak in the voxel.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackPeaks {
    /// Image of the peaks, with three volumes (x, y, z) for each peak.
    pub peaks: PathBuf,
    /// Coordinate axes of the peaks.
    pub frame: PeakFrame,
    /// Minimum length of a peak. Shorter peaks are ignored.
    pub min_peak: f64,
    /// Mask of the voxels to use. Default: all voxels with a peak.
    pub mask: Option<PathBuf>,
    /// Options of tracking through samples of orientations. The peaks of a voxel are used as one sample.
    pub rules: SampleRules,
    /// Options that all tracking methods share. Lengths of peaks are not volume fractions, so there is no
    /// minimum fibre fraction at seeds.
    pub tracking: Tracking,
}

impl TrackPeaks {
    /// Creates tracking through peaks in scanner axes, with default options.
    pub fn new(peaks: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            peaks: peaks.into(),
            frame: PeakFrame::Scanner,
            min_peak: 0.0,
            mask: None,
            rules: SampleRules::default(),
            tracking: Tracking::new(out, ConstraintUnit::Half),
        }
    }

    /// Follows the streamlines and writes the products.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<SampleTracks> {
        Work::check(self, job)?;
        let source = Source {
            title: "Tracking through peaks",
            path: &self.peaks,
            files: std::iter::once(&self.peaks).chain(&self.mask).cloned().collect(),
            references: REFERENCES,
            backdrop: "Lengths of all peaks over the longest of the voxel",
            followed: FOLLOWED,
            data: DATA,
            choices: format!("{:?}", Self { tracking: self.tracking.result_options(), ..self.clone() }),
        };
        let read = || {
            require_no_tensors(&self.peaks, "peaks")?;
            let peaks = read_volume(&self.peaks)?;
            if peaks.channels() % 3 != 0 {
                let problem = format!(
                    "the image of peaks has {} volumes, which is not a multiple of three",
                    peaks.channels()
                );
                let advice = "give x, y and z of each peak";
                return Err(Error::invalid(self.peaks.display(), problem, advice));
            }
            let mask = match &self.mask {
                Some(path) => Some(space::mask_on(path, peaks.grid(), "the peaks")?),
                None => None,
            };
            OrientationTable::new(&Peaks::new(peaks, self.frame, mask.as_ref(), self.min_peak)?)
        };
        let read = || SampledField::read(&self.tracking, &self.rules, false, read, job);
        self.tracking.run(&source, read, job)
    }
}

impl Work for TrackPeaks {
    fn outputs(&self) -> Vec<PathBuf> {
        self.tracking.outputs()
    }

    fn check(&self, job: &Job) -> Result<()> {
        self.tracking.check_name()?;
        if !(self.min_peak >= 0.0 && self.min_peak.is_finite()) {
            let problem = format!("the length {} of a peak is not at least 0", self.min_peak);
            return Err(Error::usage("‘min_peak’", problem, "give a length of at least 0"));
        }
        field::check(&self.tracking, &self.rules, false, None, job)
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}
