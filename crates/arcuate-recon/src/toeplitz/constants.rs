// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 8ac92212e0cac1f0b3a3aab6ad222d717763a71caf06435450bc334393883644
// products: 9dbd3b1aae64cf0cd3af172bfcdedcbf77f011158ef76795f650e9ba3695911b
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
