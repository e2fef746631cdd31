//! The vectors of a solver for non-negative least squares on GPUs. Each GPU has all unknowns, and a range of
//! the data.
#![allow(unsafe_code)]

use super::constants;
use super::engine::{DescentNorms, Engine, Facts, StepNorms};
use super::{NonNegativeLeastSquares, kernels};
use crate::gpus::{Share, Shares, Sizes};
use crate::{Products, Real, SplitOperator};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Input, Output, Stream};
use arcuate_core::Result;

/// Positions of the totals (sums over vectors) in their buffer. The first are totals over the unknowns
/// (change, projected gradient, weights, positive) and over the data (image, residual). Then follow totals
/// over a search direction (norm, largest) and over the residual alone (norm, largest). The last is the
/// decrease of the objective that the gradient predicts.
const UNKNOWNS: usize = 0;
const DATA: usize = 4;
const DIRECTION: usize = 6;
const RESIDUAL: usize = 8;
const PROMISED: usize = 10;
const TOTALS: usize = 11;

/// Selects the quantity that the kernel `collect` computes from a product with Aᵀ.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Collect {
    Gradient = constants::WHAT_GRADIENT,
    Change = constants::WHAT_CHANGE,
    Curvature = constants::WHAT_CURVATURE,
}

/// The vectors on one GPU that only non-negative solvers have, in addition to those that every solver has.
pub(super) struct Vectors<T: Real> {
    weights: Buffer<T>,
    gradient: Buffer<T>,
    /// The last step, or the current search direction, of a non-negative solver.
    direction: Buffer<T>,
    best: Buffer<T>,
    window: (Buffer<T>, Buffer<T>),
    residual: Buffer<T>,
    image: Buffer<T>,
    /// One flag for each unknown, which is not 0 if the unknown must stay 0. `None` if there are no such
    /// unknowns.
    fixed: Buffer<u8>,
}

impl<T: Real> Vectors<T> {
    fn new(gpu: &Gpu, sizes: &Sizes, fixed: bool) -> CudaResult<Self> {
        let Sizes { rows, columns, .. } = *sizes;
        Ok(Self {
            weights: gpu.alloc(columns)?,
            gradient: gpu.alloc(columns)?,
            direction: gpu.alloc(columns)?,
            best: gpu.alloc(columns)?,
            window: (gpu.alloc(columns)?, gpu.alloc(columns)?),
            residual: gpu.alloc(rows)?,
            image: gpu.alloc(rows)?,
            fixed: gpu.alloc(if fixed { columns } else { 0 })?,
        })
    }
}

/// Allocates the maximum GPU memory that a non-negative solver needs on one GPU.
pub(crate) fn largest_share<T: Real>(gpu: &Gpu, sizes: &Sizes) -> CudaResult<impl Sized + use<T>> {
    Share::<T, _>::new(gpu, sizes, TOTALS, |gpu, sizes| Vectors::<T>::new(gpu, sizes, true))
}

type DeviceShare<T> = Share<T, Vectors<T>>;

impl<T: Real> DeviceShare<T> {
    fn count(&self) -> u32 {
        u32::try_from(self.own.weights.len()).expect("operators on GPUs have 32-bit unknowns")
    }

    /// Sets the weights w ← [w − length · along]₊. Stores the step (the change of w) in `direction`. Its
    /// squared norm and its largest element are stored in the totals. If `along` is `direction`, each element
    /// is read before it is overwritten.
    fn step(&mut self, length: f64, along_gradient: bool) -> CudaResult<()> {
        let count = self.count();
        let Self { stream, totals, own: Vectors { weights, gradient, direction, .. }, .. } = self;
        let taken = Output::from(direction);
        let along = if along_gradient { Input::from(&*gradient) } else { taken.also_read() };
        // SAFETY: all vectors have `count` elements.
        totals.of(stream, count as usize, (2, 2, DIRECTION), |grid, partials| unsafe {
            kernels::non_negative_step(stream, grid, count, length, along, weights, taken, partials)
        })
    }

    /// Computes the scale of the fixed-point sums for Aᵀ A d, where d is the search direction.
    fn scale_by_direction(&mut self, operator: &dyn SplitOperator<T>) -> CudaResult<()> {
        let bounds = operator.bounds();
        self.totals.scale(&self.stream, DIRECTION + 1, bounds.image * bounds.adjoint, &mut self.scale)
    }

    /// Sets residual ← residual − measured data. If the flag `fresh` is not set, sets residual ← −measured
    /// data instead.
    fn subtract_measured(&mut self, fresh: bool) -> CudaResult<()> {
        let Self { stream, totals, measured, own: Vectors { residual, .. }, .. } = self;
        let (rows, fresh) = (residual.len(), u32::from(fresh));
        // SAFETY: all vectors have `rows` elements.
        totals.of(stream, rows, (2, 2, RESIDUAL), |grid, partials| unsafe {
            kernels::non_negative_residual(stream, grid, rows as u64, fresh, &*measured, residual, partials)
        })
    }

    /// Converts the fixed-point sums of a product with Aᵀ to the quantity `what`. Also computes the totals
    /// over the unknowns.
    fn collect(&mut self, what: Collect, l1: f64) -> CudaResult<()> {
        let count = self.count();
        let Self { stream, totals, sums, scale, own, .. } = self;
        let Vectors { gradient, weights, direction, fixed, .. } = own;
        let (sums, others) = sums.exchanged();
        let fixed = (!fixed.is_empty()).then_some(&*fixed);
        // SAFETY: all vectors have `count` elements. The kernel accepts null pointers as the sums of other
        // GPUs and as the flags.
        totals.of(stream, count as usize, (4, 0, UNKNOWNS), |grid, partials| unsafe {
            kernels::non_negative_collect::<T>(
                stream,
                grid,
                count,
                what as u32,
                l1,
                sums,
                others,
                &*scale,
                fixed,
                gradient,
                &*weights,
                &*direction,
                partials,
            )
        })
    }

    /// Sets the search direction to the free part of the gradient. An element of the gradient is not free if
    /// the weight is 0 and a step would make it negative.
    fn subspace(&mut self) -> CudaResult<()> {
        let count = self.count();
        let Self { stream, totals, own: Vectors { gradient, weights, direction, .. }, .. } = self;
        // SAFETY: all vectors have `count` elements.
        totals.of(stream, count as usize, (2, 2, DIRECTION), |grid, partials| unsafe {
            kernels::non_negative_subspace(stream, grid, count, &*gradient, &*weights, direction, partials)
        })
    }

    fn promised(&mut self) -> CudaResult<()> {
        let count = self.count();
        let Self { stream, totals, own: Vectors { window: (before, gradient), weights, .. }, .. } = self;
        // SAFETY: all vectors have `count` elements.
        totals.of(stream, count as usize, (1, 0, PROMISED), |grid, partials| unsafe {
            kernels::non_negative_promised(stream, grid, count, &*gradient, &*before, &*weights, partials)
        })
    }
}

fn copy<T: Real>(stream: &Stream, from: &Buffer<T>, to: &mut Buffer<T>) -> CudaResult<()> {
    to.view_mut().copy_from_device(stream, from.view())
}

pub(crate) struct CudaEngine<'a, T: Real> {
    shares: Shares<'a, T, Vectors<T>>,
    l1: f64,
    facts: Facts,
}

impl<'a, T: Real> CudaEngine<'a, T> {
    pub(crate) fn new(
        problem: &NonNegativeLeastSquares<'_, T>,
        operator: &'a dyn SplitOperator<T>,
    ) -> Result<Self> {
        let columns = problem.operator.columns();
        let has_fixed = problem.fixed.is_some();
        let own = |gpu: &Gpu, sizes: &Sizes| Vectors::new(gpu, sizes, has_fixed);
        let mut shares = Shares::new(operator, columns, problem.data, TOTALS, own)?;
        if let Some(fixed) = problem.fixed {
            let flags: Vec<u8> = fixed.iter().map(|&fixed| u8::from(fixed)).collect();
            shares.each(|_, _, share| Ok(share.own.fixed.copy_from(&share.stream, &flags)?))?;
        }
        let facts = Facts { residual: 0.0, weights: 0.0, projected_gradient: 0.0, positive: 0 };
        Ok(Self { shares, l1: problem.l1, facts })
    }

    /// Sends the fixed-point sums of each GPU to all other GPUs, and converts the total sums to the quantity
    /// `what`.
    fn collect(&mut self, what: Collect) -> Result<()> {
        self.shares.exchange()?;
        let l1 = self.l1;
        self.shares.each(|_, _, share| Ok(share.collect(what, l1)?))
    }

    fn totals(&self) -> Result<Vec<f64>> {
        self.shares.totals(&[DATA, DATA + 1, RESIDUAL], &[RESIDUAL + 1])
    }

    fn note_unknowns(&mut self, totals: &[f64]) {
        self.facts.projected_gradient = totals[UNKNOWNS + 1];
        self.facts.weights = totals[UNKNOWNS + 2];
        self.facts.positive = totals[UNKNOWNS + 3] as usize;
    }

    /// Computes the gradient from the current residual.
    fn gradient_of_residual(&mut self) -> Result<()> {
        let totals = self.totals()?;
        self.facts.residual = totals[RESIDUAL];
        let largest = (RESIDUAL + 1, totals[RESIDUAL + 1]);
        self.shares
            .each(|operator, n, share| share.add_adjoint(operator, n, largest, |own| &mut own.residual))?;
        self.collect(Collect::Gradient)?;
        let totals = self.totals()?;
        self.note_unknowns(&totals);
        Ok(())
    }
}

impl<T: Real> Engine<T> for CudaEngine<'_, T> {
    type Error = arcuate_core::Error;

    fn begin(&mut self) -> Result<()> {
        self.shares.each(|_, _, share| {
            share.own.weights.zero(&share.stream)?;
            Ok(share.subtract_measured(false)?)
        })?;
        self.gradient_of_residual()
    }

    fn set_weights(&mut self, weights: &[T]) -> Result<()> {
        self.shares.each(|_, _, share| Ok(share.own.weights.copy_from(&share.stream, weights)?))
    }

    fn recompute(&mut self) -> Result<()> {
        self.shares.each(|operator, n, share| {
            let Vectors { weights, residual, .. } = &mut share.own;
            operator.products(n, &share.stream, Products::image(weights, residual))?;
            Ok(share.subtract_measured(true)?)
        })?;
        self.gradient_of_residual()
    }

    fn facts(&mut self) -> Result<Facts> {
        Ok(self.facts)
    }

    fn step(&mut self, length: f64) -> Result<StepNorms> {
        self.shares.each(|operator, n, share| {
            share.step(length, true)?;
            share.scale_by_direction(operator)?;
            let Share { stream, sums, scale, norms, totals, own, .. } = share;
            let what = Products {
                unknowns: Some(&own.direction),
                carry: true,
                data: &mut own.residual,
                sums: Some((sums.target(), scale)),
                norms: Some(norms),
            };
            operator.products(n, stream, what)?;
            Ok(totals.add_norms(stream, norms, DATA)?)
        })?;
        self.collect(Collect::Change)?;
        let totals = self.totals()?;
        self.note_unknowns(&totals);
        self.facts.residual = totals[DATA + 1];
        Ok(StepNorms { taken: totals[DIRECTION], image: totals[DATA], change: totals[UNKNOWNS] })
    }

    fn descent(&mut self, curvature: bool) -> Result<DescentNorms> {
        self.shares.each(|operator, n, share| {
            share.subspace()?;
            if curvature {
                share.scale_by_direction(operator)?;
            }
            let Share { stream, sums, scale, norms, totals, own, .. } = share;
            let what = Products {
                sums: curvature.then_some((sums.target(), &*scale)),
                norms: Some(norms),
                ..Products::image(&own.direction, &mut own.image)
            };
            operator.products(n, stream, what)?;
            Ok(totals.add_norms(stream, norms, DATA)?)
        })?;
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
        self.shares.each(|_, _, share| Ok(share.step(length, false)?))
    }

    fn keep_best(&mut self) -> Result<()> {
        self.shares.each(|_, _, Share { stream, own, .. }| Ok(copy(stream, &own.weights, &mut own.best)?))
    }

    fn restore_best(&mut self) -> Result<()> {
        self.shares.each(|_, _, Share { stream, own, .. }| Ok(copy(stream, &own.best, &mut own.weights)?))
    }

    fn keep_window(&mut self) -> Result<()> {
        self.shares.each(|_, _, Share { stream, own, .. }| {
            copy(stream, &own.weights, &mut own.window.0)?;
            Ok(copy(stream, &own.gradient, &mut own.window.1)?)
        })
    }

    fn promised(&mut self) -> Result<f64> {
        let first = self.shares.first_mut();
        first.promised()?;
        Ok(first.totals.read(&first.stream)?[PROMISED])
    }

    fn weights(&mut self) -> Result<Vec<T>> {
        let first = self.shares.first();
        Ok(first.own.weights.to_vec(&first.stream)?)
    }
}
