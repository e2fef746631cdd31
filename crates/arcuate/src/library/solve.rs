//! Linear operators and non-negative least squares.
//!
//! ```
//! use arcuate::solve::{Dense, NonNegativeLeastSquares, Outcome, StoppingRule, sbbnnls};
//!
//! // Minimises ½‖y − Aw‖² subject to w ≥ 0. The values of A are in row-major order.
//! let operator = Dense::new(2, vec![1.0f64, 0.0, 0.0, 2.0]);
//! let data = [3.0, -1.0];
//! let problem = NonNegativeLeastSquares::new(&operator, &data);
//! let solution = sbbnnls(&problem, &[0.0; 2], &StoppingRule::default(), |_| true);
//! assert_eq!(solution.outcome, Outcome::Converged);
//! assert!((solution.weights[0] - 3.0).abs() < 1e-3 && solution.weights[1] == 0.0);
//! ```

#[doc(inline)]
pub use arcuate_solve::{
    Dense, LinearOperator, NonNegativeLeastSquares, Outcome, Solution, SolverOperator, StoppingRule, Trace,
    TracePoint, projected_barzilai_borwein, sbbnnls,
};
