// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: be9ee5e05cbe6d3be5a85e71fe009685425d65878b035ef4df32f9ec53225a95
// products: 9dbd3b1aae64cf0cd3af172bfcdedcbf77f011158ef76795f650e9ba3695911b
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
