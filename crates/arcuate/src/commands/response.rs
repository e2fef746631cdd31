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
/// Writes response_wm.txt, for several tissues also response_gm.txt and response_csf.txt (MRtrix's text format: one row
/// per shell, columns for degrees 0, 2, 4, …), and response_voxels.nii.gz, the voxels used.
#[derive(Debug, Args)]
pub(crate) struct EstimateResponse {
    #[arg(help = meanings::DWI)]
    dwi: PathBuf,
    /// Output: folder for the responses
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[arg(
        long,
        help = meanings::MASK,
        long_help = meanings::with(meanings::MASK, "[default: the brain, found in the series]"),
        value_name = "FILE"
    )]
    mask: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::METHOD,
        long_help = meanings::with(
            meanings::METHOD,
            "[default: tissues for several weighted shells, otherwise single-fibre]"
        ),
        value_enum
    )]
    method: Option<MethodArg>,
    /// Number of voxels of the single-fibre response
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
    /// White matter with one fibre, for the shell with the largest b, as in dwi2response tournier
    SingleFibre,
    /// White matter, grey matter and CSF, for all shells, as in dwi2response dhollander
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
