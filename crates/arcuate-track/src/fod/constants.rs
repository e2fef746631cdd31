// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 0354f73a707a23a21cbbe42d799b33e4f8aeed70bc5fea4e7fdcae33e5db8e31
// products: 3248a54e587298925c861c2d78698246a0db29e9a7d60f5957e3f8e116ade7b9
//! Numbers as the kernels of `kernels.cu` have them, which may be alone in using some.
#![allow(dead_code)]

pub(super) const PROPAGATION: u32 = 6;
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
pub(super) const HARMONICS: u32 = 45;
pub(super) const FOURS: u32 = 12;
pub(super) const EDGE: u32 = 3;
pub(super) const AROUND: u32 = 27;
pub(super) const STRIDE_X: u32 = 13;
pub(super) const STRIDE_Y: u32 = 42;
pub(super) const STRIDE_Z: u32 = 132;
pub(super) const VECTORS: u32 = 386;
pub(super) const ORDERS: u32 = 9;
pub(super) const CANDIDATES: u32 = 32;
pub(super) const TABLES: u32 = 64;
pub(super) const PLACES: u32 = 4;
pub(super) const CORTICAL_GREY: u32 = 9;
pub(super) const SUB_CORTICAL_GREY: u32 = 10;
pub(super) const CSF: u32 = 11;
pub(super) const LEFT_BRAIN: u32 = 12;
pub(super) const LEFT_IMAGE: u32 = 13;
pub(super) const ANATOMY: u32 = 6;
pub(super) const CORTICAL: u32 = 0;
pub(super) const SUB_CORTICAL: u32 = 1;
pub(super) const WHITE: u32 = 2;
pub(super) const OF_CSF: u32 = 3;
pub(super) const PATHOLOGICAL: u32 = 4;
pub(super) const NOTHING: u32 = 5;
pub(super) const ON_INTERFACE: f32 = 0.05;
pub(super) const HALVINGS: u32 = 10;
pub(super) const MOST_ATTEMPTS: u32 = 100;
pub(super) const THREADS: u32 = 128;
pub(super) const WARPS: u32 = 4;
pub(super) const MIN_OPEN_ARCS: u32 = 6;
pub(super) const TRIES: u32 = 8;
pub(super) const BLOCKS_OF_STEPS: u64 = 1099511627776;
pub(super) const FIRST_OF_SETS: u64 = 256;
pub(super) const BLOCKS_OF_ATTEMPTS: u64 = 1125899906842624;
pub(super) const ROOM: u32 = 6;
pub(super) const ROOM_IN_TISSUES: u32 = 10;
