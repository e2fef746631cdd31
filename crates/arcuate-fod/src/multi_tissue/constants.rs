// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 85ac7630996003cfe3f6743a92fd3cbe8e8db7cb44be87aa6f3078282a8426e0
// Hash of the generated code: 26730124a68893750a7703734483dc99b7a8e34f1f0ba667a0d6140b4c2cdff4
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const SIDE: u32 = 4;
pub(super) const TILE: u32 = 16;
pub(super) const SUMS: u32 = 8;
pub(super) const CONVERGED: u32 = 0;
pub(super) const UNCONVERGED: u32 = 1;
pub(super) const UNFITTED: u32 = 2;
pub(super) const THREADS: u32 = 128;
pub(super) const BLOCKS: u32 = 7;
pub(super) const NONE: u32 = 4294967295;
