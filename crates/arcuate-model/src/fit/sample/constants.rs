// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 4d757382296cdefbbc3f90aada463c11b5a9d75a53a8345e09db798ce5a255c3
// products: ac22379d976c7f67117bf8863e161f69d7ebf8ac3e9f7952c8d9e819676c4435
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const TENSOR_UNKNOWNS: u32 = 7;
pub(super) const BEGIN_VALUE: u32 = 0;
pub(super) const BEGIN_ONE: u32 = 1;
pub(super) const BEGIN_GIVEN: u32 = 2;
pub(super) const BEGIN_S0: u32 = 3;
pub(super) const BEGIN_MEAN: u32 = 4;
pub(super) const BEGIN_AXIAL: u32 = 5;
pub(super) const BEGIN_RADIAL: u32 = 6;
pub(super) const BEGIN_VECTOR: u32 = 7;
pub(super) const BEGIN_ELEMENT: u32 = 10;
pub(super) const STATUS_OUTSIDE: u32 = 0;
pub(super) const STATUS_CONVERGED: u32 = 1;
pub(super) const STATUS_AT_BOUND: u32 = 2;
pub(super) const STATUS_LIMIT: u32 = 3;
pub(super) const STATUS_NO_SIGNAL: u32 = 4;
pub(super) const STATUS_TOO_FEW: u32 = 5;
pub(super) const STATUS_NO_MODEL: u32 = 6;
pub(super) const MOST_MOVES: u32 = 16;
pub(super) const LIKELIHOOD_INTEGRATED: u32 = 0;
pub(super) const LIKELIHOOD_GAUSSIAN: u32 = 1;
pub(super) const PARTS: u32 = 32;
pub(super) const LEAST_RESIDUAL: f64 = 1e-6;
pub(super) const WIDEST: f32 = 10000000000.0;
pub(super) const PURPOSE_SAMPLING: u32 = 5;
pub(super) const SWEEPS: u32 = 4;
pub(super) const MOVED_NUMBER: u32 = 0;
pub(super) const MOVED_ORIENTATION: u32 = 1;
