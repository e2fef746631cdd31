//! Fits signal models in every voxel, or samples their posterior distributions.

use super::criteria::ModelCriterion;
use super::example::{self, Example};
use super::group_examples::{self, Fitted};
use super::measured::{averaged, deviations};
use super::names::{MapNames, files_of};
use super::notes::note;
use super::overrides::ModelOverrides;
use super::predictions;
use super::sampled::{Outcome, Sampled};
use super::sampling::{self, ChainOptions};
use crate::gradient_deviations;
use crate::job::Job;
use crate::map_format::MapFormat;
use crate::model_files::read_models;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::precision::Precision;
use crate::record::{self, Record};
use crate::scan::{self, Scan};
use crate::series::{Series, Weighting};
use crate::series_file::SeriesFile;
use crate::stages::mask;
use crate::stages::work::Work;
use arcuate_core::{Error, Mask, Result, Volume, VoxelCounts};
use arcuate_io::write_image;
use arcuate_model::fit::sample::check_sampling;
use arcuate_model::fit::{
    BoundsMethod, FitOptions, ModelFit, ModelMeasurements, check_models, fit_models, warn_of_guesses,
};
use arcuate_model::language::{Model, Parameter};
use arcuate_model::models;
use arcuate_report::human;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Hernandez-Fernandez M et al. (2019) Using GPUs to accelerate computational diffusion MRI: From microstructure estimation \
     to tractography and connectomes. doi:10.1016/j.neuroimage.2018.12.015",
];

/// Method that estimates the parameters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FitMethod {
    /// The parameters with the best fit. They are found by the grid search and the Levenberg–Marquardt stages
    /// that the model defines.
    #[default]
    LevenbergMarquardt,
    /// Only the grid search of the model, which finds the best combination of values from a grid. A parameter
    /// without grid values keeps its starting value.
    Grid,
    /// Samples of the posterior distribution from Markov chains (Metropolis within Gibbs). By default, the
    /// chains start at the best fit.
    Chains,
}

/// Fits signal models in every voxel, or samples their posteriors, and writes the results to a folder. With several
/// models, each model has a subfolder.
#[derive(Debug, Clone, PartialEq)]
pub struct FitModels {
    /// Signal models, as names of built-in models or as paths of model files. If there are several models,
    /// they are compared.
    pub models: Vec<String>,
    /// The diffusion series.
    pub series: SeriesFile,
    /// Mask of the voxels to fit. By default the mask is computed from the series.
    pub mask: Option<PathBuf>,
    /// Folder of the results.
    pub out: PathBuf,
    /// Selection of the measurements to fit.
    pub measurements: ModelMeasurements,
    /// Changes to the parameters of the models, and the values per measurement and per voxel that the models
    /// require.
    pub overrides: ModelOverrides,
    /// Image of the gradient deviations in each voxel: nine volumes in FSL's format.
    pub gradient_deviations: Option<PathBuf>,
    /// Method that estimates the parameters.
    pub method: FitMethod,
    /// Options of the Markov chains.
    pub chains: ChainOptions,
    /// Criterion for the comparison of several models.
    pub compare: Option<ModelCriterion>,
    /// Criteria to write for each model. They also work with a single model.
    pub criteria: Vec<ModelCriterion>,
    /// True if the predicted signals and the residuals (measured minus predicted signals) are written.
    pub predicted: bool,
    /// Naming scheme of the output maps.
    pub names: MapNames,
    /// Format of the output maps.
    pub format: MapFormat,
    /// True if standard errors of the parameters (Cramér–Rao bound) are written.
    pub standard_errors: bool,
    /// Method that keeps parameters within their bounds.
    pub bounds: BoundsMethod,
    /// Maximum number of times that the signal of a voxel is computed in each Levenberg–Marquardt stage.
    pub evaluations: u32,
    /// Floating-point precision of the computation.
    pub precision: Precision,
}

impl FitModels {
    /// Default maximum number of times that the signal of a voxel is computed in each stage of a fit.
    pub const EVALUATIONS: u32 = 200;

    /// Creates a fit of one signal model to a diffusion series, with default options.
    pub fn new(model: impl Into<String>, series: SeriesFile, out: impl Into<PathBuf>) -> Self {
        Self {
            models: vec![model.into()],
            series,
            mask: None,
            out: out.into(),
            measurements: ModelMeasurements::default(),
            overrides: ModelOverrides::default(),
            gradient_deviations: None,
            method: FitMethod::default(),
            chains: ChainOptions::default(),
            compare: None,
            criteria: Vec::new(),
            predicted: false,
            names: MapNames::default(),
            format: MapFormat::default(),
            standard_errors: false,
            bounds: BoundsMethod::default(),
            evaluations: Self::EVALUATIONS,
            precision: Precision::default(),
        }
    }

    fn has_chains(&self) -> bool {
        self.method == FitMethod::Chains
    }

    fn models(&self) -> Result<Vec<Model>> {
        let words: Vec<&str> = self.models.iter().map(String::as_str).collect();
        let models = read_models(&words)?;
        let models = self.chains.with_priors(models)?;
        self.chains.check_quantiles()?;
        if !self.has_chains() {
            self.chains.check_unused()?;
            self.compare.map_or(Ok(()), |criterion| criterion.check_fit("‘compare’"))?;
            self.criteria.iter().try_for_each(|criterion| criterion.check_fit("‘criteria’"))?;
        }
        if self.method == FitMethod::Grid && self.standard_errors {
            let problem = "a search ends at a value of a grid, whose error is that of the grid";
            return Err(Error::usage(
                "‘standard_errors’",
                problem,
                "remove this option, or choose another ‘method’ than grid",
            ));
        }
        if self.has_chains() && self.standard_errors {
            let problem = "chains have standard deviations of samples instead";
            return Err(Error::usage("‘standard_errors’", problem, "leave it out: see NAME_deviation"));
        }
        if models.len() < 2 && self.compare.is_some() {
            let advice = "give several, separated by commas, or write its ‘criteria’";
            return Err(Error::usage("‘compare’", "there is one model", advice));
        }
        let output_files = self.output_files(&models);
        for (n, output_file) in output_files.iter().enumerate() {
            if output_files[..n].iter().any(|other| other.name == output_file.name) {
                let problem = format!("two maps would have the name {}", output_file.name);
                return Err(Error::usage(
                    "‘names’",
                    problem,
                    "give them different names under `names` in the model file",
                ));
            }
        }
        Ok(models)
    }

    fn model_files(&self) -> impl Iterator<Item = PathBuf> {
        self.models.iter().filter(|word| models::model_text(word).is_none()).map(PathBuf::from)
    }

    /// Returns every input file.
    fn inputs(&self) -> Vec<PathBuf> {
        let own = self.series.files().into_iter().chain(self.mask.clone());
        let own = own.chain(self.gradient_deviations.clone());
        let own = own.chain(self.chains.files());
        own.chain(self.model_files()).chain(self.overrides.files()).collect()
    }

    /// Returns the name of the subfolder for the maps of a model. If there is only one model, it has no
    /// subfolder, and the name is empty.
    pub(super) fn folder_of(model: &Model, count: usize) -> PathBuf {
        if count > 1 { PathBuf::from(model.name()) } else { PathBuf::new() }
    }

    /// Returns the output files of all models and of their comparison.
    fn output_files(&self, models: &[Model]) -> Vec<OutputFile> {
        let mut output_files = Vec::new();
        if self.mask.is_none() {
            output_files.push(mask::output_file("mask.nii.gz"));
        }
        for model in models {
            let folder = Self::folder_of(model, models.len());
            let mut own =
                files_of(model, self.names, self.standard_errors, &self.series.path, &self.overrides.freed());
            if self.has_chains() {
                own.extend(self.chains.output_files(self.moved(model)));
            }
            own.extend(self.criteria().map(|criterion| criterion.output_file(model)));
            if self.predicted {
                own.extend(predictions::output_files());
            }
            let own = own;
            let named = own.into_iter().map(|output_file| match models.len() {
                1 => output_file,
                _ => OutputFile {
                    title: format!("{}: {}", model.name(), output_file.title).into(),
                    ..output_file.aside()
                },
            });
            output_files.extend(named.map(|output_file| output_file.moved(&folder)));
        }
        if let Some(criterion) = self.compare {
            output_files.extend(criterion.output_files(models));
        }
        let has_table = Series::has_table(&self.series.path, &self.series.gradients);
        output_files.extend(if has_table {
            scan::output_files("", ".nii.gz")
        } else {
            scan::output_files_without_table()
        });
        self.format.of(output_files)
    }

    /// Returns the information criteria that are written for each model, each once. The criterion of the
    /// comparison is not among them, because it is written with the comparison.
    pub(super) fn criteria(&self) -> impl Iterator<Item = ModelCriterion> {
        let mut seen: Vec<ModelCriterion> = self.compare.into_iter().collect();
        self.criteria.iter().copied().filter(move |criterion| {
            let is_new = !seen.contains(criterion);
            seen.push(*criterion);
            is_new
        })
    }

    /// Returns the parameters that Markov chains sample. These are the parameters that the model fits in one
    /// of its stages or that the user frees. Parameters that the user fixes are not among them.
    fn moved<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = &'a Parameter> {
        let (freed, fixed) = (self.overrides.freed(), self.overrides.fixed());
        model.parameters().iter().enumerate().filter_map(move |(n, parameter)| {
            let name = parameter.name();
            let is_free = !parameter.is_fixed() || freed.contains(&name);
            let is_found =
                parameter.is_fixed() || model.stages().iter().any(|stage| stage.parameters.contains(&n));
            (is_free && is_found && !fixed.contains(&name)).then_some(parameter)
        })
    }

    /// Reads the diffusion series. If a model needs the gradient table, the series must have one.
    fn series(&self, models: &[Model], job: &Job) -> Result<Rc<Series>> {
        for model in models {
            if let Some(needed) = model.weighting()? {
                let reason = format!("the model {} needs {needed}", model.name());
                let series = self.series.read_signals(Weighting::NeededFor(&reason), job)?;
                if self.gradient_deviations.is_none() {
                    let advice = "give them with ‘gradient_deviations’";
                    gradient_deviations::warn_unused(&self.series.path, Some(advice));
                }
                return Ok(series);
            }
        }
        // No model uses the gradient table, so gradient deviations have no effect.
        self.series.read_signals(Weighting::Optional, job)
    }

    fn options(&self, series: &Series, models: &[Model], job: &Job) -> Result<FitOptions> {
        let grid = series.dwi.grid();
        Ok(FitOptions {
            overrides: self.overrides.overrides(models, grid)?,
            columns: self.overrides.columns()?,
            maps: self.overrides.maps(models, grid)?,
            gradient_deviations: self
                .gradient_deviations
                .as_deref()
                .map(|path| deviations(path, grid))
                .transpose()?,
            control: job.control(),
            ..self.fit_options()
        })
    }

    /// Returns the options of the fit that do not depend on input files.
    #[doc(hidden)]
    pub fn fit_options(&self) -> FitOptions {
        FitOptions {
            measurements: self.measurements.clone(),
            bounds: self.bounds,
            evaluations: self.evaluations,
            search_alone: self.method == FitMethod::Grid,
            single_precision: self.precision == Precision::Single,
            standard_errors: self.standard_errors,
            ..FitOptions::default()
        }
    }

    /// Changes the subject of an error about a parameter to the option or the file that caused the error.
    pub(super) fn about(&self, error: Error) -> Error {
        self.overrides.about(error)
    }
}

impl FitModels {
    /// Fits or samples the models and writes the results. Returns the fit of each model. If Markov chains
    /// were run, the parameters of a fit are the means of the samples.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<Vec<ModelFit>> {
        let models = self.models()?;
        let output_files = self.output_files(&models);
        let folder =
            OutputFolder::create(&self.out, &output_files, &self.inputs(), job)?.with_maps_as(self.format);
        let series = self.series(&models, job)?;
        let averaged = averaged(&models, &series)?;
        let fitted = averaged.as_ref().unwrap_or(&series);
        let options = self.options(fitted, &models, job)?;
        self.check_models(&models, fitted, &options, job)?;
        warn_of_guesses(&models, &fitted.gradients, &options).map_err(|e| self.about(e))?;
        let mask = job.step("mask", || series.mask(self.mask.as_deref()))?;
        self.chains.traces.check_mask(&mask)?;
        if averaged.is_some() {
            VoxelCounts::of_series(&series.dwi, &mask).warn("averages over directions", &options.control);
        }
        let scan = if series.gradients.is_known() {
            Some(job.step("look at the scan", || Scan::look(&series.dwi, &series.gradients, &mask))?)
        } else {
            None
        };
        let device = job.device()?;
        let mut record = Record::new(title_of(&models), output_files, job);
        let Outcome { fits, of_samples, example } = if self.has_chains() {
            let of = Sampled { series: fitted, mask: &mask, options: &options, folder: &folder };
            self.sample(&models, &of, &mut record, job)?
        } else {
            let fits = job.step("fit", || {
                fit_models(&models, &fitted.dwi, &fitted.gradients, &mask, device, &options)
                    .map_err(|e| self.about(e))
            })?;
            Outcome { fits, of_samples: Vec::new(), example: None }
        };
        job.write("write the maps", || {
            match &scan {
                Some(scan) => scan.write(&folder, "", ".nii.gz", &job.image_options())?,
                None => scan::write_without_table(&series, &mask, &folder, job)?,
            }
            if self.mask.is_none() {
                write_image(&folder.file("mask.nii.gz"), &mask.to_volume(), &job.image_options())?;
                record.cite(mask::REFERENCES);
            }
            for (n, (model, fit)) in models.iter().zip(&fits).enumerate() {
                let below = Self::folder_of(model, models.len());
                self.write(&folder, &below, model, fit, job)?;
                for criterion in self.criteria().filter(|criterion| !criterion.is_of_samples()) {
                    let of = if models.len() > 1 { format!("{}: ", model.name()) } else { String::new() };
                    criterion.write(
                        (&folder, &below),
                        &criterion.values(fit, None),
                        &of,
                        &mut record,
                        job,
                    )?;
                }
                if self.predicted {
                    let of = (&models[..], n, fit);
                    predictions::write((&folder, &below), of, fitted, &options, job)?;
                }
            }
            let freed = self.overrides.freed();
            if let Some(criterion) = self.compare
                && let Some(compared) =
                    criterion.compare(&folder, &models, &fits, of_samples, &mut record, job)?
            {
                let of =
                    Fitted { models: &models, fits: &fits, series: fitted, options: &options, freed: &freed };
                of.write_examples(&folder.file(group_examples::FILE), &compared, &mut record)?;
            }
            let example = match example {
                Some(example) => example,
                None => example::choose(fitted, &options, &fits, models.len() > 1)?,
            };
            let example = Example::new(&models, &fits, fitted, &options, example)?;
            for (n, (model, fit)) in models.iter().zip(&fits).enumerate() {
                let file = Self::folder_of(model, models.len()).join(example::FILE);
                example.write(&folder.file(&file.to_string_lossy()), n, model, fit, &freed)?;
            }
            record.tables.push(example.table(&models, &fits));
            Ok(())
        })?;
        self.note(&models, &fits, (&series, &mask, scan.as_ref()), &mut record, job)?;
        record.write(folder.path(), job)?;
        self.show_summary(&models, &fits, &mask, &folder, job);
        Ok(fits)
    }

    /// Adds the inputs, the key figures and the references to the record, and shows how the fits ended.
    fn note(
        &self,
        models: &[Model],
        fits: &[ModelFit],
        (series, mask, scan): (&Series, &Mask, Option<&Scan>),
        record: &mut Record,
        job: &Job,
    ) -> Result<()> {
        record.add_inputs(&series.files, job)?;
        let others: Vec<PathBuf> =
            self.inputs().into_iter().filter(|path| !series.files.contains(path) && path.exists()).collect();
        record.add_inputs(&others, job)?;
        series.note(record);
        let sidecar = scan::companion_path(&self.series.path);
        match scan {
            Some(scan) => scan.note(sidecar.as_deref(), record, job)?,
            None => scan::note_sidecar(sidecar.as_deref(), record, job)?,
        }
        record.figure("voxels in the brain mask", mask.count());
        record.done(self.summary_text(models, mask.count()));
        for (model, fit) in models.iter().zip(fits) {
            note(model, fit, models.len() > 1, record);
            record.cite(model.references());
        }
        record.cite(REFERENCES);
        if self.has_chains() {
            record.cite(sampling::REFERENCES);
        }
        for fit in fits {
            let of = if models.len() > 1 { format!("{}: ", fit.model) } else { String::new() };
            fit.describe_ends().into_iter().for_each(|sentence| job.show_message(format!("{of}{sentence}")));
        }
        Ok(())
    }

    /// Shows the number of fitted voxels of the first model, and the folder of the maps.
    fn show_summary(
        &self,
        models: &[Model],
        fits: &[ModelFit],
        mask: &Mask,
        folder: &OutputFolder,
        job: &Job,
    ) {
        let fitted = if self.has_chains() { fits[0].sampled() } else { fits[0].fitted() };
        let stopped = match fits[0].unfinished() {
            0 => String::new(),
            count => format!(", {count} of them stopped before the end (status 3)"),
        };
        let done = if self.has_chains() { "sampled" } else { "fitted" };
        job.show_message(format!(
            "{}: {fitted} of {} voxels {done}{stopped}, maps in {}",
            title_of(models),
            mask.count(),
            folder.path().display()
        ));
    }
}

impl FitModels {
    /// Describes in one sentence what was computed.
    fn summary_text(&self, models: &[Model], voxels: usize) -> String {
        let names: Vec<&str> = models.iter().map(Model::name).collect();
        let which = if models.len() == 1 { "the model" } else { "the models" };
        let how = match self.method {
            FitMethod::LevenbergMarquardt => "fitted to the measured signals",
            FitMethod::Grid => "searched for the values of its grids that fit the measured signals best",
            FitMethod::Chains => "sampled by Markov chains, which give the uncertainty of its parameters",
        };
        let (names, voxels) = (names.join(", "), human::count(voxels as u64));
        let verb = if models.len() == 1 { "was" } else { "were" };
        format!("In each of {voxels} voxels {which} {names} {verb} {how}.")
    }
}

fn title_of(models: &[Model]) -> String {
    models.iter().map(Model::title).collect::<Vec<_>>().join("; ")
}

impl FitModels {
    /// Returns an error if a model cannot be fitted to this series or sampled with these options.
    fn check_models(&self, models: &[Model], series: &Series, options: &FitOptions, job: &Job) -> Result<()> {
        let about = |e| self.about(e);
        if !self.has_chains() {
            return check_models(models, &series.gradients, options).map_err(about);
        }
        self.chains.traces.voxels(series.dwi.grid())?;
        let sampling = self.chains.options(job.random_seed())?;
        let check = |model| check_sampling(model, &series.gradients, options, &sampling).map_err(about);
        models.iter().try_for_each(check)
    }

    /// Writes the maps of a model: its parameters, their standard errors, the residual, and how the fit ended
    /// in each voxel.
    fn write(
        &self,
        folder: &OutputFolder,
        below: &Path,
        model: &Model,
        fit: &ModelFit,
        job: &Job,
    ) -> Result<()> {
        use rayon::prelude::*;
        folder.create_below(below)?;
        let options = job.image_options();
        let file = |name: &str| folder.file(&below.join(name).to_string_lossy());
        let parameters = fit
            .maps
            .iter()
            .map(|map| (self.names.file(model, &map.name, &map.other_names, &self.series.path), &map.volume));
        let errors =
            fit.standard_errors.iter().map(|map| (format!("{}_error.nii.gz", map.name), &map.volume));
        let own = [("residual.nii.gz", &fit.residual), ("status.nii.gz", &fit.status)];
        let own = own.map(|(name, volume)| (name.to_owned(), volume));
        let all: Vec<(String, &Volume<f32>)> = parameters.chain(errors).chain(own).collect();
        all.par_iter().map(|(name, volume)| write_image(&file(name), volume, &options)).collect()
    }
}

impl Work for FitModels {
    fn outputs(&self) -> Vec<PathBuf> {
        let models = self.models().unwrap_or_default();
        record::outputs(&self.out, &self.output_files(&models))
    }

    fn check(&self, job: &Job) -> Result<()> {
        let models = self.models()?;
        let series = self.series(&models, job)?;
        series.check_mask(job.unless_expected(self.mask.as_deref()))?;
        let averaged = averaged(&models, &series)?;
        let fitted = averaged.as_ref().unwrap_or(&series);
        let options = self.options(fitted, &models, job)?;
        self.check_models(&models, fitted, &options, job)
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}
