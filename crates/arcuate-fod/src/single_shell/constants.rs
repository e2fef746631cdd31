// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 3ed2a2e73c00570dcd62dd2757d091e9f7b27688a7a2effcb3c511258b6b19fd
// Hash of the generated code: edbe8064f627e78c3c63da19a6101ac38271ae6fc1ba3ce47ebd707ed616561d
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const SIDE: u32 = 4;
pub(super) const TILE: u32 = 16;
pub(super) const SUMS: u32 = 8;
pub(super) const CONVERGED: u32 = 0;
pub(super) const UNCONVERGED: u32 = 1;
pub(super) const UNFITTED: u32 = 2;
pub(super) const THREADS: u32 = 64;
pub(super) const BLOCKS: u32 = 10;
