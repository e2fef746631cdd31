use crate::commit::HarmonicElement;
use crate::sparse_tucker::TuckerElement;
use arcuate_solve::SolverElement;

/// The precisions of streamline evaluation, `f32` and `f64`, for both operators and the solvers.
pub trait Element: TuckerElement + HarmonicElement + SolverElement {}

impl<T: TuckerElement + HarmonicElement + SolverElement> Element for T {}
