//! `arcuate track bootstrap`.

use super::args::SeedFraction;
use super::{Source, Tracking};
use crate::context::Context;
use crate::references;
use crate::series::GradientOptions;
use crate::stage_command::StageCommand;
use arcuate_core::{Error, Mask, Result};
use arcuate_model::{
    BootstrapOptions, BootstrapTensors, Resampling, TensorOptions, bootstrap_tensors, check_tensor_fit,
};
use arcuate_pipeline::caller::Caller;
use arcuate_track::{Fibre, OrientationSource, OrientationTable};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const OF_BOOTSTRAP: &[&str] = &[
    "Jones DK (2008) Tractography gone wild: probabilistic fibre tracking using the wild bootstrap with diffusion tensor MRI. \
     doi:10.1109/TMI.2008.922191",
    "Chung S, Lu Y, Henry RG (2006) Comparison of bootstrap approaches for estimation of uncertainties of DTI parameters. \
     doi:10.1016/j.neuroimage.2006.07.001",
];

/// Probabilistic tracking through tensors that are refitted to resampled residuals
///
/// In every voxel the tensor is fitted to the measured signal, then --replicates times to what it predicts with the residuals of
/// that fit in another order or sign: as if the scan had been repeated. The principal directions are the samples, FA the
/// fraction. Results are as those of `arcuate track samples`.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(OF_BOOTSTRAP))]
pub(crate) struct TrackBootstrap {
    /// Diffusion series, 4-D
    dwi: PathBuf,
    /// Mask of the voxels that count; found in the series by default
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Refits of each voxel
    #[arg(long, value_name = "N", default_value_t = 50)]
    replicates: usize,
    /// What a measurement gets as its residual
    #[arg(long, value_enum, default_value_t = ResamplingArg::Residuals)]
    resampling: ResamplingArg,
    #[command(flatten)]
    gradients: GradientOptions,
    #[command(flatten)]
    tracking: Tracking,
    #[command(flatten)]
    seed_fraction: SeedFraction,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum ResamplingArg {
    /// That of any measurement, with replacement
    Residuals,
    /// Its own, with a sign drawn at random (wild bootstrap)
    Signs,
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

/// More than a table of orientations takes would be refitted in vain.
const MOST_SAMPLES: usize = 1 << 16;

/// Refitted tensors as orientations: one fibre, FA its fraction.
struct Refits(BootstrapTensors);

impl StageCommand for TrackBootstrap {
    fn outputs(&self) -> Vec<PathBuf> {
        self.tracking.outputs()
    }

    fn check(&self, context: &Context) -> Result<()> {
        if !(1..=MOST_SAMPLES).contains(&self.replicates) {
            let problem = format!("{} is not a number of refits from 1 to {MOST_SAMPLES}", self.replicates);
            return Err(Error::usage("--replicates", problem, "ask for 50, say"));
        }
        self.tracking.require_no_choice()?;
        let series = context.series(&self.dwi, &self.gradients)?;
        series.check_mask(self.mask.as_deref())?;
        check_tensor_fit(&series.gradients, &TensorOptions::default())?;
        self.seed_fraction.check()?;
        self.tracking.check(Some(series.dwi.grid()), context)
    }

    fn run(&self, context: &Context) -> Result<()> {
        self.check(context)?;
        let series = context.series(&self.dwi, &self.gradients)?;
        let mask = context.step("mask", |_| series.mask(self.mask.as_deref()))?;
        let files = series.files.iter().chain(&self.mask).cloned().collect();
        let source = Source {
            title: "Bootstrap tracking",
            path: &self.dwi,
            files,
            seed_fraction: Some(&self.seed_fraction),
            references: OF_BOOTSTRAP,
            fraction: "Mean fractional anisotropy of the refits",
        };
        let options = BootstrapOptions {
            tensor: TensorOptions::default(),
            resampling: match self.resampling {
                ResamplingArg::Residuals => Resampling::Residuals,
                ResamplingArg::Signs => Resampling::Signs,
            },
            samples: self.replicates,
            seed: context.random_seed(),
        };
        let read = || {
            let refits = bootstrap_tensors(&series.dwi, &series.gradients, &mask, &options)?;
            OrientationTable::new(&Refits(refits))
        };
        self.tracking.run(&source, read, context)
    }
}
