//! Sampling of the posterior distributions of signal models: options of the Markov chains, and the files that
//! are written.

use super::chain_state;
use super::traces::{self, FEW, TracedVoxels};
use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::{Kind, Map, OutputFile};
use crate::record::Record;
use crate::scan::{SIGNAL_UNIT, unit_of_map};
use arcuate_core::{Error, Result, Volume, statistics};
use arcuate_io::{MadeImage, write_image, write_made_image};
use arcuate_model::fit::sample::{
    ChainIdentity, ChainStart, Deviation, ModelSamples, Noise, SampleOptions, SampledParameter,
};
use arcuate_model::language::{Model, Parameter, Prior};
use std::path::{Path, PathBuf};

pub(super) const REFERENCES: &[&str] = &[
    "Behrens TEJ et al. (2003) Characterization and propagation of uncertainty in diffusion-weighted MR imaging. \
     doi:10.1002/mrm.10609",
    "Vehtari A et al. (2021) Rank-normalization, folding, and localization: an improved R̂ for assessing convergence of MCMC. \
     doi:10.1214/20-BA1221",
    "Salmon JK et al. (2011) Parallel random numbers: as easy as 1, 2, 3. doi:10.1145/2063384.2063405",
];

/// Limit of R̂, a measure of the agreement of Markov chains. If R̂ is above this value, the chains of a voxel
/// have not converged to the same distribution.
pub const APART: f32 = 1.1;
/// Beginning of the names that the record of a command uses for the percentages of voxels in which R̂ is
/// above [`APART`]. R̂ is a measure of the agreement of Markov chains. There is one percentage for each
/// parameter.
pub const UNMIXED: &str = "voxels with R̂ above";
/// Start of the names that the record of a command uses for the median of the effective number of independent
/// samples. There is one number for each parameter.
pub const INDEPENDENT: &str = "median of independent samples";
/// Minimum number of samples per Markov chain for computing R̂, a measure of the agreement of the chains.
const MIN_SAMPLES: usize = 8;
/// File of a map of the voxels that have too few independent samples for a reliable R̂ (a measure of the
/// agreement of Markov chains).
const FEW_FILE: &str = "few_draws.nii.gz";

/// Options of Markov chains. If an option is `None`, its default is used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChainOptions {
    /// Number of sweeps before the first sample. Default: 1000.
    pub burn_in: Option<u32>,
    /// Number of sweeps after the burn-in. Default: 1250.
    pub jumps: Option<u32>,
    /// Number of sweeps per kept sample. Default: 25.
    pub interval: Option<u32>,
    /// Number of sweeps between two adaptations of the proposal widths, during the burn-in. Default: 40.
    pub adapt_every: Option<u32>,
    /// Number of Markov chains in each voxel. Default: 1. If there are two or more chains, R̂ measures
    /// whether they agree.
    pub chains: Option<u32>,
    /// Noise distribution. Default: Gaussian.
    pub noise: Option<NoiseKind>,
    /// Standard deviation of the noise: `integrated` (the posterior is integrated over it), `sampled`, or a
    /// number in units of the signal. The default is `sampled` for Rician noise or if `sigma_prior` is set.
    /// In all other cases, it is `integrated`.
    pub sigma: Option<String>,
    /// Prior of the standard deviation of the noise if it is sampled. It is in units of the signal, and has
    /// the syntax of the model language. Default: `log_uniform`.
    pub sigma_prior: Option<String>,
    /// Priors of parameters, as `NAME=PRIOR`. A prior is in the unit of its parameter, and has the syntax of
    /// the model language.
    pub prior: Vec<String>,
    /// Quantiles of the posterior samples for which maps are written, as fractions from 0 to 1.
    pub quantiles: Vec<f64>,
    /// Initial state of the chains. Default: the best fit.
    pub begin_at: Option<ChainStart>,
    /// True if the final state and the identity of the Markov chains are saved, so that a later run can
    /// continue these chains.
    pub save_state: bool,
    /// Image of the final state of earlier Markov chains, from which the chains resume. The JSON file of the
    /// image must be next to it. The earlier chains must have the same data, model, options and random seed.
    pub resume: Option<PathBuf>,
    /// Voxels whose samples the report shows.
    pub traces: TracedVoxels,
}

/// Noise distribution of the signal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoiseKind {
    /// Gaussian noise.
    #[default]
    Gaussian,
    /// Rician noise, as in magnitude images.
    Rician,
}

impl ChainOptions {
    /// Returns an error if an option of Markov chains is set. This function is called for fits without Markov
    /// chains.
    pub(super) fn check_unused(&self) -> Result<()> {
        let given = [
            ("‘burn_in’", self.burn_in.is_some()),
            ("‘jumps’", self.jumps.is_some()),
            ("‘interval’", self.interval.is_some()),
            ("‘adapt_every’", self.adapt_every.is_some()),
            ("‘chains’", self.chains.is_some()),
            ("‘noise’", self.noise.is_some()),
            ("‘sigma’", self.sigma.is_some()),
            ("‘sigma_prior’", self.sigma_prior.is_some()),
            ("‘prior’", !self.prior.is_empty()),
            ("‘quantiles’", !self.quantiles.is_empty()),
            ("‘begin_at’", self.begin_at.is_some()),
            ("‘save_state’", self.save_state),
            ("‘resume’", self.resume.is_some()),
            ("‘trace_voxel’", !self.traces.words.is_empty()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((what, _)) => {
                Err(Error::usage(what, "a fit has no chains", "add ‘method’ mcmc, or leave out this option"))
            }
            None => Ok(()),
        }
    }

    /// Returns an error if a requested quantile is not in the range 0 to 1.
    pub(super) fn check_quantiles(&self) -> Result<()> {
        match self.quantiles.iter().find(|part| !(0.0..=1.0).contains(*part)) {
            Some(part) => {
                let problem = format!("{part} is not a quantile");
                Err(Error::usage("‘quantiles’", problem, "give numbers from 0 to 1, such as 0.025,0.5,0.975"))
            }
            None => Ok(()),
        }
    }

    /// Returns the signal models with the priors that the user specified for their parameters.
    ///
    /// # Errors
    /// Returns an error if a prior is invalid, or if no model has a parameter with its name.
    #[doc(hidden)]
    pub fn with_priors(&self, models: Vec<Model>) -> Result<Vec<Model>> {
        let mut models = models;
        for word in &self.prior {
            let about = |error: Error| error.about(format_args!("‘prior’ {word}"));
            let Some((name, text)) = word.split_once('=') else {
                let problem = format!("`{word}` does not have the form NAME=PRIOR");
                return Err(Error::usage(
                    "‘prior’",
                    problem,
                    "write NAME=PRIOR, for example d=normal(1.7e-3, 0.3e-3)",
                ));
            };
            let prior = Prior::parse(text).map_err(about)?;
            let mut is_known = false;
            for model in &mut models {
                if let Some(place) = model.parameter_of(name) {
                    *model = model.clone().with_prior(place, prior.clone()).map_err(about)?;
                    is_known = true;
                }
            }
            if !is_known {
                let names: Vec<&str> =
                    models.iter().flat_map(Model::parameters).map(Parameter::name).collect();
                let problem = "no model that is sampled has such a parameter";
                return Err(Error::usage(
                    format_args!("‘prior’ {word}"),
                    problem,
                    format!("there are {}", names.join(", ")),
                ));
            }
        }
        Ok(models)
    }

    fn noise(&self) -> Result<Noise> {
        let is_rician = self.noise == Some(NoiseKind::Rician);
        let prior = match &self.sigma_prior {
            Some(text) => Prior::parse(text).map_err(|e| e.about(format_args!("‘sigma_prior’ {text}")))?,
            None => Prior::LogUniform,
        };
        let sigma = match self.sigma.as_deref() {
            None if is_rician || self.sigma_prior.is_some() => "sampled",
            None => "integrated",
            Some(word) => word,
        };
        let deviation = match sigma {
            "sampled" => Deviation::Sampled(prior),
            _ if self.sigma_prior.is_some() => {
                let problem = "σ is not sampled, and has no prior";
                return Err(Error::usage(
                    "‘sigma_prior’",
                    problem,
                    "remove this option, or give ‘sigma’ sampled",
                ));
            }
            "integrated" => Deviation::Integrated,
            number => {
                let Ok(number) = number.parse::<f64>() else {
                    let problem = format!("`{number}` is not a standard deviation");
                    return Err(Error::usage("‘sigma’", problem, "give `integrated`, `sampled` or a number"));
                };
                Deviation::Known(number)
            }
        };
        Ok(if is_rician { Noise::Rician(deviation) } else { Noise::Gaussian(deviation) })
    }

    /// Returns the files from which Markov chains resume: the image of their state and its JSON file.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.resume.iter().flat_map(|image| [image.clone(), chain_state::identity_file(image)])
    }

    /// Checks whether the identity of the Markov chains is needed. This is the case if their state is saved,
    /// or if they resume from a saved state.
    pub(super) fn needs_identity(&self) -> bool {
        self.save_state || self.resume.is_some()
    }

    /// Returns an error if Markov chains with this identity cannot resume from the state image that the user
    /// gave.
    pub(super) fn check_state(&self, identity: &ChainIdentity) -> Result<()> {
        self.resume.as_deref().map_or(Ok(()), |image| chain_state::check(image, identity))
    }

    /// Returns the options of the Markov chains, with the defaults of options that are not set.
    ///
    /// # Errors
    /// Returns an error if an option of the Markov chains is invalid, or if the state image cannot be read.
    #[doc(hidden)]
    pub fn options(&self, random_seed: u64) -> Result<SampleOptions> {
        let start_options = [("‘burn_in’", self.burn_in.is_some()), ("‘begin_at’", self.begin_at.is_some())];
        if let (Some(_), Some((option, _))) =
            (&self.resume, start_options.iter().find(|(_, is_given)| *is_given))
        {
            let problem = "resumed chains already have a start";
            return Err(Error::usage(option, problem, "remove it, or remove ‘resume’"));
        }
        let usual = SampleOptions::default();
        Ok(SampleOptions {
            burn_in: self.burn_in.unwrap_or(usual.burn_in),
            jumps: self.jumps.unwrap_or(usual.jumps),
            interval: self.interval.unwrap_or(usual.interval),
            window: self.adapt_every.unwrap_or(usual.window),
            chains: self.chains.unwrap_or(usual.chains),
            noise: self.noise()?,
            start: self.begin_at.unwrap_or_default(),
            keeps_state: self.save_state,
            random_seed,
            state: self.resume.as_deref().map(chain_state::read).transpose()?,
            ..usual
        })
    }

    /// Writes the final state of the Markov chains, if it is part of `samples`.
    pub(super) fn write_state(
        image: &Path,
        samples: &ModelSamples,
        identity: Option<ChainIdentity>,
        is_single: bool,
        job: &Job,
    ) -> Result<()> {
        let (Some(state), Some(identity)) = (&samples.state, identity) else { return Ok(()) };
        chain_state::write(image, state, is_single, identity, job)
    }

    /// Describes the files that Markov chains write in addition to the maps of a fit. `moved` are the
    /// parameters that the chains sample.
    pub(super) fn output_files<'a>(&self, moved: impl Iterator<Item = &'a Parameter>) -> Vec<OutputFile> {
        let mut output_files = Vec::new();
        for parameter in moved {
            self.add(
                &mut output_files,
                parameter.name(),
                parameter.numbers() == 3,
                &parameter.unit().to_string(),
            );
        }
        if let Ok(Noise::Gaussian(Deviation::Sampled(_)) | Noise::Rician(Deviation::Sampled(_))) =
            self.noise()
        {
            let unit = SIGNAL_UNIT.into();
            let map = Kind::Map(Map { heat: true, aside: true, unit, ..Map::default() });
            output_files.push(OutputFile::shown(
                "sigma.nii.gz",
                "Standard deviation of the noise (sigma)",
                map,
            ));
            self.add(&mut output_files, "sigma", false, "signal");
        }
        if self.save_state {
            output_files.push(OutputFile::file(
                chain_state::IMAGE,
                "Final state of the chains, for \
                --resume",
            ));
            output_files.push(OutputFile::file(
                chain_state::IDENTITY,
                "Model, data and options of the \
                chains",
            ));
        }
        output_files.push(OutputFile::file(
            "acceptance.nii.gz",
            "Acceptance rate of the proposals after the burn-in, one volume per parameter",
        ).with_content(
            "Fraction of proposals accepted after the burn-in, one volume per parameter in the order of the model's file",
        ));
        if self.has_several() {
            let what =
                "1 where a parameter has fewer than 50 independent samples of a chain, so that R̂ says little";
            let file = OutputFile::file(FEW_FILE, what);
            output_files.push(file.with_content(
                "1 if a parameter has fewer than 50 independent samples per chain, so that R̂ is unreliable",
            ));
        }
        output_files.push(traces::output_file());
        output_files
    }

    fn has_several(&self) -> bool {
        self.chains.is_some_and(|chains| chains > 1)
    }

    fn add(&self, output_files: &mut Vec<OutputFile>, name: &str, is_orientation: bool, unit: &str) {
        let (suffix, what, content) = if is_orientation {
            let content = "Dispersion of the samples: 1 − the largest eigenvalue of their mean outer product, from 0 (all \
                           equal) to ⅔ (no preferred direction)";
            ("dispersion", format!("Dispersion of {name}: 0 sure, 2/3 no direction at all"), content)
        } else {
            let content = "Standard deviation of the samples, in the unit of the parameter";
            ("deviation", format!("Standard deviation of {name}"), content)
        };
        let (factor, unit) = unit_of_map(unit);
        let map = Map { heat: true, aside: true, factor, unit, ..Map::default() };
        let file = OutputFile::shown(format!("{name}_{suffix}.nii.gz"), what, Kind::Map(map));
        output_files.push(file.with_content(content));
        if !is_orientation && !self.quantiles.is_empty() {
            let parts: Vec<String> = self.quantiles.iter().map(f64::to_string).collect();
            let what = format!("Quantiles of {name}, a volume for each: {}", parts.join(", "));
            let content =
                "Quantiles of the samples, one volume each, linearly interpolated between two samples";
            let file = OutputFile::file(format!("{name}_quantiles.nii.gz"), what);
            output_files.push(file.with_content(content));
        }
        let volumes = if is_orientation { "three volumes (x, y, z) for each" } else { "a volume for each" };
        let samples = format!("Samples of {name}, {volumes}");
        let per_sample = if is_orientation { "three volumes (x, y, z; scanner axes)" } else { "one volume" };
        let content = format!("All samples, one chain after the other: {per_sample} per sample");
        let file = OutputFile::file(format!("{name}_samples.nii.gz"), samples);
        output_files.push(file.with_content(content));
        let effective =
            format!("Independent samples that those of {name} count for, in the bulk and in the tails");
        let content = "Effective sample sizes in the bulk and in the tails, two volumes; 0 if undefined";
        let file = OutputFile::file(format!("{name}_ess.nii.gz"), effective);
        output_files.push(file.with_content(content));
        if self.has_several() {
            let hat = format!("R̂ of {name}, by ranks: near 1 where chains agree");
            let content = "Rank-based R̂, near 1 if the chains agree; 0 if undefined";
            let file = OutputFile::file(format!("{name}_rhat.nii.gz"), hat);
            output_files.push(file.with_content(content));
        }
    }
}

/// Writes the posterior samples and their statistics. Adds the number of samples, the times and the
/// convergence of the Markov chains to the record.
pub(super) fn write(
    (folder, below): (&OutputFolder, &Path),
    chains: &ChainOptions,
    model: &Model,
    samples: &ModelSamples,
    several: bool,
    record: &mut Record,
    job: &Job,
) -> Result<()> {
    let options = job.image_options();
    let file = |name: String| folder.file(&below.join(name).to_string_lossy());
    let of = |what: String| if several { format!("{}: {what}", model.name()) } else { what };
    let voxels = samples.voxels.len().max(1);
    let mut few_draws = Volume::filled(*samples.acceptance.grid(), 1, 0.0f32);
    record.figure(&of("samples of a voxel".into()), samples.chains * samples.samples);
    record.measure(&of("time of the fit that chains begin with".into()), samples.seconds[0], "s");
    record.measure(&of("time of the chains".into()), samples.seconds[1], "s");
    for (n, parameter) in samples.parameters.iter().enumerate() {
        let SampledParameter { name, numbers, .. } = parameter;
        let suffix = if *numbers == 3 { "dispersion" } else { "deviation" };
        write_image(&file(format!("{name}_{suffix}.nii.gz")), &samples.spread_of(parameter), &options)?;
        // The image of the samples is computed while it is written, so that the samples are not in memory
        // twice.
        let make = |channel: usize, first: usize, out: &mut [f32]| {
            samples.samples_in(parameter, channel, first, out);
        };
        let (grid, channels) = (samples.acceptance.grid(), samples.channels_of(parameter));
        let image = MadeImage { grid, channels, make: &make };
        write_made_image(&file(format!("{name}_samples.nii.gz")), &image, &options)?;
        if *numbers == 1 && !chains.quantiles.is_empty() {
            let quantiles = samples.quantiles_of(parameter, &chains.quantiles);
            write_image(&file(format!("{name}_quantiles.nii.gz")), &quantiles, &options)?;
        }
        if name == "sigma" {
            write_image(&file("sigma.nii.gz".into()), &samples.mean_of(parameter), &options)?;
        }
        let convergence = samples.convergence_of(parameter);
        let of_channel = |channel: usize| {
            let known = samples.voxels.iter().map(|&voxel| convergence.voxel(voxel));
            known.filter(|of_voxel| of_voxel[2] > 0.0).map(|of_voxel| of_voxel[channel]).collect::<Vec<f32>>()
        };
        let (bulk, tails, hats) = (of_channel(0), of_channel(1), of_channel(2));
        let effective = joined(&[convergence.channel(0), convergence.channel(1)])?;
        write_image(&file(format!("{name}_ess.nii.gz")), &effective, &options)?;
        let few = |(bulk, tail): (&f32, &f32)| f64::from(bulk.min(*tail)) < FEW * samples.chains as f64;
        let share = |count: usize| 100.0 * count as f64 / hats.len().max(1) as f64;
        let with_few = bulk.iter().zip(&tails).filter(|of_voxel| few(*of_voxel)).count();
        for (what, mut values) in [("", bulk), (" in the tails", tails)] {
            if let Some(median) = statistics::median(&mut values) {
                let what = format!("{INDEPENDENT}{what}, {name}");
                record.measure(&of(what), median, "");
            }
        }
        if samples.chains > 1 {
            write_image(&file(format!("{name}_rhat.nii.gz")), &convergence.channel(2), &options)?;
            if !hats.is_empty() {
                let apart = hats.iter().filter(|hat| **hat > APART).count();
                record.measure(&of(format!("{UNMIXED} {APART}, {name}")), share(apart), "%");
                let what = format!("voxels with fewer than {FEW} independent samples of a chain, {name}");
                record.measure(&of(what), share(with_few), "%");
            }
            for &voxel in &samples.voxels {
                let of_voxel = convergence.voxel(voxel);
                if of_voxel[2] > 0.0 && few((&of_voxel[0], &of_voxel[1])) {
                    few_draws.values_mut()[voxel] = 1.0;
                }
            }
        }
        let accepted = samples.voxels.iter().map(|&voxel| f64::from(samples.acceptance.voxel(voxel)[n]));
        let share = 100.0 * statistics::total(accepted) / voxels as f64;
        record.measure(&of(format!("proposals accepted, {name}")), share, "%");
    }
    if samples.chains > 1 {
        write_image(&file(FEW_FILE.into()), &few_draws, &options)?;
        warn_of_few_samples(model, samples, &few_draws, job);
    }
    write_image(&file("acceptance.nii.gz".into()), &samples.acceptance, &options)
}

/// Warns if the Markov chains have too few samples to assess their convergence. Returns true if a warning was
/// given.
pub fn warn_of_short_chains(model: &Model, samples: usize) -> bool {
    if samples < MIN_SAMPLES {
        tracing::warn!(
            "{}: R̂ and the effective sample size need {MIN_SAMPLES} samples per chain, but there are \
             {samples}; their maps are 0",
            model.name()
        );
    }
    samples < MIN_SAMPLES
}

/// Shows the user the number of voxels that have too few independent samples for a reliable R̂ (a measure of
/// the agreement of Markov chains).
fn warn_of_few_samples(model: &Model, samples: &ModelSamples, few_draws: &Volume<f32>, job: &Job) {
    if warn_of_short_chains(model, samples.samples) {
        return;
    }
    let few = few_draws.values().iter().filter(|is_few| **is_few > 0.0).count();
    if few > 0 {
        job.show_message(format!(
            "{}: in {few} of {} voxels a parameter has fewer than {FEW} independent samples of a chain, where R̂ says little \
             ({FEW_FILE}); let there be more ‘jumps’",
            model.name(),
            samples.voxels.len()
        ));
    }
}

/// Joins images with one value per voxel into one image with several values per voxel.
fn joined(volumes: &[Volume<f32>]) -> Result<Volume<f32>> {
    let grid = *volumes[0].grid();
    let values = (0..grid.len()).flat_map(|voxel| volumes.iter().map(move |volume| volume.values()[voxel]));
    Volume::new(grid, volumes.len(), values.collect())
}
