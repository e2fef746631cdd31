//! Values of options of `arcuate fit`.

use arcuate_model::fit::BoundsMethod;
use arcuate_pipeline::stages::fit::{FitMethod, MapNames, ModelCriterion};
use clap::ValueEnum;

/// How parameters are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodArg {
    /// Best fit: a grid search, then the Levenberg–Marquardt method
    Lm,
    /// Grid search only: the best combination of the values in the model's grids
    Grid,
    /// Samples of the posterior by Markov chains (Metropolis within Gibbs)
    Mcmc,
}

/// Naming scheme of the maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum NamesArg {
    /// Names of the model
    Arcuate,
    /// Names as in the NODDI toolbox for MATLAB: ficvf, fiso, odi
    Mdt,
    /// Names as in AMICO: fit_NDI, fit_FWF, fit_ODI
    Amico,
    /// Names as in BIDS: …_model-noddi_param-icvf_dwimap
    Bids,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CriterionArg {
    /// Akaike information criterion of the best fit
    Aic,
    /// Akaike information criterion, corrected for few measurements
    Aicc,
    /// Bayesian information criterion of the best fit
    Bic,
    /// Bayesian information criterion of the sample with the smallest sum of squared residuals
    BicMaximum,
    /// Deviance information criterion of the samples
    Dic,
    /// Widely applicable information criterion of the samples
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
