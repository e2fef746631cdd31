//! Parameters of a region grid for kernels.

use bytemuck::{Pod, Zeroable};

/// Parameters of a voxel grid with regions, in the same layout as in `kernels.cu`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct GridParameters {
    pub(super) affine: [f32; 12],
    pub(super) warp_affine: [f32; 12],
    pub(super) shape: [i32; 3],
    pub(super) warp_shape: [i32; 3],
    pub(super) bits_at: u32,
    pub(super) warp_at: u32,
    pub(super) bits_bytes: u32,
    pub(super) sets_at: u32,
}
