use crate::commit::HarmonicElement;
use crate::sparse_tucker::TuckerElement;

/// The precisions that streamlines are evaluated in, `f32` and `f64`: those of both operators.
pub trait Element: TuckerElement + HarmonicElement {}

impl<T: TuckerElement + HarmonicElement> Element for T {}
