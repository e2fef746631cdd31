//! The launches; sizes as in `kernels.cu`.
#![allow(unsafe_code)]

use super::super::device_tables::Group;
use super::super::kernels::Work;
use super::compiled::Compiled;
use super::{Segment, kernels};
use arcuate_compute::cuda::{Buffer, BufferView, BufferViewMut, CudaResult, Grid, Stream};
use arcuate_solve::Real;

/// Warps of a block of the adjoint, each with a unit of its own.
const ADJOINT_WARPS: usize = 4;
/// Numbers between those of two lanes' sums.
const PITCH: usize = 36;

/// Units of a group, and the segments that they are of.
pub(in super::super) struct GroupUnits<'a, T: Real> {
    pub(in super::super) work: Work,
    pub(in super::super) group: &'a Group<T>,
    pub(in super::super) segments: BufferView<'a, Segment>,
}

impl Compiled {
    /// Queues the moments of units: a block for each, of as many warps as keep the sums of a lane in registers.
    ///
    /// # Safety
    /// As for the kernel of any degree; `T` is the precision that this was made for.
    pub(in super::super) unsafe fn moments<T: Real>(
        self,
        stream: &Stream,
        GroupUnits { work, group, segments }: GroupUnits<'_, T>,
        reduced: &Buffer<T>,
        harmonic: &Buffer<u32>,
        parts: &mut Buffer<T>,
    ) -> CudaResult<()> {
        let sums = self.harmonics() * self.rank;
        let warps = if sums <= 480 { 4 } else { 8 };
        let waiting = 2 * 32 * warps;
        let shared = ((3 + self.rank) * waiting).max(warps * 32 * PITCH) + sums + 2 * warps;
        let grid = Grid::row(work.units, 32 * warps as u32).shared((shared * size_of::<f32>()) as u32);
        let (z, mix, parts) = (single(reduced), single(&group.mix), parts.view_mut().cast());
        let (numbers, units) = (self.numbers(), &group.units);
        let work = as_here(work);
        // SAFETY: promised by the caller.
        unsafe {
            kernels::commit_moments_f32(numbers, stream, grid, work, units, segments, z, harmonic, mix, parts)
        }
    }

    /// Queues the adjoint of units: a warp for each, which keeps `room` numbers of each harmonic.
    ///
    /// # Safety
    /// As for [`moments`](Self::moments).
    pub(in super::super) unsafe fn adjoint<T: Real>(
        self,
        stream: &Stream,
        GroupUnits { work, group, segments }: GroupUnits<'_, T>,
        amplitudes: &Buffer<T>,
        row_of: &Buffer<u32>,
        scale: &Buffer<f64>,
        raw: BufferViewMut<'_, u64>,
    ) -> CudaResult<()> {
        let room = group.shape.room();
        let shared = ADJOINT_WARPS * (self.harmonics() * room).next_multiple_of(16) * size_of::<f32>();
        let blocks = work.units.div_ceil(ADJOINT_WARPS as u32);
        let grid = Grid::row(blocks, 32 * ADJOINT_WARPS as u32).shared(shared as u32);
        let (amplitudes, mix) = (single(amplitudes), single(&group.mix));
        let (numbers, units) = (self.numbers(), &group.units);
        let work = as_here(work);
        // SAFETY: promised by the caller.
        unsafe {
            kernels::commit_adjoint_f32(
                numbers, stream, grid, work, units, segments, amplitudes, row_of, mix, scale, raw,
            )
        }
    }
}

/// The structure of `harmonics.cuh` as this family of kernels has it.
fn as_here(work: Work) -> kernels::Work {
    let Work { first_unit, units, first_segment, first_place, first_voxel, rows, shells } = work;
    kernels::Work { first_unit, units, first_segment, first_place, first_voxel, rows, shells }
}

/// Numbers in single precision, which is what the kernels are compiled for.
fn single<T: Real>(numbers: &Buffer<T>) -> BufferView<'_, f32> {
    numbers.view().cast()
}
