//! The vectors of a solver on the GPU that has the product with AᵀA of an operator.

use super::{Device, Engine, Layout, Normal, Pass, Vector, solver_dot};
use crate::{DeviceNormal, Real};
use arcuate_compute::cuda::CudaError;
use arcuate_core::{Error, Result};

/// The vectors of a solver on one GPU, and the products with AᵀA and WᵀW there.
pub(crate) struct NormalOnGpu<'a, T: Real> {
    operator: &'a dyn DeviceNormal<T>,
    penalty: Option<&'a dyn DeviceNormal<T>>,
    device: Device<T>,
}

impl<'a, T: Real> NormalOnGpu<'a, T> {
    /// Allocates the vectors. `right_side` copies the right side to the GPU if the operator does not compute
    /// it from the data there.
    ///
    /// Returns an error if the operator and the penalty are on different GPUs, or if one of these GPUs fails.
    pub(crate) fn new(
        operator: &'a dyn DeviceNormal<T>,
        penalty: Option<&'a dyn DeviceNormal<T>>,
        (columns, layout): (usize, Layout),
        data: Option<&[T]>,
        right_side: impl FnOnce() -> &'a [T],
    ) -> Result<Self> {
        let gpu = operator.gpu();
        if penalty.is_some_and(|penalty| penalty.gpu().ordinal() != gpu.ordinal()) {
            let problem = "an operator and its penalty are on different GPUs".to_owned();
            return Err(CudaError::Misuse { about: "conjugate gradients".to_owned(), problem }.into());
        }
        let mut device = Device::for_normal(gpu, columns, layout)?;
        let Device { stream, vectors, .. } = &mut device;
        match data.and_then(|data| operator.adjoint(stream, data, &mut vectors.given)) {
            Some(done) => done?,
            None => vectors.given.copy_from(stream, right_side())?,
        }
        Ok(Self { operator, penalty, device })
    }
}

impl<T: Real> Engine<T> for NormalOnGpu<'_, T> {
    type Error = Error;

    fn pass<P, const W: usize, const R: usize, const K: usize, const S: usize>(
        &mut self,
        pass: P,
        scalars: [f64; K],
        changed: [Vector; W],
        read: [Vector; R],
        sums: Option<usize>,
    ) -> Result<()>
    where
        P: Pass<W, R, K, S>,
    {
        Ok(self.device.pass(pass, scalars, changed, read, sums)?)
    }

    fn sums(&mut self) -> Result<Vec<f64>> {
        Ok(self.device.totals.read(&self.device.stream)?)
    }

    fn set(&mut self, to: Vector, values: &[T]) -> Result<()> {
        Ok(self.device.set(to, values)?)
    }

    fn get(&self, from: Vector) -> Result<Vec<T>> {
        Ok(self.device.get(from)?)
    }

    fn copy(&mut self, from: Vector, to: Vector) -> Result<()> {
        Ok(self.device.copy(from, to)?)
    }
}

impl<T: Real> Normal<T> for NormalOnGpu<'_, T> {
    fn normal(&mut self, x: Vector, out: Vector) -> Result<()> {
        let Device { stream, vectors, .. } = &mut self.device;
        let [x, out] = vectors.two(x, out);
        self.operator.normal(stream, x, out)
    }

    fn penalty_normal(&mut self, x: Vector, out: Vector) -> Result<bool> {
        let Some(penalty) = self.penalty else { return Ok(false) };
        let Device { stream, vectors, .. } = &mut self.device;
        let [x, out] = vectors.two(x, out);
        penalty.normal(stream, x, out).map(|()| true)
    }

    fn penalty(&mut self, x: Vector, scratch: Vector, x_squared: f64, sum: usize) -> Result<f64> {
        if !self.penalty_normal(x, scratch)? {
            return Ok(x_squared);
        }
        self.pass(solver_dot, [], [], [x, scratch], Some(sum))?;
        Ok(self.sums()?[sum])
    }
}
