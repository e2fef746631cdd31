// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 10e31e3653acc5d5cd766a19ec00b61bec2fc67ce8bc79d70858b7e809e81230
// products: 25c26165dcb9e3349e457b1d8a9e68e21893dfb3ad974baa5dd5940f8581e9d7
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
pub(super) const TILE: u32 = 256;
pub(super) const FLUSHED: u32 = 128;
pub(super) const NEAR_THREADS: u32 = 256;
pub(super) const NEAR_PLACES: u32 = 8;
pub(super) const GROUP: u32 = 256;
