//! What kernels read of elements.

use bytemuck::{Pod, Zeroable};

/// A lattice of elements and the way there: as in `kernels.cu`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ElementLattice {
    pub(super) affine: [f32; 12],
    pub(super) warp_affine: [f32; 12],
    pub(super) shape: [i32; 3],
    pub(super) warp_shape: [i32; 3],
    pub(super) warp_at: u32,
    pub(super) voxels_at: u32,
    pub(super) lists_at: u32,
    pub(super) unused: u32,
}

/// A triangle in units, and the elements that it stands for: as in `triangles.cuh`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Triangle {
    pub(super) corners: [[i32; 3]; 3],
    pub(super) elements: [u32; 3],
}
