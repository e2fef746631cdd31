//! Tracking through samples of a posterior distribution.

use super::field::{self, DATA, FOLLOWED, REFERENCES, SampledField};
use super::rules::SampleRules;
use crate::job::Job;
use crate::orientation_files::{FibreFiles, SampleFiles};
use crate::sample_folder::SampleFolder;
use crate::stages::tracking::Tracking;
use crate::stages::tracking::field::Source;
use crate::stages::work::Work;
use arcuate_core::Result;
use arcuate_track::{ConstraintUnit, OrientationTable, SampleTracks};
use std::path::PathBuf;

/// Tracks through posterior samples of fibre orientations. At every step, a streamline follows a sample that
/// is drawn at random.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackSamples {
    /// Folder of the posterior samples, from bedpostX or from a fit with Markov chains.
    pub samples: PathBuf,
    /// Names of the orientation and the fraction parameter of each fibre, as `ORIENTATION=FRACTION`, if
    /// `samples` is the folder of a fit. Default: `n=f` for one fibre, and `n1=f1`, `n2=f2`, … for several.
    pub fibres: Vec<String>,
    /// Mask of the voxels that are used. The default is `nodif_brain_mask` in the folder of bedpostX. For the
    /// folder of a fit, it is the voxels that have samples.
    pub mask: Option<PathBuf>,
    /// Rules of tracking through samples.
    pub rules: SampleRules,
    /// Tracking options and products.
    pub tracking: Tracking,
}

impl TrackSamples {
    /// Creates tracking through a folder of posterior samples, with default options.
    pub fn new(samples: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            samples: samples.into(),
            fibres: Vec::new(),
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
        let SampleFolder { fibres, mask } =
            SampleFolder::find(&self.samples, &self.fibres, self.mask.as_deref())?;
        let files = fibres.iter().flat_map(FibreFiles::all).chain(mask.clone()).collect();
        let source = Source {
            title: "Tracking through samples",
            path: &self.samples,
            files,
            references: REFERENCES,
            backdrop: "Part of the signal that is of fibres",
            followed: FOLLOWED,
            data: DATA,
            choices: format!("{:?}", Self { tracking: self.tracking.result_options(), ..self.clone() }),
        };
        let read = || OrientationTable::new(&SampleFiles::new(fibres, mask.as_deref())?);
        let read = || SampledField::read(&self.tracking, &self.rules, true, read, job);
        self.tracking.run(&source, read, job)
    }
}

impl Work for TrackSamples {
    fn outputs(&self) -> Vec<PathBuf> {
        self.tracking.outputs()
    }

    fn check(&self, job: &Job) -> Result<()> {
        field::check(&self.tracking, &self.rules, true, None, job)
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}
