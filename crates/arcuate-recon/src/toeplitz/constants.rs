// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 92f1652e7c7370da7015b9a665831255a38ebca49f252d685a315d66d48ec3f7
// products: 9dbd3b1aae64cf0cd3af172bfcdedcbf77f011158ef76795f650e9ba3695911b
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
