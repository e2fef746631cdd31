// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: a46d162e5d0be20e1bb81c01e9d52ea466ca8e8b5ed380c775ff1cae1db99591
// Hash of the generated code: 3bf9f56c11fd59c1bc5f6d49500f8ab843ae102e09b52de5abe96cf9219b9170
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const NONE: u32 = 4294967295;
pub(super) const THREADS: u32 = 256;
pub(super) const SLAB: u32 = 64;
pub(super) const TILE: u32 = 64;
pub(super) const INNER: u32 = 16;
pub(super) const CARRY: u32 = 1;
pub(super) const KEEP: u32 = 2;
