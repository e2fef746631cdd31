use crate::commit::HarmonicElement;
use crate::sparse_tucker::TuckerElement;
use arcuate_solve::SolverElement;

/// The precisions of streamline evaluation, `f32` and `f64`. A type of this trait works with both operators
/// and with the solvers.
pub trait Element: TuckerElement + HarmonicElement + SolverElement {}

impl<T: TuckerElement + HarmonicElement + SolverElement> Element for T {}
