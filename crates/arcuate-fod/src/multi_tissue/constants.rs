// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: c688fc9040a20d0fe4a80a02b87b4533946203e93891f26490415d5a9a1d2011
// products: ab20d5919c09081c5f378219bdd66ae7f9f9a2ef566684a37ea2088cba7a3dd8
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const SIDE: u32 = 4;
pub(super) const TILE: u32 = 16;
pub(super) const SUMS: u32 = 8;
pub(super) const CONVERGED: u32 = 0;
pub(super) const UNCONVERGED: u32 = 1;
pub(super) const UNFITTED: u32 = 2;
pub(super) const THREADS: u32 = 128;
pub(super) const BLOCKS: u32 = 7;
pub(super) const NONE: u32 = 4294967295;
