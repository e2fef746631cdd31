//! Evaluates the signal of a model at the measurements of sixteen voxels at once. `written/evaluation.rs` writes
//! the same for a GPU thread with one voxel, which computes one measurement after the other instead of a block
//! of measurements per operation. Both add to the same sums (`normal_equations.rs`).

use super::interpreter::{Interpreter, Row, WIDTH};
use super::normal_equations::Sums;
use super::schedule::Schedule;
use super::unknowns::Unknown;
use arcuate_numbers::{Lanes, Real};

/// A schedule, and the signals and maps of the voxels in the SIMD lanes.
pub(super) struct Evaluation<'a, T: Real> {
    unknowns: &'a [Unknown],
    interpreter: Interpreter<T>,
    maps: Vec<Row<T>>,
    /// The signals, and 1 for each signal that is usable. A signal that is not usable is 0 in both.
    signals: Vec<Row<T>>,
    usable: Vec<Row<T>>,
    all_usable: bool,
    /// The sums of squared signals.
    pub(super) squares: Row<T>,
}

impl<'a, T: Real> Evaluation<'a, T> {
    /// `counts` contains the number of measurements, and the number of values from maps.
    pub(super) fn new(schedule: &Schedule, unknowns: &'a [Unknown], counts: [usize; 2]) -> Self {
        let (zero, [measurements, maps]) = (Lanes::all(0.0), counts);
        Self {
            unknowns,
            interpreter: Interpreter::new(schedule, measurements),
            maps: vec![zero; maps],
            signals: vec![zero; measurements],
            usable: vec![Lanes::all(1.0); measurements],
            all_usable: true,
            squares: zero,
        }
    }

    /// Loads the scaled signals and the maps of a voxel into a lane.
    #[inline(always)]
    pub(super) fn load(&mut self, lane: usize, signals: impl Iterator<Item = T>, maps: &[T]) {
        set_lane(&mut self.maps, lane, maps);
        let mut squares = T::of(0.0);
        for (m, signal) in signals.enumerate() {
            let is_usable = signal.size() < T::of(f64::INFINITY);
            let signal = if is_usable { signal } else { T::of(0.0) };
            self.signals[m].0[lane] = signal;
            self.usable[m].0[lane] = T::of(f64::from(u8::from(is_usable)));
            squares = signal.fma(signal, squares);
        }
        self.squares.0[lane] = squares;
        self.all_usable = self.usable.iter().all(|row| row.0 == [T::of(1.0); WIDTH]);
    }

    /// Computes the sums over the measurements at these parameter values.
    #[inline(always)]
    pub(super) fn sum(&mut self, numbers: &[Row<T>], sums: &mut Sums<Row<T>>) {
        let Self { unknowns, interpreter, maps, signals, usable, all_usable, .. } = self;
        interpreter.set_inputs(unknowns, numbers, maps, &[]);
        sums.clear(Lanes::all(0.0));
        interpreter.blocks(
            &[],
            #[inline(always)]
            |of, block| {
                let (signals, usable) = (&signals[block.clone()], &usable[block.clone()]);
                if *all_usable {
                    sums.add::<true>(signals, usable, |n| of.result(n, &block));
                } else {
                    sums.add::<false>(signals, usable, |n| of.result(n, &block));
                }
            },
        );
    }
}

/// Writes the values of a voxel to a lane.
#[inline(always)]
pub(super) fn set_lane<T: Real>(rows: &mut [Row<T>], lane: usize, values: &[T]) {
    for (row, value) in rows.iter_mut().zip(values) {
        row.0[lane] = *value;
    }
}

/// Reads the values of the voxel in a lane.
#[inline(always)]
pub(super) fn get_lane<T: Real>(rows: &[Row<T>], lane: usize, values: &mut [T]) {
    for (row, value) in rows.iter().zip(values) {
        *value = row.0[lane];
    }
}
