//! Fits a diffusion tensor in every voxel.

pub mod fsl_maps;
pub mod maps;

use super::mask;
use super::work::Work;
use crate::diffusivities;
use crate::job::Job;
use crate::map_format::MapFormat;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::output_images::write_images;
use crate::record::{self, Record};
use crate::run::{MASK, TENSOR};
use crate::scan::{self, Scan};
use crate::series::{Series, Weighting};
use crate::series_file::SeriesFile;
use arcuate_core::{Mask, Result, statistics};
use arcuate_io::write_image;
use arcuate_model::{
    AxesCheck, ImpossibleTensors, TensorFit, TensorMaps, TensorOptions, check_axes, check_tensor_fit,
    fit_tensor, tensor_maps,
};
use arcuate_report::human;
use std::path::PathBuf;

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Basser PJ, Mattiello J, Le Bihan D (1994) MR diffusion tensor spectroscopy and imaging. \
     doi:10.1016/S0006-3495(94)80775-1",
    "Veraart J et al. (2013) Weighted linear least squares estimation of diffusion MRI parameters. \
     doi:10.1016/j.neuroimage.2013.05.028",
];

/// Names that the record of a command uses for the median fractional anisotropy (FA) and mean diffusivity
/// (MD) of white matter. The record of `arcuate run` contains them, too.
pub const MEDIAN_FA: &str = "median FA where FA > 0.2";
const MEDIAN_MD: &str = "median MD there";
/// Name that the record of a command uses for the number of tensors with a negative eigenvalue.
pub const NEGATIVE_EIGENVALUE: &str = "voxels with a negative eigenvalue";
/// Name that the record of a command uses for the result of the check of the gradient axes. It is the gain in
/// the length of paths along fibres, in percent, if the axes of the gradient table are flipped or swapped in
/// the best way.
pub const LONGER_PATHS: &str = "gain in path length with the best other gradient axes";

/// Naming scheme of the maps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TensorNames {
    /// The file names in [`maps::output_files`]. Directions are in scanner axes.
    #[default]
    Arcuate,
    /// The file names of FSL's dtifit, such as `dti_FA` and `dti_V1`. Directions are along FSL's voxel axes.
    Fsl,
}

/// Fits a diffusion tensor in every voxel of a series and writes its maps.
#[derive(Debug, Clone, PartialEq)]
pub struct FitTensor {
    /// The diffusion series.
    pub series: SeriesFile,
    /// Mask of the voxels to fit. By default, the mask is computed from the series and written together with
    /// the maps.
    pub mask: Option<PathBuf>,
    /// Folder of the maps.
    pub out: PathBuf,
    /// Options of the tensor fit.
    pub options: TensorOptions,
    /// Naming scheme of the maps.
    pub names: TensorNames,
    /// Format of the maps.
    pub format: MapFormat,
}

/// Results of a tensor fit.
#[non_exhaustive]
pub struct TensorResults {
    /// Indices of the fitted measurements.
    pub measurements: Vec<usize>,
    /// The fitted voxels.
    pub mask: Mask,
    /// The tensors.
    pub fit: TensorFit,
    /// The maps of the tensors.
    pub maps: TensorMaps,
}

impl FitTensor {
    /// Creates a tensor fit of a diffusion series with default options.
    pub fn new(series: SeriesFile, out: impl Into<PathBuf>) -> Self {
        Self {
            series,
            mask: None,
            out: out.into(),
            options: TensorOptions::default(),
            names: TensorNames::default(),
            format: MapFormat::default(),
        }
    }

    /// Returns the files that are read.
    fn inputs(&self) -> Vec<PathBuf> {
        self.series.files().into_iter().chain(self.mask.clone()).collect()
    }

    fn output_files(&self) -> Vec<OutputFile> {
        let mut output_files = match self.names {
            TensorNames::Fsl => fsl_maps::output_files(),
            TensorNames::Arcuate => maps::output_files(),
        };
        if self.names == TensorNames::Arcuate {
            output_files.extend([
                OutputFile::file(TENSOR, "Tensor D11 D22 D33 D12 D13 D23, mm²/s, scanner axes"),
                OutputFile::file("s0.nii.gz", "Signal at b = 0"),
            ]);
        }
        let residual =
            OutputFile::file("residual.nii.gz", "Root mean square of measured minus predicted signal");
        output_files.push(residual.with_content(
            "Root mean square of measured minus predicted signal, with negative eigenvalues set to 0",
        ));
        output_files.extend(scan::output_files("", ".nii.gz"));
        // The mask is written only if it was computed from the series, and not if the user gave it.
        if self.mask.is_none() {
            output_files.push(mask::output_file(MASK));
        }
        self.format.of(output_files)
    }

    /// Checks that a tensor can be fitted to the measurements. Returns the indices of the measurements that
    /// are fitted.
    fn measurements(&self, series: &Series) -> Result<Vec<usize>> {
        let measurements = self.options.measurements.of(&series.gradients)?;
        check_tensor_fit(&series.gradients, &self.options)?;
        Ok(measurements)
    }

    /// Fits the tensors and writes their maps.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<TensorResults> {
        let output_files = self.output_files();
        let folder =
            OutputFolder::create(&self.out, &output_files, &self.inputs(), job)?.with_maps_as(self.format);
        let series = self.series.read(Weighting::Needed, job)?;
        let measurements = self.measurements(&series)?;
        let mask = job.step("mask", || series.mask(self.mask.as_deref()))?;
        let scan = job.step("look at the scan", || Scan::look(&series.dwi, &series.gradients, &mask))?;
        let (fit, maps) = job.step("fit the tensor", || {
            let device = job.device_so_far();
            let fit = fit_tensor(&series.dwi, &series.gradients, &mask, device, &self.options)?;
            let maps = tensor_maps(&fit.tensor)?;
            Ok((fit, maps))
        })?;
        let axes =
            job.step("check the gradient axes", || warn_of_axes(&maps, &mask, &series.table_name()))?;
        let mut record = Record::new("Diffusion tensor", output_files, job);
        job.write("write the maps", || {
            write_images(&folder, &[("residual", &fit.residual)], job)?;
            match self.names {
                TensorNames::Fsl => fsl_maps::write(&folder, &fit, &maps, job)?,
                TensorNames::Arcuate => {
                    write_images(&folder, &[("tensor", &fit.tensor), ("s0", &fit.s0)], job)?;
                    maps::write(&folder, &maps, job)?;
                }
            }
            scan.write(&folder, "", ".nii.gz", &job.image_options())?;
            if self.mask.is_none() {
                write_image(&folder.file(MASK), &mask.to_volume(), &job.image_options())?;
                record.cite(mask::REFERENCES);
            }
            Ok(())
        })?;
        record.add_inputs(&series.files, job)?;
        record.add_inputs(self.mask.as_slice(), job)?;
        series.note(&mut record);
        scan.note(scan::companion_path(&self.series.path).as_deref(), &mut record, job)?;
        mask::note_volume(&mask, &mut record);
        let results = TensorResults { measurements, mask, fit, maps };
        let lines = results.note(&series, &mut record);
        if let Some(axes) = axes {
            record.measure(LONGER_PATHS, 100.0 * (axes.gain() - 1.0), "%");
        }
        record.write(folder.path(), job)?;
        for line in lines {
            job.show_message(&line);
        }
        let voxels = results.fit.repairs.counts.computed();
        job.show_message(format!("{voxels} voxels fitted, maps in {}", folder.path().display()));
        Ok(results)
    }
}

/// Warns if the median over the voxels of the mean diffusivity is implausible for tissue.
pub fn warn_of_diffusivity(maps: &TensorMaps) {
    if let Some(md) = diffusivities::median(maps.md.values().iter().copied()) {
        diffusivities::warn_of_median("mean diffusivity", md);
    }
}

/// Checks the axes of the gradient table. Warns if paths along the fibre directions would be longer with
/// flipped or swapped axes. `table` is the name of the gradient table in the warning. Returns the comparison
/// of the axes, or `None` if there are too few voxels for it.
///
/// # Errors
/// Returns an error if the maps and the mask are on different grids.
pub fn warn_of_axes(maps: &TensorMaps, mask: &Mask, table: &str) -> Result<Option<AxesCheck>> {
    let directions = maps.eigenvectors.channels_at(&[0, 1, 2]);
    let found = check_axes(&directions, &maps.fa, mask)?;
    if let Some(check) = found.filter(AxesCheck::is_doubtful) {
        let better = 100.0 * (check.gain() - 1.0);
        tracing::warn!(
            "{table}: fibre paths would be {better:.0} % longer with gradient directions in the image axes {axes}. \
             Check the fibre directions in the report, and give ‘gradient_axes’ {axes} if they are wrong",
            axes = check.axes,
        );
    }
    Ok(found)
}

impl Work for FitTensor {
    fn outputs(&self) -> Vec<PathBuf> {
        record::outputs(&self.out, &self.output_files())
    }

    fn check(&self, job: &Job) -> Result<()> {
        let series = self.series.read(Weighting::Needed, job)?;
        series.check_mask(job.unless_expected(self.mask.as_deref()))?;
        self.measurements(&series).map(|_| ())
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}

impl TensorResults {
    /// Adds the results to the record. Returns messages for the user.
    fn note(&self, series: &Series, record: &mut Record) -> Vec<String> {
        let Self { measurements, mask, fit, maps } = self;
        record.done(format!(
            "In each of {} voxels a diffusion tensor was fitted to the measured signals, by weighted linear least \
             squares. The maps are computed from the tensors.",
            human::count(fit.repairs.counts.computed() as u64)
        ));
        record.voxel_counts("", &fit.repairs.counts);
        note_impossible(&fit.impossible, record);
        let fitted = series.gradients.of_measurements(measurements).describe_shells();
        note_tissue(maps, mask, record);
        warn_of_diffusivity(maps);
        record.cite(REFERENCES);
        let mut lines = Vec::new();
        let left_out = series.gradients.len() - measurements.len();
        if left_out > 0 {
            record.choice("shells of the tensor", format!("{fitted} s/mm²"));
            lines.push(format!(
                "the tensor is fitted to {fitted}; {left_out} other measurements are left to richer models"
            ));
        }
        // If there are many physically impossible tensors, a warning was already printed.
        lines.extend(fit.impossible.sentence().filter(|_| !fit.impossible.are_many(mask.count())));
        lines
    }
}

/// Adds the numbers of physically impossible tensors to the record.
fn note_impossible(impossible: &ImpossibleTensors, record: &mut Record) {
    record.figure(NEGATIVE_EIGENVALUE, impossible.indefinite);
    record.figure("voxels with an FA above 1", impossible.anisotropy_above_1);
    record.figure("voxels with an MD below 0", impossible.mean_below_0);
}

/// Adds the median FA and MD of white matter to the record. These values allow an expert to judge the quality
/// of the fit.
fn note_tissue(maps: &TensorMaps, mask: &Mask, record: &mut Record) {
    let (fa, md) = (maps.fa.values(), maps.md.values());
    let white: Vec<usize> =
        mask.indices().into_iter().filter(|&v| fa[v] > 0.2 && fa[v] <= 1.0 && md[v] > 0.0).collect();
    let median = |map: &[f32]| statistics::median(&mut white.iter().map(|&v| map[v]).collect::<Vec<_>>());
    if let (Some(fa), Some(md)) = (median(fa), median(md)) {
        record.figure(MEDIAN_FA, fa).key();
        record.measure(MEDIAN_MD, 1e3 * md, "µm²/ms").key();
    }
}
