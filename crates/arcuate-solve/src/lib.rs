//! Linear operators and the solvers that need nothing else. Nothing here knows MRI, a file or an operator's kernels.
//!
//! A solver gets a problem (a [`LinearOperator`], data and a penalty), a start and a [`StoppingRule`], and returns a [`Solution`] with its
//! [`Trace`]: two shapes and two products are all it may ask of a problem.

pub mod checks;
mod non_negative;
mod operator;
mod projected_barzilai_borwein;
mod real;
mod sbbnnls;
pub mod vector;

pub use non_negative::{
    Bounds, CudaOperator, NonNegativeLeastSquares, Outcome, Products, Solution, StoppingRule, Trace,
    TracePoint, fixed_point_scale, solver_bytes,
};
pub use operator::{Dense, LinearOperator};
pub use projected_barzilai_borwein::projected_barzilai_borwein;
pub use real::Real;
pub use sbbnnls::sbbnnls;
