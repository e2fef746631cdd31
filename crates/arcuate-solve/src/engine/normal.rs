//! The vectors of a solver on the GPU that has the product with AᵀA of an operator.

use super::{Device, Engine, Layout, Normal, Vector, solver_dot};
use crate::{DeviceNormal, Real};
use arcuate_compute::cuda::CudaError;
use arcuate_core::Result;

impl<'a, T: Real> Device<'a, T> {
    /// Allocates the vectors on the GPU of the operator A. If there are `data`, their product with Aᵀ becomes
    /// the given vector. If there are none, or if the operator does not compute this product on the GPU,
    /// `right_side` is copied there.
    ///
    /// Returns an error if the operator and the penalty are on different GPUs, or if one of these GPUs fails.
    pub(crate) fn with_normal(
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
        let mut device = Self::for_normal(gpu, columns, layout)?;
        let Self { stream, vectors, normal, .. } = &mut device;
        *normal = [Some(operator), penalty];
        match data.and_then(|data| operator.adjoint(stream, data, &mut vectors.given)) {
            Some(done) => done?,
            None => vectors.given.copy_from(stream, right_side())?,
        }
        Ok(device)
    }

    /// Computes a product of one of the operators. Returns false if there is no such operator.
    fn multiply(&mut self, which: usize, x: Vector, out: Vector) -> Result<bool> {
        let Some(operator) = self.normal[which] else { return Ok(false) };
        let [x, out] = self.vectors.two(x, out);
        operator.normal(&self.stream, x, out).map(|()| true)
    }
}

impl<T: Real> Normal<T> for Device<'_, T> {
    fn normal(&mut self, x: Vector, out: Vector) -> Result<()> {
        self.multiply(0, x, out).map(drop)
    }

    fn penalty_normal(&mut self, x: Vector, out: Vector) -> Result<bool> {
        self.multiply(1, x, out)
    }

    fn penalty(&mut self, x: Vector, scratch: Vector, x_squared: f64, sum: usize) -> Result<f64> {
        if !self.penalty_normal(x, scratch)? {
            return Ok(x_squared);
        }
        self.pass(solver_dot, [], [], [x, scratch], Some(sum))?;
        Ok(self.sums()?[sum])
    }
}
