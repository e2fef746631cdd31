//! The iteration on a GPU: vectors and scalars stay there, and one look at the sums an iteration comes back.
#![allow(unsafe_code)]

use super::{QuadraticPoint, QuadraticProblem, QuadraticSolution, ResidualRule, kernels};
use crate::gpus::{Totals, grid};
use crate::{DeviceNormal, Outcome, Real};
use arcuate_compute::cuda::{Buffer, CudaError, CudaResult, Gpu, Stream};
use arcuate_core::Result;
use std::time::Instant;

/// What passes over x and r leave: r·r, x·b, x·r, x·x.
const SUMS: (u32, u32, usize) = (4, 0, 0);

struct Vectors<T: Real> {
    right_side: Buffer<T>,
    x: Buffer<T>,
    residual: Buffer<T>,
    direction: Buffer<T>,
    image: Buffer<T>,
    /// WᵀW of a vector, where there is a W.
    of_penalty: Buffer<T>,
    /// Sums of this iteration and of the one before, by turns.
    sums: [Totals; 2],
    curvature: Totals,
}

impl<T: Real> Vectors<T> {
    fn new(gpu: &Gpu, count: usize, penalty: bool) -> CudaResult<Self> {
        Ok(Self {
            right_side: gpu.alloc(count)?,
            x: gpu.alloc(count)?,
            residual: gpu.alloc(count)?,
            direction: gpu.alloc(count)?,
            image: gpu.alloc(count)?,
            of_penalty: gpu.alloc(if penalty { count } else { 0 })?,
            sums: [Totals::new(gpu, SUMS.0 as usize)?, Totals::new(gpu, SUMS.0 as usize)?],
            curvature: Totals::new(gpu, 1)?,
        })
    }
}

/// What conjugate gradients on so many unknowns take of a GPU beside the operator.
pub fn gradients_bytes<T: Real>(gpu: &Gpu, unknowns: usize, penalty: bool) -> CudaResult<u64> {
    gpu.bytes_of(|gpu| Vectors::<T>::new(gpu, unknowns, penalty).map(drop))
}

struct Iteration<'a, T: Real> {
    operator: &'a dyn DeviceNormal<T>,
    penalty: Option<&'a dyn DeviceNormal<T>>,
    lambda: f64,
    stream: Stream,
    vectors: Vectors<T>,
}

impl<T: Real> Iteration<'_, T> {
    fn count(&self) -> usize {
        self.vectors.x.len()
    }

    /// image = (AᵀA + λWᵀW) of the direction, or of x, and its product with that.
    fn apply(&mut self, to_x: bool) -> Result<()> {
        let (count, lambda, penalty) = (self.count(), self.lambda, self.penalty);
        let Self { operator, stream, vectors, .. } = self;
        let Vectors { x, direction, image, of_penalty, curvature, .. } = vectors;
        let of = if to_x { &*x } else { &*direction };
        operator.normal(stream, of, image)?;
        if let (Some(penalty), true) = (penalty, lambda > 0.0) {
            penalty.normal(stream, of, of_penalty)?;
        }
        let added = match penalty {
            _ if lambda == 0.0 => None,
            None => Some(of),
            Some(_) => Some(&*of_penalty),
        };
        // SAFETY: vectors of `count` elements; what is added may be none.
        Ok(curvature.of(stream, count, (1, 0, 0), |grid, partials| unsafe {
            kernels::gradients_curvature(stream, grid, count as u64, lambda, of, added, image, partials)
        })?)
    }

    /// r = b − image, or b, and p = r. Sums are those of this turn.
    fn begin(&mut self, with_image: bool) -> CudaResult<()> {
        let count = self.count();
        let Self { stream, vectors, .. } = self;
        let Vectors { right_side, x, residual, direction, image, sums: [sums, _], .. } = vectors;
        let image = with_image.then_some(&*image);
        // SAFETY: vectors of `count` elements; the image may be none.
        sums.of(stream, count, SUMS, |grid, partials| unsafe {
            kernels::gradients_begin(
                stream,
                grid,
                count as u64,
                &*right_side,
                image,
                &*x,
                residual,
                direction,
                partials,
            )
        })
    }

    /// Steps along the direction, turns it, and makes the new sums those of this turn.
    fn step(&mut self) -> CudaResult<()> {
        let count = self.count();
        let Self { stream, vectors, .. } = self;
        let Vectors { right_side, x, residual, direction, image, sums: [sums, next], curvature, .. } =
            vectors;
        // SAFETY: vectors of `count` elements, and one number of each of the sums.
        next.of(stream, count, SUMS, |blocks, partials| unsafe {
            kernels::gradients_step(
                stream,
                blocks,
                count as u64,
                sums.at(0),
                curvature.at(0),
                &*right_side,
                &*direction,
                &*image,
                x,
                &mut *residual,
                partials,
            )
        })?;
        let (square, new) = (sums.at(0), next.at(0));
        // SAFETY: as above.
        unsafe {
            kernels::gradients_turn(stream, grid(count), count as u64, square, new, &*residual, direction)
        }?;
        vectors.sums.swap(0, 1);
        Ok(())
    }

    /// The sums of this turn.
    fn sums(&self) -> CudaResult<[f64; 4]> {
        let sums = self.vectors.sums[0].read(&self.stream)?;
        Ok([0, 1, 2, 3].map(|n| sums[n]))
    }

    /// ‖Wx‖², where x·x is known.
    fn penalty_of_x(&mut self, x_squared: f64) -> Result<f64> {
        let count = self.count();
        let Some(penalty) = self.penalty else { return Ok(x_squared) };
        let Self { stream, vectors, .. } = self;
        let Vectors { x, of_penalty, curvature, .. } = vectors;
        penalty.normal(stream, x, of_penalty)?;
        // SAFETY: vectors of `count` elements, none of which is added.
        curvature.of(stream, count, (1, 0, 0), |grid, partials| unsafe {
            let none: Option<&Buffer<T>> = None;
            kernels::gradients_curvature(stream, grid, count as u64, 0.0, &*x, none, of_penalty, partials)
        })?;
        Ok(curvature.read(stream)?[0])
    }
}

/// As [`cpu::minimise`](super::cpu::minimise).
pub(super) fn minimise<T: Real>(
    problem: &QuadraticProblem<'_, T>,
    operator: &dyn DeviceNormal<T>,
    start: Option<&[T]>,
    rule: &ResidualRule,
    watch: &mut dyn FnMut(&QuadraticPoint) -> bool,
) -> Result<QuadraticSolution<T>> {
    let started = Instant::now();
    let gpu = operator.gpu();
    let penalty = problem.penalty.and_then(|penalty| penalty.normal_on_device());
    if penalty.is_some_and(|penalty| penalty.gpu().ordinal() != gpu.ordinal()) {
        let problem = "an operator and its penalty lie on two GPUs".to_owned();
        return Err(CudaError::Misuse { about: "conjugate gradients".to_owned(), problem }.into());
    }
    let b = &problem.right_side;
    let mut work = Iteration {
        operator,
        penalty,
        lambda: problem.lambda,
        stream: gpu.stream()?,
        vectors: Vectors::new(gpu, b.len(), penalty.is_some())?,
    };
    work.vectors.right_side.copy_from(&work.stream, b)?;
    let mut products = 0;
    if let Some(start) = start {
        work.vectors.x.copy_from(&work.stream, start)?;
        work.apply(true)?;
        products = 1;
    }
    work.begin(start.is_some())?;
    let size = crate::vector::norm_squared(b);
    let mut trace: Vec<QuadraticPoint> = Vec::new();
    let mut outcome = Outcome::IterationLimit;
    let mut x_squared = 0.0;
    for iteration in 0.. {
        let [square, of_b, of_r, of_x] = work.sums()?;
        if iteration > 0 && square.is_nan() {
            // There was no step to take.
            outcome = Outcome::PrecisionLimit;
            break;
        }
        x_squared = of_x;
        // With Nx = b − r, ½xᵀNx − bᵀx + ½‖y‖² is ½(‖y‖² − xᵀb − xᵀr).
        let point = QuadraticPoint {
            iteration,
            products,
            objective: 0.5 * (problem.data_squared - of_b - of_r),
            residual: if square == 0.0 { 0.0 } else { (square / size).sqrt() },
            elapsed: started.elapsed(),
        };
        trace.push(point);
        let goes_on = watch(&point);
        if !point.residual.is_finite() {
            outcome = Outcome::PrecisionLimit;
            break;
        }
        let explained = match rule.misfit {
            None => false,
            Some(enough) => {
                let penalty = if problem.lambda == 0.0 { 0.0 } else { work.penalty_of_x(of_x)? };
                2.0 * point.objective - problem.lambda * penalty <= enough
            }
        };
        if point.residual <= rule.tolerance || explained {
            outcome = Outcome::Converged;
            break;
        }
        if !goes_on || iteration == rule.iterations {
            break;
        }
        work.apply(false)?;
        products += 1;
        work.step()?;
    }
    let last = trace.last().copied().expect("the start is noted");
    let penalty = work.penalty_of_x(x_squared)?;
    Ok(QuadraticSolution {
        objective: last.objective,
        residual: last.residual,
        misfit: 2.0 * last.objective - problem.lambda * penalty,
        penalty,
        unknowns: work.vectors.x.to_vec(&work.stream)?,
        outcome,
        trace,
    })
}
