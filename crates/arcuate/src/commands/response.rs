use crate::references;
use crate::series::GradientOptions;
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_pipeline::stages;
use arcuate_pipeline::stages::ResponseMethod;
use arcuate_pipeline::stages::response::REFERENCES;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Estimate response functions, the signals of tissues by which a series is deconvolved
///
/// Writes response_wm.txt, and of several tissues response_gm.txt and response_csf.txt (MRtrix's text: a row for each shell, columns for
/// degrees 0, 2, 4, …), and response_voxels.nii.gz, the voxels that they are from.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct EstimateResponse {
    /// Diffusion series, 4-D
    dwi: PathBuf,
    /// Where the result goes; a folder
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Mask of the voxels that count; found in the series by default
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Method, of those that the command has; responses of three tissues where the series has several weighted shells, else of single fibres by default
    #[arg(long, value_enum)]
    method: Option<MethodArg>,
    /// Voxels that the response of single fibres is from; 300 by default
    #[arg(long, value_name = "N")]
    voxels: Option<usize>,
    /// Highest degree of harmonics, an even number; of the response of white matter, 10 by default
    #[arg(long, value_name = "DEGREE")]
    order: Option<usize>,
    #[command(flatten)]
    gradients: GradientOptions,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodArg {
    /// White matter with one fibre, the shell with the largest b, as dwi2response tournier
    SingleFibre,
    /// White matter, grey matter and cerebrospinal fluid, all shells, as dwi2response dhollander
    Tissues,
}

impl Typed for EstimateResponse {
    type Work = stages::EstimateResponse;

    fn typed(&self) -> Result<stages::EstimateResponse> {
        Ok(stages::EstimateResponse {
            mask: self.mask.clone(),
            method: match self.method {
                None => ResponseMethod::Automatic,
                Some(MethodArg::SingleFibre) => ResponseMethod::SingleFibre,
                Some(MethodArg::Tissues) => ResponseMethod::Tissues,
            },
            voxels: self.voxels,
            order: self.order,
            ..stages::EstimateResponse::new(self.gradients.series(&self.dwi), &self.out)
        })
    }
}
