// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 51ebe0e4ffbfc411471ba9042a6636ceedbd1bd02a6aa1d91ae4d9f8d766b567
// Hash of the generated code: 3f79cae3bf406ccb83f630c35c539d8aa13c47101c2284927c2259c8e4186442
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
pub(super) const WHAT_GRADIENT: u32 = 0;
pub(super) const WHAT_CHANGE: u32 = 1;
pub(super) const WHAT_CURVATURE: u32 = 2;
