use super::side_by_side::write_images;
use crate::commands::mask;
use crate::context::Context;
use crate::diffusivities;
use crate::fsl::tensor_maps as tensor_maps_of_fsl;
use crate::map_format::MapOptions;
use crate::output::OutputFolder;
use crate::output_files::{Kind, Map, OutputFile};
use crate::record::{self, Record};
use crate::references;
use crate::scan::{self, Scan};
use crate::series::{GradientOptions, Series};
use crate::stage_command::StageCommand;
use arcuate_core::{Mask, Result};
use arcuate_io::write_image;
use arcuate_model::{
    ImpossibleTensors, Measurements, TensorMaps, TensorOptions, check_tensor_fit, fit_tensor, tensor_maps,
};
use arcuate_pipeline::caller::Caller;
use arcuate_pipeline::run::{FRACTIONAL_ANISOTROPY, MASK, PRINCIPAL_DIRECTION, TENSOR};
use arcuate_report::human;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const REFERENCES: &[&str] = &[
    "Basser PJ, Mattiello J, Le Bihan D (1994) MR diffusion tensor spectroscopy and imaging. \
     doi:10.1016/S0006-3495(94)80775-1",
    "Veraart J et al. (2013) Weighted linear least squares estimation of diffusion MRI parameters. \
     doi:10.1016/j.neuroimage.2013.05.028",
];

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
    #[arg(long, value_enum, default_value_t = TensorNames::Arcuate)]
    names: TensorNames,
    #[command(flatten)]
    maps: MapOptions,
    #[command(flatten)]
    gradients: GradientOptions,
}

/// Whose names maps have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TensorNames {
    /// As above, directions in scanner axes
    Arcuate,
    /// As FSL's dtifit does, dti_FA, dti_V1 and so on, directions along FSL's axes, those of bvec files
    Fsl,
}

/// The maps of a tensor image.
pub(crate) fn maps() -> Vec<OutputFile> {
    let directions = Kind::Map(Map { directions: true, backdrop: true, ..Map::default() });
    // In the unit people speak: 1 µm²/ms is 1e-3 mm²/s.
    let diffusivity = Kind::Map(Map {
        unit: "µm²/ms".into(),
        factor: Some(1e3),
        window: Some([0.0, 3.0]),
        ..Map::default()
    });
    vec![
        OutputFile::fractional_anisotropy(FRACTIONAL_ANISOTROPY),
        OutputFile::shown("colour_fa.nii.gz", "Principal direction, weighted by FA", directions)
            .with_caption("Red: left to right. Green: front to back. Blue: up and down."),
        OutputFile::shown("md.nii.gz", "Mean diffusivity", diffusivity),
        OutputFile::file("ad.nii.gz", "Axial diffusivity λ₁, mm²/s"),
        OutputFile::file("rd.nii.gz", "Radial diffusivity (λ₂ + λ₃) / 2, mm²/s"),
        OutputFile::file("eigenvalues.nii.gz", "Eigenvalues λ₁ ≥ λ₂ ≥ λ₃, mm²/s"),
        OutputFile::file("eigenvectors.nii.gz", "Eigenvectors e₁ e₂ e₃, nine channels, scanner axes"),
        OutputFile::file(PRINCIPAL_DIRECTION, "Principal direction e₁, scanner axes"),
    ]
}

/// Writes the images of [`maps`].
pub(crate) fn write_maps(folder: &OutputFolder, maps: &TensorMaps, context: &Context) -> Result<()> {
    let images = [
        ("fa", &maps.fa),
        ("md", &maps.md),
        ("ad", &maps.ad),
        ("rd", &maps.rd),
        ("eigenvalues", &maps.eigenvalues),
        ("eigenvectors", &maps.eigenvectors),
        ("principal_direction", &maps.eigenvectors.channels_at(&[0, 1, 2])),
        ("colour_fa", &maps.colour_fa),
    ];
    write_images(folder, &images, context)
}

impl FitTensor {
    fn inputs(&self) -> Vec<PathBuf> {
        self.gradients.files(&self.dwi).into_iter().chain(self.mask.clone()).collect()
    }

    fn output_files(&self) -> Vec<OutputFile> {
        let mut output_files =
            if self.names == TensorNames::Fsl { tensor_maps_of_fsl::output_files() } else { maps() };
        if self.names == TensorNames::Arcuate {
            output_files.extend([
                OutputFile::file(TENSOR, "Tensor D11 D22 D33 D12 D13 D23, mm²/s, scanner axes"),
                OutputFile::file("s0.nii.gz", "Signal at b = 0"),
            ]);
        }
        output_files
            .push(OutputFile::file("residual.nii.gz", "Root mean square of measured minus predicted signal"));
        output_files.extend(scan::output_files("", ".nii.gz"));
        // A mask that was given need not be given back.
        if self.mask.is_none() {
            output_files.push(mask::output_file(MASK));
        }
        self.maps.format().of(output_files)
    }

    fn options(&self) -> TensorOptions {
        let measurements = match (self.max_b, &self.shells) {
            (Some(b), _) => Measurements::UpTo(b),
            (None, Some(shells)) => Measurements::Shells(shells.clone()),
            (None, None) => Measurements::Recommended,
        };
        TensorOptions { reweightings: self.reweightings, measurements }
    }

    /// Measurements to fit, checked.
    fn measurements(&self, series: &Series) -> Result<Vec<usize>> {
        let options = self.options();
        let measurements = options.measurements.of(&series.gradients)?;
        check_tensor_fit(&series.gradients, &options)?;
        Ok(measurements)
    }
}

impl StageCommand for FitTensor {
    fn outputs(&self) -> Vec<PathBuf> {
        record::outputs(&self.out, &self.output_files())
    }

    fn check(&self, context: &Context) -> Result<()> {
        let series = context.series(&self.dwi, &self.gradients)?;
        series.check_mask(self.mask.as_deref())?;
        self.measurements(&series).map(|_| ())
    }

    fn run(&self, context: &Context) -> Result<()> {
        let output_files = self.output_files();
        let folder = OutputFolder::create(&self.out, &output_files, &self.inputs(), context)?
            .with_maps_as(self.maps.format());
        let series = context.series(&self.dwi, &self.gradients)?;
        let measurements = self.measurements(&series)?;
        let mask = context.step("mask", |_| series.mask(self.mask.as_deref()))?;
        let scan = context.step("look at the scan", |_| Scan::look(&series.dwi, &series.gradients, &mask))?;
        let options = self.options();
        let (fit, maps) = context.step("fit the tensor", |_| {
            let device = context.device_so_far();
            let fit = fit_tensor(&series.dwi, &series.gradients, &mask, device, &options)?;
            let maps = tensor_maps(&fit.tensor)?;
            Ok((fit, maps))
        })?;
        let mut record = Record::new("Diffusion tensor", output_files, context);
        context.step("write the maps", |_| {
            write_images(&folder, &[("residual", &fit.residual)], context)?;
            match self.names {
                TensorNames::Fsl => tensor_maps_of_fsl::write(&folder, &fit, &maps, context)?,
                TensorNames::Arcuate => {
                    write_images(&folder, &[("tensor", &fit.tensor), ("s0", &fit.s0)], context)?;
                    write_maps(&folder, &maps, context)?;
                }
            }
            scan.write(&folder, "", ".nii.gz", &context.image_options())?;
            if self.mask.is_none() {
                write_image(&folder.file(MASK), &mask.to_volume(), &context.image_options())?;
                record.cite(mask::REFERENCES);
            }
            Ok(())
        })?;
        record.add_inputs(&series.files, context)?;
        record.add_inputs(self.mask.as_slice(), context)?;
        series.note(&mut record);
        scan.note(scan::beside(&self.dwi).as_deref(), &mut record, context)?;
        mask::note_volume(&mask, &mut record);
        record.done(format!(
            "In each of {} voxels a diffusion tensor was fitted to the measured signals, by weighted linear least squares; the              maps show what it says of the tissue.",
            human::count(mask.count() as u64)
        ));
        note_impossible(&fit.impossible, &mut record);
        let fitted = series.gradients.of_measurements(&measurements).shells_in_words();
        note_tissue(&maps, &mask, &mut record);
        if let Some(md) = diffusivities::median(maps.md.values().iter().copied()) {
            diffusivities::warn_of_median("mean diffusivity", md);
        }
        record.cite(REFERENCES);
        let left_out = series.gradients.len() - measurements.len();
        if left_out > 0 {
            record.choice("shells of the tensor", format!("{fitted} s/mm²"));
        }
        record.write(folder.path(), context)?;
        if left_out > 0 {
            context.say(format_args!(
                "the tensor is fitted to {fitted}; {left_out} other measurements are left to richer models"
            ));
        }
        // Many were warned of.
        if let Some(few) = fit.impossible.sentence().filter(|_| !fit.impossible.are_many(mask.count())) {
            context.say(few);
        }
        context.say(format_args!("{} voxels fitted, maps in {}", mask.count(), folder.path().display()));
        Ok(())
    }
}

/// How many tensors diffusion does not have, and of which kinds.
fn note_impossible(impossible: &ImpossibleTensors, record: &mut Record) {
    record.figure("voxels with a negative eigenvalue", impossible.indefinite);
    record.figure("voxels with an FA above 1", impossible.anisotropy_above_1);
    record.figure("voxels with an MD below 0", impossible.mean_below_0);
}

pub(crate) const MEDIAN_FA: &str = "median FA where FA > 0.2";
pub(crate) const MEDIAN_MD: &str = "median MD there";

/// Median FA and MD of white matter, by which somebody who knows brains judges a fit at once.
fn note_tissue(maps: &TensorMaps, mask: &Mask, record: &mut Record) {
    let (fa, md) = (maps.fa.values(), maps.md.values());
    let mut white: Vec<usize> =
        mask.indices().into_iter().filter(|&v| fa[v] > 0.2 && fa[v] <= 1.0 && md[v] > 0.0).collect();
    if white.is_empty() {
        return;
    }
    let middle = white.len() / 2;
    white.select_nth_unstable_by(middle, |&a, &b| fa[a].total_cmp(&fa[b]));
    record.figure(MEDIAN_FA, f64::from(fa[white[middle]])).key();
    white.select_nth_unstable_by(middle, |&a, &b| md[a].total_cmp(&md[b]));
    record.measure(MEDIAN_MD, 1e3 * f64::from(md[white[middle]]), "µm²/ms").key();
}
