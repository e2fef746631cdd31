//! Linear operators, and solvers that access a model only through a linear operator. This crate does not
//! depend on MRI, on file formats or on the GPU kernels of operators.
//!
//! The input of a solver is a problem (a [`LinearOperator`], data and a penalty), a start and a
//! [`StoppingRule`]. The result is a [`Solution`] with its iteration history ([`Trace`]). A solver uses only
//! the numbers of rows and columns of an operator and its products A x and Aᵀ y. The module [`algebra`]
//! combines operators.

pub mod algebra;
pub mod checks;
mod conjugate_gradients;
mod element;
mod engine;
mod gpus;
mod local_unknowns;
mod non_negative;
mod operator;
mod projected_barzilai_borwein;
mod proximal;
mod sbbnnls;
mod solver_operator;
pub mod vector;

pub use arcuate_numbers::Real;
pub use conjugate_gradients::{
    ChoiceOutcome, CurvePoint, DISCREPANCY_SOLVES, PenaltyChoice, QuadraticElement, QuadraticPoint,
    QuadraticProblem, QuadraticSolution, ResidualRule, by_discrepancy, by_l_curve, conjugate_gradients,
    gradients_bytes,
};
pub use element::SolverElement;
pub use gpus::{
    Bounds, DeviceNormal, Part, Placed, Products, Sizes, SplitOperator, adjoint_on_gpus, fixed_point_scale,
    forward_on_gpus, normal_on_device, solver_bytes, solver_kernels, split_bricks,
};
pub use local_unknowns::LocalUnknowns;
#[doc(hidden)]
pub use non_negative::Method;
pub use non_negative::{
    NonNegativeElement, NonNegativeLeastSquares, Outcome, SmallNonNegative, Solution, StoppingRule, Trace,
    TracePoint,
};
pub use operator::{Dense, LinearOperator};
pub use projected_barzilai_borwein::projected_barzilai_borwein;
pub use proximal::{
    DualityGap, GapRule, GroupPenalty, ProximalElement, ProximalPoint, ProximalProblem, ProximalSolution,
    Regulariser, debias, fista, penalty_path,
};
pub use sbbnnls::sbbnnls;
pub use solver_operator::SolverOperator;
