// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 5d65ac5f007cd26048ded8e080c926b1991cc16a0b30254a5894358921d2560a
// Hash of the generated code: 5293e1e7590e94bbe1d037fb29f77254457b24be5c760549cf785287176fb8d2
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
