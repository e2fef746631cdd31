// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: f4d5ce2ca569ad50c84e1b2446130b46164215ce0ba6bdc44017c213f2fbbb7e
// products: 9a4aa6aeecdd3b17ceae74ad9620179b790ad14ff94d30050b9927e9736f1002
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
pub(super) const NO_START: u32 = 4294967295;
pub(super) const THREADS: u32 = 128;
