// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 134dee69cfc08dd58a368ac220beca4abc03ce3f1884ccfce99632acbe315bb5
// Hash of the generated code: 5293e1e7590e94bbe1d037fb29f77254457b24be5c760549cf785287176fb8d2
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
