//! Options of the COMMIT solver, and options of the penalties in its objective function.

use crate::meanings;
use crate::numbers::one_or_more;
use arcuate_evaluate::commit::{CommitSolver, GroupWeights};
use arcuate_pipeline::stages::commit::{CommitFit, Regularise};
use clap::{Args, ValueEnum};

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Fit")]
pub(super) struct FitArgs {
    #[arg(
        long,
        help = meanings::REGULARISE,
        long_help = meanings::with(
            meanings::REGULARISE,
            "A penalty on the weights of streamlines leaves fewer streamlines with a weight above 0."
        ),
        value_name = "PENALTY",
        value_enum,
        default_value_t = RegulariseArg::None
    )]
    regularise: RegulariseArg,
    /// Groups of streamlines: a text file, names of groups in a .trx, or `all`
    ///
    /// The text file has one group name per streamline, and `-` for a streamline in no group. Separate names
    /// of groups in a .trx file by commas. `all` is all groups of the .trx file.
    #[arg(long, value_name = "FILE|NAMES")]
    groups: Option<String>,
    /// Weight w of a group's penalty
    ///
    /// `size` is the square root of the number of streamlines in the group. `adaptive` divides this root by
    /// the norm of the group's amounts in a fit without penalty (COMMIT2).
    #[arg(long, value_enum, default_value_t = GroupWeightsArg::Size)]
    group_weights: GroupWeightsArg,
    #[arg(
        long,
        help = meanings::LAMBDA,
        long_help = meanings::with(
            meanings::LAMBDA,
            "The value is a fraction, from 0 to 1, of the smallest λ that sets the weights of all \
             streamlines to 0. With --regularise sparse-group, give two fractions: the first for the \
             penalty on streamlines, the second for the penalty on groups."
        ),
        value_name = "LAMBDA",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    lambda: Option<Vec<f64>>,
    /// Strength λ of a penalty λ Σ x on the amounts x of extra-axonal compartments
    ///
    /// λ is given as a fraction, from 0 to 1, of the largest entry of Aᵀy for these amounts. A is the matrix
    /// of the model, and y the signal.
    #[arg(long, value_name = "FRACTION", allow_hyphen_values = true)]
    lambda_extra: Option<f64>,
    /// Strength λ of a penalty λ Σ x on the amounts x of isotropic compartments
    ///
    /// λ is given as a fraction, from 0 to 1, of the largest entry of Aᵀy for these amounts. A is the matrix
    /// of the model, and y the signal.
    #[arg(long, value_name = "FRACTION", allow_hyphen_values = true)]
    lambda_isotropic: Option<f64>,
    /// Interpret each penalty strength λ as a number in the unit of Aᵀy
    ///
    /// A is the matrix of the model, and y the signal. Without this option, penalty strengths are fractions.
    #[arg(long)]
    absolute_lambda: bool,
    /// Fit with N penalty strengths, down to --lambda; write commit_lambda_curve.csv
    ///
    /// The first strength is the smallest λ that sets the weights of all streamlines to 0. Each fit starts
    /// from the result of the previous fit. The file has one row per fit.
    #[arg(long, value_name = "N", requires = "lambda")]
    lambda_curve: Option<usize>,
    /// Fit the streamlines with a weight above 0 once more, without the penalty
    #[arg(long)]
    debias: bool,
    #[arg(
        long,
        help = meanings::SOLVER,
        long_help = meanings::with(
            meanings::SOLVER,
            "[default: fista if a penalty or --gap is given; if not, barzilai-borwein]"
        ),
        value_enum
    )]
    solver: Option<SolverArg>,
    #[arg(
        long,
        help = meanings::TOLERANCE,
        long_help = meanings::with(
            meanings::TOLERANCE,
            "The iterations stop when the norm of the projected gradient is at most this fraction of its \
             norm when all amounts are 0."
        ),
        value_name = "FRACTION",
        default_value_t = 1e-5,
        allow_hyphen_values = true
    )]
    tolerance: f64,
    /// Stop when the duality gap is below this fraction of the objective function
    ///
    /// This option uses the solver FISTA, and may need many iterations. Without it, --tolerance stops the
    /// iterations.
    #[arg(long, value_name = "FRACTION", conflicts_with = "tolerance", allow_hyphen_values = true)]
    gap: Option<f64>,
    #[arg(
        long,
        help = meanings::ITERATIONS,
        value_name = "N",
        default_value_t = 2000,
        value_parser = one_or_more::<usize>
    )]
    iterations: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum RegulariseArg {
    None,
    /// Penalty λ Σ x, proportional to the sum of all streamline amounts x: keeps few streamlines
    Lasso,
    /// Penalty λ Σ w ‖x_g‖, the sum over groups g of the norm of their amounts x_g times the group weight w:
    /// keeps few groups (COMMIT2)
    #[value(alias = "group-lasso")]
    GroupSparse,
    /// Sum of the penalties lasso and group-sparse: keeps few groups, and few streamlines in them
    SparseGroup,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum GroupWeightsArg {
    Size,
    Adaptive,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum SolverArg {
    BarzilaiBorwein,
    Fista,
}

impl FitArgs {
    /// Converts the options to the type of the library.
    pub(super) fn fit(&self) -> CommitFit {
        CommitFit {
            regularise: match self.regularise {
                RegulariseArg::None => Regularise::None,
                RegulariseArg::Lasso => Regularise::Lasso,
                RegulariseArg::GroupSparse => Regularise::GroupSparse,
                RegulariseArg::SparseGroup => Regularise::SparseGroup,
            },
            groups: self.groups.clone(),
            group_weights: match self.group_weights {
                GroupWeightsArg::Size => GroupWeights::Size,
                GroupWeightsArg::Adaptive => GroupWeights::Adaptive,
            },
            lambda: self.lambda.clone(),
            lambda_extra: self.lambda_extra,
            lambda_isotropic: self.lambda_isotropic,
            absolute_lambda: self.absolute_lambda,
            lambda_curve: self.lambda_curve,
            debias: self.debias,
            solver: self.solver.map(|solver| match solver {
                SolverArg::BarzilaiBorwein => CommitSolver::BarzilaiBorwein,
                SolverArg::Fista => CommitSolver::Fista,
            }),
            tolerance: self.tolerance,
            gap: self.gap,
            iterations: self.iterations,
        }
    }
}
