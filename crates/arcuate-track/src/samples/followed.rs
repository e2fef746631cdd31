//! What kernels say of a streamline.

use bytemuck::{Pod, Zeroable};

/// What became of a streamline: as in `kernels.cu`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Followed {
    what: u32,
    points: [u32; 2],
    steps: u32,
}
