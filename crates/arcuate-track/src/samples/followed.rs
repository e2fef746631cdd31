//! What kernels say of a streamline.

use bytemuck::{Pod, Zeroable};

/// What became of a streamline: as in `kernels.cu`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Followed {
    pub(super) what: u32,
    pub(super) points: [u32; 2],
    pub(super) steps: u32,
}
