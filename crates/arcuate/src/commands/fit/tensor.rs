use crate::map_format::MapOptions;
use crate::references;
use crate::series::GradientOptions;
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_model::{Measurements, TensorOptions};
use arcuate_pipeline::stages::tensor::REFERENCES;
use arcuate_pipeline::stages::{self, TensorNames};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Fit a diffusion tensor in every voxel and write its maps
///
/// Weighted linear least squares with reweighting. Writes tensor.nii.gz (D11 D22 D33 D12 D13 D23, mm²/s, scanner
/// axes), s0, residual (root mean square, signal units), fa, md, ad, rd (mm²/s), eigenvalues, eigenvectors (three
/// unit vectors, scanner axes), principal_direction (the first of them) and colour_fa (red left–right, green front–back,
/// blue up–down).
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct FitTensor {
    /// Diffusion series, 4-D
    dwi: PathBuf,
    /// Where the result goes; a folder for the maps
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Mask of the voxels that count; found in the series by default
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Fit to b-values up to this many s/mm²; by default 1500, beyond which the signal is no tensor's, where that leaves 12
    /// axes or more
    #[arg(long, value_name = "B", conflicts_with = "shells")]
    max_b: Option<f64>,
    /// Shells to take, by their b-values in s/mm²; b = 0 is taken too
    #[arg(long, value_name = "B,B,…", value_delimiter = ',')]
    shells: Option<Vec<f64>>,
    /// Reweightings after the first fit
    #[arg(long, value_name = "N", default_value_t = TensorOptions::default().reweightings)]
    reweightings: usize,
    /// What maps are called
    #[arg(long, value_enum, default_value_t = NamesArg::Arcuate)]
    names: NamesArg,
    #[command(flatten)]
    maps: MapOptions,
    #[command(flatten)]
    gradients: GradientOptions,
}

/// Whose names maps have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NamesArg {
    /// As above, directions in scanner axes
    Arcuate,
    /// As FSL's dtifit does, dti_FA, dti_V1 and so on, directions along FSL's axes, those of bvec files
    Fsl,
}

impl Typed for FitTensor {
    type Work = stages::FitTensor;

    fn typed(&self) -> Result<stages::FitTensor> {
        let measurements = match (self.max_b, &self.shells) {
            (Some(b), _) => Measurements::UpTo(b),
            (None, Some(shells)) => Measurements::Shells(shells.clone()),
            (None, None) => Measurements::Recommended,
        };
        Ok(stages::FitTensor {
            mask: self.mask.clone(),
            options: TensorOptions {
                reweightings: self.reweightings,
                measurements,
                ..TensorOptions::default()
            },
            names: match self.names {
                NamesArg::Arcuate => TensorNames::Arcuate,
                NamesArg::Fsl => TensorNames::Fsl,
            },
            format: self.maps.format(),
            ..stages::FitTensor::new(self.gradients.series(&self.dwi), &self.out)
        })
    }
}
