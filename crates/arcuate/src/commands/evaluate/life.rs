use crate::map_format::MapOptions;
use crate::numbers::one_or_more;
use crate::precision::Precision;
use crate::references;
use crate::series::GradientOptions;
use crate::stage_command::Typed;
use arcuate_core::{Error, Orientations, Result};
use arcuate_evaluate::encoding::NodeValue;
use arcuate_evaluate::{LifeOptions, Normalisation, Solver};
use arcuate_pipeline::stages;
use arcuate_pipeline::stages::life::REFERENCES;
use arcuate_solve::StoppingRule;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Linear Fascicle Evaluation: non-negative weights with which the streamlines predict the signal best
///
/// Writes life_weights.txt (one row per streamline, 0 where unsupported), tracks_weighted.trx (all streamlines, weights
/// as dps/life_weights), tracks_supported.trx (those above 0), life_rmse_before/after.nii.gz (what the mean signal of each
/// shell leaves, and what the weighted streamlines leave) and life_trace.csv.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct EvaluateLife {
    /// Tractogram
    #[arg(value_name = "TRACKS")]
    tractogram: PathBuf,
    /// Diffusion series, 4-D
    #[arg(long, value_name = "FILE")]
    dwi: PathBuf,
    /// Where the result goes; a folder
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Mask of the voxels that count; all that streamlines pass by default
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Precision of the arithmetic
    #[arg(long, value_enum, default_value_t = Precision::Single)]
    precision: Precision,
    #[command(flatten)]
    maps: MapOptions,
    /// A group of streamlines to remove virtually: the name of a group of a .trx, or a text file of streamline numbers
    /// (from 0); may be given again
    #[arg(long, value_name = "GROUP")]
    lesion: Vec<String>,
    /// Refit the remaining streamlines after each lesion
    #[arg(long, requires = "lesion")]
    refit: bool,
    #[command(flatten)]
    gradients: GradientOptions,
    #[command(flatten)]
    life: LifeArgs,
}

/// Options of the model and of its solver.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "LiFE")]
pub(crate) struct LifeArgs {
    /// Shells to take, by their b-values in s/mm²; by default those of 15 axes or more, or of as many as the largest has where
    /// that has fewer. The mean signal of each shell is left free
    #[arg(long, value_name = "B,B,…", value_delimiter = ',')]
    shells: Option<Vec<f64>>,
    /// λ₁,λ₂,λ₃ of a fascicle's tensor in µm²/ms, λ₂ = λ₃
    #[arg(long, value_name = "L1,L2,L3", default_value = "1,0,0", value_parser = parse_eigenvalues)]
    eigenvalues: Eigenvalues,
    /// Orientations that responses are tabulated for; a number of them, or a text file of directions (scanner axes)
    #[arg(long, value_name = "WHICH", default_value = "1057")]
    orientations: String,
    /// Divide the signal of a voxel by the mean of its b = 0 measurements, as DIPY; without it the prediction is
    /// multiplied with that mean, so that voxels count by their brightness
    #[arg(long)]
    normalise_signal: bool,
    /// What a point of a streamline counts: 1, or its length in mm
    #[arg(long, value_enum, default_value_t = NodeValueArg::Count)]
    node_value: NodeValueArg,
    /// Algorithm of the fit
    #[arg(long, value_enum, default_value_t = SolverArg::BarzilaiBorwein)]
    solver: SolverArg,
    /// Penalty that regularises the result; on the streamlines, which leaves fewer of them (ReAl-LiFE)
    #[arg(long, value_name = "PENALTY", value_enum, default_value_t = Regularise::None)]
    regularise: Regularise,
    /// Strength of the penalty; a fraction of the smallest that leaves no streamline, max(Mᵀy), from 0 to below 1: it means
    /// the same in any unit of the signal
    #[arg(long, value_name = "LAMBDA")]
    lambda: Option<f64>,
    /// Iterations end below this fraction; of the projected gradient without streamlines
    #[arg(long, value_name = "FRACTION", default_value_t = StoppingRule::default().tolerance)]
    tolerance: f64,
    /// Iterations at most
    #[arg(
        long,
        value_name = "N",
        default_value_t = StoppingRule::default().iterations,
        value_parser = one_or_more::<usize>
    )]
    iterations: usize,
}

#[derive(Debug, Clone, Copy)]
struct Eigenvalues([f64; 3]);

fn parse_eigenvalues(text: &str) -> std::result::Result<Eigenvalues, String> {
    let number = |word: &str| word.trim().parse().map_err(|_| format!("`{}` is no number", word.trim()));
    let numbers = text.split(',').map(number).collect::<std::result::Result<Vec<f64>, String>>()?;
    numbers.try_into().map(Eigenvalues).map_err(|_| "expected three numbers such as 1.7,0.3,0.3".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Regularise {
    None,
    /// λ Σ w: few streamlines
    Lasso,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum NodeValueArg {
    Count,
    Length,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SolverArg {
    BarzilaiBorwein,
    Sbbnnls,
}

impl LifeArgs {
    /// The options of the library; directions of a file are none yet.
    fn options(&self) -> Result<LifeOptions> {
        let l1 = match (self.regularise, self.lambda) {
            (Regularise::None, None) => 0.0,
            (Regularise::Lasso, Some(lambda)) => lambda,
            (Regularise::Lasso, None) => {
                let advice = "give --lambda, such as 0.1";
                return Err(Error::usage("--regularise", "its strength is not said", advice));
            }
            (Regularise::None, Some(_)) => {
                let problem = "there is no penalty it could be of";
                return Err(Error::usage("--lambda", problem, "give --regularise lasso"));
            }
        };
        let default = LifeOptions::default();
        Ok(LifeOptions {
            shells: self.shells.clone(),
            eigenvalues: self.eigenvalues.0,
            orientations: self
                .number_of_orientations()?
                .map_or(default.orientations, Orientations::half_sphere),
            node_value: match self.node_value {
                NodeValueArg::Count => NodeValue::Count,
                NodeValueArg::Length => NodeValue::Length,
            },
            normalisation: if self.normalise_signal {
                Normalisation::Relative
            } else {
                Normalisation::Signal
            },
            solver: match self.solver {
                SolverArg::BarzilaiBorwein => Solver::ProjectedBarzilaiBorwein,
                SolverArg::Sbbnnls => Solver::Sbbnnls,
            },
            l1,
            stopping: StoppingRule { tolerance: self.tolerance, iterations: self.iterations },
        })
    }

    /// How many orientations there are, unless a file says which.
    fn number_of_orientations(&self) -> Result<Option<usize>> {
        match self.orientations.parse::<usize>() {
            Ok(count) if !(6..=1 << 16).contains(&count) => {
                let problem = format!("{count} orientations do not make a dictionary");
                Err(Error::usage("--orientations", problem, "give 6 to 65536"))
            }
            number => Ok(number.ok()),
        }
    }
}

impl Typed for EvaluateLife {
    type Work = stages::EvaluateLife;

    fn typed(&self) -> Result<stages::EvaluateLife> {
        let is_file = self.life.number_of_orientations()?.is_none();
        Ok(stages::EvaluateLife {
            mask: self.mask.clone(),
            options: self.life.options()?,
            orientations: is_file.then(|| PathBuf::from(&self.life.orientations)),
            precision: self.precision.into(),
            lesions: self.lesion.clone(),
            refit: self.refit,
            format: self.maps.format(),
            ..stages::EvaluateLife::new(&self.tractogram, self.gradients.series(&self.dwi), &self.out)
        })
    }
}
