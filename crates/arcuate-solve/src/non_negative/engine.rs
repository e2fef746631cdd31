//! The interface between the non-negative solvers and the device that holds their vectors.

use crate::Real;

/// The vectors of a non-negative solver on a device: weights w ≥ 0, residual r = Aw − y, and gradient g = Aᵀr
/// + λ.
///
/// Sums are returned in `f64`, so that a solver makes the same decisions on every device, up to rounding.
pub(crate) trait Engine<T> {
    /// The error type of the device.
    type Error;

    /// Sets w = 0, r = −y, g = λ − Aᵀy. It needs one product.
    fn begin(&mut self) -> Result<(), Self::Error>;

    /// Sets w. The vectors r and g are not updated.
    fn set_weights(&mut self, weights: &[T]) -> Result<(), Self::Error>;

    /// Computes r and g from w. It needs two products.
    fn recompute(&mut self) -> Result<(), Self::Error>;

    /// Returns the sums over r, g and w.
    fn facts(&mut self) -> Result<Facts, Self::Error>;

    /// Sets w ← [w − length · g]₊, and updates r and g by addition. It needs two products.
    fn step(&mut self, length: f64) -> Result<StepNorms, Self::Error>;

    /// Sets d to the free part of g, and computes Ad. If `curvature` is set, also computes AᵀAd on the free
    /// components. It needs one product, or two with `curvature`.
    fn descent(&mut self, curvature: bool) -> Result<DescentNorms, Self::Error>;

    /// Sets w ← [w − length · d]₊. The vectors r and g are not updated.
    fn move_along_descent(&mut self, length: f64) -> Result<(), Self::Error>;

    /// Keeps a copy of w as the best weights so far.
    fn keep_best(&mut self) -> Result<(), Self::Error>;

    /// Sets w to the best weights so far. The vectors r and g are not updated.
    fn restore_best(&mut self) -> Result<(), Self::Error>;

    /// Keeps copies of w and g for [`promised`](Self::promised).
    fn keep_window(&mut self) -> Result<(), Self::Error>;

    /// Returns the inner product of the saved g with the saved w minus the current w. It is the decrease of
    /// the objective that the saved gradient predicts.
    fn promised(&mut self) -> Result<f64, Self::Error>;

    /// Returns the weights w.
    fn weights(&mut self) -> Result<Vec<T>, Self::Error>;
}

/// Sums over the vectors of a solver.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// The squared norm ‖r‖² of the residual.
    pub(crate) residual: f64,
    /// The sum Σ w of the weights.
    pub(crate) weights: f64,
    /// The squared norm ‖∇̃f(w)‖² of the gradient over the free components.
    pub(crate) projected_gradient: f64,
    /// Number of weights above 0.
    pub(crate) positive: usize,
}

/// Squared norms for a step s: ‖s‖², ‖As‖², and ‖AᵀAs‖² over the components that moved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepNorms {
    pub(crate) taken: f64,
    pub(crate) image: f64,
    pub(crate) change: f64,
}

/// Squared norms for a direction d: ‖d‖², ‖Ad‖², and ‖AᵀAd‖² over the free components (NaN if not requested).
#[derive(Debug, Clone, Copy)]
pub(crate) struct DescentNorms {
    pub(crate) direction: f64,
    pub(crate) image: f64,
    pub(crate) curvature: f64,
}

/// Returns a component of the subspace gradient. It is 0 if the weight is 0 and the gradient would make the
/// weight negative. (Some descriptions of the algorithm replace all negative components by 0. The algorithm
/// then stalls.)
#[inline(always)]
pub(crate) fn free<T: Real>(gradient: T, weight: T) -> T {
    if weight.is_zero() && gradient > T::zero() { T::zero() } else { gradient }
}
