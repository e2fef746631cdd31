// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: e4cb8493934d6473571113f42a61650cd93d16a8eb9dacab4f628ffba4ee3de5
// products: 7937d77b185113955e70058ec8d108e24d08fe34df0da8aa62cb48e4eacd5466
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
pub(super) const PAIRS: u32 = 64;
pub(super) const COLUMNS: u32 = 64;
pub(super) const DEPTH: u32 = 16;
pub(super) const FLUSHED: u32 = 128;
pub(super) const ROW_TILES: u32 = 4;
pub(super) const COLUMN_TILES: u32 = 4;
pub(super) const ROW_WORDS: u32 = 512;
pub(super) const COLUMN_WORDS: u32 = 512;
pub(super) const ROW_SCALE: f32 = 256.0;
