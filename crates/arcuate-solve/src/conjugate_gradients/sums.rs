//! Sums over the vectors of an iteration.

/// Sums over x, the residual r and the right side b after a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums {
    /// ‖r‖².
    pub(super) residual: f64,
    /// xᵀb.
    pub(super) x_right_side: f64,
    /// xᵀr.
    pub(super) x_residual: f64,
    /// ‖x‖².
    pub(super) x_squared: f64,
    /// α‖r‖² of the last step, with its length α and the r before it: twice the decrease of the objective.
    pub(super) decrease: f64,
}

impl Sums {
    /// The sums without a previous step.
    pub(super) fn of_start([residual, x_right_side, x_residual, x_squared]: [f64; 4]) -> Self {
        Self { residual, x_right_side, x_residual, x_squared, decrease: 0.0 }
    }

    /// The sums after a step.
    pub(super) fn of_step(sums: [f64; 4], decrease: f64) -> Self {
        Self { decrease, ..Self::of_start(sums) }
    }
}
