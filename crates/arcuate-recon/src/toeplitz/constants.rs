// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: e5a20a88d849a7c671a9f04c83ed209a1f2fa17d26548477312466fb3265c333
// products: 9dbd3b1aae64cf0cd3af172bfcdedcbf77f011158ef76795f650e9ba3695911b
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
