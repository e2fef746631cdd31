// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 56668aef77b35ebe3771c460bb44cf5e8a3b2f5803062ce2c6dbf55a205364c3
// products: 74daba01cf0e5990befa85fc28f12184733e3503beac59b8dd0e6b3bf6e99779
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
pub(super) const WARPS: u32 = 8;
pub(super) const ROUNDS: u32 = 8;
pub(super) const TILE: u32 = 2048;
pub(super) const DIGITS: u32 = 256;
