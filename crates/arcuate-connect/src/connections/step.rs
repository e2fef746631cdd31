//! Steps of the search for regions around the end point of a streamline.

use arcuate_core::narrow;
use bytemuck::{Pod, Zeroable};

/// A step of the search: the offset from the central voxel to another voxel, and its length, as in
/// `kernels.cu`.
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
