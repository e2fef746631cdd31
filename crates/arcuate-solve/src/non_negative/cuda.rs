//! The vectors of a solver on GPUs: the unknowns on each of them, the data split between them as the operator says.
#![allow(unsafe_code)]

use super::NonNegativeLeastSquares;
use super::engine::{DescentNorms, Engine, Facts, StepNorms};
use crate::gpus::{AdjointSums, exchange};
use crate::{Bounds, CudaOperator, LinearOperator, Products, Real};
use arcuate_compute::cuda::{Argument, Buffer, CudaResult, Grid, KernelImages, Kernels, Stream};
use arcuate_compute::{arguments, kernel_images};
use arcuate_core::Result;

static IMAGES: KernelImages = kernel_images!("kernels");

/// Threads of a block, as in `kernels.cu`.
const THREADS: u32 = 256;
/// Blocks at most: each leaves partial sums.
const BLOCKS: u32 = 512;
/// Sums at most that one kernel leaves.
const KINDS: usize = 4;
/// Places of totals: of the unknowns (change, projected gradient, weights, positive), of the data (image, residual), of
/// a direction (norm, largest), of the residual alone (norm, largest), and what the gradient promised.
const UNKNOWNS: usize = 0;
const DATA: usize = 4;
const DIRECTION: usize = 6;
const RESIDUAL: usize = 8;
const PROMISED: usize = 10;
const TOTALS: usize = 11;

/// What `collect` makes of an adjoint product, as in `kernels.cu`.
#[derive(Clone, Copy)]
enum Collect {
    Gradient = 0,
    Change = 1,
    Curvature = 2,
}

/// The part of the state on one GPU.
struct Share<T: Real> {
    stream: Stream,
    kernels: Kernels,
    weights: Buffer<T>,
    gradient: Buffer<T>,
    /// The step taken, or the direction of descent.
    direction: Buffer<T>,
    best: Buffer<T>,
    window: (Buffer<T>, Buffer<T>),
    sums: AdjointSums,
    measured: Buffer<T>,
    residual: Buffer<T>,
    image: Buffer<T>,
    norms: Buffer<f64>,
    partials: Buffer<f64>,
    totals: Buffer<f64>,
    scale: Buffer<f64>,
    count: u32,
}

pub(crate) struct CudaEngine<'a, T: Real> {
    operator: &'a dyn CudaOperator<T>,
    l1: f64,
    bounds: Bounds,
    shares: Vec<Share<T>>,
    facts: Facts,
}

impl<T: Real> Share<T> {
    fn new(operator: &dyn CudaOperator<T>, n: usize, columns: usize, measured: &[T]) -> CudaResult<Self> {
        let gpu = &operator.gpus()[n];
        let stream = gpu.stream()?;
        let rows = measured.len();
        Ok(Self {
            kernels: gpu.kernels(&IMAGES)?,
            weights: gpu.alloc(columns)?,
            gradient: gpu.alloc(columns)?,
            direction: gpu.alloc(columns)?,
            best: gpu.alloc(columns)?,
            window: (gpu.alloc(columns)?, gpu.alloc(columns)?),
            sums: AdjointSums::new(operator, gpu, columns)?,
            measured: gpu.upload(&stream, measured)?,
            residual: gpu.alloc(rows)?,
            image: gpu.alloc(rows)?,
            norms: gpu.alloc(2 * operator.norms_on(n))?,
            partials: gpu.alloc(KINDS * BLOCKS as usize)?,
            totals: gpu.alloc(TOTALS)?,
            scale: gpu.alloc(2)?,
            count: u32::try_from(columns).expect("operators on GPUs have 32-bit unknowns"),
            stream,
        })
    }

    fn grid(items: usize) -> Grid {
        let blocks = items.div_ceil(THREADS as usize).clamp(1, BLOCKS as usize);
        Grid::row(blocks as u32, THREADS)
    }

    /// Queues a kernel of this precision that leaves `kinds` partial sums per block, the largest where a bit of
    /// `maxima` is set, and their totals from place `at` on.
    ///
    /// # Safety
    /// `arguments`, but for the partial sums that are added as the last, are those of the kernel.
    unsafe fn launch(
        kernels: &Kernels,
        stream: &Stream,
        (name, items): (&str, usize),
        (kinds, maxima, at): (u32, u32, usize),
        arguments: &[Argument<'_>],
        (partials, totals): (&mut Buffer<f64>, &mut Buffer<f64>),
    ) -> CudaResult<()> {
        let grid = Self::grid(items);
        let mut all = arguments.to_vec();
        all.push((&mut *partials).into());
        // SAFETY: promised by the caller; the partial sums are large enough for any grid.
        unsafe { stream.launch(&kernels.get(name)?, grid, &all) }?;
        let room = totals.range_mut(at..at + kinds as usize);
        let total = kernels.get("non_negative_total")?;
        let blocks = grid.blocks[0];
        // SAFETY: the kernel reads kinds × blocks partial sums and writes `kinds` totals.
        unsafe {
            stream.launch(&total, Grid::row(kinds, THREADS), &arguments![blocks, maxima, &*partials, room])
        }
    }

    fn name(kernel: &str) -> String {
        format!("non_negative_{kernel}_{}", T::NAME)
    }

    /// w ← [w − length · along]₊; the step taken goes to `direction`, its norm and largest to the totals. Along the
    /// direction, each of its elements is read before the step takes its place.
    fn step(&mut self, length: f64, along_gradient: bool) -> CudaResult<()> {
        let Self { kernels, stream, weights, gradient, direction, partials, totals, count, .. } = self;
        // An argument holds the address alone, so that the same memory can be read and then written.
        let step = Argument::from(direction.view_mut());
        let along = if along_gradient { Argument::from(&*gradient) } else { step };
        let arguments = [(*count).into(), length.into(), along, weights.into(), step];
        let items = *count as usize;
        // SAFETY: five arguments as the kernel has them, vectors of `count` elements.
        unsafe {
            Self::launch(
                kernels,
                stream,
                (&Self::name("step"), items),
                (2, 2, DIRECTION),
                &arguments,
                (partials, totals),
            )
        }
    }

    /// The scale of sums that stay below `bound` times the total at place `largest`.
    fn set_scale(&mut self, largest: usize, bound: f64) -> CudaResult<()> {
        let kernel = self.kernels.get("non_negative_scale")?;
        let of = self.totals.range(largest..largest + 1);
        // SAFETY: one thread reads one total and writes two numbers.
        unsafe { self.stream.launch(&kernel, Grid::row(1, 1), &arguments![of, bound, &mut self.scale]) }
    }

    /// Adds up the pairs that the operator left.
    fn total_norms(&mut self) -> CudaResult<()> {
        let pairs = self.norms.len() / 2;
        let count = u32::try_from(pairs).expect("fewer blocks than a grid may have");
        // SAFETY: the kernel reads `count` pairs.
        unsafe {
            Self::launch(
                &self.kernels,
                &self.stream,
                ("non_negative_norms", pairs),
                (2, 0, DATA),
                &arguments![count, &self.norms],
                (&mut self.partials, &mut self.totals),
            )
        }
    }

    /// residual ← residual − measured, or −measured where it is not fresh.
    fn subtract_measured(&mut self, fresh: bool) -> CudaResult<()> {
        let rows = self.residual.len();
        // SAFETY: vectors of `rows` elements.
        unsafe {
            Self::launch(
                &self.kernels,
                &self.stream,
                (&Self::name("residual"), rows),
                (2, 2, RESIDUAL),
                &arguments![rows as u64, u32::from(fresh), &self.measured, &mut self.residual],
                (&mut self.partials, &mut self.totals),
            )
        }
    }

    /// Makes of the adjoint sums what `what` says, and the totals of the unknowns.
    fn collect(&mut self, what: Collect, l1: f64) -> CudaResult<()> {
        let [sums, others] = self.sums.exchanged();
        let arguments = [
            self.count.into(),
            (what as u32).into(),
            l1.into(),
            sums,
            others,
            (&self.scale).into(),
            (&mut self.gradient).into(),
            (&self.weights).into(),
            (&self.direction).into(),
        ];
        // SAFETY: nine arguments as the kernel has them, vectors of `count` elements; the others' sums may be none.
        unsafe {
            Self::launch(
                &self.kernels,
                &self.stream,
                (&Self::name("collect"), self.count as usize),
                (KINDS as u32, 0, UNKNOWNS),
                &arguments,
                (&mut self.partials, &mut self.totals),
            )
        }
    }

    /// direction = free part of the gradient.
    fn subspace(&mut self) -> CudaResult<()> {
        // SAFETY: vectors of `count` elements.
        unsafe {
            Self::launch(
                &self.kernels,
                &self.stream,
                (&Self::name("subspace"), self.count as usize),
                (2, 2, DIRECTION),
                &arguments![self.count, &self.gradient, &self.weights, &mut self.direction],
                (&mut self.partials, &mut self.totals),
            )
        }
    }

    fn promised(&mut self) -> CudaResult<()> {
        // SAFETY: vectors of `count` elements.
        unsafe {
            Self::launch(
                &self.kernels,
                &self.stream,
                (&Self::name("promised"), self.count as usize),
                (1, 0, PROMISED),
                &arguments![self.count, &self.window.1, &self.window.0, &self.weights],
                (&mut self.partials, &mut self.totals),
            )
        }
    }

    fn totals(&self) -> CudaResult<[f64; TOTALS]> {
        let mut totals = [0.0; TOTALS];
        self.totals.copy_to(&self.stream, &mut totals)?;
        Ok(totals)
    }
}

fn copy<T: Real>(stream: &Stream, from: &Buffer<T>, to: &mut Buffer<T>) -> CudaResult<()> {
    to.view_mut().copy_from_device(stream, from.view())
}

impl<'a, T: Real> CudaEngine<'a, T> {
    pub(crate) fn new<A: LinearOperator<T>>(
        problem: &NonNegativeLeastSquares<'a, T, A>,
        operator: &'a dyn CudaOperator<T>,
    ) -> Result<Self> {
        let columns = problem.operator.columns();
        let share = |n| Share::new(operator, n, columns, &problem.data[operator.rows_on(n)]);
        let shares = (0..operator.gpus().len()).map(share).collect::<CudaResult<Vec<_>>>()?;
        Ok(Self {
            operator,
            l1: problem.l1,
            bounds: operator.bounds(),
            shares,
            facts: Facts { residual: 0.0, weights: 0.0, projected_gradient: 0.0, positive: 0 },
        })
    }

    /// Lets every GPU have the sums of all others, and then makes of them what `what` says.
    fn collect(&mut self, what: Collect) -> Result<()> {
        let mut parts = Vec::with_capacity(self.shares.len());
        for Share { stream, sums, kernels, .. } in &mut self.shares {
            parts.push((&*stream, sums, kernels.get("non_negative_add")?));
        }
        exchange(self.operator, &mut parts, (BLOCKS, THREADS))?;
        for share in &mut self.shares {
            share.collect(what, self.l1)?;
        }
        Ok(())
    }

    /// All totals: those of the unknowns are the same everywhere, those of the data are added up.
    fn totals(&self) -> Result<[f64; TOTALS]> {
        let mut all = self.shares[0].totals()?;
        for share in &self.shares[1..] {
            let more = share.totals()?;
            for place in [DATA, DATA + 1, RESIDUAL] {
                all[place] += more[place];
            }
            // NaN stays, as in the kernels.
            let (largest, other) = (&mut all[RESIDUAL + 1], more[RESIDUAL + 1]);
            if other > *largest || other.is_nan() {
                *largest = other;
            }
        }
        Ok(all)
    }

    fn note_unknowns(&mut self, totals: &[f64; TOTALS]) {
        self.facts.projected_gradient = totals[UNKNOWNS + 1];
        self.facts.weights = totals[UNKNOWNS + 2];
        self.facts.positive = totals[UNKNOWNS + 3] as usize;
    }

    /// The gradient of the residual there is.
    fn gradient_of_residual(&mut self) -> Result<()> {
        // The scale must be the same on all GPUs, so it comes from the largest residual of all.
        let totals = self.totals()?;
        self.facts.residual = totals[RESIDUAL];
        for (n, share) in self.shares.iter_mut().enumerate() {
            let largest = [totals[RESIDUAL + 1]];
            share.totals.range_mut(RESIDUAL + 1..RESIDUAL + 2).copy_from(&share.stream, &largest)?;
            share.set_scale(RESIDUAL + 1, self.bounds.adjoint)?;
            let Share { stream, residual, sums, scale, .. } = share;
            let what = Products {
                unknowns: None,
                carry: false,
                data: residual,
                sums: Some((sums.target(), scale)),
                norms: None,
            };
            self.operator.products(n, stream, what)?;
        }
        self.collect(Collect::Gradient)?;
        let totals = self.totals()?;
        self.note_unknowns(&totals);
        Ok(())
    }
}

impl<T: Real> Engine<T> for CudaEngine<'_, T> {
    type Error = arcuate_core::Error;

    fn begin(&mut self) -> Result<()> {
        for share in &mut self.shares {
            share.weights.zero(&share.stream)?;
            share.subtract_measured(false)?;
        }
        self.gradient_of_residual()
    }

    fn set_weights(&mut self, weights: &[T]) -> Result<()> {
        for share in &mut self.shares {
            share.weights.copy_from(&share.stream, weights)?;
        }
        Ok(())
    }

    fn recompute(&mut self) -> Result<()> {
        for (n, share) in self.shares.iter_mut().enumerate() {
            let Share { stream, weights, residual, .. } = share;
            let what =
                Products { unknowns: Some(weights), carry: false, data: residual, sums: None, norms: None };
            self.operator.products(n, stream, what)?;
            share.subtract_measured(true)?;
        }
        self.gradient_of_residual()
    }

    fn facts(&mut self) -> Result<Facts> {
        Ok(self.facts)
    }

    fn step(&mut self, length: f64) -> Result<StepNorms> {
        for (n, share) in self.shares.iter_mut().enumerate() {
            share.step(length, true)?;
            share.set_scale(DIRECTION + 1, self.bounds.image * self.bounds.adjoint)?;
            let Share { stream, direction, residual, sums, scale, norms, .. } = share;
            let what = Products {
                unknowns: Some(direction),
                carry: true,
                data: residual,
                sums: Some((sums.target(), scale)),
                norms: Some(norms),
            };
            self.operator.products(n, stream, what)?;
            share.total_norms()?;
        }
        self.collect(Collect::Change)?;
        let totals = self.totals()?;
        self.note_unknowns(&totals);
        self.facts.residual = totals[DATA + 1];
        Ok(StepNorms { taken: totals[DIRECTION], image: totals[DATA], change: totals[UNKNOWNS] })
    }

    fn descent(&mut self, curvature: bool) -> Result<DescentNorms> {
        for (n, share) in self.shares.iter_mut().enumerate() {
            share.subspace()?;
            if curvature {
                share.set_scale(DIRECTION + 1, self.bounds.image * self.bounds.adjoint)?;
            }
            let Share { stream, direction, image, sums, scale, norms, .. } = share;
            let what = Products {
                unknowns: Some(direction),
                carry: false,
                data: image,
                sums: curvature.then_some((sums.target(), &*scale)),
                norms: Some(norms),
            };
            self.operator.products(n, stream, what)?;
            share.total_norms()?;
        }
        if curvature {
            self.collect(Collect::Curvature)?;
        }
        let totals = self.totals()?;
        Ok(DescentNorms {
            direction: totals[DIRECTION],
            image: totals[DATA],
            curvature: if curvature { totals[UNKNOWNS] } else { f64::NAN },
        })
    }

    fn move_along_descent(&mut self, length: f64) -> Result<()> {
        for share in &mut self.shares {
            share.step(length, false)?;
        }
        Ok(())
    }

    fn keep_best(&mut self) -> Result<()> {
        for Share { stream, weights, best, .. } in &mut self.shares {
            copy(stream, weights, best)?;
        }
        Ok(())
    }

    fn restore_best(&mut self) -> Result<()> {
        for Share { stream, weights, best, .. } in &mut self.shares {
            copy(stream, best, weights)?;
        }
        Ok(())
    }

    fn keep_window(&mut self) -> Result<()> {
        for Share { stream, weights, gradient, window, .. } in &mut self.shares {
            copy(stream, weights, &mut window.0)?;
            copy(stream, gradient, &mut window.1)?;
        }
        Ok(())
    }

    fn promised(&mut self) -> Result<f64> {
        self.shares[0].promised()?;
        Ok(self.shares[0].totals()?[PROMISED])
    }

    fn weights(&mut self) -> Result<Vec<T>> {
        Ok(self.shares[0].weights.to_vec(&self.shares[0].stream)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed_point_scale;

    #[test]
    fn gpus_scale_as_the_processor_does() {
        if !arcuate_emulation::available("scales of fixed-point sums") {
            return;
        }
        let gpu = arcuate_compute::cuda::Gpu::open(0).unwrap();
        let stream = gpu.stream().unwrap();
        let kernel = gpu.kernels(&IMAGES).unwrap().get("non_negative_scale").unwrap();
        let mut scale = gpu.alloc::<f64>(2).unwrap();
        for (largest, bound) in
            [(1.0, 1.0), (0.0, 3.0), (2.5e-9, 7e12), (1e200, 1e100), (f64::NAN, 1.0), (1e-300, 1e-5)]
        {
            let of = gpu.upload(&stream, &[largest]).unwrap();
            // SAFETY: one thread reads one number and writes two.
            unsafe { stream.launch(&kernel, Grid::row(1, 1), &arguments![&of, bound, &mut scale]) }.unwrap();
            let expected = fixed_point_scale(bound * largest);
            let got = scale.to_vec(&stream).unwrap();
            assert!(
                got.iter().zip(expected).all(|(g, e)| g.to_bits() == e.to_bits() || g.is_nan() && e.is_nan()),
                "{largest:e}: {got:?}"
            );
        }
    }
}
