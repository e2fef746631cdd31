//! `arcuate fit MODEL`: any signal model in every voxel.

use super::chains::ChainArgs;
use super::reading::model_words;
use super::wishes::WishArgs;
use super::words::{BoundsArg, CriterionArg, MethodArg, NamesArg};
use crate::map_format::MapOptions;
use crate::numbers::one_or_more;
use crate::precision::Precision;
use crate::references;
use crate::series::GradientOptions;
use crate::stage_command::Typed;
use arcuate_core::Result;
use arcuate_model::fit::ModelMeasurements;
use arcuate_pipeline::stages;
use arcuate_pipeline::stages::fit::REFERENCES;
use clap::Args;
use std::path::PathBuf;

/// What `fit` takes for models.
#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct FitModels {
    /// Model to fit, by its name (`arcuate models` lists them) or as a file; several, separated by commas, are compared
    #[arg(value_name = "MODEL", required = true)]
    models: Option<String>,
    /// Diffusion series, 4-D
    #[arg(required = true)]
    dwi: Option<PathBuf>,
    /// Where the result goes; a folder for the maps
    #[arg(long, value_name = "FOLDER", required = true)]
    out: Option<PathBuf>,
    /// Mask of the voxels that count; found in the series by default
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Fit to b-values up to this many s/mm²
    #[arg(long, value_name = "B", conflicts_with = "shells")]
    max_b: Option<f64>,
    /// Shells to take, by their b-values in s/mm²; b = 0 is taken too
    #[arg(long, value_name = "B,B,…", value_delimiter = ',')]
    shells: Option<Vec<f64>>,
    #[command(flatten)]
    wishes: WishArgs,
    /// How gradients deviate from the table in each voxel: nine volumes, as FSL and the Human Connectome Project write them
    /// (grad_dev)
    #[arg(long, value_name = "IMAGE")]
    gradient_deviations: Option<PathBuf>,
    /// Method, of those that the command has; how parameters are found
    #[arg(long, value_name = "METHOD", value_enum, default_value = "lm")]
    method: MethodArg,
    /// By which criterion models are compared, voxel by voxel
    #[arg(long, value_name = "CRITERION", value_enum)]
    compare: Option<CriterionArg>,
    /// Write information criteria of each model, of one alone too: aic, aicc, bic, and of chains bic-maximum, dic, waic
    #[arg(long, value_name = "CRITERION,…", value_enum, value_delimiter = ',')]
    criteria: Vec<CriterionArg>,
    /// Write the series that the model predicts; predicted.nii.gz, and what it leaves, residuals.nii.gz
    #[arg(long)]
    predicted: bool,
    /// What maps are called; as the model has them, or as other programs would
    #[arg(long, value_enum, default_value = "arcuate")]
    names: NamesArg,
    #[command(flatten)]
    maps: MapOptions,
    /// Write standard errors too (Cramér–Rao bound): NAME_error
    #[arg(long)]
    standard_errors: bool,
    /// How bounds are kept: steps end there, or parameters are transformed so that bounds are only approached (within rounding
    /// a fit may end at one)
    #[arg(long, value_name = "HOW", value_enum, default_value = "projection")]
    bounds: BoundsArg,
    /// Evaluations of the signal in a voxel at most, in each Levenberg–Marquardt stage
    #[arg(long, value_name = "N", default_value_t = stages::FitModels::EVALUATIONS, value_parser = one_or_more::<u32>)]
    evaluations: u32,
    /// Precision of the arithmetic
    #[arg(long, value_name = "PRECISION", value_enum, default_value = "single")]
    precision: Precision,
    // Behind what has no heading: the heading of its options is that of all behind it.
    #[command(flatten)]
    chains: ChainArgs,
    #[command(flatten)]
    gradients: GradientOptions,
}

/// The references in the help of the command.
pub(crate) fn reference_help() -> String {
    references::help(REFERENCES)
}

impl FitModels {
    pub(super) fn has_chains(&self) -> bool {
        self.method == MethodArg::Mcmc
    }
}

impl Typed for FitModels {
    type Work = stages::FitModels;

    fn typed(&self) -> Result<stages::FitModels> {
        // clap asks for these unless there is a subcommand.
        let dwi = self.dwi.clone().unwrap_or_default();
        let words = model_words(self.models.as_deref().unwrap_or_default())?;
        Ok(stages::FitModels {
            models: words.into_iter().map(str::to_owned).collect(),
            series: self.gradients.series(&dwi),
            mask: self.mask.clone(),
            out: self.out.clone().unwrap_or_default(),
            measurements: match (self.max_b, &self.shells) {
                (Some(b), _) => ModelMeasurements::UpTo(b),
                (None, Some(shells)) => ModelMeasurements::Shells(shells.clone()),
                (None, None) => ModelMeasurements::All,
            },
            wishes: self.wishes.wishes(),
            gradient_deviations: self.gradient_deviations.clone(),
            method: self.method.into(),
            chains: self.chains.options(),
            compare: self.compare.map(Into::into),
            criteria: self.criteria.iter().copied().map(Into::into).collect(),
            predicted: self.predicted,
            names: self.names.into(),
            format: self.maps.format(),
            standard_errors: self.standard_errors,
            bounds: self.bounds.into(),
            evaluations: self.evaluations,
            precision: self.precision.into(),
        })
    }
}
