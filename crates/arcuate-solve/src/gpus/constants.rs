// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 6d167fdc91d133182efa7b66be18670dc3b38a51d1a5e3bbe6cb70ba2c020824
// products: 9dbd3b1aae64cf0cd3af172bfcdedcbf77f011158ef76795f650e9ba3695911b
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
