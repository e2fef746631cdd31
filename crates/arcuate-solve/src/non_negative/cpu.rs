//! The vectors of a solver on the processor.

use super::NonNegativeLeastSquares;
use super::engine::{DescentNorms, Engine, Facts, StepNorms, free};
use crate::{LinearOperator, Real, vector};
use rayon::prelude::*;
use std::convert::Infallible;

pub(crate) struct CpuEngine<'a, T, A> {
    problem: NonNegativeLeastSquares<'a, T, A>,
    weights: Vec<T>,
    residual: Vec<T>,
    gradient: Vec<T>,
    /// The step taken, or the direction of descent.
    direction: Vec<T>,
    image: Vec<T>,
    change: Vec<T>,
    best: Vec<T>,
    window: (Vec<T>, Vec<T>),
}

impl<'a, T: Real, A: LinearOperator<T>> CpuEngine<'a, T, A> {
    pub(crate) fn new(problem: &NonNegativeLeastSquares<'a, T, A>) -> Self {
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
        }
    }
}

impl<T: Real, A: LinearOperator<T>> Engine<T> for CpuEngine<'_, T, A> {
    type Error = Infallible;

    fn begin(&mut self) -> Result<(), Infallible> {
        let NonNegativeLeastSquares { operator, data, l1 } = self.problem;
        self.weights.fill(T::zero());
        operator.adjoint(data, &mut self.gradient);
        for g in &mut self.gradient {
            *g = T::of(l1 - g.wide());
        }
        for (r, &y) in self.residual.iter_mut().zip(data) {
            *r = -y;
        }
        Ok(())
    }

    fn set_weights(&mut self, weights: &[T]) -> Result<(), Infallible> {
        self.weights.copy_from_slice(weights);
        Ok(())
    }

    fn recompute(&mut self) -> Result<(), Infallible> {
        let NonNegativeLeastSquares { operator, data, l1 } = self.problem;
        operator.forward(&self.weights, &mut self.residual);
        vector::subtract(&mut self.residual, data);
        operator.adjoint(&self.residual, &mut self.gradient);
        if l1 > 0.0 {
            for g in &mut self.gradient {
                *g = T::of(g.wide() + l1);
            }
        }
        Ok(())
    }

    fn facts(&mut self) -> Result<Facts, Infallible> {
        let squares: Vec<f64> = self
            .gradient
            .par_chunks(vector::PIECE)
            .zip(self.weights.par_chunks(vector::PIECE))
            .map(|(g, w)| g.iter().zip(w).map(|(&g, &w)| free(g, w).wide().powi(2)).sum())
            .collect();
        Ok(Facts {
            residual: vector::norm_squared(&self.residual),
            weights: vector::sum(&self.weights),
            projected_gradient: squares.iter().sum(),
            positive: self.weights.iter().filter(|w| **w > T::zero()).count(),
        })
    }

    fn step(&mut self, length: f64) -> Result<StepNorms, Infallible> {
        for ((w, &g), s) in self.weights.iter_mut().zip(&self.gradient).zip(&mut self.direction) {
            let new = T::of(w.wide() - length * g.wide()).max(T::zero());
            *s = new - *w;
            *w = new;
        }
        self.problem.operator.forward(&self.direction, &mut self.image);
        self.problem.operator.adjoint(&self.image, &mut self.change);
        vector::add(&mut self.residual, &self.image);
        vector::add(&mut self.gradient, &self.change);
        let moved = self.change.iter().zip(&self.direction).filter(|(_, s)| !s.is_zero());
        Ok(StepNorms {
            taken: vector::norm_squared(&self.direction),
            image: vector::norm_squared(&self.image),
            change: moved.map(|(q, _)| q.wide().powi(2)).sum(),
        })
    }

    fn descent(&mut self, curvature: bool) -> Result<DescentNorms, Infallible> {
        for ((d, &g), &w) in self.direction.iter_mut().zip(&self.gradient).zip(&self.weights) {
            *d = free(g, w);
        }
        self.problem.operator.forward(&self.direction, &mut self.image);
        let curvature = if curvature {
            self.problem.operator.adjoint(&self.image, &mut self.change);
            let all = self.change.iter().zip(&self.gradient).zip(&self.weights);
            all.filter(|((_, g), w)| !(w.is_zero() && **g > T::zero()))
                .map(|((c, _), _)| c.wide().powi(2))
                .sum()
        } else {
            f64::NAN
        };
        Ok(DescentNorms {
            direction: vector::norm_squared(&self.direction),
            image: vector::norm_squared(&self.image),
            curvature,
        })
    }

    fn move_along_descent(&mut self, length: f64) -> Result<(), Infallible> {
        for (w, &d) in self.weights.iter_mut().zip(&self.direction) {
            *w = T::of(w.wide() - length * d.wide()).max(T::zero());
        }
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
        let all = gradient.iter().zip(weights).zip(&self.weights);
        Ok(all.map(|((g, old), new)| g.wide() * (old.wide() - new.wide())).sum())
    }

    fn weights(&mut self) -> Result<Vec<T>, Infallible> {
        Ok(self.weights.clone())
    }
}
