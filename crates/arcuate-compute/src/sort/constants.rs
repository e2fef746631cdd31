// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: ebfe9b76d591fd94e3fc353a74ffa9eced73fb948ea958a6289effb478782d4b
// Hash of the generated code: 1041131e8a414e5ff79164f8939c72f67d1bcdf0e0a2ddffd493409ff069fa0f
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
pub(super) const WARPS: u32 = 8;
pub(super) const ROUNDS: u32 = 8;
pub(super) const TILE: u32 = 2048;
pub(super) const DIGITS: u32 = 256;
