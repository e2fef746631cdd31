//! The options of Markov chains.

use arcuate_model::fit::sample::ChainStart;
use arcuate_pipeline::stages::fit::{ChainOptions, NoiseKind, TracedVoxels};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How chains are run.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Chains (--method mcmc)")]
pub(super) struct ChainArgs {
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
    /// Standard deviation of the noise; integrated (out of the posterior), sampled, or a number in units of the signal [default: integrated;
    /// sampled where the noise is Rician]
    #[arg(long, value_name = "SIGMA")]
    sigma: Option<String>,
    /// Prior of the standard deviation where it is sampled, in units of the signal [default: log_uniform]
    #[arg(long, value_name = "PRIOR")]
    sigma_prior: Option<String>,
    /// Prior of a parameter, in its unit: uniform, normal(mean, deviation), gamma(shape, scale), ard, ard(weight), ard(weight, least),
    /// log_uniform or energy(formula)
    #[arg(long, value_name = "NAME=PRIOR")]
    prior: Vec<String>,
    /// Write quantiles of samples, each of a part from 0 to 1, such as 0.025,0.5,0.975: NAME_quantiles, a volume for each
    #[arg(long, value_name = "PART,PART,…", value_delimiter = ',')]
    quantiles: Vec<f64>,
    /// Where chains begin [default: fit]
    #[arg(long, value_name = "WHERE", value_enum)]
    begin_at: Option<BeginArg>,
    /// Write where chains end to state.nii.gz, and what they are of to state.json, so that they can go on
    #[arg(long)]
    save_state: bool,
    /// Go on from where a run of the same data and options has ended; chains of the same model and random seed by their
    /// state.nii.gz, with state.json beside it. The mask may be smaller; jumps, interval, device and threads may differ
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    #[command(flatten)]
    traces: TraceArgs,
}

/// Whose samples are shown.
#[derive(Debug, Args)]
#[group(skip)]
struct TraceArgs {
    /// Show the samples of this voxel in their order; its indices in the image, counted from 0. Up to 8 times [default: the
    /// example voxel of the report]
    #[arg(long, value_name = "I,J,K")]
    trace_voxel: Vec<String>,
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
    /// Every chain anywhere within bounds: chains that then agree do so not because they began at one place
    Dispersed,
}

impl ChainArgs {
    /// The same for the library.
    pub(super) fn options(&self) -> ChainOptions {
        ChainOptions {
            burn_in: self.burn_in,
            jumps: self.jumps,
            interval: self.interval,
            adapt_every: self.adapt_every,
            chains: self.chains,
            noise: self.noise.map(|noise| match noise {
                NoiseArg::Gaussian => NoiseKind::Gaussian,
                NoiseArg::Rician => NoiseKind::Rician,
            }),
            sigma: self.sigma.clone(),
            sigma_prior: self.sigma_prior.clone(),
            prior: self.prior.clone(),
            quantiles: self.quantiles.clone(),
            begin_at: self.begin_at.map(|begin| match begin {
                BeginArg::Fit => ChainStart::Fit,
                BeginArg::Search => ChainStart::Search,
                BeginArg::Model => ChainStart::Model,
                BeginArg::Dispersed => ChainStart::Dispersed,
            }),
            save_state: self.save_state,
            resume: self.resume.clone(),
            traces: TracedVoxels { words: self.traces.trace_voxel.clone() },
        }
    }
}
