// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 1531edde30edb1f5996b64e183e036258c9d0ce284b191e983ccd7f7b173a8cd
// products: 500a19b361fa56667a5a3e988fad420ea7cc9cdbf05c560c9e6f7fed1a6e7226
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 128;
pub(super) const WARPS: u32 = 4;
pub(super) const LEAST_ROOM: u32 = 64;
pub(super) const ROOM: u32 = 1024;
pub(super) const BEHIND: u32 = 2147483648;
