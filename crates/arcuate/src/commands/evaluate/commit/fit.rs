//! Options of the solver and of penalties.

use crate::numbers::one_or_more;
use arcuate_evaluate::commit::{CommitSolver, GroupWeights};
use arcuate_pipeline::stages::commit::{CommitFit, Regularise};
use clap::{Args, ValueEnum};

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Fit")]
pub(super) struct FitArgs {
    /// Penalty that regularises the result; on the streamlines, which leaves fewer of them
    #[arg(long, value_name = "PENALTY", value_enum, default_value_t = RegulariseArg::None)]
    regularise: RegulariseArg,
    /// Groups of streamlines: a text file with the name of a group for each streamline, one a line (- for none), or
    /// names of groups of a .trx with commas between, or `all` of them
    #[arg(long, value_name = "FILE|NAMES")]
    groups: Option<String>,
    /// What a group's penalty is multiplied with: the root of its number of streamlines, or that over the norm of its
    /// weights without penalty (COMMIT2)
    #[arg(long, value_enum, default_value_t = GroupWeightsArg::Size)]
    group_weights: GroupWeightsArg,
    /// Strength of the penalty; a fraction of the smallest that leaves no streamline, from 0 up to 1. For sparse-group two,
    /// of streamlines and of groups
    #[arg(long, value_name = "LAMBDA", value_delimiter = ',', allow_hyphen_values = true)]
    lambda: Option<Vec<f64>>,
    /// Strength of a penalty λ Σ x on the extra-axonal amounts, a fraction of max(Aᵀy) over them: from 0 up to 1
    #[arg(long, value_name = "FRACTION", allow_hyphen_values = true)]
    lambda_extra: Option<f64>,
    /// The same on the isotropic amounts
    #[arg(long, value_name = "FRACTION", allow_hyphen_values = true)]
    lambda_isotropic: Option<f64>,
    /// Take every λ as it is, in the unit of Aᵀy, and not as a fraction
    #[arg(long)]
    absolute_lambda: bool,
    /// Fit so many penalties, from the smallest that leaves nothing down to --lambda, each from the one before, and
    /// write commit_lambda_curve.csv
    #[arg(long, value_name = "N", requires = "lambda")]
    lambda_curve: Option<usize>,
    /// After a fit with a penalty, fit what it left above 0 once more without it
    #[arg(long)]
    debias: bool,
    /// Algorithm of the fit; barzilai-borwein by default, and fista with a penalty or --gap
    #[arg(long, value_enum)]
    solver: Option<SolverArg>,
    /// Iterations end below this fraction; of the projected gradient with all amounts at 0
    #[arg(long, value_name = "FRACTION", default_value_t = 1e-5, allow_hyphen_values = true)]
    tolerance: f64,
    /// Iterations end instead where the objective is certain to be within this fraction of its minimum (the duality gap, which
    /// may need many iterations; FISTA)
    #[arg(long, value_name = "FRACTION", conflicts_with = "tolerance", allow_hyphen_values = true)]
    gap: Option<f64>,
    /// Iterations at most
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = one_or_more::<usize>)]
    iterations: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum RegulariseArg {
    None,
    /// λ Σ x: few streamlines
    Lasso,
    /// λ Σ w ‖x_g‖: few groups (COMMIT2)
    #[value(alias = "group-lasso")]
    GroupSparse,
    /// Both
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
    /// The same for the library.
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
