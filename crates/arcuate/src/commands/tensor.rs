use crate::context::Context;
use crate::output::OutputFolder;
use crate::record::Record;
use crate::references;
use crate::series::{GradientOptions, Series};
use arcuate_core::Result;
use arcuate_io::{WriteOptions, write_image};
use arcuate_model::{TensorFit, TensorMaps, TensorOptions, fit_tensor, tensor_maps};
use clap::Args;
use rayon::prelude::*;
use std::path::PathBuf;

pub(crate) const REFERENCES: &[&str] = &[
    "Basser PJ, Mattiello J, Le Bihan D (1994) MR diffusion tensor spectroscopy and imaging. \
     doi:10.1016/S0006-3495(94)80775-1",
    "Veraart J et al. (2013) Weighted linear least squares estimation of diffusion MRI parameters. \
     doi:10.1016/j.neuroimage.2013.05.028",
];

/// The images of a tensor fit.
pub(crate) const FILES: &[&str] = &[
    "tensor.nii.gz",
    "s0.nii.gz",
    "residual.nii.gz",
    "fa.nii.gz",
    "md.nii.gz",
    "ad.nii.gz",
    "rd.nii.gz",
    "eigenvalues.nii.gz",
    "eigenvectors.nii.gz",
    "colour_fa.nii.gz",
];

/// Fit a diffusion tensor in every voxel and write its maps
///
/// Weighted linear least squares with reweighting. Writes tensor.nii.gz (D11 D22 D33 D12 D13 D23, mm²/s, scanner
/// axes), s0, residual (root mean square, signal units), fa, md, ad, rd (mm²/s), eigenvalues, eigenvectors (three
/// unit vectors, scanner axes) and colour_fa (red left–right, green front–back, blue up–down).
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct Tensor {
    /// Diffusion series, 4-D
    dwi: PathBuf,
    /// Folder for the maps
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Brain mask; found in the series by default
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Reweightings after the first fit
    #[arg(long, value_name = "N", default_value_t = TensorOptions::default().reweightings)]
    reweightings: usize,
    #[command(flatten)]
    gradients: GradientOptions,
}

impl Tensor {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        let names: Vec<&str> =
            FILES.iter().copied().chain(["mask.nii.gz", crate::record::FILE_NAME]).collect();
        let inputs: Vec<PathBuf> =
            self.gradients.files(&self.dwi).into_iter().chain(self.mask.clone()).collect();
        let folder = OutputFolder::create(&self.out, &names, &inputs, context.force)?;
        let series = context.step("read the series", |_| Series::read(&self.dwi, &self.gradients))?;
        let mask = context.step("mask", |_| series.mask(self.mask.as_deref()))?;
        let options = TensorOptions { reweightings: self.reweightings, ..TensorOptions::default() };
        let (fit, maps) = context.step("fit the tensor", |_| {
            let fit = fit_tensor(&series.dwi, &series.gradients, &mask, context.device_so_far(), &options)?;
            let maps = tensor_maps(&fit.tensor)?;
            Ok((fit, maps))
        })?;
        context.step("write the maps", |_| {
            write_maps(&folder, &fit, &maps)?;
            write_image(&folder.file("mask.nii.gz"), &mask.to_volume(), &WriteOptions::default())
        })?;
        let mut record = Record::new("Diffusion tensor", context);
        record.wrote(&names);
        series.note(self.mask.as_deref(), "found in the series", &mut record)?;
        if self.mask.is_none() {
            record.cite(super::mask::REFERENCES);
        }
        record.option("reweightings", self.reweightings);
        record.figure("voxels in the mask", mask.count());
        record.cite(REFERENCES);
        record.write(folder.path(), context)?;
        context.say(format_args!("{} voxels fitted, maps in {}", mask.count(), folder.path().display()));
        Ok(())
    }
}

/// Writes the images named in [`FILES`].
pub(crate) fn write_maps(folder: &OutputFolder, fit: &TensorFit, maps: &TensorMaps) -> Result<()> {
    let images = [
        &fit.tensor,
        &fit.s0,
        &fit.residual,
        &maps.fa,
        &maps.md,
        &maps.ad,
        &maps.rd,
        &maps.eigenvalues,
        &maps.eigenvectors,
        &maps.colour_fa,
    ];
    FILES
        .par_iter()
        .zip(images)
        .map(|(name, image)| write_image(&folder.file(name), image, &WriteOptions::default()))
        .collect()
}
