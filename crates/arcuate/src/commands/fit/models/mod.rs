//! `arcuate fit MODEL`: fits any signal model in every voxel.

mod chains;
mod listing;
mod option_values;
mod overrides;
mod reading;

pub(super) use listing::beside_fit;

use crate::grammar::Grammar;
use crate::map_format::MapOptions;
use crate::meanings;
use crate::numbers::one_or_more;
use crate::precision::Precision;
use crate::series::GradientOptions;
use crate::stage_command::{Typed, TypedCommand};
use arcuate_core::Result;
use arcuate_model::fit::ModelMeasurements;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::stages;
use chains::ChainArgs;
use clap::Args;
use listing::Listing;
use option_values::{BoundsArg, CriterionArg, MethodArg, NamesArg};
use overrides::OverrideArgs;
use reading::model_names;
use std::path::PathBuf;

/// Options of `fit MODEL` and `fit --list`.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct FitOrList {
    #[command(flatten)]
    listing: Listing,
    #[command(flatten)]
    models: FitModels,
}

impl FitOrList {
    /// Returns true if random numbers are drawn.
    pub(super) fn draws(&self) -> bool {
        !self.listing.is_requested() && self.models.method == MethodArg::Mcmc
    }

    pub(super) fn has_gpu_implementation(&self) -> bool {
        !self.listing.is_requested()
    }
}

impl TypedCommand for FitOrList {
    fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        if self.listing.is_requested() {
            return self.listing.run(self.models.models.as_deref(), job);
        }
        self.models.run(job, grammar)
    }
}

/// Options of `fit MODEL`.
#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct FitModels {
    /// Models: names from `arcuate fit --list` or model files, separated by commas
    #[arg(value_name = "MODEL", required = true)]
    models: Option<String>,
    #[arg(help = meanings::DWI, required = true)]
    dwi: Option<PathBuf>,
    /// Output: folder for the maps
    #[arg(long, value_name = "FOLDER", required = true)]
    out: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::MASK,
        long_help = meanings::with(meanings::MASK, "[default: the brain that `arcuate mask` finds]"),
        value_name = "FILE"
    )]
    mask: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::MAX_B,
        long_help = meanings::with(meanings::MAX_B, "[default: all]"),
        value_name = "B",
        conflicts_with = "shells"
    )]
    max_b: Option<f64>,
    #[arg(
        long,
        help = meanings::SHELLS,
        long_help = meanings::with(
            meanings::SHELLS,
            "Measurements with b = 0 are always used, too. [default: all shells]"
        ),
        value_name = "B,B,…",
        value_delimiter = ','
    )]
    shells: Option<Vec<f64>>,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// Image of gradient deviations, such as grad_dev of FSL and of the HCP
    ///
    /// The image has nine volumes, which describe how the actual gradients in each voxel differ from the
    /// nominal ones. The HCP is the Human Connectome Project. Without this option, all voxels have the same
    /// gradients.
    #[arg(long, value_name = "IMAGE")]
    gradient_deviations: Option<PathBuf>,
    /// Method: algorithm that finds the parameters
    #[arg(long, value_name = "METHOD", value_enum, default_value = "lm")]
    method: MethodArg,
    /// Criterion that compares the models in each voxel
    ///
    /// The criterion is an information criterion: the model with its smallest value is the best. The criteria
    /// bic-maximum, dic and waic need --method mcmc.
    #[arg(long, value_name = "CRITERION", value_enum)]
    compare: Option<CriterionArg>,
    /// Write maps of these information criteria for each model
    ///
    /// The criteria bic-maximum, dic and waic need --method mcmc.
    #[arg(long, value_name = "CRITERION,…", value_enum, value_delimiter = ',')]
    criteria: Vec<CriterionArg>,
    #[arg(
        long,
        help = meanings::PREDICTED,
        long_help = meanings::with(
            meanings::PREDICTED,
            "Writes two series: the predicted signal of each measurement as predicted.nii.gz, and the \
             measured signal minus the predicted signal as residuals.nii.gz."
        )
    )]
    predicted: bool,
    #[arg(long, help = meanings::NAMES, value_enum, default_value = "arcuate")]
    names: NamesArg,
    #[command(flatten)]
    maps: MapOptions,
    /// Write a map of each parameter's standard error (Cramér–Rao bound): NAME_error
    #[arg(long)]
    standard_errors: bool,
    /// How the optimiser keeps parameters within their bounds
    ///
    /// `projection` ends a step of the optimiser where a parameter reaches its bound. `transform` fits an
    /// unbounded variable for each parameter. The parameter is a function of this variable that approaches
    /// the bounds but never reaches them.
    #[arg(long, value_name = "HOW", value_enum, default_value = "projection")]
    bounds: BoundsArg,
    /// Largest number of model evaluations per voxel and Levenberg–Marquardt stage
    #[arg(long, value_name = "N", default_value_t = stages::FitModels::EVALUATIONS, value_parser = one_or_more::<u32>)]
    evaluations: u32,
    #[arg(long, help = meanings::PRECISION, value_name = "PRECISION", value_enum, default_value = "single")]
    precision: Precision,
    // A help heading applies to all options after it. These options have a heading, so they follow all
    // options without one.
    #[command(flatten)]
    chains: ChainArgs,
    #[command(flatten)]
    gradients: GradientOptions,
}

impl Typed for FitModels {
    type Work = stages::FitModels;

    fn typed(&self) -> Result<stages::FitModels> {
        // The values cannot be missing here. The parser requires these arguments unless the user gave a
        // subcommand.
        let dwi = self.dwi.clone().unwrap_or_default();
        let words = model_names(self.models.as_deref().unwrap_or_default())?;
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
            overrides: self.overrides.overrides(),
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
