// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 3124bda792a0f7404c2eb098663f4f65ab59bc81ac8777a0193e5818991045a3
// products: 9dbd3b1aae64cf0cd3af172bfcdedcbf77f011158ef76795f650e9ba3695911b
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
