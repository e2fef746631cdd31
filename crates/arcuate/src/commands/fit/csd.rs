use crate::map_format::MapOptions;
use crate::meanings;
use crate::series::GradientOptions;
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_pipeline::stages;
use clap::Args;
use std::path::PathBuf;

/// Estimate fibre orientation distributions by constrained spherical deconvolution
///
/// One response deconvolves the shell with the largest b with a soft constraint. Responses of several tissues
/// deconvolve all shells with a hard constraint. Writes wm_fod.nii.gz (spherical harmonics in MRtrix's basis and
/// order), peaks.nii.gz (up to three, scanner axes, as long as their amplitudes) and peak_amplitude.nii.gz. Several
/// tissues add gm.nii.gz, csf.nii.gz and vf.nii.gz with all three.
#[derive(Debug, Args)]
pub(crate) struct FitCsd {
    #[arg(help = meanings::DWI)]
    dwi: PathBuf,
    /// Responses: a folder from `arcuate response`, or files separated by commas
    ///
    /// The files are the responses of white matter, grey matter and CSF, in this order. If the series has
    /// only one weighted shell, only the responses of white matter and CSF are used.
    #[arg(long, value_name = "FOLDER|FILES", value_delimiter = ',', required = true)]
    responses: Vec<PathBuf>,
    /// Output: folder for the maps
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
        help = meanings::ORDER,
        long_help = meanings::with(meanings::ORDER, "[default: that of the response, at most 8]"),
        value_name = "DEGREE"
    )]
    order: Option<usize>,
    /// Correct the intensity bias between places, and write its field, field.nii.gz
    #[arg(long)]
    normalise: bool,
    #[command(flatten)]
    maps: MapOptions,
    #[command(flatten)]
    gradients: GradientOptions,
}

impl Typed for FitCsd {
    type Work = stages::FitCsd;

    fn typed(&self) -> Result<stages::FitCsd> {
        Ok(stages::FitCsd {
            mask: self.mask.clone(),
            responses: self.responses.clone(),
            order: self.order,
            normalise: self.normalise,
            format: self.maps.format(),
            ..stages::FitCsd::new(self.gradients.series(&self.dwi), "", &self.out)
        })
    }
}
