// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: 6ca49a0bb446dbba8b16a2465ac5b9a7b250813c76e9483939658e44fc6edc4d
// Hash of the generated code: dffc2518d000d3df30e71738fdccc42a43c6b74a2e595434d23dc72eab27e51a
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
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
pub(super) const NO_START: u32 = 4294967295;
pub(super) const THREADS: u32 = 128;
