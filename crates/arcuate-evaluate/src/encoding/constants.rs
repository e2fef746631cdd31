// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: b9c34e303b4492f5b7fccc2cad79bbdf7f3e8d19f453afc63dee3bcfa7deb139
// products: ad7c55b986c208e191486f218d2b57b58b930872e48cef13b81d4ef831c3bf07
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
pub(super) const NOWHERE: u32 = 4294967295;
pub(super) const NO_NODE: u64 = 18446744073709551615;
