//! The vectors of a solver for non-negative least squares, in CPU memory.

use super::NonNegativeLeastSquares;
use super::engine::{DescentNorms, Engine, Facts, StepNorms, free};
use crate::{Real, vector};
use std::convert::Infallible;

pub(crate) struct CpuEngine<'a, T> {
    problem: NonNegativeLeastSquares<'a, T>,
    weights: Vec<T>,
    residual: Vec<T>,
    gradient: Vec<T>,
    /// The last step, or the current search direction, of a non-negative solver.
    direction: Vec<T>,
    image: Vec<T>,
    change: Vec<T>,
    best: Vec<T>,
    window: (Vec<T>, Vec<T>),
    facts: Facts,
}

/// The contributions of an unknown to the sums in [`Facts`]: the squared free gradient, the weight, and 1 if
/// the weight is positive.
#[inline(always)]
fn terms<T: Real>(gradient: T, weight: T) -> [f64; 3] {
    let free = free(gradient, weight).double();
    [free * free, weight.double(), f64::from(u8::from(weight > T::zero()))]
}

impl<'a, T: Real> CpuEngine<'a, T> {
    pub(crate) fn new(problem: &NonNegativeLeastSquares<'a, T>) -> Self {
        let (rows, columns) = (problem.operator.rows(), problem.operator.columns());
        Self {
            problem: *problem,
            weights: vec![T::zero(); columns],
            residual: vec![T::zero(); rows],
            gradient: vec![T::zero(); columns],
            direction: vec![T::zero(); columns],
            image: vec![T::zero(); rows],
            change: vec![T::zero(); columns],
            best: Vec::new(),
            window: (Vec::new(), Vec::new()),
            facts: Facts { residual: 0.0, weights: 0.0, projected_gradient: 0.0, positive: 0 },
        }
    }

    fn set_facts(&mut self, residual: f64, [projected_gradient, weights, positive]: [f64; 3]) {
        self.facts = Facts { residual, weights, projected_gradient, positive: positive as usize };
    }
}

impl<T: Real> Engine<T> for CpuEngine<'_, T> {
    type Error = Infallible;

    fn begin(&mut self) -> Result<(), Infallible> {
        let NonNegativeLeastSquares { operator, data, l1, .. } = self.problem;
        self.weights.fill(T::zero());
        operator.adjoint(data, &mut self.gradient);
        self.problem.hold(&mut self.gradient);
        let [residual] =
            vector::pass([&mut self.residual], [data], |_, [y]| ([-y], [y.double() * y.double()]));
        let totals = vector::pass([&mut self.gradient], [], |[g], []| {
            let g = T::of(l1 - g.double());
            ([g], terms(g, T::zero()))
        });
        self.set_facts(residual, totals);
        Ok(())
    }

    fn set_weights(&mut self, weights: &[T]) -> Result<(), Infallible> {
        self.weights.copy_from_slice(weights);
        Ok(())
    }

    fn recompute(&mut self) -> Result<(), Infallible> {
        let NonNegativeLeastSquares { operator, data, l1, .. } = self.problem;
        operator.forward(&self.weights, &mut self.residual);
        let [residual] = vector::pass([&mut self.residual], [data], |[r], [y]| {
            let r = r - y;
            ([r], [r.double() * r.double()])
        });
        operator.adjoint(&self.residual, &mut self.gradient);
        self.problem.hold(&mut self.gradient);
        let totals = vector::pass([&mut self.gradient], [&self.weights], |[g], [w]| {
            let g = T::of(g.double() + l1);
            ([g], terms(g, w))
        });
        self.set_facts(residual, totals);
        Ok(())
    }

    fn facts(&mut self) -> Result<Facts, Infallible> {
        Ok(self.facts)
    }

    fn step(&mut self, length: f64) -> Result<StepNorms, Infallible> {
        let vectors = [self.weights.as_mut_slice(), self.direction.as_mut_slice()];
        let [taken] = vector::pass(vectors, [&self.gradient], |[w, _], [g]| {
            let new = T::of(w.double() - length * g.double()).max(T::zero());
            let step = new - w;
            ([new, step], [step.double() * step.double()])
        });
        self.problem.operator.forward(&self.direction, &mut self.image);
        let [image, residual] = vector::pass([&mut self.residual], [&self.image], |[r], [u]| {
            let r = r + u;
            ([r], [u.double() * u.double(), r.double() * r.double()])
        });
        self.problem.operator.adjoint(&self.image, &mut self.change);
        self.problem.hold(&mut self.change);
        let read = [self.change.as_slice(), &self.direction, &self.weights];
        let [change, free, weights, positive] =
            vector::pass([&mut self.gradient], read, |[g], [q, step, w]| {
                let g = g + q;
                let moved = if step.is_zero() { 0.0 } else { q.double() };
                let [free, weights, positive] = terms(g, w);
                ([g], [moved * moved, free, weights, positive])
            });
        self.set_facts(residual, [free, weights, positive]);
        Ok(StepNorms { taken, image, change })
    }

    fn descent(&mut self, curvature: bool) -> Result<DescentNorms, Infallible> {
        let read = [self.gradient.as_slice(), &self.weights];
        let [direction] = vector::pass([&mut self.direction], read, |_, [g, w]| {
            let free = free(g, w);
            ([free], [free.double() * free.double()])
        });
        self.problem.operator.forward(&self.direction, &mut self.image);
        let image = vector::norm_squared(&self.image);
        if !curvature {
            return Ok(DescentNorms { direction, image, curvature: f64::NAN });
        }
        self.problem.operator.adjoint(&self.image, &mut self.change);
        self.problem.hold(&mut self.change);
        let read = [self.change.as_slice(), &self.gradient, &self.weights];
        let [curvature] = vector::pass([], read, |[], [c, g, w]| {
            let free = if w.is_zero() && g > T::zero() { 0.0 } else { c.double() };
            ([], [free * free])
        });
        Ok(DescentNorms { direction, image, curvature })
    }

    fn move_along_descent(&mut self, length: f64) -> Result<(), Infallible> {
        vector::pass([&mut self.weights], [&self.direction], |[w], [d]| {
            ([T::of(w.double() - length * d.double()).max(T::zero())], [])
        });
        Ok(())
    }

    fn keep_best(&mut self) -> Result<(), Infallible> {
        self.best.clone_from(&self.weights);
        Ok(())
    }

    fn restore_best(&mut self) -> Result<(), Infallible> {
        self.weights.clone_from(&self.best);
        Ok(())
    }

    fn keep_window(&mut self) -> Result<(), Infallible> {
        self.window.0.clone_from(&self.weights);
        self.window.1.clone_from(&self.gradient);
        Ok(())
    }

    fn promised(&mut self) -> Result<f64, Infallible> {
        let (weights, gradient) = (&self.window.0, &self.window.1);
        let read = [gradient.as_slice(), weights, &self.weights];
        let [promised] =
            vector::pass([], read, |[], [g, old, new]| ([], [g.double() * (old.double() - new.double())]));
        Ok(promised)
    }

    fn weights(&mut self) -> Result<Vec<T>, Infallible> {
        Ok(self.weights.clone())
    }
}
