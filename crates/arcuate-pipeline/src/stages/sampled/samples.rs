//! Streamlines follow samples of posteriors.

use super::field::{self, DATA, FOLLOWED, REFERENCES, SampledField};
use super::rules::SampleRules;
use crate::job::Job;
use crate::orientation_files::{FibreFiles, SampleFiles};
use crate::sample_folder::SampleFolder;
use crate::stages::tracking::Tracking;
use crate::stages::tracking::field::Source;
use crate::stages::work::Work;
use arcuate_core::Result;
use arcuate_track::{JudgedBy, OrientationTable, SampleTracks};
use std::path::PathBuf;

/// Streamlines are followed through samples of fibre orientations, each drawing one at every step.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackSamples {
    /// The folder of the samples: bedpostX's, or that of a fit by Markov chains.
    pub samples: PathBuf,
    /// In the folder of a fit: the orientation and the fraction of each fibre, `NAME=FRACTION`; without any `n=f`, or `n1=f1`, `n2=f2`,
    /// ….
    pub fibres: Vec<String>,
    /// The mask of the voxels that count; by default `nodif_brain_mask` of bedpostX, or where the fit has samples.
    pub mask: Option<PathBuf>,
    /// The rules of samples.
    pub rules: SampleRules,
    /// How they are followed, and what becomes of them.
    pub tracking: Tracking,
}

impl TrackSamples {
    /// The usual streamlines through a folder of samples.
    pub fn new(samples: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            samples: samples.into(),
            fibres: Vec::new(),
            mask: None,
            rules: SampleRules::default(),
            tracking: Tracking::new(out, JudgedBy::Half),
        }
    }

    /// Follows the streamlines and writes what is asked for.
    ///
    /// # Errors
    /// Those of [`Work::run`].
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
            choices: format!("{:?}", Self { tracking: self.tracking.asked(), ..self.clone() }),
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
