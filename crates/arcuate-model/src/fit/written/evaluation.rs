//! Generates code that evaluates the signal of a model at the measurements of a voxel, as `fit/evaluation.rs` does
//! on the CPU. A thread computes one measurement after the other.

use super::kind;
use super::steps::Steps;
use crate::fit::arithmetic::{InMemory, Stored, is_usable};
use crate::fit::normal_equations::Sums;
use crate::fit::schedule::VoxelInput;
use crate::fit::stage::StagePlan;
use crate::fit::trial_step::axis;
use crate::fit::unknowns::Unknown;
use arcuate_compute::cuda::writer::{Kind, Pointer, Value, Variable, Writer};
use arcuate_core::narrow;
use arcuate_numbers::{Real, across};
use std::collections::HashMap;

/// The operations of a stage, and the numbers of the measurements (b, g and so on).
pub(super) struct Evaluation<'a, 'w, T: Real> {
    w: &'w Writer,
    stage: &'a StagePlan<T>,
    measurements: Value<'w>,
    table: Pointer<'w>,
}

impl<'a, 'w, T: Real> Evaluation<'a, 'w, T> {
    /// `columns` is the address of the numbers of all measurements, and `length` is how many there are. If
    /// they fit into shared memory (`is_shared`), they are copied there.
    pub(super) fn new(
        w: &'w Writer,
        stage: &'a StagePlan<T>,
        measurements: Value<'w>,
        (columns, length): (Pointer<'w>, Value<'w>),
        is_shared: bool,
    ) -> Self {
        let mut table = columns;
        if is_shared {
            table = w.shared();
            w.count_from(w.thread(), length, w.threads(), |n| {
                table.element(n, kind::<T>()).store(columns.element(n, kind::<T>()).load(kind::<T>()));
            });
            w.wait_for_block();
        }
        Self { w, stage, measurements, table }
    }

    /// Generates code that computes the sums over the measurements of a voxel at these parameter values.
    /// `signals` are the signals of all voxels, and `factor` scales those of this voxel.
    pub(super) fn sum(
        &self,
        voxel: Value<'w>,
        (signals, factor): (Pointer<'w>, Value<'w>),
        maps: &[InMemory<'w>],
        numbers: &[Variable<'w>],
        sums: &mut Sums<Variable<'w>>,
    ) {
        let (w, real, stage) = (self.w, kind::<T>(), self.stage);
        let vectors_of = |unknown: &Unknown| match *unknown {
            Unknown::Turn { orientation, first, vector: 0 } => {
                let (u, v) = across(axis(numbers, first));
                Some((orientation, [u, v]))
            }
            _ => None,
        };
        let vectors: HashMap<u16, _> = stage.unknowns.iter().filter_map(vectors_of).collect();
        let steps = Steps::<T>::new(w, &stage.schedule);
        let of_voxel = steps.voxel(|input| match input {
            VoxelInput::Parameter(n) => numbers[usize::from(n)].now(),
            VoxelInput::Map(n) => maps[usize::from(n)].now(),
            VoxelInput::Across { orientation, vector, axis } => {
                vectors[&orientation][usize::from(vector)][usize::from(axis)]
            }
            VoxelInput::Kept(_) => unreachable!("fits keep nothing"),
        });
        sums.clear(w.constant(real, 0.0));
        let signals = signals.element(voxel.to(Kind::U64) * self.measurements.to(Kind::U64), Kind::F32);
        let row = w.variable(self.table.address());
        let signal_at = w.variable(signals.address());
        let bytes_of_row = real.bytes() * narrow::<u32>(stage.schedule.column_count);
        w.count(self.measurements, |_| {
            let signal = signals.at(signal_at.now()).load(Kind::F32).to(real) * factor;
            w.when(is_usable(signal), || {
                let results = steps.inner(&of_voxel, self.table.at(row.now()), &[]);
                sums.add::<true>(&[signal], &[], |n| &results[n..=n]);
            });
            row.add(row.now().all(f64::from(bytes_of_row)));
            signal_at.add(signal_at.now().all(4.0));
        });
    }
}
