//! GPU vectors that all solvers have: the unknowns on each GPU, and the data split between GPUs by the
//! operator.

use super::cuda::{AdjointSums, Totals, combined, exchange};
use super::operator::{Products, SplitOperator};
use super::sizes::Sizes;
use crate::Real;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Stream, on_each};
use arcuate_core::Result;

/// The vectors of a solver on one GPU: common ones and its `own`.
pub(crate) struct Share<T: Real, V> {
    pub(crate) stream: Stream,
    /// y.
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
    /// Allocates this number of totals, and the solver's own vectors by `own`; all are 0. This is the only
    /// place of allocation, so a GPU that only counts ([`Gpu::bytes_of`]) reports the required memory.
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

    /// Adds the adjoint of `data` to the sums. They stay below `bound` times the total at position `largest`,
    /// which is set first, since it must be the same on all GPUs.
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
    /// [`Share::new`] on each GPU of the operator, with the measured data.
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

    /// Queues `work` on each GPU, in separate threads if products wait for copies.
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

    /// Distributes the sums of each GPU to all others.
    pub(crate) fn exchange(&mut self) -> Result<()> {
        let mut parts = Vec::with_capacity(self.shares.len());
        for Share { stream, sums, .. } in &mut self.shares {
            parts.push((&*stream, sums));
        }
        exchange(self.operator, &mut parts)
    }

    /// All totals. Totals of unknowns are the same on all GPUs. Totals of data are added at positions
    /// `added`, and their maximum is taken at positions `largest`.
    pub(crate) fn totals(&self, added: &[usize], largest: &[usize]) -> Result<Vec<f64>> {
        let of_gpus =
            self.shares.iter().map(|share| share.totals.read(&share.stream)).collect::<CudaResult<_>>()?;
        Ok(combined(of_gpus, added, largest))
    }

    /// The first part, for values that are the same on all GPUs.
    pub(crate) fn first(&self) -> &Share<T, V> {
        &self.shares[0]
    }

    /// The first part, mutable.
    pub(crate) fn first_mut(&mut self) -> &mut Share<T, V> {
        &mut self.shares[0]
    }
}
