//! Sums over the elements of vectors that an iteration of conjugate gradients needs.

/// Inner products of the unknowns x, the residual r and the right side b of the normal equations after a
/// step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums {
    /// The squared norm ‖r‖² of the residual.
    pub(super) residual: f64,
    /// The inner product xᵀb.
    pub(super) x_right_side: f64,
    /// The inner product xᵀr.
    pub(super) x_residual: f64,
    /// The squared norm ‖x‖² of the unknowns.
    pub(super) x_squared: f64,
    /// The number α‖r‖² for the last step, with the step's length α and the residual r before the step. It is
    /// twice the decrease of the objective.
    pub(super) decrease: f64,
}

impl Sums {
    /// Returns the sums at the start of the iteration, before the first step.
    pub(super) fn of_start([residual, x_right_side, x_residual, x_squared]: [f64; 4]) -> Self {
        Self { residual, x_right_side, x_residual, x_squared, decrease: 0.0 }
    }

    /// Returns the sums after a step.
    pub(super) fn of_step(sums: [f64; 4], decrease: f64) -> Self {
        Self { decrease, ..Self::of_start(sums) }
    }
}
