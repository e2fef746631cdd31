// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 1ca67a38e24a6d6a1733bf7fdcc3f963d75590d155ec53a169bf03fa751e52ff
// products: 62608af334fae41a1cf40ccb2532c087e3cce715b5981649f5f24d9886415799
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
pub(super) const WHAT_GRADIENT: u32 = 0;
pub(super) const WHAT_CHANGE: u32 = 1;
pub(super) const WHAT_CURVATURE: u32 = 2;
