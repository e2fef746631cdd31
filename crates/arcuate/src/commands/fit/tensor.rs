use crate::map_format::MapOptions;
use crate::meanings;
use crate::series::GradientOptions;
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_model::{Measurements, TensorOptions};
use arcuate_pipeline::stages::{self, TensorNames};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Fit the diffusion tensor by weighted linear least squares and write its maps
///
/// Writes tensor.nii.gz with the elements D11 D22 D33 D12 D13 D23 (mm²/s, scanner axes). Writes the maps s0
/// (signal at b = 0), residual (root mean square, in the unit of the signal), and fa (fractional anisotropy).
/// Writes the maps md, ad and rd (mean, axial and radial diffusivity, mm²/s). Writes eigenvalues (mm²/s),
/// eigenvectors (three unit vectors, scanner axes) and principal_direction (the first eigenvector). Writes
/// colour_fa, in which red is left–right, green front–back and blue up–down.
#[derive(Debug, Args)]
pub(crate) struct FitTensor {
    #[arg(help = meanings::DWI)]
    dwi: PathBuf,
    /// Output: folder for the maps
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[arg(
        long,
        help = meanings::MASK,
        long_help = meanings::with(meanings::MASK, "[default: the brain that `arcuate mask` finds]"),
        value_name = "FILE"
    )]
    mask: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::MAX_B,
        long_help = meanings::with(
            meanings::MAX_B,
            "[default: 1500 if at least 12 gradient directions have b-values up to 1500; if not, no limit]"
        ),
        value_name = "B",
        conflicts_with = "shells"
    )]
    max_b: Option<f64>,
    #[arg(
        long,
        help = meanings::SHELLS,
        long_help = meanings::with(
            meanings::SHELLS,
            "Measurements with b = 0 are always used, too. [default: all shells up to --max-b]"
        ),
        value_name = "B,B,…",
        value_delimiter = ','
    )]
    shells: Option<Vec<f64>>,
    /// Number of weighted fits after the first fit, each with new weights
    #[arg(long, value_name = "N", default_value_t = TensorOptions::default().reweightings)]
    reweightings: usize,
    #[arg(long, help = meanings::NAMES, value_enum, default_value_t = NamesArg::Arcuate)]
    names: NamesArg,
    #[command(flatten)]
    maps: MapOptions,
    #[command(flatten)]
    gradients: GradientOptions,
}

/// Naming scheme of the maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NamesArg {
    /// Names such as fa and md; maps of directions are in scanner axes
    Arcuate,
    /// Names of FSL's dtifit such as dti_FA; maps of directions are in the axes of bvec files
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
