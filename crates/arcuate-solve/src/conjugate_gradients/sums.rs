//! The sums of an iteration of conjugate gradients.

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
    /// twice the decrease of the objective. It is 0 at the start.
    pub(super) decrease: f64,
}

impl Sums {
    /// Creates the sums from the first four numbers of `sums`.
    pub(super) fn new(sums: &[f64], decrease: f64) -> Self {
        let [residual, x_right_side, x_residual, x_squared] = [0, 1, 2, 3].map(|n| sums[n]);
        Self { residual, x_right_side, x_residual, x_squared, decrease }
    }
}
