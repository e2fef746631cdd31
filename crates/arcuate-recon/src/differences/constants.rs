// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 3124bda792a0f7404c2eb098663f4f65ab59bc81ac8777a0193e5818991045a3
// Hash of the generated code: 5293e1e7590e94bbe1d037fb29f77254457b24be5c760549cf785287176fb8d2
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
