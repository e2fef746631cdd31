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
    /// Number of sweeps (updates of all parameters) before the first sample
    ///
    /// [default: 1000]
    #[arg(long, value_name = "N")]
    burn_in: Option<u32>,
    /// Number of sweeps (updates of all parameters) after --burn-in
    ///
    /// [default: 1250]
    #[arg(long, value_name = "N")]
    jumps: Option<u32>,
    /// Number of sweeps (updates of all parameters) per sample
    ///
    /// [default: 25]
    #[arg(long, value_name = "N")]
    interval: Option<u32>,
    /// Number of sweeps of --burn-in between two adaptations of the proposal widths
    ///
    /// The proposal width of a parameter is the standard deviation of its random steps. [default: 40]
    #[arg(long, value_name = "N")]
    adapt_every: Option<u32>,
    /// Number of Markov chains per voxel
    ///
    /// If there are two or more chains, the convergence measure R̂ of each parameter is also computed.
    /// [default: 1]
    #[arg(long, value_name = "N")]
    chains: Option<u32>,
    /// Probability distribution of the noise
    ///
    /// [default: gaussian]
    #[arg(long, value_name = "DISTRIBUTION", value_enum)]
    noise: Option<NoiseArg>,
    #[arg(
        long,
        help = meanings::SIGMA,
        long_help = meanings::with(
            meanings::SIGMA,
            "`integrated` integrates the standard deviation out of the posterior distribution. `sampled` \
             samples it as a parameter. A number in the unit of the signal fixes it. [default: integrated \
             for Gaussian noise, sampled for Rician noise]"
        ),
        value_name = "SIGMA"
    )]
    sigma: Option<String>,
    /// Prior distribution of the noise's standard deviation, for --sigma sampled
    ///
    /// PRIOR has the syntax of --prior. The standard deviation has the unit of the signal. [default:
    /// log_uniform]
    #[arg(long, value_name = "PRIOR")]
    sigma_prior: Option<String>,
    /// Prior distribution of a parameter, with numbers in the unit of the parameter
    ///
    /// PRIOR is uniform, normal(mean, deviation), gamma(shape, scale), log_uniform, ard, ard(weight),
    /// ard(weight, least) or energy(formula). `ard` (automatic relevance determination) shrinks the parameter
    /// x to 0: the density is proportional to x^(−weight) if x is at least `least`, and 0 if x is smaller. By
    /// default, weight is 1 and least is 0.001. In energy(formula), the formula is minus the logarithm of the
    /// density.
    #[arg(long, value_name = "NAME=PRIOR")]
    prior: Vec<String>,
    /// Write these quantiles of each parameter's samples, such as 0.025,0.5,0.975
    ///
    /// For each parameter NAME, writes the map NAME_quantiles with one volume per quantile.
    #[arg(long, value_name = "PART,PART,…", value_delimiter = ',')]
    quantiles: Vec<f64>,
    /// Parameter values at which the Markov chains start
    ///
    /// [default: fit]
    #[arg(long, value_name = "WHERE", value_enum)]
    begin_at: Option<BeginArg>,
    /// Save the state of the Markov chains in state.nii.gz and state.json, for --resume
    #[arg(long)]
    save_state: bool,
    #[arg(
        long,
        help = meanings::RESUME,
        long_help = meanings::with(
            meanings::RESUME,
            "FILE is the state.nii.gz that --save-state wrote, with state.json next to it. The mask may be \
             smaller than in the earlier run. --jumps, --interval, --device and --threads may differ from \
             the earlier run."
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
    /// Plot the Markov chains in the voxel with these indices, counted from 0
    ///
    /// The option can be given at most 8 times. Without it, the example voxel of the report is plotted.
    /// [default: the example voxel of the report]
    #[arg(long, value_name = "I,J,K")]
    trace_voxel: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NoiseArg {
    Gaussian,
    /// Rician noise, as in magnitude images
    Rician,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BeginArg {
    /// Chains start at the best fit of the voxel
    Fit,
    /// Chains start at the best result of the model's grid searches in the voxel
    Search,
    /// Chains start at the start values that the model defines
    Model,
    /// Each chain of a voxel starts at other parameter values within the bounds
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
