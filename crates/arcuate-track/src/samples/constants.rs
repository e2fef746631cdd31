// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: d963d7f75a8615563122d4241266ef4986e10a5b9cd152c1ec6db52b4aee93eb
// products: 3c21dc6880ec87460d26d90298f87ff4c51b1fd71b5d00f5cb6ca4947fba2312
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const THREADS: u32 = 128;
pub(super) const PROPAGATION: u32 = 6;
pub(super) const FRACTION_STOPS: u32 = 1;
pub(super) const LOOP_CHECK: u32 = 2;
pub(super) const NEAREST: u32 = 4;
pub(super) const MODIFIED_EULER: u32 = 8;
pub(super) const ANY_WAYPOINT: u32 = 16;
pub(super) const IN_ORDER: u32 = 32;
pub(super) const ONE_WAY: u32 = 64;
pub(super) const INITIAL_NUMBER: u32 = 0;
pub(super) const INITIAL_RANDOM: u32 = 1;
pub(super) const INITIAL_IN_PROPORTION: u32 = 2;
pub(super) const INITIAL_OF_ALL: u32 = 3;
pub(super) const LEFT_MASK: u32 = 0;
pub(super) const FRACTION: u32 = 1;
pub(super) const ANGLE: u32 = 2;
pub(super) const STOP: u32 = 3;
pub(super) const EXIT: u32 = 4;
pub(super) const LOOP: u32 = 5;
pub(super) const AVOID: u32 = 6;
pub(super) const MAX_STEPS: u32 = 7;
pub(super) const ENDINGS: u32 = 8;
pub(super) const GOING: u32 = 8;
pub(super) const ACCEPTED: u32 = 0;
pub(super) const SEED_OUTSIDE: u32 = 1;
pub(super) const AVOIDED: u32 = 2;
pub(super) const WAYPOINTS: u32 = 3;
pub(super) const TOO_SHORT: u32 = 4;
pub(super) const TOO_LONG: u32 = 5;
pub(super) const FATES: u32 = 6;
pub(super) const AT_CENTRE: u32 = 0;
pub(super) const IN_VOXEL: u32 = 1;
pub(super) const IN_BALL: u32 = 2;
pub(super) const NOWHERE: u32 = 4294967295;
pub(super) const BLOCK_OF_SIGN: u32 = 64;
pub(super) const BLOCK_OF_HALF: u32 = 65;
pub(super) const BLOCK_OF_STEPS: u32 = 128;
pub(super) const ATTEMPTS: u32 = 63;
pub(super) const CELL: f32 = 5.0;
pub(super) const CELLS: u32 = 128;
pub(super) const WARPS: u32 = 4;
pub(super) const STEPS: u32 = 8;
pub(super) const ROOM: u32 = 512;
pub(super) const SEEDS: u32 = 0;
pub(super) const STREAMLINES: u32 = 1;
pub(super) const KEPT_STEPS: u32 = 2;
pub(super) const TAKEN_STEPS: u32 = 3;
pub(super) const FIRST_FATE: u32 = 4;
pub(super) const FIRST_ENDING: u32 = 10;
pub(super) const COUNTERS: u32 = 18;
pub(super) const ACCEPT: u32 = 0;
pub(super) const WAIT: u32 = 1;
pub(super) const REJECT: u32 = 2;
