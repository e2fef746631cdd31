//! `arcuate fit MODEL --method mcmc`: samples of the posterior distribution instead of one best fit.

use super::traces::{self, TraceOptions};
use crate::context::Context;
use crate::output::OutputFolder;
use crate::products::{Kind, Map, Product};
use crate::record::Record;
use arcuate_core::{Error, Result};
use arcuate_io::{read_volume, write_image};
use arcuate_model::fit::sample::{
    ChainStart, Deviation, ModelSamples, Noise, SampleOptions, SampledParameter,
};
use arcuate_model::language::{Model, Parameter, Prior};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

pub(super) const REFERENCES: &[&str] = &[
    "Behrens TEJ et al. (2003) Characterization and propagation of uncertainty in diffusion-weighted MR imaging. \
     doi:10.1002/mrm.10609",
    "Salmon JK et al. (2011) Parallel random numbers: as easy as 1, 2, 3. doi:10.1145/2063384.2063405",
];

/// From this split R̂ on chains have not come to the same distribution.
const APART: f32 = 1.1;

/// How parameters are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodArg {
    /// The best fit: a search and Levenberg–Marquardt, as the model has it
    Lm,
    /// Samples of the posterior distribution by Markov chains (Metropolis within Gibbs) that begin there
    Mcmc,
}

/// How chains are run.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Chains (--method mcmc)")]
pub(super) struct ChainOptions {
    /// Sweeps before the first sample [default: 1000]
    #[arg(long, value_name = "N")]
    burn_in: Option<u32>,
    /// Sweeps behind the burn-in [default: 1250]
    #[arg(long, value_name = "N")]
    jumps: Option<u32>,
    /// Keep every N-th of them as a sample [default: 25]
    #[arg(long, value_name = "N")]
    interval: Option<u32>,
    /// Change the widths of proposals after every N sweeps of the burn-in [default: 40]
    #[arg(long, value_name = "N")]
    adapt_every: Option<u32>,
    /// Chains of each voxel; with two and more, R̂ says whether they agree [default: 1]
    #[arg(long, value_name = "N")]
    chains: Option<u32>,
    /// Distribution of the noise [default: gaussian]
    #[arg(long, value_name = "DISTRIBUTION", value_enum)]
    noise: Option<NoiseArg>,
    /// Standard deviation of the noise: integrated out, sampled, or a number in units of the signal [default: integrated;
    /// sampled where the noise is Rician]
    #[arg(long, value_name = "integrated|sampled|NUMBER")]
    sigma: Option<String>,
    /// Prior of the standard deviation where it is sampled, in units of the signal [default: log_uniform]
    #[arg(long, value_name = "PRIOR")]
    sigma_prior: Option<String>,
    /// Prior of a parameter, in its unit: uniform, normal(mean, deviation), gamma(shape, scale), ard, ard(weight), log_uniform or
    /// energy(formula)
    #[arg(long, value_name = "NAME=PRIOR")]
    prior: Vec<String>,
    /// Where chains begin [default: fit]
    #[arg(long, value_name = "WHERE", value_enum)]
    begin_at: Option<BeginArg>,
    /// Write where chains end to state.nii.gz, so that they can go on
    #[arg(long)]
    save_state: bool,
    /// Go on from where chains of the same model, options and seed have ended: their state.nii.gz
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    #[command(flatten)]
    pub(super) traces: TraceOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NoiseArg {
    Gaussian,
    /// Of magnitude images
    Rician,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BeginArg {
    /// At the best fit
    Fit,
    /// At the best that the model's searches find
    Search,
    /// Where the model has its fits start
    Model,
}

impl ChainOptions {
    /// Fails where something is said of chains and there are none.
    pub(super) fn check_unused(&self) -> Result<()> {
        let Self {
            burn_in,
            jumps,
            interval,
            adapt_every,
            chains,
            noise,
            sigma,
            sigma_prior,
            prior,
            begin_at,
            save_state,
            resume,
            traces,
        } = self;
        let given = [
            ("--burn-in", burn_in.is_some()),
            ("--jumps", jumps.is_some()),
            ("--interval", interval.is_some()),
            ("--adapt-every", adapt_every.is_some()),
            ("--chains", chains.is_some()),
            ("--noise", noise.is_some()),
            ("--sigma", sigma.is_some()),
            ("--sigma-prior", sigma_prior.is_some()),
            ("--prior", !prior.is_empty()),
            ("--begin-at", begin_at.is_some()),
            ("--save-state", *save_state),
            ("--resume", resume.is_some()),
            ("--trace-voxel", traces.is_given()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => {
                Err(Error::usage(option, "a fit has no chains", "add --method mcmc, or leave it out"))
            }
            None => Ok(()),
        }
    }

    /// The models with the priors that were asked for.
    pub(super) fn with_priors(&self, models: Vec<Model>) -> Result<Vec<Model>> {
        let mut models = models;
        for word in &self.prior {
            let about = |error: Error| error.about(format_args!("--prior {word}"));
            let Some((name, text)) = word.split_once('=') else {
                let problem = format!("`{word}` is no NAME=PRIOR");
                return Err(Error::usage("--prior", problem, "write it as d=normal(1.7e-3, 0.3e-3)"));
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
                    format_args!("--prior {word}"),
                    problem,
                    format!("there are {}", names.join(", ")),
                ));
            }
        }
        Ok(models)
    }

    fn noise(&self) -> Result<Noise> {
        let is_rician = self.noise == Some(NoiseArg::Rician);
        let prior = match &self.sigma_prior {
            Some(text) => Prior::parse(text).map_err(|e| e.about(format_args!("--sigma-prior {text}")))?,
            None => Prior::Relevance { weight: 1.0 },
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
                return Err(Error::usage("--sigma-prior", problem, "leave it out, or write --sigma sampled"));
            }
            "integrated" => Deviation::Integrated,
            number => {
                let Ok(number) = number.parse::<f64>() else {
                    let problem = format!("`{number}` is no standard deviation");
                    return Err(Error::usage("--sigma", problem, "write integrated, sampled or a number"));
                };
                Deviation::Known(number)
            }
        };
        Ok(if is_rician { Noise::Rician(deviation) } else { Noise::Gaussian(deviation) })
    }

    /// The file that chains go on from.
    pub(super) fn file(&self) -> Option<&PathBuf> {
        self.resume.as_ref()
    }

    pub(super) fn options(&self, random_seed: u64) -> Result<SampleOptions> {
        let begun = [("--burn-in", self.burn_in.is_some()), ("--begin-at", self.begin_at.is_some())];
        if let (Some(_), Some((option, _))) = (&self.resume, begun.iter().find(|(_, is_given)| *is_given)) {
            let problem = "chains that go on have begun already";
            return Err(Error::usage(option, problem, "leave it out, or leave --resume out"));
        }
        let usual = SampleOptions::default();
        Ok(SampleOptions {
            burn_in: self.burn_in.unwrap_or(usual.burn_in),
            jumps: self.jumps.unwrap_or(usual.jumps),
            interval: self.interval.unwrap_or(usual.interval),
            window: self.adapt_every.unwrap_or(usual.window),
            chains: self.chains.unwrap_or(usual.chains),
            noise: self.noise()?,
            start: match self.begin_at {
                None | Some(BeginArg::Fit) => ChainStart::Fit,
                Some(BeginArg::Search) => ChainStart::Search,
                Some(BeginArg::Model) => ChainStart::Model,
            },
            random_seed,
            state: self.resume.as_deref().map(read_volume).transpose()?,
            ..usual
        })
    }

    /// Writes where chains ended, if that is wanted.
    pub(super) fn write_state(&self, path: &Path, samples: &ModelSamples, context: &Context) -> Result<()> {
        if self.save_state { write_image(path, &samples.state, &context.image_options()) } else { Ok(()) }
    }

    /// The option that an error of the library is about.
    pub(super) fn option_about(error: &Error) -> Option<&'static str> {
        match error.subject() {
            "chains" => Some("--chains"),
            "intervals" => Some("--interval, --adapt-every"),
            "jumps" => Some("--jumps"),
            "noise" => Some("--sigma"),
            "state of chains" => Some("--resume"),
            "σ" => Some("--sigma, --sigma-prior"),
            _ => None,
        }
    }

    /// What is written beside the maps of a fit: `moved` are the parameters that are neither fixed nor taken as known.
    pub(super) fn products<'a>(&self, moved: impl Iterator<Item = &'a Parameter>) -> Vec<Product> {
        let mut products = Vec::new();
        for parameter in moved {
            self.add(
                &mut products,
                parameter.name(),
                parameter.numbers() == 3,
                &parameter.unit().to_string(),
            );
        }
        if let Ok(Noise::Gaussian(Deviation::Sampled(_)) | Noise::Rician(Deviation::Sampled(_))) =
            self.noise()
        {
            let map = Kind::Map(Map { heat: true, aside: true, ..Map::default() });
            products.push(Product::shown("sigma.nii.gz", "Standard deviation of the noise (sigma)", map));
            self.add(&mut products, "sigma", false, "signal");
        }
        if self.save_state {
            products.push(Product::file("state.nii.gz", "Where chains ended, for --resume"));
        }
        products.push(Product::file(
            "acceptance.nii.gz",
            "Part of the proposals behind the burn-in that was accepted, a volume for each parameter",
        ));
        products.push(traces::product());
        products
    }

    fn add(&self, products: &mut Vec<Product>, name: &str, is_orientation: bool, unit: &str) {
        let (suffix, what) = if is_orientation {
            ("dispersion", format!("Dispersion of {name}: 0 sure, 2/3 no direction at all"))
        } else {
            ("deviation", format!("Standard deviation of {name}"))
        };
        let is_diffusivity = unit == "mm²/s";
        let map = Map {
            heat: true,
            aside: true,
            factor: is_diffusivity.then_some(1e3),
            unit: match unit {
                "mm²/s" => "µm²/ms".into(),
                "1" => "".into(),
                _ => unit.to_owned().into(),
            },
            ..Map::default()
        };
        products.push(Product::shown(format!("{name}_{suffix}.nii.gz"), what, Kind::Map(map)));
        let volumes = if is_orientation { "three volumes (x, y, z) for each" } else { "a volume for each" };
        let samples = format!("Samples of {name}, {volumes}");
        products.push(Product::file(format!("{name}_samples.nii.gz"), samples));
        let effective = format!("Independent samples that those of {name} count for");
        products.push(Product::file(format!("{name}_ess.nii.gz"), effective));
        if self.chains.is_some_and(|chains| chains > 1) {
            let hat = format!("Split R̂ of {name}: near 1 where chains agree");
            products.push(Product::file(format!("{name}_rhat.nii.gz"), hat));
        }
    }
}

/// Writes samples and what they say, and notes how much that is.
pub(super) fn write(
    folder: &OutputFolder,
    below: &Path,
    model: &Model,
    samples: &ModelSamples,
    several: bool,
    record: &mut Record,
    context: &Context,
) -> Result<()> {
    let options = context.image_options();
    let file = |name: String| folder.file(&below.join(name).to_string_lossy());
    let of = |what: String| if several { format!("{}: {what}", model.name()) } else { what };
    let voxels = samples.voxels.len().max(1);
    record.figure(&of("samples of a voxel".into()), samples.chains * samples.samples);
    record.measure(&of("time of the fit that chains begin with".into()), samples.seconds[0], "s");
    record.measure(&of("time of the chains".into()), samples.seconds[1], "s");
    for (n, parameter) in samples.parameters.iter().enumerate() {
        let SampledParameter { name, numbers, .. } = parameter;
        let suffix = if *numbers == 3 { "dispersion" } else { "deviation" };
        write_image(&file(format!("{name}_{suffix}.nii.gz")), &samples.spread_of(parameter), &options)?;
        write_image(&file(format!("{name}_samples.nii.gz")), &samples.samples_of(parameter), &options)?;
        if name == "sigma" {
            write_image(&file("sigma.nii.gz".into()), &samples.mean_of(parameter), &options)?;
        }
        let convergence = samples.convergence_of(parameter);
        write_image(&file(format!("{name}_ess.nii.gz")), &convergence.channel(0), &options)?;
        let mut effective: Vec<f32> =
            samples.voxels.iter().map(|&voxel| convergence.voxel(voxel)[0]).collect();
        let middle = effective.len() / 2;
        let median = effective.select_nth_unstable_by(middle, f32::total_cmp).1;
        record.measure(&of(format!("median of independent samples, {name}")), f64::from(*median), "");
        if samples.chains > 1 {
            write_image(&file(format!("{name}_rhat.nii.gz")), &convergence.channel(1), &options)?;
            let apart = samples.voxels.iter().filter(|&&voxel| convergence.voxel(voxel)[1] > APART).count();
            let share = 100.0 * apart as f64 / voxels as f64;
            record.measure(&of(format!("voxels with R̂ above {APART}, {name}")), share, "%");
        }
        let accepted = samples.voxels.iter().map(|&voxel| f64::from(samples.acceptance.voxel(voxel)[n]));
        let share = 100.0 * accepted.sum::<f64>() / voxels as f64;
        record.measure(&of(format!("proposals accepted, {name}")), share, "%");
    }
    write_image(&file("acceptance.nii.gz".into()), &samples.acceptance, &options)
}
