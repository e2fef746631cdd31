// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: e586ecb21107207311afe899ba655ed46a818825283a39d6c5e17f24f658b8cb
// Hash of the generated code: de344e65eec41649082078d60e4dc9072679bacb14064ab7f036955b430ccadb
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const SPLINE: u32 = 0;
pub(super) const TRILINEAR: u32 = 1;
pub(super) const THESIS: u32 = 2;
pub(super) const MARGIN: u32 = 2;
pub(super) const EULER: u32 = 0;
pub(super) const HEUN: u32 = 1;
pub(super) const RUNGE_KUTTA_4: u32 = 2;
pub(super) const ADAPTIVE: u32 = 3;
pub(super) const THREADS: u32 = 128;
pub(super) const WARPS: u32 = 4;
pub(super) const GOING: u32 = 0;
pub(super) const SEED_OUTSIDE: u32 = 1;
pub(super) const LEFT_IMAGE: u32 = 2;
pub(super) const LEFT_MASK: u32 = 3;
pub(super) const ANISOTROPY: u32 = 4;
pub(super) const ANGLE: u32 = 5;
pub(super) const MAX_LENGTH: u32 = 6;
pub(super) const MAX_STEPS: u32 = 7;
pub(super) const LOOP: u32 = 8;
pub(super) const TARGET: u32 = 9;
pub(super) const STUCK: u32 = 10;
pub(super) const OUTSIDE_MASK: u32 = 32768;
pub(super) const LOW_ANISOTROPY: u32 = 16384;
pub(super) const TARGET_NUMBER: u32 = 16383;
pub(super) const FIRST_ANCHOR: u32 = 16;
pub(super) const SAME_DIRECTION: f64 = 0.82;
pub(super) const MOST_ENERGY: f64 = 1e30;
pub(super) const NOWHERE: u64 = 18446744073709551615;
pub(super) const BACKWARDS: u64 = 9223372036854775808;
pub(super) const FRESH: u32 = 1;
pub(super) const AWAY: u32 = 2;
