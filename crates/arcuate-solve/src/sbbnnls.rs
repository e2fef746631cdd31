use crate::non_negative::{Course, Engine, Method, minimise};
use crate::{LinearOperator, NonNegativeLeastSquares, Outcome, Real, Solution, StoppingRule, TracePoint};

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
    minimise(Sbbnnls, problem, start, rule, &mut watch)
}

#[derive(Clone, Copy)]
struct Sbbnnls;

impl Method for Sbbnnls {
    fn iterate<T, E: Engine<T>>(
        self,
        course: &mut Course<E>,
        rule: &StoppingRule,
        watch: &mut dyn FnMut(&TracePoint) -> bool,
    ) -> Result<Outcome, E::Error> {
        let mut iteration = 0;
        loop {
            let point = course.note(iteration)?;
            if course.converged(&point, rule)? {
                return Ok(Outcome::Converged);
            }
            if !watch(&point) || iteration == rule.iterations {
                return Ok(Outcome::IterationLimit);
            }
            let even = !iteration.is_multiple_of(2);
            let norms = course.engine.descent(even)?;
            course.products += if even { 2 } else { 1 };
            let length = if even { norms.image / norms.curvature } else { norms.direction / norms.image };
            let length = length * course.next_scale(iteration)?;
            if !(length.is_finite() && length > 0.0) {
                return Ok(Outcome::PrecisionLimit);
            }
            course.engine.move_along_descent(length)?;
            course.recompute()?;
            iteration += 1;
        }
    }
}
