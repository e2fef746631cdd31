// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: d41579e3120bb211214416c93fb9ba8cf04b10bf8553de1678bbacc83b49740b
// products: 55f60fe723ea6ae73a94101dad4f7587d85668ccd5772592f94ce4e31cd3b603
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 128;
pub(super) const WARPS: u32 = 4;
pub(super) const LEAST_ROOM: u32 = 64;
pub(super) const ROOM: u32 = 1024;
