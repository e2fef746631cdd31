// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: f821f8bad6a8d532a50774863788858d2a02b0b91449d329971f8f4db99f972f
// products: 27db37c2ae1bb7fd960dd4cc7a5235543c2ffb0c158364cd48d3f8439bd0874f
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const SIDE: u32 = 4;
pub(super) const TILE: u32 = 16;
pub(super) const SUMS: u32 = 8;
pub(super) const CONVERGED: u32 = 0;
pub(super) const UNCONVERGED: u32 = 1;
pub(super) const UNFITTED: u32 = 2;
pub(super) const THREADS: u32 = 128;
pub(super) const NONE: u32 = 4294967295;
