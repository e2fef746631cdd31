//! Generates the GPU kernel that computes the starting values of a model's fit, with one thread per voxel.
//! `fit/begin.rs` describes the method.

use super::{THREADS, kind};
use crate::fit::arithmetic::{InMemory, Stored, is_usable};
use crate::fit::begin::{BeginPlan, Scale, TensorSums, UNKNOWNS};
use crate::fit::status::Status;
use arcuate_compute::cuda::WrittenKernel;
use arcuate_compute::cuda::writer::{Kind, Space, Writer};
use arcuate_core::narrow;
use arcuate_numbers::Real;

/// Generates the kernel. Its first arguments are the numbers of voxels, measurements, measurements without
/// diffusion weighting, and measurements of the tensor fit. The inputs follow: signals, indices of the
/// measurements without diffusion weighting, and indices and matrix rows of the measurements of the tensor
/// fit. The last arguments are factors, sums of squared signals, parameter values, numbers of usable
/// measurements and status.
pub(crate) fn begin<T: Real>(plan: &BeginPlan<T>) -> WrittenKernel {
    let w = Writer::new(&format!("fit_begin_{}", T::NAME));
    let real = kind::<T>();
    let [voxels, measurements, b0_count, row_count] = [(); 4].map(|()| w.parameter(Kind::U32));
    let [signals, b0, places, rows] = [(); 4].map(|()| w.pointer(Space::Read));
    let [factors, squares, numbers, usable, status] = [(); 5].map(|()| w.pointer(Space::Global));
    let voxel = w.block() * w.threads() + w.thread();
    w.end_when(voxel.at_least(voxels));
    let signals = signals.element(voxel.to(Kind::U64) * measurements.to(Kind::U64), Kind::F32);
    let measured = |m| signals.element(m, Kind::F32).load(Kind::F32).to(real);
    let (zero, whole) = (w.constant(real, 0.0), |value: u32| w.constant(Kind::U32, f64::from(value)));
    let make = || w.variable(zero);

    let (mut scale, usable_count) = (Scale::new(make), w.variable(whole(0)));
    w.count(measurements, |m| {
        let is_usable = scale.add(measured(m));
        usable_count.add(is_usable.choose(whole(1), whole(0)));
    });
    w.count(b0_count, |n| scale.add_b0(measured(b0.element(n, Kind::U32).load(Kind::U32))));
    let factor = scale.factor();
    factors.element(voxel, real).store(factor);
    usable.element(voxel, Kind::U32).store(usable_count.now());
    let of_status = |status: Status| whole(u32::from(status.code()));
    let is_too_few = usable_count.now().below(whole(narrow::<u32>(plan.fewest)));
    let with_signal = is_too_few.choose(of_status(Status::TooFew), of_status(Status::Outside));
    let has_signal = scale.largest.now().above(zero);
    status.further(voxel, 1).store_byte(has_signal.choose(with_signal, of_status(Status::NoSignal)));

    let of_squares = w.variable(zero);
    let mut sums = plan.needs_a_tensor().then(|| TensorSums::new(make));
    w.count(measurements, |m| {
        let signal = measured(m) * factor;
        let finite = is_usable(signal).choose(signal, zero);
        of_squares.add_product(finite, finite);
        if let Some(sums) = &mut sums {
            sums.add_size(signal);
        }
    });
    squares.element(voxel, real).store(of_squares.now());
    let tensor = sums.map(|mut sums| {
        let least = sums.least();
        w.count(row_count, |n| {
            let row = InMemory::of_item(rows, n, real, UNKNOWNS);
            let row = std::array::from_fn(|i| row[i].now());
            let signal = measured(places.element(n, Kind::U32).load(Kind::U32)) * factor;
            sums.add(&row, signal, least);
        });
        sums.tensor()
    });
    let numbers = InMemory::of_item(numbers, voxel, real, plan.start_values.len());
    for ((mut place, start_value), bounds) in numbers.into_iter().zip(&plan.start_values).zip(&plan.bounds) {
        if let Some(number) = start_value.number(*bounds, tensor.as_ref(), zero) {
            place.set(number);
        }
    }
    w.finish(THREADS, 1)
}
