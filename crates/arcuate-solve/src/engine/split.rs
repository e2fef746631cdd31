//! The vectors of a solver on the GPUs that share an operator. Each GPU has all unknowns, and a range of the
//! data.

use super::written::WrittenPass;
use super::{Device, Engine, Layout, Pass, Products, Vector, solver_take};
use crate::gpus::{self, Groups, Sizes, exchange};
use crate::{GroupPenalty, Real, SplitOperator};
use arcuate_compute::cuda::{CudaResult, on_each};
use arcuate_core::{Error, Result};

/// The vectors of a solver on all GPUs of an operator.
pub(crate) struct SplitEngine<'a, T: Real> {
    operator: &'a dyn SplitOperator<T>,
    devices: Vec<(Device<'static, T>, Groups)>,
    combined: Vec<Combined>,
    /// The sums that were read last.
    sums: Vec<f64>,
    are_read: bool,
}

/// The number that all GPUs together have for a sum.
#[derive(Debug, Clone, Copy)]
enum Combined {
    /// The number of the first GPU, because all GPUs have the same.
    Same,
    Added,
    Largest,
}

impl<'a, T: Real> SplitEngine<'a, T> {
    /// Allocates the vectors, and copies the data `given`, the flags of fixed unknowns and the groups to the
    /// GPUs.
    pub(crate) fn new(
        operator: &'a dyn SplitOperator<T>,
        given: &[T],
        (columns, layout): (usize, Layout),
        fixed: Option<&[bool]>,
        groups: Option<&GroupPenalty>,
    ) -> Result<Self> {
        let flags: Vec<u8> = fixed.unwrap_or_default().iter().map(|&fixed| u8::from(fixed)).collect();
        let devices = on_each(operator.gpus().iter(), |n, gpu| {
            let rows = operator.rows_on(n);
            let sizes = Sizes {
                rows: rows.len(),
                columns,
                norms: operator.norms_on(n),
                raw_sums: operator.raw_sums(),
                gpus: operator.gpus().len(),
            };
            let mut device = Device::for_products(gpu, &sizes, layout, fixed.is_some())?;
            let (stream, vectors, _, product) = device.parts();
            vectors.given.copy_from(stream, &given[rows])?;
            product.fixed.copy_from(stream, &flags)?;
            let groups = Groups::new(stream, groups)?;
            Ok((device, groups))
        })?;
        let combined = vec![Combined::Same; layout.sums];
        Ok(Self { operator, devices, combined, sums: Vec::new(), are_read: false })
    }

    /// Queues `work` on each GPU.
    fn each(&mut self, work: impl Fn(&mut Device<'static, T>) -> Result<()>) -> Result<()> {
        self.devices.iter_mut().try_for_each(|(device, _)| work(device))
    }

    /// Queues products on each GPU. If they wait for memory copies, each GPU has a separate CPU thread.
    fn products(
        &mut self,
        work: impl Fn(&dyn SplitOperator<T>, usize, &mut Device<'static, T>) -> Result<()> + Sync,
    ) -> Result<()> {
        let operator = self.operator;
        if operator.is_streamed() {
            return on_each(&mut self.devices, |n, (device, _)| work(operator, n, device)).map(drop);
        }
        self.devices.iter_mut().enumerate().try_for_each(|(n, (device, _))| work(operator, n, device))
    }

    /// Sends the fixed-point sums of each GPU to all other GPUs.
    fn exchange(&mut self) -> Result<()> {
        let parts = self.devices.iter_mut().map(|(device, _)| {
            let (stream, _, _, product) = device.parts();
            (stream, &mut product.sums)
        });
        exchange(self.operator, &mut parts.collect::<Vec<_>>())
    }

    /// Notes that the sums from position `at` on will change, and how they are combined.
    fn will_change(&mut self, at: usize, combined: &[Combined]) {
        self.combined[at..at + combined.len()].copy_from_slice(combined);
        self.are_read = false;
    }
}

impl<T: Real> Engine<T> for SplitEngine<'_, T> {
    type Error = Error;

    fn pass<P, const W: usize, const R: usize, const K: usize, const S: usize>(
        &mut self,
        pass: P,
        scalars: [f64; K],
        changed: [Vector; W],
        read: [Vector; R],
        sums: Option<usize>,
    ) -> Result<()>
    where
        P: Pass<W, R, K, S>,
    {
        if let Some(at) = sums {
            let of_data = changed.iter().chain(&read).any(|vector| matches!(vector, Vector::Data(_)));
            self.will_change(at, &[if of_data { Combined::Added } else { Combined::Same }; S]);
            if P::LARGEST {
                self.will_change(at + S, &[if of_data { Combined::Largest } else { Combined::Same }]);
            }
        }
        let pass = WrittenPass::of(pass);
        self.each(|device| device.run(&pass, &scalars, &changed, &read, sums))
    }

    fn sums(&mut self) -> Result<Vec<f64>> {
        let read = |(device, _): &(Device<'static, T>, Groups)| device.totals.read(&device.stream);
        let of_gpus = self.devices.iter().map(read).collect::<CudaResult<Vec<_>>>()?;
        self.sums.clone_from(&of_gpus[0]);
        for others in &of_gpus[1..] {
            for ((sum, &other), combined) in self.sums.iter_mut().zip(others).zip(&self.combined) {
                match combined {
                    Combined::Same => {}
                    Combined::Added => *sum += other,
                    // If a total is NaN, the maximum is NaN, as in the kernels.
                    Combined::Largest => *sum = if other > *sum || other.is_nan() { other } else { *sum },
                }
            }
        }
        self.are_read = true;
        Ok(self.sums.clone())
    }

    fn set(&mut self, to: Vector, values: &[T]) -> Result<()> {
        self.each(|device| device.set(to, values))
    }

    fn get(&self, from: Vector) -> Result<Vec<T>> {
        let of_gpus = if matches!(from, Vector::Data(_)) { &self.devices[..] } else { &self.devices[..1] };
        let values = of_gpus.iter().map(|(device, _)| device.get(from)).collect::<Result<Vec<_>>>()?;
        Ok(values.concat())
    }

    fn copy(&mut self, from: Vector, to: Vector) -> Result<()> {
        self.each(|device| device.copy(from, to))
    }
}

impl<T: Real> Products<T> for SplitEngine<'_, T> {
    fn forward(&mut self, x: Vector, data: Vector) -> Result<()> {
        self.products(|operator, n, device| {
            let (stream, vectors, ..) = device.parts();
            let (x, data) = vectors.both(x, data);
            operator.products(n, stream, gpus::Products::image(x, data))
        })
    }

    fn adjoint(&mut self, data: Vector, largest: usize) -> Result<()> {
        let Vector::Data(data) = data else { unreachable!("{data:?} has no product with Aᵀ") };
        if !self.are_read {
            self.sums()?;
        }
        // The scale must be the same on all GPUs.
        let value = self.sums[largest];
        self.products(|operator, n, device| {
            let (stream, vectors, totals, product) = device.parts();
            totals.set(stream, largest, value)?;
            totals.scale(stream, largest, operator.bounds().adjoint, &mut product.scale)?;
            let (data, sums) = (&mut vectors.data[data], product.sums.target());
            operator.products(n, stream, gpus::Products::adjoint(data, sums, &product.scale))
        })?;
        self.exchange()
    }

    fn take(&mut self, into: Vector) -> Result<()> {
        self.pass(solver_take, [], [into], [Vector::Product], None)
    }

    fn image(
        &mut self,
        x: Vector,
        image: Vector,
        added_to: Option<Vector>,
        largest: Option<usize>,
        sums: usize,
    ) -> Result<()> {
        self.will_change(sums, &[Combined::Added; 2]);
        self.products(|operator, n, device| {
            let (stream, vectors, totals, product) = device.parts();
            if let Some(largest) = largest {
                let bounds = operator.bounds();
                totals.scale(stream, largest, bounds.image * bounds.adjoint, &mut product.scale)?;
            }
            let (x, data) = vectors.both(x, added_to.unwrap_or(image));
            let what = gpus::Products {
                unknowns: Some(x),
                carry: added_to.is_some(),
                data,
                sums: largest.map(|_| (product.sums.target(), &product.scale)),
                norms: Some(&mut product.norms),
            };
            operator.products(n, stream, what)?;
            Ok(totals.add_norms(stream, &product.norms, sums)?)
        })?;
        if largest.is_some() { self.exchange() } else { Ok(()) }
    }

    fn shrink_groups(&mut self, x: Vector, length: f64, sums: usize) -> Result<()> {
        let Vector::Unknowns(x) = x else { unreachable!("{x:?} has no groups") };
        self.will_change(sums, &[Combined::Same]);
        for (device, groups) in &mut self.devices {
            let (stream, vectors, totals, _) = device.parts();
            groups.shrink(stream, &mut vectors.unknowns[x], length, (totals, sums))?;
        }
        Ok(())
    }
}
