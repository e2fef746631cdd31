use crate::map_format::MapOptions;
use crate::references;
use crate::series::GradientOptions;
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_pipeline::stages;
use arcuate_pipeline::stages::csd::REFERENCES;
use clap::Args;
use std::path::PathBuf;

/// Find fibre orientation distributions by constrained spherical deconvolution
///
/// With one response the shell with the largest b is deconvolved, with a soft constraint; with those of several tissues all shells, with a
/// hard one. Writes wm_fod.nii.gz (spherical harmonics in MRtrix's basis and order, which track fod and MRtrix read), of several tissues
/// gm.nii.gz, csf.nii.gz and all three in vf.nii.gz, peaks.nii.gz (up to three, scanner axes, as long as their amplitudes) and peak_amplitude.nii.gz.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct FitCsd {
    /// Diffusion series, 4-D
    dwi: PathBuf,
    /// Responses; the folder of `arcuate response`, or files of white matter, grey matter and cerebrospinal fluid with commas. Of three the
    /// first and the last are taken where the series has one weighted shell
    #[arg(long, value_name = "FOLDER|FILES", value_delimiter = ',', required = true)]
    responses: Vec<PathBuf>,
    /// Where the result goes; a folder for the maps
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Mask of the voxels that count; found in the series by default
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Highest degree of harmonics, an even number; of the distributions, that of the response up to 8 by default
    #[arg(long, value_name = "DEGREE")]
    order: Option<usize>,
    /// Bring tissues to one scale across the brain, and write the field that they are divided by, field.nii.gz
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
