//! What lies on one GPU, for either kind of kernels.

use super::arrays::TuckerArrays;
use super::tiles;
use arcuate_compute::cuda::{CudaResult, DeviceChunks, Gpu, Staged, Stream};
use arcuate_compute::numbers::Vectors;
use arcuate_compute::{Chunks, MemoryPlan};
use arcuate_core::Result;
use arcuate_solve::{Products, Sizes, solver_bytes};
use std::ops::Range;

/// Voxels that are never cut apart: a whole tile, so that a voxel's products have the same bits wherever it lies.
pub(super) const BRICK: usize = tiles::VOXELS;
/// What a launch does, as in `products.cuh`.
const FORWARD: u32 = 1;
const CARRY: u32 = 2;
const ADJOINT: u32 = 4;

/// The voxels of one GPU.
pub(super) struct TuckerPart<T: Vectors> {
    pub(super) voxels: Range<usize>,
    pub(super) chunks: DeviceChunks,
    pub(super) layout: Box<dyn Layout<T>>,
}

/// How voxels and coefficients lie for one kind of kernels.
pub(super) trait Layout<T: Vectors>: Send + Sync {
    /// The kernel's name.
    fn kernel(&self) -> String;

    /// Pairs of norms for so many voxels.
    fn norms(&self, voxels: usize) -> usize;

    /// Whole arrays of coefficients: atoms or cells, members, values.
    fn arrays<'a>(&'a self, operator: &'a TuckerArrays<T>) -> [&'a [u8]; 3];

    /// The parts of these that some bricks of the GPU have.
    fn of_bricks<'a>(&'a self, operator: &'a TuckerArrays<T>, bricks: Range<usize>) -> [&'a [u8]; 3];

    /// Lets go of arrays of its own on the host, where nothing is streamed from them.
    fn forget_host(&mut self) {}

    /// Queues the products of some bricks, whose coefficients are in the GPU.
    fn launch(
        &self,
        operator: &TuckerArrays<T>,
        stream: &Stream,
        bricks: Range<usize>,
        coefficients: &Staged<'_>,
        what: &mut Products<'_, T>,
    ) -> CudaResult<()>;
}

/// What a launch is to do.
pub(super) fn mode<T: Vectors>(what: &Products<'_, T>) -> u32 {
    let flag = |set: bool, flag: u32| if set { flag } else { 0 };
    flag(what.unknowns.is_some(), FORWARD) | flag(what.carry, CARRY) | flag(what.sums.is_some(), ADJOINT)
}

/// The voxels of one GPU before they lie on it.
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

    /// The voxel that a brick begins with, or the end, counted among those of the GPU.
    pub(super) fn voxel_of(&self, brick: usize) -> usize {
        (brick * BRICK).min(self.voxels.len())
    }

    /// Bricks cut for the GPU's memory, where `always` bytes of the operator are there all the time and a brick and those
    /// before it have so many bytes of coefficients.
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

    /// The part whose coefficients lie as `layout` has them.
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
