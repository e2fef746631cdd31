// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: a8a5e4ff60bdda457939e760e8a3b8400b881672230ae38a30aa5614ebeb9f0f
// products: 11436fd2545905c2bd9c8a4ecce0b870a01f0e1b6f991975cfa0ca81704965f9
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
pub(super) const READS_ACROSS: u32 = 1;
pub(super) const WRITES_ACROSS: u32 = 2;
pub(super) const INVERSE: u32 = 4;
pub(super) const MAPS_BEHIND: u32 = 8;
