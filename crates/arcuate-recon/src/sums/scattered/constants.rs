// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 10e31e3653acc5d5cd766a19ec00b61bec2fc67ce8bc79d70858b7e809e81230
// Hash of the generated code: 63cda339aa6ba2a8cf4346db65794a92944743af4c84aa189be2606a6d2aa302
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
pub(super) const TILE: u32 = 256;
pub(super) const FLUSHED: u32 = 128;
pub(super) const NEAR_THREADS: u32 = 256;
pub(super) const NEAR_PLACES: u32 = 8;
pub(super) const GROUP: u32 = 256;
