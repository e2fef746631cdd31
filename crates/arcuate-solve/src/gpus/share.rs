//! The vectors on GPUs that every solver has. Each GPU has all unknowns, and a range of the data.

use super::cuda::{AdjointSums, Totals, combined, exchange};
use super::operator::{Products, SplitOperator};
use super::sizes::Sizes;
use crate::Real;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Stream, on_each};
use arcuate_core::Result;

/// The vectors of a solver on one GPU. Some vectors exist in every solver. The others exist only in this
/// solver (`own`).
pub(crate) struct Share<T: Real, V> {
    pub(crate) stream: Stream,
    /// The measured data y of this GPU.
    pub(crate) measured: Buffer<T>,
    pub(crate) sums: AdjointSums,
    pub(crate) scale: Buffer<f64>,
    pub(crate) norms: Buffer<f64>,
    pub(crate) totals: Totals,
    pub(crate) own: V,
}

/// The vectors of a solver on all GPUs of an operator.
pub(crate) struct Shares<'a, T: Real, V> {
    pub(crate) operator: &'a dyn SplitOperator<T>,
    pub(crate) shares: Vec<Share<T, V>>,
}

impl<T: Real, V> Share<T, V> {
    /// Allocates buffers on a GPU for this number of totals (sums over vectors). `own` allocates the vectors
    /// that only this solver has. All buffers are filled with 0. A solver allocates GPU memory only here. A
    /// GPU object that only counts bytes ([`Gpu::bytes_of`]) therefore reports the required memory.
    pub(crate) fn new(
        gpu: &Gpu,
        sizes: &Sizes,
        totals: usize,
        own: impl FnOnce(&Gpu, &Sizes) -> CudaResult<V>,
    ) -> CudaResult<Self> {
        let stream = gpu.stream()?;
        Ok(Self {
            measured: gpu.alloc(sizes.rows)?,
            sums: AdjointSums::new(gpu, sizes)?,
            scale: gpu.alloc(2)?,
            norms: gpu.alloc(2 * sizes.norms)?,
            totals: Totals::new(gpu, totals)?,
            own: own(gpu, sizes)?,
            stream,
        })
    }

    /// Adds the product of Aᵀ with `data` to the fixed-point sums. The total at position `place` is first set
    /// to `largest`, the largest magnitude of the data on all GPUs. The scale of the sums is computed from it
    /// and the operator's bound. `largest` must be the same on all GPUs.
    pub(crate) fn add_adjoint(
        &mut self,
        operator: &dyn SplitOperator<T>,
        n: usize,
        (place, largest): (usize, f64),
        data: impl FnOnce(&mut V) -> &mut Buffer<T>,
    ) -> Result<()> {
        let Self { stream, sums, scale, totals, own, .. } = self;
        totals.set(stream, place, largest)?;
        totals.scale(stream, place, operator.bounds().adjoint, scale)?;
        operator.products(n, stream, Products::adjoint(data(own), sums.target(), scale))
    }
}

impl<'a, T: Real, V: Send> Shares<'a, T, V> {
    /// Creates a [`Share`] on each GPU of the operator, with the measured data of that GPU.
    pub(crate) fn new(
        operator: &'a dyn SplitOperator<T>,
        columns: usize,
        measured: &[T],
        totals: usize,
        own: impl Fn(&Gpu, &Sizes) -> CudaResult<V> + Sync,
    ) -> Result<Self> {
        let (gpus, raw_sums) = (operator.gpus().len(), operator.raw_sums());
        let shares = on_each(operator.gpus().iter(), |n, gpu| {
            let rows = operator.rows_on(n);
            let sizes = Sizes { rows: rows.len(), columns, norms: operator.norms_on(n), raw_sums, gpus };
            let mut share = Share::new(gpu, &sizes, totals, &own)?;
            share.measured.copy_from(&share.stream, &measured[rows])?;
            Ok(share)
        })?;
        Ok(Self { operator, shares })
    }

    /// Queues `work` on each GPU. If the products of the operator wait for memory copies, each GPU has a
    /// separate CPU thread.
    pub(crate) fn each(
        &mut self,
        work: impl Fn(&dyn SplitOperator<T>, usize, &mut Share<T, V>) -> Result<()> + Sync,
    ) -> Result<()> {
        let operator = self.operator;
        if operator.is_streamed() {
            return on_each(&mut self.shares, |n, share| work(operator, n, share)).map(drop);
        }
        self.shares.iter_mut().enumerate().try_for_each(|(n, share)| work(operator, n, share))
    }

    /// Sends the fixed-point sums of each GPU to all other GPUs.
    pub(crate) fn exchange(&mut self) -> Result<()> {
        let mut parts = Vec::with_capacity(self.shares.len());
        for Share { stream, sums, .. } in &mut self.shares {
            parts.push((&*stream, sums));
        }
        exchange(self.operator, &mut parts)
    }

    /// Returns the totals (sums over vectors) of all GPUs as one list. Totals over unknowns are the same on
    /// all GPUs. Totals over data are added over all GPUs at the positions in `added`. At the positions in
    /// `largest`, their maximum is taken.
    pub(crate) fn totals(&self, added: &[usize], largest: &[usize]) -> Result<Vec<f64>> {
        let of_gpus =
            self.shares.iter().map(|share| share.totals.read(&share.stream)).collect::<CudaResult<_>>()?;
        Ok(combined(of_gpus, added, largest))
    }

    /// Returns the vectors on the first GPU. It is used for values that are the same on all GPUs.
    pub(crate) fn first(&self) -> &Share<T, V> {
        &self.shares[0]
    }

    /// Returns the vectors on the first GPU, so that they can be changed.
    pub(crate) fn first_mut(&mut self) -> &mut Share<T, V> {
        &mut self.shares[0]
    }
}
