// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: d2b97c1f89f2d4a899a7855fd47727148b4c2567c573c08396fbca69597dc0d7
// products: 3d009b5e4ff01f00cd216998d13baee638ab495bfa978b09d1cc96f8fbe4a179
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const NOWHERE: u32 = 4294967295;
pub(super) const THREADS: u32 = 128;
pub(super) const WARPS: u32 = 4;
pub(super) const LEAST_ROOM: u32 = 64;
pub(super) const ROOM: u32 = 1024;
pub(super) const QUEUED: u32 = 64;
pub(super) const BEHIND: u32 = 2147483648;
