//! The voxels in which the search for the region of a streamline's end point looks.

use arcuate_core::narrow;
use bytemuck::{Pod, Zeroable};

/// A voxel that the search for a region examines: its offset from the voxel that contains the end point, and
/// the distance between these two voxels. The memory layout is that of `kernels.cu`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Step {
    far: f64,
    by: [i32; 3],
    unused: i32,
}

impl Step {
    pub(super) fn new(by: [i64; 3], far: f64) -> Self {
        Self { far, by: by.map(narrow::<i32>), unused: 0 }
    }
}
