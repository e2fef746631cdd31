// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 889be3f9d51d83a2504eaa51ed7c1f8d4ef61fc14bca38aeaca6c8da67e7deaf
// products: 9dbd3b1aae64cf0cd3af172bfcdedcbf77f011158ef76795f650e9ba3695911b
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
