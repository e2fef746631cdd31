// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 3ed2a2e73c00570dcd62dd2757d091e9f7b27688a7a2effcb3c511258b6b19fd
// products: 2793a149252eea90081620b3081b747dc67892fb3a9e5451a2ec8daf49a2a6c8
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const SIDE: u32 = 4;
pub(super) const TILE: u32 = 16;
pub(super) const SUMS: u32 = 8;
pub(super) const CONVERGED: u32 = 0;
pub(super) const UNCONVERGED: u32 = 1;
pub(super) const UNFITTED: u32 = 2;
pub(super) const THREADS: u32 = 64;
pub(super) const BLOCKS: u32 = 10;
