//! The vectors of the non-negative solvers, and the passes over them.

use crate::Real;
use crate::engine::{Layout, Products, Vector, if_zero, is_positive, pass};
use arcuate_numbers::Operations;
use std::marker::PhantomData;

/// The weights w.
const WEIGHTS: Vector = Vector::Unknowns(0);
/// The gradient g = Aᵀr + λ.
const GRADIENT: Vector = Vector::Unknowns(1);
/// The last step, or the current search direction.
const DIRECTION: Vector = Vector::Unknowns(2);
const BEST: Vector = Vector::Unknowns(3);
/// The weights and the gradient at the start of a window of iterations.
const KEPT_WEIGHTS: Vector = Vector::Unknowns(4);
const KEPT_GRADIENT: Vector = Vector::Unknowns(5);
/// The residual r = Aw − y.
const RESIDUAL: Vector = Vector::Data(0);
const IMAGE: Vector = Vector::Data(1);

/// Positions of the sums. The first are sums over the unknowns (change or curvature, projected gradient,
/// weights, positive) and over the data (image, residual). Then follow those over a search direction (norm,
/// largest) and over the residual alone (norm, largest). The last is the decrease of the objective that the
/// gradient predicts.
const CHANGE: usize = 0;
const FACTS: usize = 1;
const DATA: usize = 4;
const STEP: usize = 6;
const FRESH: usize = 8;
const PROMISED: usize = 10;

pub(crate) const LAYOUT: Layout = Layout { unknowns: 6, data: 2, sums: 11 };

/// Returns an element of the free gradient (subspace gradient). The element is 0 if the weight is 0 and a
/// step would make the weight negative. If not, it is the element of the gradient. (Some descriptions of the
/// algorithm replace all negative components by 0. The algorithm then stalls.) `element` may be another vector
/// than the gradient, of which the free components are needed.
#[inline(always)]
fn free<N: Operations>(element: N, gradient: N, weight: N) -> N {
    let zero = element.known(0.0);
    if_zero(weight, gradient.if_above(zero, zero, element), element)
}

/// Returns [w − length · d]₊.
#[inline(always)]
fn moved<N: Operations>(round: impl Fn(N) -> N, w: N, length: N, d: N) -> N {
    let (moved, zero) = (round(w - length * d), w.known(0.0));
    zero.if_above(moved, zero, moved)
}

pass! {
    /// Subtracts the data y. Sum: the squared norm after that.
    fn non_negative_residual(round, [], [r], [y]) {
        let r = round(r - y);
    } -> [r], sums [r * r], largest;

    /// Sets the gradient to a product with Aᵀ plus λ. Sums: ‖free gradient‖², Σ w, number of positive weights.
    fn non_negative_gradient(round, [l1], [_], [q, w]) {
        let g = round(round(q) + l1);
        let (free, one, positive) = (free(g, g, w), w.known(1.0), is_positive(w));
    } -> [g], sums [free * free, w * one, positive * one];

    /// Sets w ← [w − length · g]₊ and `step` to its change. Sum: ‖step‖².
    fn non_negative_step(round, [length], [w, _], [g]) {
        let new = moved(&round, w, length, g);
        let step = round(new - w);
    } -> [new, step], sums [step * step], largest;

    /// Adds a product with Aᵀ to the gradient. Sums: its squared norm over the weights that have changed, and
    /// those of [`non_negative_gradient`].
    fn non_negative_change(round, [], [g], [q, step, w]) {
        let moved = if_zero(step, step.known(0.0), q);
        let g = round(g + round(q));
        let (free, one, positive) = (free(g, g, w), w.known(1.0), is_positive(w));
    } -> [g], sums [moved * moved, free * free, w * one, positive * one];

    /// Sets the search direction to the free gradient. Sum: its squared norm.
    fn non_negative_subspace(_, [], [_], [g, w]) {
        let free = free(g, g, w);
    } -> [free], sums [free * free], largest;

    /// Sum: the squared norm of the free components of a product with Aᵀ.
    fn non_negative_curvature(_, [], [], [q, g, w]) {
        let free = free(q, g, w);
    } -> [], sums [free * free];

    /// Sets w ← [w − length · d]₊.
    fn non_negative_descend(round, [length], [w], [d]) {} -> [moved(&round, w, length, d)], sums [];

    /// Sum: the inner product of the gradient g with `before` − `now`.
    fn non_negative_promised(_, [], [], [g, before, now]) {
        let step = before - now;
    } -> [], sums [g * step];
}

/// The vectors of a non-negative solver on a device. They are the weights w ≥ 0, the residual r = Aw − y, the
/// gradient g = Aᵀr + λ, and copies of earlier ones.
pub(crate) struct Vectors<T, E> {
    engine: E,
    l1: f64,
    pub(super) facts: Facts,
    precision: PhantomData<T>,
}

/// Sums over the vectors of a solver.
#[derive(Debug, Clone, Copy, Default)]
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

impl<T: Real, E: Products<T>> Vectors<T, E> {
    /// Sets w = 0, r = −y, g = λ − Aᵀy. This function computes one product with Aᵀ. The vectors of `engine`
    /// must still be 0.
    pub(crate) fn new(engine: E, l1: f64) -> Result<Self, E::Error> {
        let mut vectors = Self { engine, l1, facts: Facts::default(), precision: PhantomData };
        vectors.finish_residual()?;
        Ok(vectors)
    }

    /// Subtracts the data from r, and computes g from it.
    fn finish_residual(&mut self) -> Result<(), E::Error> {
        let Self { engine, l1, .. } = self;
        engine.pass(non_negative_residual, [], [RESIDUAL], [Vector::Given], Some(FRESH))?;
        engine.adjoint(RESIDUAL, FRESH + 1)?;
        engine.pass(non_negative_gradient, [*l1], [GRADIENT], [Vector::Product, WEIGHTS], Some(FACTS))?;
        let sums = engine.sums()?;
        self.set_facts(&sums, FRESH);
        Ok(())
    }

    fn set_facts(&mut self, sums: &[f64], residual: usize) {
        let [projected_gradient, weights, positive] = [0, 1, 2].map(|n| sums[FACTS + n]);
        self.facts =
            Facts { residual: sums[residual], weights, projected_gradient, positive: positive as usize };
    }

    /// Sets the weights w. The residual r and the gradient g are not updated.
    pub(crate) fn set_weights(&mut self, weights: &[T]) -> Result<(), E::Error> {
        self.engine.set(WEIGHTS, weights)
    }

    /// Computes r and g from w. It needs two products.
    pub(crate) fn recompute(&mut self) -> Result<(), E::Error> {
        self.engine.forward(WEIGHTS, RESIDUAL)?;
        self.finish_residual()
    }

    /// Sets w ← [w − length · g]₊, and updates the residual r and the gradient g by addition. This function
    /// computes one product with A and one with Aᵀ.
    pub(crate) fn step(&mut self, length: f64) -> Result<StepNorms, E::Error> {
        let Self { engine, .. } = self;
        engine.pass(non_negative_step, [length], [WEIGHTS, DIRECTION], [GRADIENT], Some(STEP))?;
        engine.image(DIRECTION, IMAGE, Some(RESIDUAL), Some(STEP + 1), DATA)?;
        let read = [Vector::Product, DIRECTION, WEIGHTS];
        engine.pass(non_negative_change, [], [GRADIENT], read, Some(CHANGE))?;
        let sums = engine.sums()?;
        self.set_facts(&sums, DATA + 1);
        Ok(StepNorms { taken: sums[STEP], image: sums[DATA], change: sums[CHANGE] })
    }

    /// Sets the search direction d to the free part of the gradient g, and computes Ad. If `curvature` is
    /// true, also computes the free components of AᵀAd. This function computes one product with A and, if
    /// `curvature` is true, one with Aᵀ.
    pub(crate) fn descent(&mut self, curvature: bool) -> Result<DescentNorms, E::Error> {
        let Self { engine, .. } = self;
        engine.pass(non_negative_subspace, [], [DIRECTION], [GRADIENT, WEIGHTS], Some(STEP))?;
        engine.image(DIRECTION, IMAGE, None, curvature.then_some(STEP + 1), DATA)?;
        if curvature {
            let read = [Vector::Product, GRADIENT, WEIGHTS];
            engine.pass(non_negative_curvature, [], [], read, Some(CHANGE))?;
        }
        let sums = engine.sums()?;
        let curvature = if curvature { sums[CHANGE] } else { f64::NAN };
        Ok(DescentNorms { direction: sums[STEP], image: sums[DATA], curvature })
    }

    /// Sets w ← [w − length · d]₊ with the search direction d. The residual r and the gradient g are not
    /// updated.
    pub(crate) fn move_along_descent(&mut self, length: f64) -> Result<(), E::Error> {
        self.engine.pass(non_negative_descend, [length], [WEIGHTS], [DIRECTION], None)
    }

    /// Keeps a copy of the weights w as the best weights so far.
    pub(crate) fn keep_best(&mut self) -> Result<(), E::Error> {
        self.engine.copy(WEIGHTS, BEST)
    }

    /// Sets the weights w to the best weights so far. The residual r and the gradient g are not updated.
    pub(crate) fn restore_best(&mut self) -> Result<(), E::Error> {
        self.engine.copy(BEST, WEIGHTS)
    }

    /// Keeps copies of the weights w and the gradient g for [`promised`](Self::promised).
    pub(crate) fn keep_window(&mut self) -> Result<(), E::Error> {
        self.engine.copy(WEIGHTS, KEPT_WEIGHTS)?;
        self.engine.copy(GRADIENT, KEPT_GRADIENT)
    }

    /// Returns the inner product ⟨g₀, w₀ − w⟩, where g₀ and w₀ are the kept gradient and weights, and w are
    /// the current weights. It is the decrease of the objective that the kept gradient predicts.
    pub(crate) fn promised(&mut self) -> Result<f64, E::Error> {
        let read = [KEPT_GRADIENT, KEPT_WEIGHTS, WEIGHTS];
        self.engine.pass(non_negative_promised, [], [], read, Some(PROMISED))?;
        Ok(self.engine.sums()?[PROMISED])
    }

    /// Returns the weights w.
    pub(crate) fn weights(&self) -> Result<Vec<T>, E::Error> {
        self.engine.get(WEIGHTS)
    }
}
