// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 4f8b2919caa5c07e98b07442eaeca6f272ac252f628d2a37174ac2d9adde4a31
// Hash of the generated code: 16274272d84638608fbfe112082dec16aeaa3876475de0a5fc7a22be74950dea
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
pub(super) const READS_ACROSS: u32 = 1;
pub(super) const WRITES_ACROSS: u32 = 2;
pub(super) const INVERSE: u32 = 4;
pub(super) const MAPS_BEHIND: u32 = 8;
