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
/// With the response of one tissue, deconvolves the shell with the largest b-value, with a soft
/// non-negativity constraint. With the responses of several tissues, deconvolves all shells, with a hard
/// non-negativity constraint. Writes wm_fod.nii.gz, the fibre orientation distributions (FODs) of white
/// matter as spherical harmonics in MRtrix's basis and order. Writes peaks.nii.gz (up to three peaks per
/// voxel in scanner axes, whose lengths are the FOD amplitudes) and peak_amplitude.nii.gz. With several
/// tissues, also writes gm.nii.gz and csf.nii.gz (amounts of grey matter and cerebrospinal fluid), and
/// vf.nii.gz with all three tissues.
#[derive(Debug, Args)]
pub(crate) struct FitCsd {
    #[arg(help = meanings::DWI)]
    dwi: PathBuf,
    /// Response functions: a folder of `arcuate response`, or files
    ///
    /// The files, separated by commas, are the responses of white matter, grey matter and cerebrospinal fluid
    /// (CSF), in this order. If the series has only one shell with b > 0, only the responses of white matter
    /// and CSF are used.
    #[arg(long, value_name = "FOLDER|FILES", value_delimiter = ',', required = true)]
    responses: Vec<PathBuf>,
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
        help = meanings::ORDER,
        long_help = meanings::with(
            meanings::ORDER,
            "[default: the degree of the white-matter response, but at most 8]"
        ),
        value_name = "DEGREE"
    )]
    order: Option<usize>,
    /// Correct the smooth intensity bias of the tissue maps
    ///
    /// Divides the maps of all tissues by a smooth intensity field, and writes this field as field.nii.gz.
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
