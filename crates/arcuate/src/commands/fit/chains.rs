//! Options of Markov chain Monte Carlo sampling.

use crate::meanings;
use arcuate_model::fit::sample::ChainStart;
use arcuate_pipeline::stages::fit::{ChainOptions, NoiseKind, TracedVoxels};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of the Markov chains.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Chains (--method mcmc)")]
pub(super) struct ChainArgs {
    /// Number of sweeps before the first sample
    ///
    /// [default: 1000]
    #[arg(long, value_name = "N")]
    burn_in: Option<u32>,
    /// Number of sweeps after the burn-in
    ///
    /// [default: 1250]
    #[arg(long, value_name = "N")]
    jumps: Option<u32>,
    /// Number of sweeps per sample
    ///
    /// [default: 25]
    #[arg(long, value_name = "N")]
    interval: Option<u32>,
    /// Number of burn-in sweeps between adaptations of the proposal widths
    ///
    /// [default: 40]
    #[arg(long, value_name = "N")]
    adapt_every: Option<u32>,
    /// Number of chains per voxel; two or more also give the convergence measure R̂
    ///
    /// [default: 1]
    #[arg(long, value_name = "N")]
    chains: Option<u32>,
    /// Distribution of the noise
    ///
    /// [default: gaussian]
    #[arg(long, value_name = "DISTRIBUTION", value_enum)]
    noise: Option<NoiseArg>,
    #[arg(
        long,
        help = meanings::SIGMA,
        long_help = meanings::with(
            meanings::SIGMA,
            "`integrated` integrates it out of the posterior, `sampled` samples it, and a number (in the \
             unit of the signal) fixes it. [default: integrated; sampled for Rician noise]"
        ),
        value_name = "SIGMA"
    )]
    sigma: Option<String>,
    /// Prior of the standard deviation with --sigma sampled, in the unit of the signal
    ///
    /// [default: log_uniform]
    #[arg(long, value_name = "PRIOR")]
    sigma_prior: Option<String>,
    /// Prior of a parameter, in its unit
    ///
    /// PRIOR is uniform, normal(mean, deviation), gamma(shape, scale), ard, ard(weight), ard(weight, least),
    /// log_uniform or energy(formula).
    #[arg(long, value_name = "NAME=PRIOR")]
    prior: Vec<String>,
    /// Write these quantiles of each parameter's samples, such as 0.025,0.5,0.975
    ///
    /// Writes NAME_quantiles, one volume per quantile.
    #[arg(long, value_name = "PART,PART,…", value_delimiter = ',')]
    quantiles: Vec<f64>,
    /// Start of the chains
    ///
    /// [default: fit]
    #[arg(long, value_name = "WHERE", value_enum)]
    begin_at: Option<BeginArg>,
    /// Save the state of the chains in state.nii.gz and state.json, for --resume
    #[arg(long)]
    save_state: bool,
    #[arg(
        long,
        help = meanings::RESUME,
        long_help = meanings::with(
            meanings::RESUME,
            "FILE is the state.nii.gz of the chains, with state.json next to it. The mask may be smaller. \
             Jumps, interval, device and threads may differ."
        ),
        value_name = "FILE"
    )]
    resume: Option<PathBuf>,
    #[command(flatten)]
    traces: TraceArgs,
}

/// Options of the plots of samples.
#[derive(Debug, Args)]
#[group(skip)]
struct TraceArgs {
    /// Plot the chains in the voxel with these indices, counted from 0
    ///
    /// The option can be given at most 8 times. [default: the example voxel of the report]
    #[arg(long, value_name = "I,J,K")]
    trace_voxel: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NoiseArg {
    Gaussian,
    /// Noise of magnitude images
    Rician,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BeginArg {
    /// Chains start at the best fit
    Fit,
    /// Chains start at the best result of the model's grid searches
    Search,
    /// Chains start at the start values of the model
    Model,
    /// Each chain starts at another place within the bounds
    Dispersed,
}

impl ChainArgs {
    /// Converts the options to the type of the library.
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
