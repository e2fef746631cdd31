//! Streamlines follow samples of posteriors.

use super::tracking::{SampledTracking, Source};
use crate::job::Job;
use crate::orientation_files::{FibreFiles, SampleFiles};
use crate::sample_folder::SampleFolder;
use crate::stages::work::Work;
use arcuate_core::Result;
use arcuate_track::{OrientationTable, SampleTracks};
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
    /// How they are followed, and what becomes of them.
    pub tracking: SampledTracking,
}

impl TrackSamples {
    /// The usual streamlines through a folder of samples.
    pub fn new(samples: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self { samples: samples.into(), fibres: Vec::new(), mask: None, tracking: SampledTracking::new(out) }
    }

    /// Follows the streamlines and writes what is asked for.
    ///
    /// # Errors
    /// Those of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<SampleTracks> {
        self.tracking.check_name()?;
        self.tracking.seeds.check_fraction()?;
        let SampleFolder { fibres, mask } =
            SampleFolder::find(&self.samples, &self.fibres, self.mask.as_deref())?;
        let files = fibres.iter().flat_map(FibreFiles::all).chain(mask.clone()).collect();
        let source = Source {
            title: "Tracking through samples",
            path: &self.samples,
            files,
            has_fractions: true,
            references: &[],
            fraction: "Part of the signal that is of fibres",
            choices: format!("{:?}", Self { tracking: self.tracking.asked(), ..self.clone() }),
        };
        let read = || OrientationTable::new(&SampleFiles::new(fibres, mask.as_deref())?);
        self.tracking.run(&source, read, job)
    }
}

impl Work for TrackSamples {
    fn outputs(&self) -> Vec<PathBuf> {
        self.tracking.outputs()
    }

    fn check(&self, job: &Job) -> Result<()> {
        self.tracking.seeds.check_fraction()?;
        self.tracking.check(None, job)
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}
