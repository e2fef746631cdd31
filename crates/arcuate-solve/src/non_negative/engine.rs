//! The interface between the non-negative solvers and the vectors on a device (the CPU or GPUs).

use crate::Real;

/// The vectors of a non-negative solver on a device. They are the weights w ≥ 0, the residual r = Aw − y and
/// the gradient g = Aᵀr + λ.
///
/// Sums over vectors are returned in `f64`. A solver therefore makes the same decisions on every device, up
/// to rounding.
pub(crate) trait Engine<T> {
    /// The error type of the device.
    type Error;

    /// Sets w = 0, r = −y, g = λ − Aᵀy. This method computes one product with Aᵀ.
    fn begin(&mut self) -> Result<(), Self::Error>;

    /// Sets the weights w. The residual r and the gradient g are not updated.
    fn set_weights(&mut self, weights: &[T]) -> Result<(), Self::Error>;

    /// Computes r and g from w. It needs two products.
    fn recompute(&mut self) -> Result<(), Self::Error>;

    /// Returns sums over the residual r, the gradient g and the weights w.
    fn facts(&mut self) -> Result<Facts, Self::Error>;

    /// Sets w ← [w − length · g]₊, and updates the residual r and the gradient g by addition. This method
    /// computes one product with A and one with Aᵀ.
    fn step(&mut self, length: f64) -> Result<StepNorms, Self::Error>;

    /// Sets the search direction d to the free part of the gradient g, and computes Ad. If `curvature` is
    /// true, also computes the free components of AᵀAd. This method computes one product with A and, if
    /// `curvature` is true, one with Aᵀ.
    fn descent(&mut self, curvature: bool) -> Result<DescentNorms, Self::Error>;

    /// Sets w ← [w − length · d]₊ with the search direction d. The residual r and the gradient g are not
    /// updated.
    fn move_along_descent(&mut self, length: f64) -> Result<(), Self::Error>;

    /// Keeps a copy of the weights w as the best weights so far.
    fn keep_best(&mut self) -> Result<(), Self::Error>;

    /// Sets the weights w to the best weights so far. The residual r and the gradient g are not updated.
    fn restore_best(&mut self) -> Result<(), Self::Error>;

    /// Keeps copies of the weights w and the gradient g for [`promised`](Self::promised).
    fn keep_window(&mut self) -> Result<(), Self::Error>;

    /// Returns the inner product ⟨g₀, w₀ − w⟩, where g₀ and w₀ are the saved gradient and weights, and w are
    /// the current weights. It is the decrease of the objective that the saved gradient predicts.
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
    /// The squared norm ‖∇̃f(w)‖² of the free components of the gradient. A component is not free if the
    /// weight is 0 and a step would make it negative.
    pub(crate) projected_gradient: f64,
    /// Number of weights above 0.
    pub(crate) positive: usize,
}

/// Squared norms for a step s: ‖s‖², ‖As‖², and that of the components of AᵀAs whose weights have changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepNorms {
    pub(crate) taken: f64,
    pub(crate) image: f64,
    pub(crate) change: f64,
}

/// Squared norms for a search direction d: ‖d‖², ‖Ad‖², and that of the free components of AᵀAd. The last is
/// NaN if it was not requested.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DescentNorms {
    pub(crate) direction: f64,
    pub(crate) image: f64,
    pub(crate) curvature: f64,
}

/// Returns an element of the free gradient (subspace gradient). The element is 0 if the weight is 0 and a
/// step would make the weight negative. If not, it is the element of the gradient. (Some descriptions of the
/// algorithm replace all negative components by 0. The algorithm then stalls.)
#[inline(always)]
pub(crate) fn free<T: Real>(gradient: T, weight: T) -> T {
    if weight.is_zero() && gradient > T::zero() { T::zero() } else { gradient }
}
