//! One GPU's part of the sparse Tucker operator, for row kernels and for tile kernels.

use super::arrays::TuckerArrays;
use super::tiles;
use arcuate_compute::cuda::{CudaResult, DeviceChunks, Gpu, Staged, Stream};
use arcuate_compute::{Chunks, MemoryPlan};
use arcuate_core::Result;
use arcuate_numbers::Real;
use arcuate_solve::{Products, Sizes, solver_bytes};
use std::ops::Range;

/// Number of voxels in a brick. Work is divided between whole bricks only. A brick is a whole tile of the
/// kernels, so that the products of a voxel are bit-identical on any GPU.
pub(super) const BRICK: usize = tiles::VOXELS;
/// Flags of a launch, as in `products.cuh`.
const FORWARD: u32 = 1;
const CARRY: u32 = 2;
const ADJOINT: u32 = 4;

/// One GPU's part of the sparse Tucker operator, with a range of voxels.
pub(super) struct TuckerPart<T: Real> {
    pub(super) voxels: Range<usize>,
    pub(super) chunks: DeviceChunks,
    pub(super) layout: Box<dyn Layout<T>>,
}

/// The memory layout of voxels and coefficients for one kind of GPU kernels (row kernels or tile kernels).
pub(super) trait Layout<T: Real>: Send + Sync {
    /// Returns the name of the kernel.
    fn kernel(&self) -> String;

    /// Returns the number of pairs of squared norms that the kernels write for this number of voxels.
    fn norms(&self, voxels: usize) -> usize;

    /// Returns three arrays of all coefficients in CPU memory. They are the atoms (or the cells of a tile),
    /// the members (indices of unknowns), and the values.
    fn arrays<'a>(&'a self, operator: &'a TuckerArrays<T>) -> [&'a [u8]; 3];

    /// Returns the coefficients of some bricks (128 successive voxels each) of the GPU, as slices of the
    /// three arrays.
    fn of_bricks<'a>(&'a self, operator: &'a TuckerArrays<T>, bricks: Range<usize>) -> [&'a [u8]; 3];

    /// Frees the layout's own arrays in CPU memory, if no coefficients are streamed to the GPU from these
    /// arrays.
    fn forget_host(&mut self) {}

    /// Launches the products for some bricks. Their coefficients are already on the GPU.
    fn launch(
        &self,
        operator: &TuckerArrays<T>,
        stream: &Stream,
        bricks: Range<usize>,
        coefficients: &Staged<'_>,
        what: &mut Products<'_, T>,
    ) -> CudaResult<()>;
}

/// Returns the flags that a kernel launch gets for the requested products.
pub(super) fn mode<T: Real>(what: &Products<'_, T>) -> u32 {
    let flag = |set: bool, flag: u32| if set { flag } else { 0 };
    flag(what.unknowns.is_some(), FORWARD) | flag(what.carry, CARRY) | flag(what.sums.is_some(), ADJOINT)
}

/// The voxels of one GPU, as long as their coefficients are not yet copied to the GPU.
pub(super) struct Place<'a, T: Real> {
    pub(super) operator: &'a TuckerArrays<T>,
    pub(super) gpu: &'a Gpu,
    pub(super) gpus: usize,
    pub(super) stream: Stream,
    pub(super) voxels: Range<usize>,
}

impl<T: Real> Place<'_, T> {
    pub(super) fn bricks(&self) -> usize {
        self.voxels.len().div_ceil(BRICK)
    }

    /// Returns the first voxel of a brick (128 successive voxels), counted among the voxels of the GPU. If
    /// the brick is past the end, returns the number of voxels.
    pub(super) fn voxel_of(&self, brick: usize) -> usize {
        (brick * BRICK).min(self.voxels.len())
    }

    /// Divides bricks (128 successive voxels each) into chunks whose coefficients fit in the GPU's memory.
    /// `always` is the number of bytes of the operator that stay on the GPU. `bytes_before` returns the
    /// number of bytes of all coefficients before a brick.
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

    /// Creates this GPU's part of the sparse Tucker operator, with coefficients in this memory layout.
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
