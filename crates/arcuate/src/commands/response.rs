use crate::meanings;
use crate::series::GradientOptions;
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_pipeline::stages;
use arcuate_pipeline::stages::ResponseMethod;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Estimate response functions for spherical deconvolution
///
/// Writes response_wm.txt, and for several tissues also response_gm.txt and response_csf.txt. These text
/// files have MRtrix's format: one row per shell, and one column for each of the degrees 0, 2, 4, … of the
/// spherical harmonics. Also writes response_voxels.nii.gz, the voxels from which the responses were
/// estimated.
#[derive(Debug, Args)]
pub(crate) struct EstimateResponse {
    #[arg(help = meanings::DWI)]
    dwi: PathBuf,
    /// Output: folder for the response functions
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[arg(
        long,
        help = meanings::MASK,
        long_help = meanings::with(meanings::MASK, "[default: the brain that `arcuate mask` finds]"),
        value_name = "FILE"
    )]
    mask: Option<PathBuf>,
    /// Method: it decides for which tissues and shells to estimate response functions
    ///
    /// [default: tissues if the series has several shells with b > 0; if not, single-fibre]
    #[arg(long, value_enum)]
    method: Option<MethodArg>,
    /// Number of voxels from which the response of a single fibre is estimated
    ///
    /// [default: 300]
    #[arg(long, value_name = "N")]
    voxels: Option<usize>,
    #[arg(
        long,
        help = meanings::ORDER,
        long_help = meanings::with(meanings::ORDER, "[default: 10]"),
        value_name = "DEGREE"
    )]
    order: Option<usize>,
    #[command(flatten)]
    gradients: GradientOptions,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodArg {
    /// Response of white matter with one fibre, for the shell with the largest b-value, as in MRtrix's
    /// dwi2response tournier
    SingleFibre,
    /// Responses of white matter, grey matter and cerebrospinal fluid (CSF), for all shells, as in MRtrix's
    /// dwi2response dhollander
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
