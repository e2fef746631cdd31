// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: f622a4f732341dde4c8639695a50e15e55ce80862d5381f2997c4300c6c6206a
// products: 9dbd3b1aae64cf0cd3af172bfcdedcbf77f011158ef76795f650e9ba3695911b
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
