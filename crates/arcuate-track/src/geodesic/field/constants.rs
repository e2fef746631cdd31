// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 3c8dfbd226f799c75ceb59e53505f7709f7dd9b4106130fce29d1498ede02bc2
// products: 7d8d879910841047fc4d2e6d0c03d27c7a43764c3719f76aa8bfd4ba83875eca
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
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
