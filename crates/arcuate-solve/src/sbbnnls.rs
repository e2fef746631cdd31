use crate::non_negative::{Method, NonNegativeElement};
use crate::{NonNegativeLeastSquares, Solution, StoppingRule, TracePoint};

/// Minimises ½‖y − Aw‖² + λ Σ w over w ≥ 0 by projected gradients with subspace Barzilai–Borwein step
/// lengths.
///
/// The method is that of Kim, Sra and Dhillon, "A non-monotonic method for large-scale non-negative least
/// squares" (Optimization Methods and Software 28, 2013, doi:10.1080/10556788.2012.656368), as used by LiFE.
///
/// Each iteration sets w ← [w − βα∇f(w)]₊, with a step length α and the safeguard's factor β. In odd
/// iterations α = ⟨g̃, g̃⟩/⟨Ag̃, Ag̃⟩. In even iterations α = ⟨Ag̃, Ag̃⟩/⟨ĝ, ĝ⟩, where ĝ has the free
/// components of AᵀAg̃. Here g̃ is the free part of the gradient, which is 0 for weights that are 0 and would
/// become negative. On average, an iteration needs three and a half products with A or Aᵀ. The solver
/// [`projected_barzilai_borwein`](crate::projected_barzilai_borwein) needs two.
///
/// `watch` is called in every iteration. If it returns `false`, the solver stops as if it had reached its
/// maximum number of iterations. If the data are not finite, the solver stops at once. The outcome is
/// [`Outcome::PrecisionLimit`](crate::Outcome::PrecisionLimit), and the weights are those of the start.
///
/// # Panics
///
/// Panics if `start` does not have one element per column of the operator.
pub fn sbbnnls<T: NonNegativeElement>(
    problem: &NonNegativeLeastSquares<'_, T>,
    start: &[T],
    rule: &StoppingRule,
    mut watch: impl FnMut(&TracePoint) -> bool,
) -> Solution<T> {
    T::minimise(Method::Sbbnnls, problem, start, rule, &mut watch)
}
