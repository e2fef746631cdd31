// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 21dcb6742827e4d4cdab2e883b9c10aeef4ba2f08d62f45daceea8bfc59a8116
// Hash of the generated code: 29b1a6f66986855654a69ca18bad63c88d050f84604416dbbf930392e1291659
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
pub(super) const NOWHERE: u32 = 4294967295;
pub(super) const NO_NODE: u64 = 18446744073709551615;
