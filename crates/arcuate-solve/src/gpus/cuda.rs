//! Sums over the vectors of solvers on GPUs. Also exchanges the sums of the products Aᵀ y (64-bit fixed-point
//! numbers) between GPUs.
#![allow(unsafe_code)]

use super::constants;
use super::sizes::Sizes;
use super::{SplitOperator, kernels};
use crate::Real;
use arcuate_compute::cuda::{Buffer, CudaResult, Event, Gpu, Grid, Stream};
use arcuate_core::{Result, narrow};

/// Number of threads of a block.
pub(crate) const THREADS: u32 = constants::THREADS;
/// Maximum number of blocks of a kernel. Each block writes partial sums.
const BLOCKS: u32 = 512;
/// Maximum number of different sums that one kernel computes at once.
const KINDS: usize = 4;

/// Returns the launch grid whose blocks together process this number of vector elements.
pub(crate) fn grid(items: usize) -> Grid {
    let blocks = items.div_ceil(THREADS as usize).clamp(1, BLOCKS as usize);
    Grid::row(narrow::<u32>(blocks), THREADS)
}

/// Sums over vectors on one GPU. The code that owns this struct assigns an index (position) in a buffer to
/// each sum.
pub(crate) struct Totals {
    partials: Buffer<f64>,
    values: Buffer<f64>,
}

impl Totals {
    pub(crate) fn new(gpu: &Gpu, places: usize) -> CudaResult<Self> {
        Ok(Self { partials: gpu.alloc(KINDS * BLOCKS as usize)?, values: gpu.alloc(places)? })
    }

    /// Queues two kernels on a GPU. The first kernel, which `launch` queues with a [`grid`] for `items`,
    /// writes `kinds` partial results per block. They are maxima for set bits of `maxima`, and sums
    /// otherwise. The second kernel combines the partial results of all blocks to totals. It stores the
    /// totals from position `at` on. The buffer of partial results is large enough for any grid.
    pub(crate) fn of(
        &mut self,
        stream: &Stream,
        items: usize,
        (kinds, maxima, at): (u32, u32, usize),
        launch: impl FnOnce(Grid, &mut Buffer<f64>) -> CudaResult<()>,
    ) -> CudaResult<()> {
        assert!(kinds as usize <= KINDS, "{kinds} kinds of sums; at most {KINDS} fit");
        let grid = grid(items);
        launch(grid, &mut self.partials)?;
        self.add_up(stream, grid, (kinds, maxima, at))
    }

    /// Returns the memory for the partial results of a kernel.
    pub(crate) fn partials(&mut self) -> &mut Buffer<f64> {
        &mut self.partials
    }

    /// Queues the second of the kernels that are described at [`of`](Self::of).
    pub(crate) fn add_up(
        &mut self,
        stream: &Stream,
        grid: Grid,
        (kinds, maxima, at): (u32, u32, usize),
    ) -> CudaResult<()> {
        let (blocks, room) = (grid.blocks[0], self.values.range_mut(at..at + kinds as usize));
        // SAFETY: the kernel reads kinds × blocks partial sums, of which there are KINDS × BLOCKS, and writes `kinds` totals.
        unsafe {
            kernels::solver_total(stream, Grid::row(kinds, THREADS), blocks, maxima, &self.partials, room)
        }
    }

    /// Adds up the pairs of squared norms that an operator has written. The two totals are stored from
    /// position `at` on.
    pub(crate) fn add_norms(&mut self, stream: &Stream, norms: &Buffer<f64>, at: usize) -> CudaResult<()> {
        let pairs = norms.len() / 2;
        let count = narrow::<u32>(pairs);
        // SAFETY: the kernel reads `count` pairs, which the buffer contains.
        self.of(stream, pairs, (2, 0, at), |grid, partials| unsafe {
            kernels::solver_norms(stream, grid, count, norms, partials)
        })
    }

    /// Computes the scale of fixed-point sums for a product. The sums stay below `bound` times the total that
    /// is stored at position `largest`.
    pub(crate) fn scale(
        &self,
        stream: &Stream,
        largest: usize,
        bound: f64,
        scale: &mut Buffer<f64>,
    ) -> CudaResult<()> {
        let of = self.values.range(largest..largest + 1);
        // SAFETY: one thread reads one total and writes two numbers.
        unsafe { kernels::solver_scale(stream, Grid::row(1, 1), of, bound, scale) }
    }

    /// Sets the total (sum over a vector) at a position to a number.
    pub(crate) fn set(&mut self, stream: &Stream, place: usize, total: f64) -> CudaResult<()> {
        self.values.range_mut(place..place + 1).copy_from(stream, &[total])
    }

    /// Copies all totals to the host.
    pub(crate) fn read(&self, stream: &Stream) -> CudaResult<Vec<f64>> {
        self.values.to_vec(stream)
    }
}

/// The sums of the products Aᵀ y on one GPU, as 64-bit fixed-point numbers. They are later converted to
/// floating point.
pub(crate) struct AdjointSums {
    /// The fixed-point sums, one for each unknown.
    sums: Buffer<u64>,
    /// Only for operators with raw sums (sums from which those of the unknowns are computed): the buffer to
    /// which products are added instead of `sums`.
    raw: Option<Buffer<u64>>,
    /// Two buffers for the exchange with other GPUs. The first has the total of the sums of all other GPUs,
    /// and the second has the sums of a single other GPU. If the operator has raw sums (sums from which those
    /// of the unknowns are computed), both buffers have raw sums.
    others: Option<(Buffer<u64>, Buffer<u64>)>,
    /// Events of this GPU. The event `summed` means that the sums of this GPU are complete. The event
    /// `copied` means that this GPU has copied the sums of the other GPUs.
    summed: Event,
    copied: Event,
}

impl AdjointSums {
    pub(crate) fn new(gpu: &Gpu, sizes: &Sizes) -> CudaResult<Self> {
        let exchanged = sizes.raw_sums.unwrap_or(sizes.columns);
        let others = if sizes.gpus > 1 { Some((gpu.alloc(exchanged)?, gpu.alloc(exchanged)?)) } else { None };
        Ok(Self {
            sums: gpu.alloc(sizes.columns)?,
            raw: sizes.raw_sums.map(|count| gpu.alloc(count)).transpose()?,
            others,
            summed: gpu.event()?,
            copied: gpu.event()?,
        })
    }

    /// Returns the buffer to which products Aᵀ y are added.
    pub(crate) fn target(&mut self) -> &mut Buffer<u64> {
        self.raw.as_mut().unwrap_or(&mut self.sums)
    }

    /// After [`exchange`], returns two arrays of fixed-point sums with one sum per unknown. Added together,
    /// they are the total over all GPUs. The second array is optional. The kernel that reads the first array
    /// must clear it.
    pub(crate) fn exchanged(&self) -> (&Buffer<u64>, Option<&Buffer<u64>>) {
        // If the operator has raw sums, the sums of the unknowns were computed from the raw sums of all GPUs,
        // and are already complete.
        let others = if self.raw.is_some() { None } else { self.others.as_ref().map(|(others, _)| others) };
        (&self.sums, others)
    }
}

/// Sends the fixed-point sums of each GPU to all other GPUs. If the operator has raw sums, computes the sums
/// of the unknowns from them.
pub(crate) fn exchange<T: Real>(
    operator: &dyn SplitOperator<T>,
    parts: &mut [(&Stream, &mut AdjointSums)],
) -> Result<()> {
    let several = parts.len() > 1;
    if several {
        for (stream, sums) in &*parts {
            stream.record(&sums.summed)?;
        }
        for n in 0..parts.len() {
            let (before, rest) = parts.split_at_mut(n);
            let Some(((stream, mine), after)) = rest.split_first_mut() else { continue };
            let AdjointSums { sums, raw, others: Some((others, room)), copied, .. } = &mut **mine else {
                continue;
            };
            others.zero(stream)?;
            let count = narrow::<u32>(others.len());
            let grid = grid(others.len());
            for (_, other) in before.iter().chain(after.iter()) {
                stream.wait(&other.summed)?;
                let values = other.raw.as_ref().unwrap_or(&other.sums);
                room.view_mut().copy_from_device(stream, values.view())?;
                // SAFETY: all vectors have `count` elements.
                unsafe { kernels::solver_add(stream, grid, count, &mut *others, &*room) }?;
            }
            stream.record(copied)?;
            if let Some(raw) = raw {
                // SAFETY: all vectors have `count` elements.
                unsafe { kernels::solver_add(stream, grid, count, &mut *others, &*raw) }?;
                operator.expand(n, stream, others, sums)?;
            }
        }
        // The next kernel on each GPU clears its fixed-point sums. It must wait until all other GPUs have
        // copied these sums.
        for (stream, _) in &*parts {
            for (_, other) in &*parts {
                stream.wait(&other.copied)?;
            }
        }
    }
    for (n, (stream, mine)) in parts.iter_mut().enumerate() {
        let AdjointSums { sums, raw, .. } = &mut **mine;
        if let Some(raw) = raw {
            if !several {
                operator.expand(n, stream, raw, sums)?;
            }
            raw.zero(stream)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed_point_scale;

    #[test]
    fn gpu_scales_agree_with_the_cpu() {
        if !arcuate_emulation::available("scales of fixed-point sums") {
            return;
        }
        let gpu = arcuate_compute::cuda::Gpu::open(0).unwrap();
        let stream = gpu.stream().unwrap();
        let mut scale = gpu.alloc::<f64>(2).unwrap();
        for (largest, bound) in
            [(1.0, 1.0), (0.0, 3.0), (2.5e-9, 7e12), (1e200, 1e100), (f64::NAN, 1.0), (1e-300, 1e-5)]
        {
            let of = gpu.upload(&stream, &[largest]).unwrap();
            // SAFETY: one thread reads one number and writes two.
            unsafe { kernels::solver_scale(&stream, Grid::row(1, 1), &of, bound, &mut scale) }.unwrap();
            let expected = fixed_point_scale(bound * largest);
            let got = scale.to_vec(&stream).unwrap();
            assert!(
                got.iter().zip(expected).all(|(g, e)| g.to_bits() == e.to_bits() || g.is_nan() && e.is_nan()),
                "{largest:e}: {got:?}"
            );
        }
    }
}
