use crate::map_format::MapOptions;
use crate::meanings;
use crate::numbers::one_or_more;
use crate::precision::Precision;
use crate::series::GradientOptions;
use crate::stage_command::Typed;
use arcuate_core::{Error, Orientations, Result};
use arcuate_evaluate::encoding::NodeValue;
use arcuate_evaluate::{LifeOptions, Normalisation, Solver};
use arcuate_pipeline::stages;
use arcuate_solve::StoppingRule;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Weight streamlines by Linear Fascicle Evaluation (LiFE)
///
/// Finds the non-negative weights with which the streamlines predict the measured signal best. Writes
/// life_weights.txt with one row per streamline; the weight is 0 if the signal does not support the
/// streamline. Writes tracks_weighted.trx with all streamlines (weights as dps/life_weights), and
/// tracks_supported.trx with the streamlines whose weight is above 0. Writes life_trace.csv with the
/// iterations of the solver. Also writes maps of the root-mean-square error without streamlines
/// (life_rmse_before.nii.gz) and with streamlines (life_rmse_after.nii.gz).
#[derive(Debug, Args)]
pub(crate) struct EvaluateLife {
    #[arg(help = meanings::TRACTOGRAM, value_name = "TRACKS")]
    tractogram: PathBuf,
    #[arg(long, help = meanings::DWI, value_name = "FILE")]
    dwi: PathBuf,
    /// Output: folder for the streamline weights and the maps
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[arg(
        long,
        help = meanings::MASK,
        long_help = meanings::with(meanings::MASK, "[default: all voxels that streamlines pass]"),
        value_name = "FILE"
    )]
    mask: Option<PathBuf>,
    #[arg(long, help = meanings::PRECISION, value_enum, default_value_t = Precision::Single)]
    precision: Precision,
    #[command(flatten)]
    maps: MapOptions,
    /// Group of streamlines to remove virtually (virtual lesion); can be repeated
    ///
    /// GROUP is the name of a group in a .trx file, or a text file with the numbers of the streamlines,
    /// counted from 0. The command reports how much larger the error is without these streamlines.
    #[arg(long, value_name = "GROUP")]
    lesion: Vec<String>,
    /// After each lesion, fit the weights of the remaining streamlines again
    ///
    /// Without this option, the remaining streamlines keep their weights.
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
    #[arg(
        long,
        help = meanings::SHELLS,
        long_help = meanings::with(
            meanings::SHELLS,
            "The fit also estimates the mean signal of each shell. Opposite gradient directions count as \
             one. [default: all shells with at least 15 gradient directions; if there is none, the shells \
             with the most directions]"
        ),
        value_name = "B,B,…",
        value_delimiter = ','
    )]
    shells: Option<Vec<f64>>,
    /// Eigenvalues λ₁,λ₂,λ₃ of the tensor of a fibre in µm²/ms, with λ₂ = λ₃
    #[arg(long, value_name = "L1,L2,L3", default_value = "1,0,0", value_parser = parse_eigenvalues)]
    eigenvalues: Eigenvalues,
    #[arg(
        long,
        help = meanings::ORIENTATIONS,
        long_help = meanings::with(
            meanings::ORIENTATIONS,
            "The value is a number of orientations, or a text file with one direction x y z per line, in \
             scanner axes. The direction of each streamline point is rounded to the nearest of these \
             orientations."
        ),
        value_name = "WHICH",
        default_value = "1057"
    )]
    orientations: String,
    /// Divide the signal of each voxel by its mean b = 0 signal, as DIPY does
    ///
    /// Without this option, voxels with a large signal count more in the fit.
    #[arg(long)]
    normalise_signal: bool,
    /// Weight of a streamline point in the model: 1, or the length of its segment
    ///
    /// With `count`, each point has the weight 1. With `length`, its weight is the length of its segment in
    /// mm, so that the result does not depend on the spacing of the points.
    #[arg(long, value_enum, default_value_t = NodeValueArg::Count)]
    node_value: NodeValueArg,
    #[arg(long, help = meanings::SOLVER, value_enum, default_value_t = SolverArg::BarzilaiBorwein)]
    solver: SolverArg,
    #[arg(
        long,
        help = meanings::REGULARISE,
        long_help = meanings::with(
            meanings::REGULARISE,
            "A penalty on the weights of streamlines leaves fewer streamlines with a weight above 0 \
             (ReAl-LiFE)."
        ),
        value_name = "PENALTY",
        value_enum,
        default_value_t = Regularise::None
    )]
    regularise: Regularise,
    #[arg(
        long,
        help = meanings::LAMBDA,
        long_help = meanings::with(
            meanings::LAMBDA,
            "The value is a fraction, at least 0 and below 1, of the smallest λ that sets all weights to 0. \
             This smallest λ is max(Mᵀy), the largest entry of the product of the transposed model matrix M \
             and the signal y. The fraction does not depend on the unit of the signal."
        ),
        value_name = "LAMBDA"
    )]
    lambda: Option<f64>,
    #[arg(
        long,
        help = meanings::TOLERANCE,
        long_help = meanings::with(
            meanings::TOLERANCE,
            "The iterations stop when the norm of the projected gradient is at most this fraction of its \
             norm when all weights are 0."
        ),
        value_name = "FRACTION",
        default_value_t = StoppingRule::default().tolerance
    )]
    tolerance: f64,
    #[arg(
        long,
        help = meanings::ITERATIONS,
        value_name = "N",
        default_value_t = StoppingRule::default().iterations,
        value_parser = one_or_more::<usize>
    )]
    iterations: usize,
}

#[derive(Debug, Clone, Copy)]
struct Eigenvalues([f64; 3]);

fn parse_eigenvalues(text: &str) -> std::result::Result<Eigenvalues, String> {
    let number = |word: &str| word.trim().parse().map_err(|_| format!("`{}` is not a number", word.trim()));
    let numbers = text.split(',').map(number).collect::<std::result::Result<Vec<f64>, String>>()?;
    numbers.try_into().map(Eigenvalues).map_err(|_| "expected three numbers such as 1.7,0.3,0.3".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Regularise {
    None,
    /// Penalty λ Σ w, proportional to the sum of all streamline weights w: keeps few streamlines
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
    /// Returns the options for the library, without orientations from a file.
    fn options(&self) -> Result<LifeOptions> {
        let l1 = match (self.regularise, self.lambda) {
            (Regularise::None, None) => 0.0,
            (Regularise::Lasso, Some(lambda)) => lambda,
            (Regularise::Lasso, None) => {
                let advice = "give --lambda, such as 0.1";
                return Err(Error::usage("--regularise", "its strength is not said", advice));
            }
            (Regularise::None, Some(_)) => {
                let problem = "it has no effect without a penalty";
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

    /// Returns the number of orientations, or `None` if they come from a file.
    fn number_of_orientations(&self) -> Result<Option<usize>> {
        match self.orientations.parse::<usize>() {
            Ok(count) if !(6..=1 << 16).contains(&count) => {
                let problem = format!("{count} orientations are not possible for a dictionary");
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
