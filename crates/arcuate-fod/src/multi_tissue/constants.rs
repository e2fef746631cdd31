// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: e20d40ac0ea1414521aa1f79c901d2b45d5fbd5b03ba3108582b0546267170a4
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
