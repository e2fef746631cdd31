use crate::commit::HarmonicElement;
use crate::sparse_tucker::TuckerElement;
use arcuate_solve::SolverElement;

/// The precisions that streamlines are evaluated in, `f32` and `f64`: those of both operators
/// and of the solvers.
pub trait Element: TuckerElement + HarmonicElement + SolverElement {}

impl<T: TuckerElement + HarmonicElement + SolverElement> Element for T {}
