//! Interface between the solvers and the device that holds the vectors.

use crate::Real;

/// Holds the vectors of a solver: weights w ≥ 0, residual r = Aw − y, gradient g = Aᵀr + λ.
///
/// Sums are returned in `f64`, so that a solver makes the same decisions on every device, up to rounding.
pub(crate) trait Engine<T> {
    /// The error of a device.
    type Error;

    /// w = 0, r = −y, g = λ − Aᵀy; one product.
    fn begin(&mut self) -> Result<(), Self::Error>;

    /// Sets w, without r and g.
    fn set_weights(&mut self, weights: &[T]) -> Result<(), Self::Error>;

    /// r and g from w; two products.
    fn recompute(&mut self) -> Result<(), Self::Error>;

    /// The sums over r, g and w.
    fn facts(&mut self) -> Result<Facts, Self::Error>;

    /// w ← [w − length · g]₊, and updates r and g by addition; two products.
    fn step(&mut self, length: f64) -> Result<StepNorms, Self::Error>;

    /// d = the free part of g, Ad, and AᵀAd on the free components if `curvature` is set; one or two
    /// products.
    fn descent(&mut self, curvature: bool) -> Result<DescentNorms, Self::Error>;

    /// w ← [w − length · d]₊, without r and g.
    fn move_along_descent(&mut self, length: f64) -> Result<(), Self::Error>;

    /// Keeps a copy of w as the best so far.
    fn keep_best(&mut self) -> Result<(), Self::Error>;

    /// Sets w to the best so far, without r and g.
    fn restore_best(&mut self) -> Result<(), Self::Error>;

    /// Keeps copies of w and g for [`promised`](Self::promised).
    fn keep_window(&mut self) -> Result<(), Self::Error>;

    /// ⟨g, w − w now⟩ for the saved copies of g and w.
    fn promised(&mut self) -> Result<f64, Self::Error>;

    /// The weights.
    fn weights(&mut self) -> Result<Vec<T>, Self::Error>;
}

/// Sums over the vectors of an engine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// ‖r‖².
    pub(crate) residual: f64,
    /// Σ w.
    pub(crate) weights: f64,
    /// ‖∇̃f(w)‖², over the free components.
    pub(crate) projected_gradient: f64,
    /// Number of weights above 0.
    pub(crate) positive: usize,
}

/// Norms of a step s: ‖s‖², ‖As‖², and ‖AᵀAs‖² over the components that moved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepNorms {
    pub(crate) taken: f64,
    pub(crate) image: f64,
    pub(crate) change: f64,
}

/// Norms of a direction d: ‖d‖², ‖Ad‖², and ‖AᵀAd‖² over the free components (NaN if not requested).
#[derive(Debug, Clone, Copy)]
pub(crate) struct DescentNorms {
    pub(crate) direction: f64,
    pub(crate) image: f64,
    pub(crate) curvature: f64,
}

/// The component of the subspace gradient: 0 if the weight is 0 and the gradient would make it negative.
/// (Some descriptions of the algorithm replace all negative components by 0, which makes it stall.)
#[inline(always)]
pub(crate) fn free<T: Real>(gradient: T, weight: T) -> T {
    if weight.is_zero() && gradient > T::zero() { T::zero() } else { gradient }
}
