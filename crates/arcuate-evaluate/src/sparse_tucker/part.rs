//! The operator's part on one GPU, for either kind of kernels.

use super::arrays::TuckerArrays;
use super::tiles;
use arcuate_compute::cuda::{CudaResult, DeviceChunks, Gpu, Staged, Stream};
use arcuate_compute::numbers::Vectors;
use arcuate_compute::{Chunks, MemoryPlan};
use arcuate_core::Result;
use arcuate_solve::{Products, Sizes, solver_bytes};
use std::ops::Range;

/// Number of voxels that are never separated: a whole tile, so that a voxel's products are bit-identical on any GPU.
pub(super) const BRICK: usize = tiles::VOXELS;
/// Modes of a launch, as in `products.cuh`.
const FORWARD: u32 = 1;
const CARRY: u32 = 2;
const ADJOINT: u32 = 4;

/// The voxels of one GPU.
pub(super) struct TuckerPart<T: Vectors> {
    pub(super) voxels: Range<usize>,
    pub(super) chunks: DeviceChunks,
    pub(super) layout: Box<dyn Layout<T>>,
}

/// The layout of voxels and coefficients for one kind of kernels.
pub(super) trait Layout<T: Vectors>: Send + Sync {
    /// Returns the name of the kernel.
    fn kernel(&self) -> String;

    /// Returns the number of pairs of norms for this number of voxels.
    fn norms(&self, voxels: usize) -> usize;

    /// Returns the whole arrays of coefficients: atoms or cells, members, values.
    fn arrays<'a>(&'a self, operator: &'a TuckerArrays<T>) -> [&'a [u8]; 3];

    /// Returns the parts of these arrays for some bricks of the GPU.
    fn of_bricks<'a>(&'a self, operator: &'a TuckerArrays<T>, bricks: Range<usize>) -> [&'a [u8]; 3];

    /// Frees its own arrays on the host, if nothing is streamed from them.
    fn forget_host(&mut self) {}

    /// Launches the products of some bricks whose coefficients are on the GPU.
    fn launch(
        &self,
        operator: &TuckerArrays<T>,
        stream: &Stream,
        bricks: Range<usize>,
        coefficients: &Staged<'_>,
        what: &mut Products<'_, T>,
    ) -> CudaResult<()>;
}

/// Returns the mode of a launch.
pub(super) fn mode<T: Vectors>(what: &Products<'_, T>) -> u32 {
    let flag = |set: bool, flag: u32| if set { flag } else { 0 };
    flag(what.unknowns.is_some(), FORWARD) | flag(what.carry, CARRY) | flag(what.sums.is_some(), ADJOINT)
}

/// The voxels of one GPU before they are copied to it.
pub(super) struct Place<'a, T: Vectors> {
    pub(super) operator: &'a TuckerArrays<T>,
    pub(super) gpu: &'a Gpu,
    pub(super) gpus: usize,
    pub(super) stream: Stream,
    pub(super) voxels: Range<usize>,
}

impl<T: Vectors> Place<'_, T> {
    pub(super) fn bricks(&self) -> usize {
        self.voxels.len().div_ceil(BRICK)
    }

    /// Returns the first voxel of a brick, or the end, counted among the voxels of the GPU.
    pub(super) fn voxel_of(&self, brick: usize) -> usize {
        (brick * BRICK).min(self.voxels.len())
    }

    /// Divides bricks into chunks for the GPU's memory. `always` bytes of the operator are always on the GPU.
    /// `bytes_before` returns the bytes of the coefficients before a brick.
    pub(super) fn cut(
        &self,
        norms: usize,
        always: u64,
        bytes_before: impl Fn(usize) -> u64,
    ) -> Result<Chunks> {
        let sizes = Sizes {
            rows: self.voxels.len() * self.operator.directions,
            columns: self.operator.columns,
            norms,
            raw_sums: None,
            gpus: self.gpus,
        };
        let always = always + solver_bytes::<T>(self.gpu, &sizes)? + 3 * DeviceChunks::PADDING;
        let plan = MemoryPlan::new("sparse Tucker operator needs", always);
        plan.keep_most(self.gpu.budget()?, self.bricks(), bytes_before)
    }

    /// Creates the part for coefficients with this layout.
    pub(super) fn with(self, mut layout: impl Layout<T> + 'static, chunks: &Chunks) -> Result<TuckerPart<T>> {
        let Self { operator, gpu, stream, voxels, .. } = self;
        let of_bricks = |bricks| layout.of_bricks(operator, bricks).to_vec();
        let on_device = DeviceChunks::new(gpu, &stream, chunks, of_bricks)?;
        if chunks.all_stay() {
            layout.forget_host();
        }
        Ok(TuckerPart { voxels, chunks: on_device, layout: Box::new(layout) })
    }
}
