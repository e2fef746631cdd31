//! Bootstrap tracking: the diffusion tensor is fitted again many times to signals with resampled residuals,
//! and streamlines follow the principal directions of these tensors.

use super::field::{self, DATA, FOLLOWED, SampledField};
use super::rules::SampleRules;
use crate::job::Job;
use crate::series::Weighting;
use crate::series_file::SeriesFile;
use crate::stages::tracking::Tracking;
use crate::stages::tracking::field::Source;
use crate::stages::work::Work;
use arcuate_core::{Error, GradientTable, Mask, Result, Volume};
use arcuate_model::{
    BootstrapOptions, BootstrapTensors, Resampling, TensorOptions, bootstrap_tensors, check_tensor_fit,
};
use arcuate_track::{ConstraintUnit, Fibre, InitialFibre, OrientationSource, OrientationTable, SampleTracks};
use std::path::PathBuf;

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Jones DK (2008) Tractography gone wild: probabilistic fibre tracking using the wild bootstrap with diffusion tensor MRI. \
     doi:10.1109/TMI.2008.922191",
    "Chung S, Lu Y, Henry RG (2006) Comparison of bootstrap approaches for estimation of uncertainties of DTI parameters. \
     doi:10.1016/j.neuroimage.2006.07.001",
];

/// The papers to cite for bootstrap tracking, followed by those for tracking through samples of fibre
/// orientations.
const ALL_REFERENCES: &[&str] =
    &[REFERENCES[0], REFERENCES[1], field::REFERENCES[0], field::REFERENCES[1], field::REFERENCES[2]];

/// Bootstrap tracking. The residuals of the tensor fit are resampled to simulate repeated scans, and the
/// tensor is fitted to each of them. Streamlines follow the principal directions of these tensors. The FA is
/// used as the fibre fraction.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackBootstrap {
    /// The diffusion series.
    pub series: SeriesFile,
    /// Mask of the voxels in which tensors are fitted. By default, the mask is computed from the series.
    pub mask: Option<PathBuf>,
    /// Number of refits in each voxel.
    pub replicates: usize,
    /// Method that resamples the residuals.
    pub resampling: Resampling,
    /// Rules of tracking through samples. Each refit is a sample.
    pub rules: SampleRules,
    /// Tracking options and products.
    pub tracking: Tracking,
}

impl OrientationSource for Refits {
    fn mask(&self) -> &Mask {
        &self.0.mask
    }

    fn fibres(&self) -> usize {
        1
    }

    fn samples(&self) -> usize {
        self.0.samples
    }

    fn fibre(&self, _: usize) -> Result<Vec<Fibre>> {
        let fibre = |(direction, &anisotropy): (&[f32; 3], &f32)| {
            Fibre::new(direction.map(f64::from), f64::from(anisotropy))
        };
        Ok(self.0.directions.iter().zip(&self.0.anisotropy).map(fibre).collect())
    }
}

/// Fits tensors to signals with resampled residuals. Returns their principal directions as samples of fibre
/// orientations, with the FA as the fibre fraction.
///
/// # Errors
/// Returns an error if the number of fits in each voxel is 0 or too large, or if the tensor cannot be fitted.
pub fn refitted_orientations(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    options: &BootstrapOptions,
) -> Result<OrientationTable> {
    require_refits(options.samples)?;
    OrientationTable::new(&Refits(bootstrap_tensors(dwi, gradients, mask, options)?))
}

fn require_refits(replicates: usize) -> Result<()> {
    if (1..=MAX_SAMPLES).contains(&replicates) {
        return Ok(());
    }
    let problem = format!("the number of repeated fits, {replicates}, is not from 1 to {MAX_SAMPLES}");
    Err(Error::usage("‘replicates’", problem, "give a number such as 50"))
}

/// Maximum number of fits in each voxel, which is the maximum number of samples in an orientation table. It
/// is checked before the fits begin.
const MAX_SAMPLES: usize = 1 << 16;

/// Tensors that were fitted to resampled residuals, as samples of the orientation of one fibre. The fibre
/// fraction is the FA.
struct Refits(BootstrapTensors);

impl TrackBootstrap {
    /// Default number of refits in each voxel.
    pub const REPLICATES: usize = 50;

    /// Creates bootstrap tracking through a diffusion series, with default options.
    pub fn new(series: SeriesFile, out: impl Into<PathBuf>) -> Self {
        Self {
            series,
            mask: None,
            replicates: Self::REPLICATES,
            resampling: Resampling::Residuals,
            rules: SampleRules::default(),
            tracking: Tracking::new(out, ConstraintUnit::Half),
        }
    }

    /// Returns an error if an option is set that selects one of several fibres, because the tensor has only
    /// one.
    fn require_no_choice(&self) -> Result<()> {
        let given = [
            ("‘cutoff’", self.tracking.propagation.cutoff.is_some()),
            ("‘initial_fibre’", self.rules.initial != InitialFibre::Number(0)),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((what, _)) => {
                let problem = "there is one fibre, which is followed whatever its fraction";
                Err(Error::usage(what, problem, "leave it out"))
            }
            None => Ok(()),
        }
    }

    /// Fits the tensors to resampled residuals, follows the streamlines and writes the results.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<SampleTracks> {
        Work::check(self, job)?;
        let series = self.series.read(Weighting::Needed, job)?;
        let mask = job.step("mask", || series.mask(self.mask.as_deref()))?;
        let source = Source {
            title: "Bootstrap tracking",
            path: &self.series.path,
            files: series.files.iter().chain(&self.mask).cloned().collect(),
            references: ALL_REFERENCES,
            backdrop: "Mean fractional anisotropy of the refits",
            followed: FOLLOWED,
            data: DATA,
            choices: format!("{:?}", Self { tracking: self.tracking.result_options(), ..self.clone() }),
        };
        let options = BootstrapOptions {
            tensor: TensorOptions::default(),
            resampling: self.resampling,
            samples: self.replicates,
            seed: job.random_seed(),
        };
        let read = || refitted_orientations(&series.dwi, &series.gradients, &mask, &options);
        let read = || SampledField::read(&self.tracking, &self.rules, true, read, job);
        self.tracking.run(&source, read, job)
    }
}

impl Work for TrackBootstrap {
    fn outputs(&self) -> Vec<PathBuf> {
        self.tracking.outputs()
    }

    fn check(&self, job: &Job) -> Result<()> {
        self.tracking.check_name()?;
        require_refits(self.replicates)?;
        self.require_no_choice()?;
        let series = self.series.read(Weighting::Needed, job)?;
        series.check_mask(job.unless_expected(self.mask.as_deref()))?;
        check_tensor_fit(&series.gradients, &TensorOptions::default())?;
        field::check(&self.tracking, &self.rules, true, Some(series.dwi.grid()), job)
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}
