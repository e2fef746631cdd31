// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: f26bf751c052553226640a9099b4f46085f2f97926d1bbce3c047fb4f36816fd
// Hash of the generated code: 5191d091a4247ca30b396709dc736843276c833733d27da50ec2793cfd0bc077
//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may
//! leave some of them unused.
#![allow(dead_code)]

pub(super) const FORWARD: u32 = 1;
pub(super) const CARRY: u32 = 2;
pub(super) const ADJOINT: u32 = 4;
pub(super) const TILE_THREADS: u32 = 256;
pub(super) const TILE_WARPS: u32 = 8;
pub(super) const VOXEL_WARPS: u32 = 2;
pub(super) const COLUMN_WARPS: u32 = 4;
pub(super) const VOXEL_TILES: u32 = 4;
pub(super) const VOXELS: u32 = 128;
pub(super) const ATOMS: u32 = 96;
pub(super) const STRIDE: u32 = 104;
pub(super) const ATOM_TILES: u32 = 3;
pub(super) const SEGMENT: u32 = 2496;
pub(super) const GROUPS_PER_THREAD: u32 = 3;
