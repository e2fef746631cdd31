//! The kernels that are compiled for a degree, as `kernels.cu` beside this has them.

use arcuate_compute::cuda::{CudaResult, Gpu, Grid, KernelImages, Kernels};
use arcuate_compute::kernel_images;
use arcuate_solve::Real;

static IMAGES: KernelImages = kernel_images!("kernels");

/// The degrees that there are kernels for.
pub(super) const COMPILED: [usize; 5] = [10, 12, 14, 16, 18];
/// Warps of a block of the adjoint, each with a unit of its own.
const ADJOINT_WARPS: usize = 4;
/// Numbers between those of two lanes' sums.
const PITCH: usize = 36;

/// The kernels for one degree and a number of functions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Compiled {
    order: usize,
    rank: usize,
}

impl Compiled {
    /// Those for a degree and up to four functions, where there are any for this precision.
    pub(super) fn new<T: Real>(order: usize, rank: usize) -> Option<Self> {
        (size_of::<T>() == 4 && COMPILED.contains(&order)).then_some(Self { order, rank })
    }

    /// The kernels of all degrees.
    pub(super) fn kernels(gpu: &Gpu) -> CudaResult<Kernels> {
        gpu.kernels(&IMAGES)
    }

    /// The name of the kernel that stands for `general`.
    pub(super) fn name(self, general: &str) -> String {
        format!("{general}_{}", self.order)
    }

    fn harmonics(self) -> usize {
        (self.order + 1) * (self.order + 2) / 2
    }

    /// A block for each unit, of as many warps as keep the sums of a lane in registers.
    pub(super) fn grid_of_moments(self, units: usize) -> Grid {
        let sums = self.harmonics() * self.rank;
        let warps = if sums <= 480 { 4 } else { 8 };
        let waiting = 2 * 32 * warps;
        let shared = ((3 + self.rank) * waiting).max(warps * 32 * PITCH) + sums + 2 * warps;
        Grid::row(units as u32, 32 * warps as u32).shared((shared * size_of::<f32>()) as u32)
    }

    /// A warp for each unit, which keeps `room` numbers of each harmonic.
    pub(super) fn grid_of_adjoint(self, units: usize, room: usize) -> Grid {
        let shared = ADJOINT_WARPS * (self.harmonics() * room).next_multiple_of(16) * size_of::<f32>();
        let blocks = units.div_ceil(ADJOINT_WARPS);
        Grid::row(blocks as u32, 32 * ADJOINT_WARPS as u32).shared(shared as u32)
    }
}
