//! Values of options of `arcuate fit`.

use arcuate_model::fit::BoundsMethod;
use arcuate_pipeline::stages::fit::{FitMethod, MapNames, ModelCriterion};
use clap::ValueEnum;

/// How parameters are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodArg {
    /// Find the best fit: by a grid search, and then by the Levenberg–Marquardt method
    Lm,
    /// Find the best combination of the parameter values in the model's search grids
    Grid,
    /// Draw samples of the posterior distribution by Markov chains (Metropolis within Gibbs)
    Mcmc,
}

/// Naming scheme of the maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum NamesArg {
    /// Names that the model gives to its parameters and outputs
    Arcuate,
    /// Names as in the NODDI toolbox for MATLAB: ficvf (intra-cellular volume fraction), fiso (isotropic
    /// volume fraction), odi (orientation dispersion index)
    Mdt,
    /// Names as in AMICO: fit_NDI (neurite density index), fit_FWF (free-water fraction), fit_ODI
    /// (orientation dispersion index)
    Amico,
    /// Names as in BIDS derivatives, such as …_model-noddi_param-icvf_dwimap
    Bids,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CriterionArg {
    /// Akaike information criterion (AIC) of the best fit
    Aic,
    /// Akaike information criterion of the best fit, corrected for few measurements (AICc)
    Aicc,
    /// Bayesian information criterion (BIC) of the best fit
    Bic,
    /// Bayesian information criterion (BIC) of the posterior sample with the smallest sum of squared
    /// residuals
    BicMaximum,
    /// Deviance information criterion (DIC) of the posterior samples
    Dic,
    /// Widely applicable information criterion (WAIC) of the posterior samples
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
