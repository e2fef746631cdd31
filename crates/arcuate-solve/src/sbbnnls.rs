use crate::non_negative::{Method, NonNegativeElement};
use crate::{NonNegativeLeastSquares, Solution, StoppingRule, TracePoint};

/// Minimises ½‖y − Aw‖² + λ Σ w over w ≥ 0 by subspace Barzilai–Borwein steps.
///
/// The method is that of Kim, Sra and Dhillon, "A non-monotonic method for large-scale non-negative least
/// squares" (Optimization Methods and Software 28, 2013, doi:10.1080/10556788.2012.656368), as used by LiFE.
///
/// Each iteration sets w ← [w − βα∇f(w)]₊, with the safeguard's factor β. In odd iterations α = ⟨g̃,
/// g̃⟩/⟨Ag̃, Ag̃⟩. In even iterations α = ⟨Ag̃, Ag̃⟩/⟨ĝ, ĝ⟩, with ĝ = AᵀAg̃ on the free components. Here g̃
/// is the gradient without the components that hold a zero weight at zero. An iteration needs three and a
/// half products; [`projected_barzilai_borwein`](crate::projected_barzilai_borwein) needs two.
///
/// `watch` receives every iteration. If it returns `false`, the solver stops as at its iteration limit. Data
/// that are not finite stop the solver at once. The outcome is
/// [`Outcome::PrecisionLimit`](crate::Outcome::PrecisionLimit), with the weights of the start.
///
/// # Panics
/// Panics if `start` does not have the operator's number of columns.
pub fn sbbnnls<T: NonNegativeElement>(
    problem: &NonNegativeLeastSquares<'_, T>,
    start: &[T],
    rule: &StoppingRule,
    mut watch: impl FnMut(&TracePoint) -> bool,
) -> Solution<T> {
    T::minimise(Method::Sbbnnls, problem, start, rule, &mut watch)
}
