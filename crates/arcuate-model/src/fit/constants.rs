// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: cfa1b7b92e1d7e1061a5f74c71d49135b47c39d782ea09339040a584c90d3396
// products: 0dc0c321cc5bf61936b8d0a776b22761a78cf179234d2e0d433ff19f969b0a63
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
pub(super) const DAMPING: f64 = 0.01;
pub(super) const LEAST_DAMPING: f64 = 1e-6;
pub(super) const MOST_DAMPING: f64 = 100000000.0;
pub(super) const LESS: f64 = 0.125;
pub(super) const MORE: f64 = 8.0;
pub(super) const GOOD: f64 = 0.75;
pub(super) const BAD: f64 = 0.25;
pub(super) const NO_CURVATURE: f64 = 1e-30;
pub(super) const INSIDE: f64 = 0.001;
pub(super) const LONGEST_STEP: f64 = 4.0;
pub(super) const DIAGONAL: f64 = 0.5773502691896258;
pub(super) const TURN_BITS: u32 = 3;
pub(super) const MOST_KEPT: u32 = 16;
pub(super) const NO_START: u32 = 4294967295;
pub(super) const THREADS: u32 = 128;
