//! Options of chains.

use crate::language::Prior;
use arcuate_core::{Error, Result, Volume};

/// Options of chains. The default values are those of FSL's `bedpostx`.
#[derive(Debug, Clone)]
pub struct SampleOptions {
    /// Number of sweeps before the first sample (burn-in).
    pub burn_in: u32,
    /// Number of sweeps after the burn-in.
    pub jumps: u32,
    /// Number of sweeps from one stored sample to the next.
    pub interval: u32,
    /// Number of sweeps between two adaptations of the proposal widths. Widths are adapted to an acceptance
    /// rate of one half.
    pub window: u32,
    /// True if proposal widths also adapt after the burn-in, as in FSL. The distribution of such chains is
    /// not exactly the posterior.
    pub adapts_throughout: bool,
    /// Number of chains per voxel. With two or more chains, their agreement can be checked.
    pub chains: u32,
    /// Seed of the random numbers. The random numbers also depend on the voxel's index in the image, the
    /// chain, and the number of the sweep.
    pub random_seed: u64,
    /// The distribution of the noise.
    pub noise: Noise,
    /// The initial parameter values of chains.
    pub start: ChainStart,
    /// The order of interchangeable populations, such as fibres, in a voxel.
    pub order: PopulationOrder,
    /// True if the final state of the chains is kept ([`ModelSamples::state`](super::ModelSamples::state)).
    pub keeps_state: bool,
    /// Final state of earlier chains with the same model, noise and seed
    /// ([`ModelSamples::state`](super::ModelSamples::state)). The chains continue without burn-in, with the
    /// same proposal widths and order of populations. If the interval divides the number of earlier sweeps,
    /// the samples are bit-identical to those of one longer run. [`chain_identity`](super::chain_identity)
    /// checks that a state has the same data and options.
    pub state: Option<Volume<f64>>,
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self {
            burn_in: 1000,
            jumps: 1250,
            interval: 25,
            window: 40,
            adapts_throughout: false,
            chains: 1,
            random_seed: 0,
            noise: Noise::default(),
            start: ChainStart::Fit,
            order: PopulationOrder::First,
            keeps_state: false,
            state: None,
        }
    }
}

/// The distribution of measured signals around the model's signal.
#[derive(Debug, Clone)]
pub enum Noise {
    /// A normal distribution (Gaussian noise).
    Gaussian(Deviation),
    /// A Rician distribution: that of the magnitude of a complex number whose real and imaginary parts have
    /// normal noise.
    Rician(Deviation),
}

impl Default for Noise {
    fn default() -> Self {
        Self::Gaussian(Deviation::Integrated)
    }
}

/// Knowledge of the noise standard deviation σ.
#[derive(Debug, Clone)]
pub enum Deviation {
    /// σ is unknown. The density is integrated over σ with the prior 1/σ.
    Integrated,
    /// σ is sampled as an additional parameter with this prior, in the unit of the signal.
    Sampled(Prior),
    /// σ is known and has this value, in the unit of the signal.
    Known(f64),
}

/// The initial parameter values of chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ChainStart {
    /// The result of the best fit.
    #[default]
    Fit,
    /// The best combination of the model's searches.
    Search,
    /// The starting values of the model's fit.
    Model,
    /// Random values for every chain, within bounds and constraints. Scalars are uniformly distributed
    /// between both bounds. If a bound is missing, they are between 0.5 and 1.5 times the best fit.
    /// Orientations are uniformly distributed on the sphere. If such chains agree, a common start is not the
    /// reason.
    Dispersed,
}

/// The order of interchangeable populations, such as fibres, in the samples of a voxel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PopulationOrder {
    /// Descending by signal fraction in the first sample of the first chain. In that sample, populations of
    /// other chains are matched by similarity. Later samples have no influence, so that continued chains keep
    /// their order.
    #[default]
    First,
    /// Descending by mean signal fraction over all samples, as in FSL. Populations of other chains are
    /// matched by the similarity of their means.
    Means,
}

/// Maximum number of sweeps of a chain. Up to this number, each random draw has its own index.
const MAX_SWEEPS: u32 = 1 << 24;
/// Maximum number of chains per voxel.
const MAX_CHAINS: u32 = 1 << 10;

impl SampleOptions {
    /// Returns the number of samples per chain.
    pub fn samples(&self) -> usize {
        (self.jumps / self.interval.max(1)) as usize
    }

    /// Returns an error if these options would give no samples, or are not supported.
    pub(super) fn check(&self) -> Result<()> {
        let refuse =
            |subject: &str, problem: String, advice: &str| Err(Error::usage(subject, problem, advice));
        if self.interval == 0 || self.window == 0 || self.chains == 0 {
            let subject = if self.chains == 0 { "‘chains’" } else { "‘interval’, ‘adapt_every’" };
            return refuse(subject, "there is none of length 0".to_owned(), "give 1 or more");
        }
        if self.samples() == 0 {
            let problem = format!("{} sweeps have no {}th", self.jumps, self.interval);
            return refuse("‘jumps’", problem, "let there be more, or keep more of them");
        }
        if self.burn_in.saturating_add(self.jumps) > MAX_SWEEPS || self.chains > MAX_CHAINS {
            let problem =
                format!("{} chains of {} and {} sweeps are too many", self.chains, self.burn_in, self.jumps);
            let advice = format!("there can be {MAX_CHAINS} chains of {MAX_SWEEPS} sweeps");
            return refuse("‘jumps’", problem, &advice);
        }
        if self.order == PopulationOrder::Means && (self.keeps_state || self.state.is_some()) {
            let problem = "resumed chains cannot order populations by means over all samples".to_owned();
            return refuse("‘resume’", problem, "let the first sample name them");
        }
        let (Noise::Gaussian(deviation) | Noise::Rician(deviation)) = &self.noise;
        match (&self.noise, deviation) {
            (Noise::Rician(_), Deviation::Integrated) => refuse(
                "‘sigma’",
                "no formula integrates a Rician density over σ".to_owned(),
                "let σ be sampled or known",
            ),
            (_, Deviation::Known(sigma)) if !(*sigma > 0.0 && sigma.is_finite()) => refuse(
                "‘sigma’, ‘sigma_prior’",
                format!("{sigma} is not a standard deviation of noise"),
                "give a number above 0",
            ),
            (_, Deviation::Sampled(Prior::Energy(_))) => refuse(
                "‘sigma’, ‘sigma_prior’",
                "its prior is a formula, which only parameters of the model can have".to_owned(),
                "write uniform, normal, gamma or log_uniform",
            ),
            _ => Ok(()),
        }
    }
}
