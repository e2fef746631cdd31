// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: ef70b4a1e9bc130420c53314e430613a16ed82ba3c23cb7f2d1e5c9e9bf5d54a
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
