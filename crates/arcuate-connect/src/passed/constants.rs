// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 3260cfc22d8c22712aca08576df66581ffb3a42a1af15b97105f36e76949a000
// products: 55f60fe723ea6ae73a94101dad4f7587d85668ccd5772592f94ce4e31cd3b603
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 128;
pub(super) const WARPS: u32 = 4;
pub(super) const LEAST_ROOM: u32 = 64;
pub(super) const ROOM: u32 = 1024;
