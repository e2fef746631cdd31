// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 47d81c80248d9ac365b7e92012178a9696c9abfdc97e146e9e4135635fccd7d9
// Hash of the generated code: e62a4105c7e0bc3bc926eddb128838e6200df4fba6150c9ec4e2175c0162c9a6
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
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
