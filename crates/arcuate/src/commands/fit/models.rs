//! `arcuate fit MODEL`: any signal model in every voxel.

use super::comparison::CriterionArg;
use super::example::{self, Example};
use super::group_examples::{self, Fitted};
use super::measured::{averaged, deviations};
use super::names::{Names, files_of};
use super::notes::{finished, note, tell_of_bounds, unfinished, warn_of_unfinished};
use super::predictions;
use super::reading::read_models;
use super::sampled::{Outcome, Sampled};
use super::sampling::{self, ChainOptions, MethodArg};
use super::wishes::WishOptions;
use crate::context::Context;
use crate::map_format::MapOptions;
use crate::numbers::one_or_more;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::precision::Precision;
use crate::progress;
use crate::record::{self, Record};
use crate::references;
use crate::scan::{self, Scan};
use crate::series::{GradientOptions, Series, Weighting};
use crate::stage_command::StageCommand;
use arcuate_compute::Device;
use arcuate_core::{Error, Result, Volume};
use arcuate_io::write_image;
use arcuate_model::fit::sample::check_sampling;
use arcuate_model::fit::{
    BoundsMethod, FitOptions, ModelFit, ModelMeasurements, check_models, fit_models, identifiability,
};
use arcuate_model::language::{Model, Parameter};
use arcuate_model::models;
use arcuate_pipeline::caller::Caller;
use arcuate_pipeline::stages::mask;
use arcuate_report::human;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::rc::Rc;

const REFERENCES: &[&str] = &[
    "Hernandez-Fernandez M et al. (2019) Using GPUs to accelerate computational diffusion MRI: From microstructure estimation \
     to tractography and connectomes. doi:10.1016/j.neuroimage.2018.12.015",
];

/// From this part of its range on, what a parameter's standard error would be at best makes it a guess.
const GUESS: f64 = 0.3;

/// What `fit` takes for models.
#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct FitModels {
    /// Model to fit, by its name (`arcuate models` lists them) or as a file; several, separated by commas, are compared
    #[arg(value_name = "MODEL", required = true)]
    models: Option<String>,
    /// Diffusion series, 4-D
    #[arg(required = true)]
    dwi: Option<PathBuf>,
    /// Where the result goes; a folder for the maps
    #[arg(long, value_name = "FOLDER", required = true)]
    out: Option<PathBuf>,
    /// Mask of the voxels that count; found in the series by default
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Fit to b-values up to this many s/mm²
    #[arg(long, value_name = "B", conflicts_with = "shells")]
    max_b: Option<f64>,
    /// Shells to take, by their b-values in s/mm²; b = 0 is taken too
    #[arg(long, value_name = "B,B,…", value_delimiter = ',')]
    shells: Option<Vec<f64>>,
    #[command(flatten)]
    wishes: WishOptions,
    /// How gradients deviate from the table in each voxel: nine volumes, as FSL and the Human Connectome Project write them
    /// (grad_dev)
    #[arg(long, value_name = "IMAGE")]
    gradient_deviations: Option<PathBuf>,
    /// Method, of those that the command has; how parameters are found
    #[arg(long, value_name = "METHOD", value_enum, default_value = "lm")]
    method: MethodArg,
    /// By which criterion models are compared, voxel by voxel
    #[arg(long, value_name = "CRITERION", value_enum)]
    pub(super) compare: Option<CriterionArg>,
    /// Write information criteria of each model, of one alone too: aic, aicc, bic, and of chains bic-maximum, dic, waic
    #[arg(long, value_name = "CRITERION,…", value_enum, value_delimiter = ',')]
    criteria: Vec<CriterionArg>,
    /// Write the series that the model predicts; predicted.nii.gz, and what it leaves, residuals.nii.gz
    #[arg(long)]
    predicted: bool,
    /// What maps are called; as the model has them, or as other programs would
    #[arg(long, value_enum, default_value = "arcuate")]
    names: Names,
    #[command(flatten)]
    maps: MapOptions,
    /// Write standard errors too (Cramér–Rao bound): NAME_error
    #[arg(long)]
    standard_errors: bool,
    /// How bounds are kept: steps end there, or parameters are transformed so that bounds are only approached (within rounding
    /// a fit may end at one)
    #[arg(long, value_name = "HOW", value_enum, default_value = "projection")]
    bounds: BoundsArg,
    /// Evaluations of the signal in a voxel at most, in each Levenberg–Marquardt stage
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = one_or_more::<u32>)]
    evaluations: u32,
    /// Precision of the arithmetic
    #[arg(long, value_name = "PRECISION", value_enum, default_value = "single")]
    precision: Precision,
    // Behind what has no heading: the heading of its options is that of all behind it.
    #[command(flatten)]
    pub(super) chains: ChainOptions,
    #[command(flatten)]
    gradients: GradientOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BoundsArg {
    Projection,
    Transform,
}

/// The references in the help of the command.
pub(crate) fn reference_help() -> String {
    references::help(REFERENCES)
}

impl FitModels {
    pub(super) fn has_chains(&self) -> bool {
        self.method == MethodArg::Mcmc
    }

    fn dwi(&self) -> &Path {
        self.dwi.as_deref().unwrap_or(Path::new(""))
    }

    fn out(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new(""))
    }

    fn models(&self) -> Result<Vec<Model>> {
        let models = read_models(self.models.as_deref().unwrap_or_default())?;
        let models = self.chains.with_priors(models)?;
        self.chains.check_quantiles()?;
        if !self.has_chains() {
            self.chains.check_unused()?;
            self.compare.map_or(Ok(()), |criterion| criterion.check_fit("--compare"))?;
            self.criteria.iter().try_for_each(|criterion| criterion.check_fit("--criteria"))?;
        }
        if self.method == MethodArg::Grid && self.standard_errors {
            let problem = "a search ends at a value of a grid, whose error is that of the grid";
            return Err(Error::usage(
                "--standard-errors",
                problem,
                "leave it out, or leave --method grid out",
            ));
        }
        if self.has_chains() && self.standard_errors {
            let problem = "chains have standard deviations of samples instead";
            return Err(Error::usage("--standard-errors", problem, "leave it out: see NAME_deviation"));
        }
        if models.len() < 2 && self.compare.is_some() {
            let advice = "give several, separated by commas, or write its --criteria";
            return Err(Error::usage("--compare", "there is one model", advice));
        }
        let output_files = self.output_files(&models);
        for (n, output_file) in output_files.iter().enumerate() {
            if output_files[..n].iter().any(|other| other.name == output_file.name) {
                let problem = format!("two maps would be called {}", output_file.name);
                return Err(Error::usage(
                    "--names",
                    problem,
                    "let `names` in the model file tell them apart",
                ));
            }
        }
        Ok(models)
    }

    fn model_files(&self) -> impl Iterator<Item = PathBuf> {
        let words = self.models.iter().flat_map(|words| words.split(','));
        words.filter(|word| models::model_text(word).is_none()).map(PathBuf::from)
    }

    /// Every file that the command reads.
    fn inputs(&self) -> Vec<PathBuf> {
        let own = self.gradients.files(self.dwi()).into_iter().chain(self.mask.clone());
        let own = own.chain(self.gradient_deviations.clone());
        let own = own.chain(self.chains.files());
        own.chain(self.model_files()).chain(self.wishes.files()).collect()
    }

    /// The folder of a model's maps within that of the results.
    pub(super) fn folder_of(model: &Model, count: usize) -> PathBuf {
        if count > 1 { PathBuf::from(model.name()) } else { PathBuf::new() }
    }

    /// What is written.
    fn output_files(&self, models: &[Model]) -> Vec<OutputFile> {
        let mut output_files = Vec::new();
        if self.mask.is_none() {
            output_files.push(mask::output_file("mask.nii.gz"));
        }
        for model in models {
            let folder = Self::folder_of(model, models.len());
            let mut own = files_of(model, self.names, self.standard_errors, self.dwi(), &self.wishes.freed());
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
                    ..output_file
                },
            });
            output_files.extend(named.map(|output_file| output_file.moved(&folder)));
        }
        if let Some(criterion) = self.compare {
            output_files.extend(criterion.output_files(models));
        }
        let has_table = Series::has_table(self.dwi(), &self.gradients.source());
        output_files.extend(if has_table {
            scan::output_files("", ".nii.gz")
        } else {
            scan::output_files_without_table()
        });
        self.maps.format().of(output_files)
    }

    /// The criteria of each model that no comparison writes.
    pub(super) fn criteria(&self) -> impl Iterator<Item = CriterionArg> {
        let mut seen: Vec<CriterionArg> = self.compare.into_iter().collect();
        self.criteria.iter().copied().filter(move |criterion| {
            let is_new = !seen.contains(criterion);
            seen.push(*criterion);
            is_new
        })
    }

    /// The parameters that chains move: those that some stage of a fit moves, and that nobody takes as known.
    fn moved<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = &'a Parameter> {
        let (freed, fixed) = (self.wishes.freed(), self.wishes.fixed());
        model.parameters().iter().enumerate().filter_map(move |(n, parameter)| {
            let name = parameter.name();
            let is_free = !parameter.is_fixed() || freed.contains(&name);
            let is_found =
                parameter.is_fixed() || model.stages().iter().any(|stage| stage.parameters.contains(&n));
            (is_free && is_found && !fixed.contains(&name)).then_some(parameter)
        })
    }

    /// The series, with a gradient table where a model asks for one.
    fn series(&self, models: &[Model], context: &Context) -> Result<Rc<Series>> {
        for model in models {
            if let Some(asked) = model.weighting()? {
                let reason = format!("the model {} needs {asked}", model.name());
                return context.series_with(self.dwi(), &self.gradients, Weighting::NeededFor(&reason));
            }
        }
        context.series_with(self.dwi(), &self.gradients, Weighting::Optional)
    }

    fn options(&self, series: &Series, models: &[Model]) -> Result<FitOptions> {
        let grid = series.dwi.grid();
        Ok(FitOptions {
            measurements: match (self.max_b, &self.shells) {
                (Some(b), _) => ModelMeasurements::UpTo(b),
                (None, Some(shells)) => ModelMeasurements::Shells(shells.clone()),
                (None, None) => ModelMeasurements::All,
            },
            bounds: match self.bounds {
                BoundsArg::Projection => BoundsMethod::Projection,
                BoundsArg::Transform => BoundsMethod::Transform,
            },
            evaluations: self.evaluations,
            search_alone: self.method == MethodArg::Grid,
            single_precision: self.precision == Precision::Single,
            standard_errors: self.standard_errors,
            wishes: self.wishes.wishes(models, grid)?,
            columns: self.wishes.columns()?,
            maps: self.wishes.maps(models, grid)?,
            gradient_deviations: self
                .gradient_deviations
                .as_deref()
                .map(|path| deviations(path, grid))
                .transpose()?,
            control: progress::control(),
        })
    }

    /// An error of the library, said of the option or file that it is about.
    pub(super) fn about(&self, error: Error) -> Error {
        if let Some(option) = self.wishes.option_about(&error) {
            return error.about(option);
        }
        error
    }

    /// Says what the measurements cannot tell.
    fn warn_of_guesses(&self, models: &[Model], series: &Series, options: &FitOptions) -> Result<()> {
        let found = identifiability(models, &series.gradients, options).map_err(|e| self.about(e))?;
        for (model, found) in models.iter().zip(found) {
            let guesses: Vec<String> = found
                .iter()
                .filter(|parameter| parameter.error > GUESS)
                .map(|parameter| parameter.parameter.clone())
                .collect();
            if !guesses.is_empty() {
                let used = options.measurements.of(&series.gradients).map_err(|e| self.about(e))?;
                tracing::warn!(
                    "{}: these measurements ({}) cannot tell {}: at a signal-to-noise ratio of 30 a standard error is more \
                     than {:.0} % of the range; their maps show where fits began more than tissue",
                    model.name(),
                    series.gradients.of_measurements(&used).shells_in_words(),
                    guesses.join(", "),
                    100.0 * GUESS
                );
            }
        }
        Ok(())
    }
}

impl StageCommand for FitModels {
    fn outputs(&self) -> Vec<PathBuf> {
        let models = self.models().unwrap_or_default();
        record::outputs(self.out(), &self.output_files(&models))
    }

    fn check(&self, context: &Context) -> Result<()> {
        let models = self.models()?;
        let series = self.series(&models, context)?;
        series.check_mask(self.mask.as_deref())?;
        let averaged = averaged(&models, &series)?;
        let fitted = averaged.as_ref().unwrap_or(&series);
        let options = self.options(fitted, &models)?;
        self.check_models(&models, fitted, &options, context)
    }

    fn run(&self, context: &Context) -> Result<()> {
        let models = self.models()?;
        let output_files = self.output_files(&models);
        let folder = OutputFolder::create(self.out(), &output_files, &self.inputs(), context)?
            .with_maps_as(self.maps.format());
        let series = self.series(&models, context)?;
        let averaged = averaged(&models, &series)?;
        let fitted = averaged.as_ref().unwrap_or(&series);
        let options = self.options(fitted, &models)?;
        self.check_models(&models, fitted, &options, context)?;
        self.warn_of_guesses(&models, fitted, &options)?;
        let mask = context.step("mask", |_| series.mask(self.mask.as_deref()))?;
        self.chains.traces.check_mask(&mask)?;
        let scan = if series.gradients.is_known() {
            Some(context.step("look at the scan", |_| Scan::look(&series.dwi, &series.gradients, &mask))?)
        } else {
            None
        };
        let device = context.device()?;
        let mut record = Record::new(title_of(&models), output_files, context);
        let Outcome { fits, of_samples, example } = if self.has_chains() {
            let of = Sampled { series: fitted, mask: &mask, options: &options, folder: &folder };
            self.sample(&models, &of, &mut record, context)?
        } else {
            let fits = context.step("fit", |_| {
                fit_models(&models, &fitted.dwi, &fitted.gradients, &mask, device, &options)
                    .map_err(|e| self.about(e))
            })?;
            Outcome { fits, of_samples: Vec::new(), example: None }
        };
        context.step("write the maps", |_| {
            match &scan {
                Some(scan) => scan.write(&folder, "", ".nii.gz", &context.image_options())?,
                None => scan::write_without_table(&series, &mask, &folder, context)?,
            }
            if self.mask.is_none() {
                write_image(&folder.file("mask.nii.gz"), &mask.to_volume(), &context.image_options())?;
                record.cite(mask::REFERENCES);
            }
            for (n, (model, fit)) in models.iter().zip(&fits).enumerate() {
                let below = Self::folder_of(model, models.len());
                self.write(&folder, &below, model, fit, context)?;
                for criterion in self.criteria().filter(|criterion| !criterion.is_of_samples()) {
                    let of = if models.len() > 1 { format!("{}: ", model.name()) } else { String::new() };
                    criterion.write(
                        (&folder, &below),
                        &criterion.values(fit, None),
                        &of,
                        &mut record,
                        context,
                    )?;
                }
                if self.predicted {
                    let of = (&models[..], n, fit);
                    predictions::write((&folder, &below), of, fitted, &options, context)?;
                }
            }
            let freed = self.wishes.freed();
            if let Some(criterion) = self.compare
                && let Some(compared) =
                    criterion.compare(&folder, &models, &fits, of_samples, &mut record, context)?
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
        record.add_inputs(&series.files, context)?;
        let others: Vec<PathBuf> =
            self.inputs().into_iter().filter(|path| !series.files.contains(path) && path.exists()).collect();
        record.add_inputs(&others, context)?;
        series.note(&mut record);
        let sidecar = scan::beside(self.dwi());
        match &scan {
            Some(scan) => scan.note(sidecar.as_deref(), &mut record, context)?,
            None => scan::note_sidecar(sidecar.as_deref(), &mut record, context)?,
        }
        record.figure("voxels in the brain mask", mask.count());
        record.done(self.in_words(&models, mask.count()));
        for (model, fit) in models.iter().zip(&fits) {
            note(model, fit, models.len() > 1, &mut record);
            if let (Device::Cuda(_), Some(what)) = (&device, fit.no_kernel_for) {
                context.say(format_args!(
                    "{}: GPUs have no {what}; it was fitted on the processor",
                    model.name()
                ));
            }
            record.cite(model.references());
        }
        record.cite(REFERENCES);
        if self.has_chains() {
            record.cite(sampling::REFERENCES);
        }
        for fit in &fits {
            warn_of_unfinished(fit, mask.count());
            tell_of_bounds(fit, models.len() > 1, context);
        }
        record.write(folder.path(), context)?;
        let fitted = finished(&fits[0]);
        let stopped = match unfinished(&fits[0]) {
            0 => String::new(),
            count => format!(", {count} stopped before the end (status 3)"),
        };
        let done = if self.has_chains() { "sampled" } else { "fitted" };
        context.say(format_args!(
            "{}: {fitted} of {} voxels {done}{stopped}, maps in {}",
            title_of(&models),
            mask.count(),
            folder.path().display()
        ));
        Ok(())
    }
}

impl FitModels {
    /// What was done, in a sentence.
    fn in_words(&self, models: &[Model], voxels: usize) -> String {
        let names: Vec<&str> = models.iter().map(Model::name).collect();
        let which = if models.len() == 1 { "the model" } else { "the models" };
        let how = match self.method {
            MethodArg::Lm => "fitted to the measured signals",
            MethodArg::Grid => "searched for the values of its grids that fit the measured signals best",
            MethodArg::Mcmc => "sampled by Markov chains, which say how certain its parameters are",
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
    /// Fails where models cannot be fitted or sampled.
    fn check_models(
        &self,
        models: &[Model],
        series: &Series,
        options: &FitOptions,
        context: &Context,
    ) -> Result<()> {
        let about = |e| self.about(e);
        if !self.has_chains() {
            return check_models(models, &series.gradients, options).map_err(about);
        }
        self.chains.traces.voxels(series.dwi.grid())?;
        let sampling = self.chains.options(context.random_seed())?;
        let check = |model| check_sampling(model, &series.gradients, options, &sampling).map_err(about);
        models.iter().try_for_each(check)
    }

    /// Writes the maps of a model.
    fn write(
        &self,
        folder: &OutputFolder,
        below: &Path,
        model: &Model,
        fit: &ModelFit,
        context: &Context,
    ) -> Result<()> {
        use rayon::prelude::*;
        folder.create_below(below)?;
        let options = context.image_options();
        let file = |name: &str| folder.file(&below.join(name).to_string_lossy());
        let parameters = fit
            .maps
            .iter()
            .map(|map| (self.names.file(model, &map.name, &map.other_names, self.dwi()), &map.volume));
        let errors =
            fit.standard_errors.iter().map(|map| (format!("{}_error.nii.gz", map.name), &map.volume));
        let own = [("residual.nii.gz", &fit.residual), ("status.nii.gz", &fit.status)];
        let own = own.map(|(name, volume)| (name.to_owned(), volume));
        let all: Vec<(String, &Volume<f32>)> = parameters.chain(errors).chain(own).collect();
        all.par_iter().map(|(name, volume)| write_image(&file(name), volume, &options)).collect()
    }
}
