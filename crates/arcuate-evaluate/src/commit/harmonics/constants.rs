// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: ef70b4a1e9bc130420c53314e430613a16ed82ba3c23cb7f2d1e5c9e9bf5d54a
// products: 7aae39d974468d45d4cb1af0696215ff84e79d90a97e951327c93e276a9afd05
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const NONE: u32 = 4294967295;
pub(super) const THREADS: u32 = 256;
pub(super) const SLAB: u32 = 64;
pub(super) const TILE: u32 = 64;
pub(super) const INNER: u32 = 16;
pub(super) const CARRY: u32 = 1;
pub(super) const KEEP: u32 = 2;
