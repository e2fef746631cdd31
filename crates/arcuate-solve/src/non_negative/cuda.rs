//! The vectors of a solver on GPUs: the unknowns on each of them, the data split between them as the operator says.
#![allow(unsafe_code)]

use super::NonNegativeLeastSquares;
use super::engine::{DescentNorms, Engine, Facts, StepNorms};
use crate::gpus::{AdjointSums, Totals, combined, exchange};
use crate::{Bounds, CudaOperator, LinearOperator, Products, Real};
use arcuate_compute::cuda::{Argument, Buffer, CudaResult, Kernel, KernelImages, Kernels, Stream};
use arcuate_compute::{arguments, kernel_images};
use arcuate_core::Result;

static IMAGES: KernelImages = kernel_images!("kernels");

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
    totals: Totals,
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
            totals: Totals::new(gpu, TOTALS)?,
            scale: gpu.alloc(2)?,
            count: u32::try_from(columns).expect("operators on GPUs have 32-bit unknowns"),
            stream,
        })
    }

    fn kernel(kernels: &Kernels, name: &str) -> CudaResult<Kernel> {
        kernels.get(&format!("non_negative_{name}_{}", T::NAME))
    }

    /// w ← [w − length · along]₊; the step taken goes to `direction`, its norm and largest to the totals. Along the
    /// direction, each of its elements is read before the step takes its place.
    fn step(&mut self, length: f64, along_gradient: bool) -> CudaResult<()> {
        let Self { kernels, stream, weights, gradient, direction, totals, count, .. } = self;
        // An argument holds the address alone, so that the same memory can be read and then written.
        let step = Argument::from(direction.view_mut());
        let along = if along_gradient { Argument::from(&*gradient) } else { step };
        let arguments = [(*count).into(), length.into(), along, weights.into(), step];
        let items = *count as usize;
        let kernel = Self::kernel(kernels, "step")?;
        // SAFETY: five arguments as the kernel has them, vectors of `count` elements.
        unsafe { totals.launch(stream, (&kernel, items), (2, 2, DIRECTION), &arguments) }
    }

    /// The scale of sums that stay below `bound` times the total at place `largest`.
    fn set_scale(&mut self, largest: usize, bound: f64) -> CudaResult<()> {
        self.totals.scale(&self.stream, largest, bound, &mut self.scale)
    }

    /// Adds up the pairs that the operator left.
    fn total_norms(&mut self) -> CudaResult<()> {
        self.totals.add_norms(&self.stream, &self.norms, DATA)
    }

    /// residual ← residual − measured, or −measured where it is not fresh.
    fn subtract_measured(&mut self, fresh: bool) -> CudaResult<()> {
        let rows = self.residual.len();
        let kernel = Self::kernel(&self.kernels, "residual")?;
        // SAFETY: vectors of `rows` elements.
        unsafe {
            self.totals.launch(
                &self.stream,
                (&kernel, rows),
                (2, 2, RESIDUAL),
                &arguments![rows as u64, u32::from(fresh), &self.measured, &mut self.residual],
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
        let kernel = Self::kernel(&self.kernels, "collect")?;
        // SAFETY: nine arguments as the kernel has them, vectors of `count` elements; the others' sums may be none.
        unsafe {
            self.totals.launch(&self.stream, (&kernel, self.count as usize), (4, 0, UNKNOWNS), &arguments)
        }
    }

    /// direction = free part of the gradient.
    fn subspace(&mut self) -> CudaResult<()> {
        let kernel = Self::kernel(&self.kernels, "subspace")?;
        // SAFETY: vectors of `count` elements.
        unsafe {
            self.totals.launch(
                &self.stream,
                (&kernel, self.count as usize),
                (2, 2, DIRECTION),
                &arguments![self.count, &self.gradient, &self.weights, &mut self.direction],
            )
        }
    }

    fn promised(&mut self) -> CudaResult<()> {
        let kernel = Self::kernel(&self.kernels, "promised")?;
        // SAFETY: vectors of `count` elements.
        unsafe {
            self.totals.launch(
                &self.stream,
                (&kernel, self.count as usize),
                (1, 0, PROMISED),
                &arguments![self.count, &self.window.1, &self.window.0, &self.weights],
            )
        }
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
        for Share { stream, sums, .. } in &mut self.shares {
            parts.push((&*stream, sums));
        }
        exchange(self.operator, &mut parts)?;
        for share in &mut self.shares {
            share.collect(what, self.l1)?;
        }
        Ok(())
    }

    /// All totals: those of the unknowns are the same everywhere, those of the data are added up.
    fn totals(&self) -> Result<Vec<f64>> {
        let of_gpus =
            self.shares.iter().map(|share| share.totals.read(&share.stream)).collect::<CudaResult<_>>()?;
        Ok(combined(of_gpus, &[DATA, DATA + 1, RESIDUAL], &[RESIDUAL + 1]))
    }

    fn note_unknowns(&mut self, totals: &[f64]) {
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
            share.totals.set(&share.stream, RESIDUAL + 1, totals[RESIDUAL + 1])?;
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
        Ok(self.shares[0].totals.read(&self.shares[0].stream)?[PROMISED])
    }

    fn weights(&mut self) -> Result<Vec<T>> {
        Ok(self.shares[0].weights.to_vec(&self.shares[0].stream)?)
    }
}
