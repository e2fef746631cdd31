//! What all solvers have in common of their vectors on GPUs: the unknowns on each of them, the data split between them as
//! the operator says.

use super::cuda::{AdjointSums, Totals, combined, exchange};
use super::operator::{Products, SplitOperator};
use super::sizes::Sizes;
use crate::Real;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Stream, on_each};
use arcuate_core::Result;

/// The vectors of a solver on one GPU: those of every solver, and its `own`.
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
    /// With so many totals, and its own vectors made by `own`; all are 0. The one place where they are made: on a GPU that
    /// only counts ([`Gpu::bytes_of`]) it tells how much they take.
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

    /// The adjoint of what lies in `data`, added to the sums: these stay below `bound` times the total at place
    /// `largest`, which is set first, for it must be the same on all GPUs.
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
    /// As [`Share::new`], on each GPU of the operator, with the data measured.
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

    /// Queues `work` on each GPU, in threads of their own where products wait for copies.
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

    /// Lets every GPU have the sums of all others.
    pub(crate) fn exchange(&mut self) -> Result<()> {
        let mut parts = Vec::with_capacity(self.shares.len());
        for Share { stream, sums, .. } in &mut self.shares {
            parts.push((&*stream, sums));
        }
        exchange(self.operator, &mut parts)
    }

    /// All totals: those of the unknowns are the same everywhere; of the data those at places `added` are added up, and of
    /// those at places `largest` the largest is taken.
    pub(crate) fn totals(&self, added: &[usize], largest: &[usize]) -> Result<Vec<f64>> {
        let of_gpus =
            self.shares.iter().map(|share| share.totals.read(&share.stream)).collect::<CudaResult<_>>()?;
        Ok(combined(of_gpus, added, largest))
    }

    /// Any of them, for what is the same on all.
    pub(crate) fn first(&self) -> &Share<T, V> {
        &self.shares[0]
    }

    /// The same, to be changed.
    pub(crate) fn first_mut(&mut self) -> &mut Share<T, V> {
        &mut self.shares[0]
    }
}
