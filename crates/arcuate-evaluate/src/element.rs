use crate::commit::HarmonicElement;
use crate::sparse_tucker::TuckerElement;
use arcuate_solve::SolverElement;

/// The floating-point types of streamline evaluation, `f32` and `f64`. The linear operators of COMMIT and
/// LiFE and the solvers accept any type with this trait.
pub trait Element: TuckerElement + HarmonicElement + SolverElement {}

impl<T: TuckerElement + HarmonicElement + SolverElement> Element for T {}
