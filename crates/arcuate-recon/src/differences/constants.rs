// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 52c2ed8ee2baeb8a61684ef406df3ed49a68664eebe2474d627a36c127d25676
// products: 9dbd3b1aae64cf0cd3af172bfcdedcbf77f011158ef76795f650e9ba3695911b
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
