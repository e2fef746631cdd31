//! Times matrix products with the linear operators of LiFE and COMMIT on GPUs, by the clock of the GPU. All
//! data are in GPU memory.

use crate::outcome::Outcome;
use arcuate_compute::cuda::{Buffer, Gpu, LaunchTimes, Stream};
use arcuate_solve::{Products, Real, SplitOperator, fixed_point_scale};

/// The timed products, each with its name and three flags. The flags state whether the product applies A to
/// unknowns, adds the result to existing data, and applies Aᵀ.
pub(crate) const KINDS: [(&str, bool, bool, bool); 3] = [
    ("A x", true, false, false),
    ("Aᵀ y", false, false, true),
    ("A s, r += A s and Aᵀ A s together", true, true, true),
];

/// Returns the median time of each product in [`KINDS`] in milliseconds. If several GPUs share the work, it
/// is the time of the slowest GPU.
pub(crate) fn milliseconds<T: Real>(
    operator: &dyn SplitOperator<T>,
    weights: &[T],
    data: &[T],
) -> Outcome<[f64; KINDS.len()]> {
    let mut slowest = [0.0; KINDS.len()];
    for (n, gpu) in operator.gpus().iter().enumerate() {
        for ((_, unknowns, carry, sums), slowest) in KINDS.into_iter().zip(&mut slowest) {
            // Each product gets its own copy of the data on the GPU, because a product overwrites its data.
            let mut share = Share::new(gpu, operator, n, weights, data)?;
            let times = share.time(operator, n, unknowns, carry, sums)?;
            *slowest = f64::max(*slowest, 1e3 * times.median());
        }
    }
    Ok(slowest)
}

struct Share<T: Real> {
    stream: Stream,
    weights: Buffer<T>,
    data: Buffer<T>,
    sums: Buffer<u64>,
    scale: Buffer<f64>,
    norms: Buffer<f64>,
}

impl<T: Real> Share<T> {
    fn new(gpu: &Gpu, operator: &dyn SplitOperator<T>, n: usize, weights: &[T], data: &[T]) -> Outcome<Self> {
        let stream = gpu.stream()?;
        let bounds = operator.bounds();
        Ok(Self {
            weights: gpu.upload(&stream, weights)?,
            data: gpu.upload(&stream, &data[operator.rows_on(n)])?,
            sums: gpu.alloc(operator.raw_sums().unwrap_or(weights.len()))?,
            scale: gpu.upload(&stream, &fixed_point_scale(bounds.image * bounds.adjoint * 16.0))?,
            norms: gpu.alloc(2 * operator.norms_on(n))?,
            stream,
        })
    }

    /// Returns the times of twenty kernel launches of a product.
    fn time(
        &mut self,
        operator: &dyn SplitOperator<T>,
        n: usize,
        unknowns: bool,
        carry: bool,
        sums: bool,
    ) -> Outcome<LaunchTimes> {
        let Self { stream, weights, data, sums: totals, scale, norms } = self;
        let times = stream.time(20, || {
            let what = Products {
                unknowns: unknowns.then_some(&*weights),
                carry,
                data: &mut *data,
                sums: sums.then_some((&mut *totals, &*scale)),
                norms: (unknowns && sums).then_some(&mut *norms),
            };
            operator.products(n, stream, what)
        })?;
        Ok(times)
    }
}
