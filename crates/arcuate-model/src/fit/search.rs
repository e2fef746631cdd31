//! Search through combinations of values, in sixteen voxels side by side; `search.cuh` is the same for GPUs.

use super::interpreter::{Interpreter, Row, WIDTH};
use super::levenberg_marquardt::set_inputs;
use super::stage::{StagePlan, Status};
use super::voxels::Voxels;
use crate::special::watson::Series;
use arcuate_compute::lanes::Lanes;

/// Sets the numbers of all voxels that are to be fitted to the best of the stage's combinations: of equal ones to the first.
#[inline(always)]
pub(crate) fn search<T: Series>(stage: &StagePlan<T>, voxels: &mut Voxels<T>, measurements: usize) {
    let zero = Lanes::all(0.0);
    let mut interpreter = Interpreter::new(&stage.schedule, measurements);
    let mut numbers: Vec<Row<T>> = vec![zero; voxels.number_count()];
    let mut maps: Vec<Row<T>> = vec![zero; voxels.map_count()];
    let mut signals: Vec<Row<T>> = vec![zero; measurements];
    let mut usable: Vec<Row<T>> = vec![zero; measurements];
    let wanted: Vec<usize> = (0..voxels.len()).filter(|&voxel| voxels.is_wanted(voxel)).collect();
    let candidates = stage.candidates.len() / stage.searched.len().max(1);
    for lanes in wanted.chunks(WIDTH) {
        for (lane, &voxel) in lanes.iter().enumerate() {
            for (row, number) in numbers.iter_mut().zip(voxels.numbers(voxel)) {
                row.0[lane] = *number;
            }
            for (row, number) in maps.iter_mut().zip(voxels.maps(voxel)) {
                row.0[lane] = *number;
            }
            for (m, signal) in voxels.signals(voxel).enumerate() {
                let is_usable = signal.size() < T::of(f64::INFINITY);
                signals[m].0[lane] = if is_usable { signal } else { T::of(0.0) };
                usable[m].0[lane] = T::of(f64::from(u8::from(is_usable)));
            }
        }
        let mut best: Row<T> = Lanes::all(f64::INFINITY);
        let mut winners = [usize::MAX; WIDTH];
        for candidate in 0..candidates {
            let values = &stage.candidates[candidate * stage.searched.len()..][..stage.searched.len()];
            for (&number, &value) in stage.searched.iter().zip(values) {
                numbers[usize::from(number)] = Lanes([value; WIDTH]);
            }
            set_inputs(&mut interpreter, &stage.unknowns, &numbers, &maps);
            let mut cost = zero;
            let mut first = 0;
            while first < measurements {
                let count = interpreter.block(first);
                let predicted = interpreter.result(0, count);
                for m in 0..count {
                    let difference = signals[first + m] - predicted[m];
                    let difference = usable[first + m].if_above(zero, difference, zero);
                    cost = difference.fma(difference, cost);
                }
                first += count;
            }
            for lane in 0..WIDTH {
                if cost.0[lane] < best.0[lane] {
                    best.0[lane] = cost.0[lane];
                    winners[lane] = candidate;
                }
            }
        }
        for (lane, &voxel) in lanes.iter().enumerate() {
            if winners[lane] == usize::MAX {
                voxels.set_status(voxel, Status::NoModel);
                continue;
            }
            let values = &stage.candidates[winners[lane] * stage.searched.len()..];
            for (&number, &value) in stage.searched.iter().zip(values) {
                voxels.numbers_mut(voxel)[usize::from(number)] = value;
            }
            voxels.end(voxel, Status::Limit, best.0[lane], candidates as u32);
        }
    }
}
