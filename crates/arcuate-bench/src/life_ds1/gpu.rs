//! The products on GPUs, timed by the GPU's own clock with everything in its memory.

use super::{Bench, Outcome, System, error};
use crate::measure::median;
use arcuate_compute::cuda::{Buffer, Gpu, Stream};
use arcuate_evaluate::Element;
use arcuate_solve::{CudaOperator, LinearOperator, Products, fixed_point_scale};

/// What is timed: with unknowns, adding to the data, with the adjoint.
const KINDS: [(&str, bool, bool, bool); 3] = [
    ("M w", true, false, false),
    ("Mᵀ y", false, false, true),
    ("M s, r += M s and Mᵀ M s together", true, true, true),
];

impl Bench<'_> {
    /// Median times of the products, the slowest GPU's, and their errors through the host.
    pub(super) fn products_on_gpus<T: Element>(
        &self,
        system: &System<T>,
        reference: &System<f64>,
        weights: &[f64],
    ) -> Outcome {
        let Some(operator) = system.operator.on_gpus() else {
            return Err("the operator did not go to the GPU".into());
        };
        let narrow: Vec<T> = weights.iter().map(|&w| T::of(w)).collect();
        let (mut out, mut expected) =
            (vec![T::zero(); system.operator.rows()], vec![0.0; reference.operator.rows()]);
        system.operator.forward(&narrow, &mut out);
        reference.operator.forward(weights, &mut expected);
        let forward = error(&out, &expected);
        let (mut out, mut expected) =
            (vec![T::zero(); system.operator.columns()], vec![0.0; reference.operator.columns()]);
        system.operator.adjoint(&system.data, &mut out);
        reference.operator.adjoint(&reference.data, &mut expected);
        let adjoint = error(&out, &expected);
        let gpus = operator.gpus().len() as f64;
        let apart = Self::floor(&self.rates, &system.operator) / gpus;
        // Together the coefficients are read once, the data read and written, and the arithmetic is that of both.
        let [bytes, _, operations] = Self::work(&system.operator);
        let width = size_of::<T>() as f64;
        let bytes = bytes + width * system.operator.rows() as f64;
        let operations = 2.0 * operations * width / 4.0;
        let together = (bytes / self.rates.copy).max(operations / self.rates.operations) / gpus;
        let times = milliseconds(operator, &narrow, &system.data)?;
        for ((what, unknowns, _, sums), slowest) in KINDS.into_iter().zip(times) {
            let floor = if unknowns && sums { together } else { apart };
            println!(
                "  {what:<34} {slowest:>8.3} ms, floor {:.3} ms, {:.2} × floor",
                1e3 * floor,
                1e-3 * slowest / floor
            );
        }
        println!("  errors: M w {forward:.1e}, Mᵀ y {adjoint:.1e}");
        Ok(())
    }
}

/// Median times of each of [`KINDS`], the slowest GPU's.
pub(crate) fn milliseconds<T: Element>(
    operator: &dyn CudaOperator<T>,
    weights: &[T],
    data: &[T],
) -> Outcome<[f64; KINDS.len()]> {
    let mut slowest = [0.0; KINDS.len()];
    for (n, gpu) in operator.gpus().iter().enumerate() {
        for ((_, unknowns, carry, sums), slowest) in KINDS.into_iter().zip(&mut slowest) {
            // Afresh for each, as the products write over the data.
            let mut share = Share::new(gpu, operator, n, weights, data)?;
            let mut times = Vec::new();
            for _ in 0..21 {
                times.push(share.time(operator, n, unknowns, carry, sums)?);
            }
            *slowest = f64::max(*slowest, median(&times[1..]));
        }
    }
    Ok(slowest)
}

struct Share<T: Element> {
    stream: Stream,
    weights: Buffer<T>,
    data: Buffer<T>,
    sums: Buffer<u64>,
    scale: Buffer<f64>,
    norms: Buffer<f64>,
}

impl<T: Element> Share<T> {
    fn new(gpu: &Gpu, operator: &dyn CudaOperator<T>, n: usize, weights: &[T], data: &[T]) -> Outcome<Self> {
        let stream = gpu.stream()?;
        let bounds = operator.bounds();
        Ok(Self {
            weights: gpu.upload(&stream, weights)?,
            data: gpu.upload(&stream, &data[operator.rows_on(n)])?,
            sums: gpu.alloc(weights.len())?,
            scale: gpu.upload(&stream, &fixed_point_scale(bounds.image * bounds.adjoint * 16.0))?,
            norms: gpu.alloc(2 * operator.norms_on(n))?,
            stream,
        })
    }

    /// Milliseconds of one launch.
    fn time(
        &mut self,
        operator: &dyn CudaOperator<T>,
        n: usize,
        unknowns: bool,
        carry: bool,
        sums: bool,
    ) -> Outcome<f64> {
        let gpu = self.stream.gpu().clone();
        let (begin, end) = (gpu.timed_event()?, gpu.timed_event()?);
        self.stream.record(&begin)?;
        let what = Products {
            unknowns: unknowns.then_some(&self.weights),
            carry,
            data: &mut self.data,
            sums: sums.then_some((&mut self.sums, &self.scale)),
            norms: (unknowns && sums).then_some(&mut self.norms),
        };
        operator.products(n, &self.stream, what)?;
        self.stream.record(&end)?;
        end.synchronize()?;
        Ok(begin.milliseconds_until(&end)?)
    }
}
