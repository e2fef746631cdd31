// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: e5a20a88d849a7c671a9f04c83ed209a1f2fa17d26548477312466fb3265c333
// Hash of the generated code: 5293e1e7590e94bbe1d037fb29f77254457b24be5c760549cf785287176fb8d2
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
