//! How chains are run.

use crate::language::Prior;
use arcuate_core::{Error, Result, Volume};

/// How chains are run: the numbers that FSL's `bedpostx` has, unless something else is asked for.
#[derive(Debug, Clone)]
pub struct SampleOptions {
    /// Sweeps before the first sample.
    pub burn_in: u32,
    /// Sweeps behind them.
    pub jumps: u32,
    /// Of these, every so many-th is a sample.
    pub interval: u32,
    /// After every so many sweeps the width of each proposal is changed, so that half of them are accepted.
    pub window: u32,
    /// Whether widths change behind the burn-in too, as FSL has it; a chain that is to have the posterior as its
    /// distribution does not.
    pub adapts_throughout: bool,
    /// Chains of a voxel; two and more can be compared.
    pub chains: u32,
    /// What the draws depend on, beside the voxel's place in the image, the chain, and the number of the sweep.
    pub random_seed: u64,
    /// What is known of the noise.
    pub noise: Noise,
    /// Where chains begin.
    pub start: ChainStart,
    /// Which of a voxel's populations comes first.
    pub order: PopulationOrder,
    /// Whether the state that chains end in is kept ([`ModelSamples::state`](super::ModelSamples::state)).
    pub keeps_state: bool,
    /// Where chains of the same model, noise and seed ended ([`ModelSamples::state`](super::ModelSamples::state)): these go on from
    /// there, with widths of proposals that stay, the order of populations that they have, and no burn-in. With intervals that
    /// divide what was done before, samples are those that one longer run would have had, bit for bit. Whether a state is that of
    /// the same data and options is for [`chain_identity`](super::chain_identity) to say.
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

/// The distribution of measured signals around the model's.
#[derive(Debug, Clone)]
pub enum Noise {
    /// Normal.
    Gaussian(Deviation),
    /// That of the modulus of a complex number, both of whose parts have normal noise.
    Rician(Deviation),
}

impl Default for Noise {
    fn default() -> Self {
        Self::Gaussian(Deviation::Integrated)
    }
}

/// What is known of the noise's standard deviation σ.
#[derive(Debug, Clone)]
pub enum Deviation {
    /// Nothing: the density is integrated over it with the prior 1/σ.
    Integrated,
    /// A prior, in units of the signal; it is one more parameter of the chain.
    Sampled(Prior),
    /// All of it, in units of the signal.
    Known(f64),
}

/// Where chains begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChainStart {
    /// At the best fit.
    #[default]
    Fit,
    /// At the best that the model's searches find.
    Search,
    /// Where the model has its fits start.
    Model,
    /// Every chain elsewhere, anywhere within bounds and constraints: numbers uniform between both bounds, or within a half and
    /// one and a half times the best fit's where there are not two; orientations uniform on the sphere. Chains that then agree
    /// have not done so because they began at one place.
    Dispersed,
}

/// Which of several populations that could change places, as those of fibres, comes first in the samples of a voxel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PopulationOrder {
    /// That with the largest part of the signal in the first sample of the first chain. Populations of other chains are those that
    /// are most like them there. What later samples are does not count, so that chains that go on have the names that they had.
    #[default]
    First,
    /// That with the largest mean part of the signal over all samples, as FSL has it. Populations of other chains are those
    /// that are most like them on average.
    Means,
}

/// Sweeps at most, so that each draw has a number of its own.
const MOST_SWEEPS: u32 = 1 << 24;
/// Chains of a voxel at most.
const MOST_CHAINS: u32 = 1 << 10;

impl SampleOptions {
    /// Samples of a chain.
    pub fn samples(&self) -> usize {
        (self.jumps / self.interval.max(1)) as usize
    }

    /// Fails where there would be no samples, or none of this kind.
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
        if self.burn_in.saturating_add(self.jumps) > MOST_SWEEPS || self.chains > MOST_CHAINS {
            let problem =
                format!("{} chains of {} and {} sweeps are too many", self.chains, self.burn_in, self.jumps);
            let advice = format!("there can be {MOST_CHAINS} chains of {MOST_SWEEPS} sweeps");
            return refuse("‘jumps’", problem, &advice);
        }
        if self.order == PopulationOrder::Means && (self.keeps_state || self.state.is_some()) {
            let problem = "chains that go on cannot name populations by means over all of them".to_owned();
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
                format!("{sigma} is no standard deviation of noise"),
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
