// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: c4c4bbfce06a1e1e57645f30da6c34f1586ab5b7b84b8a9b35808edd1eaed66b
// Hash of the generated code: 95decea61af76fa88a088196c49a9d8dd4789e71fef9c921ef22ec605eea6fdf
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const METRIC: u32 = 0;
pub(super) const LOGARITHM: u32 = 1;
pub(super) const SCALE_ONE: u32 = 0;
pub(super) const SCALE_DETERMINANT: u32 = 1;
pub(super) const SCALE_FACTORS: u32 = 2;
pub(super) const SHARPEN_NONE: u32 = 0;
pub(super) const SHARPEN_BELOW: u32 = 1;
pub(super) const SMALLEST: f64 = 0.01;
pub(super) const LARGEST: f64 = 1000000.0;
pub(super) const CHUNK: u32 = 1024;
pub(super) const SOUND: u32 = 0;
pub(super) const ZERO: u32 = 1;
pub(super) const INDEFINITE: u32 = 2;
pub(super) const NOT_A_NUMBER: u32 = 3;
pub(super) const POLE: f64 = -0.2679491924311227;
pub(super) const HORIZON: u32 = 28;
pub(super) const MARGIN: u32 = 2;
pub(super) const TILE: u32 = 32;
