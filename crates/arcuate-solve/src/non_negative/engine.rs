//! What the solvers ask of the place where the vectors are.

use crate::Real;

/// Where the vectors of a solver live: weights w ≥ 0, residual r = Aw − y, gradient g = Aᵀr + λ.
///
/// Sums come back in `f64`, so that the choices of a solver are the same wherever it runs, up to rounding.
pub(crate) trait Engine<T> {
    /// What can go wrong.
    type Error;

    /// w = 0, r = −y, g = λ − Aᵀy; one product.
    fn begin(&mut self) -> Result<(), Self::Error>;

    /// Sets w, without r and g.
    fn set_weights(&mut self, weights: &[T]) -> Result<(), Self::Error>;

    /// r and g from w; two products.
    fn recompute(&mut self) -> Result<(), Self::Error>;

    /// Where r and g stand.
    fn facts(&mut self) -> Result<Facts, Self::Error>;

    /// w ← [w − length · g]₊, and r and g carried along by addition; two products.
    fn step(&mut self, length: f64) -> Result<StepNorms, Self::Error>;

    /// d = the free part of g, Ad, and where `curvature` is asked for AᵀAd on the free components; one or two
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

    /// ⟨g, w − w now⟩ for the copies kept.
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
    /// ‖∇̃f(w)‖², over the components that are free.
    pub(crate) projected_gradient: f64,
    /// Number of weights above 0.
    pub(crate) positive: usize,
}

/// Of a step s: ‖s‖², ‖As‖², and ‖AᵀAs‖² over the components that moved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepNorms {
    pub(crate) taken: f64,
    pub(crate) image: f64,
    pub(crate) change: f64,
}

/// Of a direction d: ‖d‖², ‖Ad‖², and ‖AᵀAd‖² over the free components (NaN where not asked for).
#[derive(Debug, Clone, Copy)]
pub(crate) struct DescentNorms {
    pub(crate) direction: f64,
    pub(crate) image: f64,
    pub(crate) curvature: f64,
}

/// The component of the subspace gradient: 0 where the weight is 0 and the gradient would push it below. (Replacing
/// all negative components by zeros, as some accounts of the algorithm say, makes it stall.)
#[inline(always)]
pub(crate) fn free<T: Real>(gradient: T, weight: T) -> T {
    if weight.is_zero() && gradient > T::zero() { T::zero() } else { gradient }
}
