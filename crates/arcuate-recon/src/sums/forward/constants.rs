// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 8b16657a965976f32bd80aa7065bafe0f2a47b8d6d0c55a564540963fa803690
// products: 23cd3fdf2c9a6bd705ff99948bde8efedb7c5e55e021abbfd657bf7016851ee1
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 256;
pub(super) const SAMPLES: u32 = 128;
pub(super) const COLUMNS: u32 = 64;
pub(super) const DEPTH: u32 = 16;
pub(super) const PAIRS: u32 = 64;
pub(super) const SAMPLE_TILES: u32 = 4;
pub(super) const COLUMN_TILES: u32 = 4;
pub(super) const ROW_WORDS: u32 = 512;
pub(super) const COLUMN_WORDS: u32 = 512;
pub(super) const FRAGMENTS: u32 = 2;
pub(super) const STAGES: u32 = 3;
pub(super) const SEGMENT: u32 = 64;
pub(super) const ROW_SCALE: f32 = 256.0;
