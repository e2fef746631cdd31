// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 27343c6c2972899ffe3a4cb2597d70f51b05e4f5fd5bbfff68497d24e7e57618
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
