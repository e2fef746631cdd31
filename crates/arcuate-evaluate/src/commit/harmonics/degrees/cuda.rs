//! Launches the kernels that are compiled for one maximum degree of the spherical harmonics. Block sizes and
//! memory sizes are those of `kernels.cu`.
#![allow(unsafe_code)]

use super::super::device_tables::Group;
use super::super::kernels::Work;
use super::compiled::Compiled;
use super::{Segment, kernels};
use arcuate_compute::cuda::{Buffer, BufferView, BufferViewMut, CudaResult, Grid, Stream};
use arcuate_core::narrow;
use arcuate_solve::Real;

/// Number of warps (32 threads each) per block of the kernel that computes Aᵀ y. Each warp processes one work
/// unit, which has segments of one voxel.
const ADJOINT_WARPS: usize = 4;
/// Distance in shared memory between two successive rows of the table of sums, as a number of values. A row
/// has one sum for each of the 32 lanes (threads of a warp).
const PITCH: usize = 36;

/// The work units of a group of basis functions, and the segments of these units.
pub(in super::super) struct GroupUnits<'a, T: Real> {
    pub(in super::super) work: Work,
    pub(in super::super) group: &'a Group<T>,
    pub(in super::super) segments: BufferView<'a, Segment>,
}

impl Compiled {
    /// Launches the kernel that computes the moments of work units (segments of one voxel). One block
    /// processes a work unit, with enough warps to hold the sums of each thread in registers.
    ///
    /// # Safety
    ///
    /// The safety requirements are those of the kernel `commit_moments`, which supports any degree. In
    /// addition, `T` must be the precision that `self` was created for.
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
        let grid =
            Grid::row(work.units, 32 * narrow::<u32>(warps)).shared(narrow::<u32>(shared * size_of::<f32>()));
        let (z, mix, parts) = (single(reduced), single(&group.mix), single_mut(parts));
        let (numbers, units) = (self.numbers(), &group.units);
        let work = as_here(work);
        // SAFETY: the caller guarantees the kernel's requirements.
        unsafe {
            kernels::commit_moments_f32(numbers, stream, grid, work, units, segments, z, harmonic, mix, parts)
        }
    }

    /// Launches the kernel that computes Aᵀ y. One warp (32 threads) processes a work unit (segments of one
    /// voxel), and keeps `room` numbers of each harmonic in shared memory.
    ///
    /// # Safety
    ///
    /// The safety requirements are those of the method [`moments`](Self::moments).
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
        let blocks = work.units.div_ceil(narrow::<u32>(ADJOINT_WARPS));
        let grid = Grid::row(blocks, 32 * narrow::<u32>(ADJOINT_WARPS)).shared(narrow::<u32>(shared));
        let (amplitudes, mix) = (single(amplitudes), single(&group.mix));
        let (numbers, units) = (self.numbers(), &group.units);
        let work = as_here(work);
        // SAFETY: the caller guarantees the kernel's requirements.
        unsafe {
            kernels::commit_adjoint_f32(
                numbers, stream, grid, work, units, segments, amplitudes, row_of, mix, scale, raw,
            )
        }
    }
}

/// Converts the structure `Work` of `harmonics.cuh` to the type that the launch functions of these kernels
/// declare for it.
fn as_here(work: Work) -> kernels::Work {
    let Work { first_unit, units, first_segment, first_place, first_voxel, rows, shells } = work;
    kernels::Work { first_unit, units, first_segment, first_place, first_voxel, rows, shells }
}

/// Returns a single-precision view of a buffer. The compiled kernels exist in single precision only.
fn single<T: Real>(numbers: &Buffer<T>) -> BufferView<'_, f32> {
    assert_single::<T>();
    numbers.view().cast()
}

/// Like [`single`], but the returned view can be written.
fn single_mut<T: Real>(numbers: &mut Buffer<T>) -> BufferViewMut<'_, f32> {
    assert_single::<T>();
    numbers.view_mut().cast()
}

/// Panics if `T` is not single precision. The kernels would read double-precision values wrongly, and write
/// out of bounds.
fn assert_single<T>() {
    assert_eq!(size_of::<T>(), size_of::<f32>(), "kernels of single precision");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn double_precision_buffers_are_rejected() {
        if !arcuate_emulation::available("buffers of double precision") {
            return;
        }
        let gpus = arcuate_compute::cuda::Gpus::open(&[0]).unwrap();
        let (single_numbers, double_numbers) = (gpus.first().alloc::<f32>(4), gpus.first().alloc::<f64>(4));
        assert_eq!(single(&single_numbers.unwrap()).len(), 4);
        let mut double_numbers = double_numbers.unwrap();
        let refused =
            |work: &mut dyn FnMut()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err();
        assert!(refused(&mut || {
            let _ = single(&double_numbers).len();
        }));
        assert!(refused(&mut || {
            let _ = single_mut(&mut double_numbers).len();
        }));
    }
}
