// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 3b5fcd65d6cc9476f42826cc3efb3cc653758df9d6e8107a1bc584d03f7d0ea8
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
