// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 68a0aa7a0bb1d401cf67f7fa8642df87a32e9f3e0b21f3169c310bba0a99497b
// Hash of the generated code: a250953fed4836f9f20310a6193797706548d889bb3e874e2d1e8772e5b2866a
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 128;
pub(super) const WARPS: u32 = 4;
pub(super) const LEAST_ROOM: u32 = 64;
pub(super) const ROOM: u32 = 1024;
