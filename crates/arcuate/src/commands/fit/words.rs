//! Words of the options of `arcuate fit`.

use arcuate_model::fit::BoundsMethod;
use arcuate_pipeline::stages::fit::{FitMethod, MapNames, ModelCriterion};
use clap::ValueEnum;

/// How parameters are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodArg {
    /// The best fit: a search and Levenberg–Marquardt, as the model has it
    Lm,
    /// Search alone: the best of all combinations of the values of grids; what has no grid stays where it starts
    Grid,
    /// Samples of the posterior distribution by Markov chains (Metropolis within Gibbs) that begin there
    Mcmc,
}

/// Whose names maps have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum NamesArg {
    /// As the model has them
    Arcuate,
    /// As the NODDI toolbox for MATLAB does: ficvf, fiso, odi
    Mdt,
    /// As AMICO does: fit_NDI, fit_FWF, fit_ODI
    Amico,
    /// As the brain imaging data structure wants: …_model-noddi_param-icvf_dwimap
    Bids,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CriterionArg {
    /// Akaike's, of the best fit
    Aic,
    /// The same, corrected for few measurements
    Aicc,
    /// The Bayesian one, of the best fit
    Bic,
    /// The Bayesian one, of the sample with the least sum of squares (--method mcmc)
    BicMaximum,
    /// Deviance information criterion, of samples (--method mcmc)
    Dic,
    /// Widely applicable information criterion, of samples (--method mcmc)
    Waic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum BoundsArg {
    Projection,
    Transform,
}

impl From<MethodArg> for FitMethod {
    fn from(method: MethodArg) -> Self {
        match method {
            MethodArg::Lm => Self::LevenbergMarquardt,
            MethodArg::Grid => Self::Grid,
            MethodArg::Mcmc => Self::Chains,
        }
    }
}

impl From<NamesArg> for MapNames {
    fn from(names: NamesArg) -> Self {
        match names {
            NamesArg::Arcuate => Self::Arcuate,
            NamesArg::Mdt => Self::Mdt,
            NamesArg::Amico => Self::Amico,
            NamesArg::Bids => Self::Bids,
        }
    }
}

impl From<CriterionArg> for ModelCriterion {
    fn from(criterion: CriterionArg) -> Self {
        match criterion {
            CriterionArg::Aic => Self::Aic,
            CriterionArg::Aicc => Self::Aicc,
            CriterionArg::Bic => Self::Bic,
            CriterionArg::BicMaximum => Self::BicMaximum,
            CriterionArg::Dic => Self::Dic,
            CriterionArg::Waic => Self::Waic,
        }
    }
}

impl From<BoundsArg> for BoundsMethod {
    fn from(bounds: BoundsArg) -> Self {
        match bounds {
            BoundsArg::Projection => Self::Projection,
            BoundsArg::Transform => Self::Transform,
        }
    }
}
