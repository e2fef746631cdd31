//! The vectors of the method of conjugate gradients on a GPU. Scalars (such as step lengths) stay on the GPU,
//! too. The CPU reads the sums over the vectors once per iteration.
#![allow(unsafe_code)]

use super::engine::Engine;
use super::sums::Sums;
use super::{QuadraticProblem, kernels};
use crate::gpus::{Totals, grid};
use crate::{DeviceNormal, Real};
use arcuate_compute::cuda::{Buffer, CudaError, CudaResult, Gpu, Stream};
use arcuate_core::Result;

/// Number of sums, and number of maxima, that a kernel computes when it processes the vectors x and r. The
/// sums are those in [`Sums`].
const SUMS: (u32, u32, usize) = (4, 0, 0);

struct Vectors<T: Real> {
    right_side: Buffer<T>,
    x: Buffer<T>,
    residual: Buffer<T>,
    direction: Buffer<T>,
    image: Buffer<T>,
    /// The product of WᵀW with a vector. `None` if there is no W.
    of_penalty: Buffer<T>,
    /// The sums over the vectors in the current iteration, and those in the previous iteration. The two
    /// buffers are exchanged in each iteration.
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

/// Returns the GPU memory in bytes that the method of conjugate gradients needs for this number of unknowns.
/// The memory of the operator is not included.
///
/// Returns an error if the GPU driver fails.
pub fn gradients_bytes<T: Real>(gpu: &Gpu, unknowns: usize, penalty: bool) -> CudaResult<u64> {
    gpu.bytes_of(|gpu| Vectors::<T>::new(gpu, unknowns, penalty).map(drop))
}

pub(super) struct CudaEngine<'a, T: Real> {
    operator: &'a dyn DeviceNormal<T>,
    penalty: Option<&'a dyn DeviceNormal<T>>,
    lambda: f64,
    stream: Stream,
    vectors: Vectors<T>,
    /// The squared norm ‖r‖² of the residual r of the normal equations.
    square: f64,
}

impl<'a, T: Real> CudaEngine<'a, T> {
    /// Returns an error if the operator and the penalty are on different GPUs, or if one of these GPUs fails.
    pub(super) fn new(problem: &QuadraticProblem<'a, T>, operator: &'a dyn DeviceNormal<T>) -> Result<Self> {
        let gpu = operator.gpu();
        let penalty = problem.penalty.and_then(|penalty| penalty.device_normal());
        if penalty.is_some_and(|penalty| penalty.gpu().ordinal() != gpu.ordinal()) {
            let problem = "an operator and its penalty are on different GPUs".to_owned();
            return Err(CudaError::Misuse { about: "conjugate gradients".to_owned(), problem }.into());
        }
        let stream = gpu.stream()?;
        let mut vectors = Vectors::new(gpu, problem.unknowns(), penalty.is_some())?;
        let there = match (problem.data, problem.right_side.get()) {
            // The product Aᵀy is already in the memory of this GPU, because the GPU has computed it.
            (Some(data), None) => operator.adjoint(&stream, data, &mut vectors.right_side),
            _ => None,
        };
        match there {
            Some(done) => done?,
            None => vectors.right_side.copy_from(&stream, problem.right_side())?,
        }
        Ok(Self { operator, penalty, lambda: problem.lambda, stream, vectors, square: 0.0 })
    }

    fn count(&self) -> usize {
        self.vectors.x.len()
    }

    /// Computes image = (AᵀA + λWᵀW) v, where v is the search direction p or the unknowns x. Also computes
    /// the inner product of the image with v.
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
        // SAFETY: all vectors have `count` elements. The kernel accepts a null pointer as the added vector.
        Ok(curvature.of(stream, count, (1, 0, 0), |grid, partials| unsafe {
            kernels::gradients_curvature(stream, grid, count as u64, lambda, of, added, image, partials)
        })?)
    }

    /// Sets the residual r = b − image, or r = b if there is no image, with the right side b. Sets the search
    /// direction p = r. Computes the sums over the vectors for this iteration.
    fn set_residual(&mut self, with_image: bool) -> CudaResult<()> {
        let count = self.count();
        let Self { stream, vectors, .. } = self;
        let Vectors { right_side, x, residual, direction, image, sums: [sums, _], .. } = vectors;
        let image = with_image.then_some(&*image);
        // SAFETY: all vectors have `count` elements. The kernel accepts a null pointer as the image.
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

    /// Takes a step along the search direction, and updates the direction. Exchanges the buffers with the
    /// sums of this iteration and of the previous one.
    fn advance(&mut self) -> CudaResult<()> {
        let count = self.count();
        let Self { stream, vectors, .. } = self;
        let Vectors { right_side, x, residual, direction, image, sums: [sums, next], curvature, .. } =
            vectors;
        // SAFETY: all vectors have `count` elements, and the buffer of sums has one number for each sum.
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
        // SAFETY: all vectors have `count` elements, and the buffer of sums has one number for each sum.
        unsafe {
            kernels::gradients_turn(stream, grid(count), count as u64, square, new, &*residual, direction)
        }?;
        vectors.sums.swap(0, 1);
        Ok(())
    }

    /// Returns four inner products after the last step, or at the start: r·r, x·b, x·r, x·x.
    fn sums(&self) -> CudaResult<[f64; 4]> {
        let sums = self.vectors.sums[0].read(&self.stream)?;
        Ok([0, 1, 2, 3].map(|n| sums[n]))
    }
}

impl<T: Real> Engine<T> for CudaEngine<'_, T> {
    type Error = arcuate_core::Error;

    fn begin(&mut self, start: Option<&[T]>) -> Result<(f64, Sums)> {
        // If there is no start vector, x is 0, and the residual is the right side b.
        self.set_residual(false)?;
        let of_right_side = self.sums()?;
        self.square = of_right_side[0];
        let Some(start) = start else { return Ok((of_right_side[0], Sums::of_start(of_right_side))) };
        self.vectors.x.copy_from(&self.stream, start)?;
        self.apply(true)?;
        self.set_residual(true)?;
        let sums = self.sums()?;
        self.square = sums[0];
        Ok((of_right_side[0], Sums::of_start(sums)))
    }

    fn step(&mut self) -> Result<Option<Sums>> {
        self.apply(false)?;
        self.advance()?;
        let (sums, curvature) = (self.sums()?, self.vectors.curvature.read(&self.stream)?[0]);
        let square = std::mem::replace(&mut self.square, sums[0]);
        // If no step is possible, the kernels set the inner product r·r to NaN.
        Ok((!sums[0].is_nan()).then(|| Sums::of_step(sums, square / curvature * square)))
    }

    fn penalty(&mut self, sums: &Sums) -> Result<f64> {
        let count = self.count();
        let Some(penalty) = self.penalty else { return Ok(sums.x_squared) };
        let Self { stream, vectors, .. } = self;
        let Vectors { x, of_penalty, curvature, .. } = vectors;
        penalty.normal(stream, x, of_penalty)?;
        // SAFETY: all vectors have `count` elements. The kernel accepts a null pointer as the added vector.
        curvature.of(stream, count, (1, 0, 0), |grid, partials| unsafe {
            let none: Option<&Buffer<T>> = None;
            kernels::gradients_curvature(stream, grid, count as u64, 0.0, &*x, none, of_penalty, partials)
        })?;
        Ok(curvature.read(stream)?[0])
    }

    fn copy(&self) -> Result<Vec<T>> {
        Ok(self.vectors.x.to_vec(&self.stream)?)
    }

    fn unknowns(self) -> Result<Vec<T>> {
        Ok(self.vectors.x.to_vec(&self.stream)?)
    }
}
