// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: d57f311beff98815bbceb850672f4a7f045b959b05e8bacbf589d608bfa9919b
// Hash of the generated code: 0cbe4c57bcbc47459255d5473a1a444b52c000596aa55fa5a11e1f5bf0e485e3
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
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
