use crate::non_negative::{Safeguard, State, free};
use crate::{
    LinearOperator, NonNegativeLeastSquares, Outcome, Real, Solution, StoppingRule, TracePoint, vector,
};

/// Subspace Barzilai–Borwein non-negative least squares: min ½‖y − Aw‖² + λ Σ w over w ≥ 0.
///
/// After Kim, Sra and Dhillon, "A non-monotonic method for large-scale non-negative least squares" (Optimization
/// Methods and Software 28, 2013, doi:10.1080/10556788.2012.656368), as LiFE uses it: w ← [w − βα∇f(w)]₊ with
/// α = ⟨g̃, g̃⟩/⟨Ag̃, Ag̃⟩ in odd iterations and ⟨Ag̃, Ag̃⟩/⟨ĝ, ĝ⟩ with ĝ = AᵀAg̃ on the free components in even ones. g̃ is
/// the gradient without the components that hold a zero weight at zero. β is the safeguard's factor. Three and a half
/// products an iteration; [`projected_barzilai_borwein`](crate::projected_barzilai_borwein) needs two.
///
/// `watch` sees every iteration; where it returns `false` the solver stops as at its iteration limit. Data that are not
/// finite end the run at once ([`Outcome::PrecisionLimit`], weights as at the start).
///
/// # Panics
/// Where `start` does not have the operator's number of columns.
pub fn sbbnnls<T: Real, A: LinearOperator<T>>(
    problem: &NonNegativeLeastSquares<'_, T, A>,
    start: &[T],
    rule: &StoppingRule,
    mut watch: impl FnMut(&TracePoint) -> bool,
) -> Solution<T> {
    let operator = problem.operator;
    let mut state = State::new(problem, start);
    let mut safeguard = Safeguard::new(&state);
    let mut image = vec![T::zero(); operator.rows()];
    let mut curvature = vec![T::zero(); operator.columns()];
    let mut iteration = 0;
    loop {
        let point = state.note(iteration);
        if state.converged(&point, rule) {
            return state.finish(Outcome::Converged);
        }
        if !watch(&point) || iteration == rule.iterations {
            return state.finish(Outcome::IterationLimit);
        }
        let subspace: Vec<T> = state.gradient.iter().zip(&state.weights).map(|(&g, &w)| free(g, w)).collect();
        operator.forward(&subspace, &mut image);
        state.products += 1;
        let image_norm = vector::norm_squared(&image);
        let step = if iteration.is_multiple_of(2) {
            vector::norm_squared(&subspace) / image_norm
        } else {
            operator.adjoint(&image, &mut curvature);
            state.products += 1;
            for ((c, &g), &w) in curvature.iter_mut().zip(&state.gradient).zip(&state.weights) {
                if w.is_zero() && g > T::zero() {
                    *c = T::zero();
                }
            }
            image_norm / vector::norm_squared(&curvature)
        };
        let step = step * safeguard.next_scale(iteration, &state);
        if !(step.is_finite() && step > 0.0) {
            return state.finish(Outcome::PrecisionLimit);
        }
        for (w, &g) in state.weights.iter_mut().zip(&subspace) {
            *w = T::of(w.wide() - step * g.wide()).max(T::zero());
        }
        state.recompute();
        iteration += 1;
    }
}
