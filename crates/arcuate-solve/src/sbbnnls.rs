use crate::non_negative::{Method, NonNegativeElement};
use crate::{NonNegativeLeastSquares, Solution, StoppingRule, TracePoint};

/// Subspace Barzilai–Borwein non-negative least squares: min ½‖y − Aw‖² + λ Σ w over w ≥ 0.
///
/// After Kim, Sra and Dhillon, "A non-monotonic method for large-scale non-negative least squares" (Optimization
/// Methods and Software 28, 2013, doi:10.1080/10556788.2012.656368), as LiFE uses it: w ← [w − βα∇f(w)]₊ with
/// α = ⟨g̃, g̃⟩/⟨Ag̃, Ag̃⟩ in odd iterations and ⟨Ag̃, Ag̃⟩/⟨ĝ, ĝ⟩ with ĝ = AᵀAg̃ on the free components in even ones. g̃ is
/// the gradient without the components that hold a zero weight at zero. β is the safeguard's factor. Three and a half
/// products an iteration; [`projected_barzilai_borwein`](crate::projected_barzilai_borwein) needs two.
///
/// `watch` sees every iteration; where it returns `false` the solver stops as at its iteration limit. Data that are not
/// finite end the run at once ([`Outcome::PrecisionLimit`](crate::Outcome::PrecisionLimit), weights as at the start).
///
/// # Panics
/// Where `start` does not have the operator's number of columns.
pub fn sbbnnls<T: NonNegativeElement>(
    problem: &NonNegativeLeastSquares<'_, T>,
    start: &[T],
    rule: &StoppingRule,
    mut watch: impl FnMut(&TracePoint) -> bool,
) -> Solution<T> {
    T::minimise(Method::Sbbnnls, problem, start, rule, &mut watch)
}
