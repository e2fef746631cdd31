//! Options of `xfibres`, also used by `bedpostx`.

use super::grammar::{Found, Rule, flag, valued};
use arcuate_core::{Error, Result};
use arcuate_model::fit::sample::{Deviation, Noise, PopulationOrder, SampleOptions};
use arcuate_model::language::Prior;
use arcuate_model::models::FibreForm;
use std::path::PathBuf;

pub(super) const RULES: &[Rule] = &[
    valued(&["k", "datafile", "data"]),
    valued(&["m", "maskfile", "mask"]),
    valued(&["r", "bvecs"]),
    valued(&["b", "bvals"]),
    valued(&["ld", "logdir"]),
    flag(&["forcedir"]),
    valued(&["nf", "nfibres"]),
    valued(&["model"]),
    valued(&["fudge"]),
    valued(&["nj", "njumps"]),
    valued(&["bi", "burnin"]),
    // FSL accepts this option without effect.
    valued(&["bn", "burnin_noard"]),
    valued(&["se", "sampleevery"]),
    valued(&["upe", "updateproposalevery"]),
    valued(&["seed"]),
    flag(&["noard"]),
    flag(&["allard"]),
    // FSL's options for the start of the Markov chains. They have no effect, because the chains always start
    // from Arcuate's fit.
    flag(&["nospat"]),
    flag(&["nonlinear"]),
    flag(&["cnonlinear"]),
    flag(&["rician"]),
    flag(&["f0"]),
    flag(&["ardf0"]),
    valued(&["Rmean"]),
    valued(&["Rstd"]),
    valued(&["Rfudge"]),
    valued(&["gradnonlin"]),
    flag(&["V", "verbose"]),
    flag(&["h", "help"]),
];

/// Fibres with automatic relevance determination (ARD).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relevance {
    NoFibre,
    AllButTheFirst,
    All,
}

/// Prior of the zeppelins' diffusivity ratio, perpendicular over parallel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RatioPrior {
    pub(super) mean: f64,
    pub(super) deviation: f64,
    /// Weight of ARD at high diffusivity. 0: no ARD.
    pub(super) fudge: f64,
}

/// Sampling options of `xfibres`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chains {
    pub(super) form: FibreForm,
    pub(super) fibres: usize,
    pub(super) relevance: Relevance,
    pub(super) fudge: f64,
    /// If set, the model has an unattenuated part of the signal. The value is true if ARD applies to this
    /// part.
    pub(super) floor: Option<bool>,
    pub(super) ratio: RatioPrior,
    pub(super) is_rician: bool,
    pub(super) jumps: u32,
    pub(super) burn_in: u32,
    pub(super) interval: u32,
    pub(super) window: u32,
    pub(super) seed: i64,
}

/// Maximum number of fibres, which limits the number of parameters of a chain.
const MAX_FIBRES: usize = 16;

impl Chains {
    /// Reads the sampling options. An invalid number is an error of the command line.
    pub(super) fn read(found: &Found) -> Result<Self> {
        let form = match found.number("model", 1u32)? {
            1 => FibreForm::Sticks,
            2 => FibreForm::GammaSticks,
            3 => FibreForm::Zeppelins,
            other => {
                return Err(Error::usage("--model", format!("there is no model {other}"), "give 1, 2 or 3"));
            }
        };
        let relevance = match (found.is_set("noard"), found.is_set("allard")) {
            (true, _) => Relevance::NoFibre,
            (false, true) => Relevance::All,
            (false, false) => Relevance::AllButTheFirst,
        };
        Ok(Self {
            form,
            fibres: found.number("nfibres", 1)?,
            relevance,
            fudge: found.number("fudge", 1.0)?,
            floor: found.is_set("f0").then(|| found.is_set("ardf0")),
            ratio: RatioPrior {
                mean: found.number("Rmean", 0.13)?,
                deviation: found.number("Rstd", 0.03)?,
                fudge: found.number("Rfudge", 0.0)?,
            },
            is_rician: found.is_set("rician"),
            jumps: found.number("njumps", 1250)?,
            burn_in: found.number("burnin", 1000)?,
            interval: found.number("sampleevery", 25)?,
            window: found.number("updateproposalevery", 40)?,
            seed: found.number("seed", 8_665_904)?,
        })
    }

    /// Returns an error if options have invalid values or do not fit together.
    pub(super) fn check(&self, found: &Found) -> Result<()> {
        let refuse =
            |subject: &str, problem: String, advice: &str| Err(Error::usage(subject, problem, advice));
        if found.is_set("noard") && found.is_set("allard") {
            return refuse("--allard", "it contradicts --noard".to_owned(), "remove one of the two");
        }
        if found.is_set("ardf0") && !found.is_set("f0") {
            tracing::warn!("--ardf0 has no effect without --f0");
        }
        if !(1..=MAX_FIBRES).contains(&self.fibres) {
            let problem = format!("{} fibres cannot be sampled", self.fibres);
            return refuse("--nfibres", problem, &format!("give 1 to {MAX_FIBRES}"));
        }
        if !(self.fudge >= 0.0 && self.fudge.is_finite()) {
            return refuse(
                "--fudge",
                format!("{} is not a weight", self.fudge),
                "give a weight of 0 or more",
            );
        }
        let ratio = &self.ratio;
        let is_ratio =
            ratio.mean > 0.0 && ratio.mean < 1.0 && ratio.deviation > 0.0 && ratio.deviation.is_finite();
        if !(is_ratio && ratio.fudge >= 0.0 && ratio.fudge.is_finite()) {
            let problem = format!(
                "a mean of {}, a standard deviation of {} and a weight of {} do not define a prior of a \
                 ratio",
                ratio.mean, ratio.deviation, ratio.fudge
            );
            return refuse(
                "--Rmean, --Rstd, --Rfudge",
                problem,
                "give a mean between 0 and 1, a standard deviation above 0, and a weight of at least 0",
            );
        }
        if self.interval == 0 || self.jumps / self.interval == 0 {
            let problem =
                format!("{} jumps with one sample every {} jumps give no samples", self.jumps, self.interval);
            return refuse(
                "--njumps, --sampleevery",
                problem,
                "use more jumps, or a smaller sampling \
                interval",
            );
        }
        if self.window == 0 {
            return refuse("--updateproposalevery", "it is 0".to_owned(), "give 1 or more");
        }
        Ok(())
    }

    /// Returns the options for the sampler.
    pub(super) fn sampling(&self) -> SampleOptions {
        SampleOptions {
            burn_in: self.burn_in,
            jumps: self.jumps,
            interval: self.interval,
            window: self.window,
            adapts_throughout: true,
            random_seed: self.seed as u64,
            noise: if self.is_rician {
                // FSL's prior is uniform in the noise precision τ = 1/σ². In terms of σ, this prior is
                // proportional to σ⁻³.
                Noise::Rician(Deviation::Sampled(Prior::Relevance { weight: 3.0, least: 0.0 }))
            } else {
                Noise::Gaussian(Deviation::Integrated)
            },
            order: PopulationOrder::Means,
            ..SampleOptions::default()
        }
    }
}

/// Input files of `xfibres`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inputs {
    pub(super) data: PathBuf,
    pub(super) mask: PathBuf,
    pub(super) bvecs: PathBuf,
    pub(super) bvals: PathBuf,
    /// Image of the gradient deviations.
    pub(super) deviations: Option<PathBuf>,
}

impl Inputs {
    /// Reads the input files from the options. Returns an error if one is missing.
    pub(super) fn read(found: &Found) -> Result<Self> {
        let file = |name: &str| {
            found.text(name).map(PathBuf::from).ok_or_else(|| {
                let advice = "--data, --mask, --bvecs and --bvals are needed; -h lists all options";
                Error::usage(format_args!("--{name}"), "it is missing", advice)
            })
        };
        Ok(Self {
            data: file("data")?,
            mask: file("mask")?,
            bvecs: file("bvecs")?,
            bvals: file("bvals")?,
            deviations: found.text("gradnonlin").map(PathBuf::from),
        })
    }
}
