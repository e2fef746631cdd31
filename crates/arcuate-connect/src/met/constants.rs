// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 25b8107759b32788a16971afddc1310f98751b3f26601667dc5d9a7f8304ba65
// products: 1b76c4d0c97871a1acb981ed7d9153216de15745c04b13fd2da21341793c8d3d
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const NOWHERE: u32 = 4294967295;
pub(super) const THREADS: u32 = 128;
pub(super) const WARPS: u32 = 4;
pub(super) const LEAST_ROOM: u32 = 64;
pub(super) const ROOM: u32 = 1024;
pub(super) const BEHIND: u32 = 2147483648;
