//! The vectors of the method of conjugate gradients in CPU memory.

use super::QuadraticProblem;
use super::engine::Engine;
use super::sums::Sums;
use crate::{Real, vector};
use std::convert::Infallible;

pub(super) struct CpuEngine<'a, T> {
    problem: &'a QuadraticProblem<'a, T>,
    x: Vec<T>,
    residual: Vec<T>,
    direction: Vec<T>,
    image: Vec<T>,
    scratch: Vec<T>,
    /// The squared norm ‖r‖² of the residual r of the normal equations.
    square: f64,
}

impl<'a, T: Real> CpuEngine<'a, T> {
    pub(super) fn new(problem: &'a QuadraticProblem<'a, T>) -> Self {
        let zeros = || vec![T::zero(); problem.unknowns()];
        let (x, image, scratch) = (zeros(), zeros(), zeros());
        let residual = problem.right_side().to_vec();
        Self { problem, x, direction: residual.clone(), residual, image, scratch, square: 0.0 }
    }
}

impl<T: Real> Engine<T> for CpuEngine<'_, T> {
    type Error = Infallible;

    fn begin(&mut self, start: Option<&[T]>) -> Result<(f64, Sums), Infallible> {
        let size = vector::norm_squared(self.problem.right_side());
        let Self { problem, x, residual, direction, image, scratch, square } = self;
        if let Some(start) = start {
            x.copy_from_slice(start);
            problem.apply(x, image, scratch);
            vector::subtract(residual, image);
            direction.copy_from_slice(residual);
        }
        let sums =
            vector::pass([], [x, problem.right_side(), residual], |[], [x, b, r]| ([], terms(x, b, r)));
        *square = sums[0];
        Ok((size, Sums::of_start(sums)))
    }

    fn step(&mut self) -> Result<Option<Sums>, Infallible> {
        let Self { problem, x, residual, direction, image, scratch, square } = self;
        problem.apply(direction, image, scratch);
        let length = *square / vector::dot(direction, image);
        if !(length > 0.0 && length.is_finite()) {
            return Ok(None);
        }
        let read = [direction.as_slice(), image, problem.right_side()];
        let sums = vector::pass([x, residual], read, |[x, r], [p, image, b]| {
            let x = T::of(x.double() + length * p.double());
            let r = T::of(r.double() - length * image.double());
            ([x, r], terms(x, b, r))
        });
        let decrease = length * *square;
        let keep = sums[0] / *square;
        vector::pass([direction], [residual], |[p], [r]| ([T::of(r.double() + keep * p.double())], []));
        *square = sums[0];
        Ok(Some(Sums::of_step(sums, decrease)))
    }

    fn penalty(&mut self, _: &Sums) -> Result<f64, Infallible> {
        Ok(self.problem.penalty_of(&self.x))
    }

    fn copy(&self) -> Result<Vec<T>, Infallible> {
        Ok(self.x.clone())
    }

    fn unknowns(self) -> Result<Vec<T>, Infallible> {
        Ok(self.x)
    }
}

/// Returns the contributions of one element of the vectors to the sums in [`Sums`]: r², xb, xr, x².
fn terms<T: Real>(x: T, b: T, r: T) -> [f64; 4] {
    let (x, b, r) = (x.double(), b.double(), r.double());
    [r * r, x * b, x * r, x * x]
}
