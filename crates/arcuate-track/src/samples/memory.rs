//! What streamlines need in a GPU beside the orientations: the regions, room for the lanes, room for what is accepted.

use super::constants;
use crate::constraints::Lattices;
use crate::space::Way;
use arcuate_compute::StreamlineSpan;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

/// Numbers that a lane keeps of a cell of the loop check and of how many cells: as in `kernels.cu`.
const CELL_NUMBERS: usize = 6;
const CELLS: usize = constants::CELLS as usize;
/// Points that are gathered before they are given away, in parts of those that streamlines under way may have, and points of
/// a streamline in a pool that is all full.
const GATHERED: usize = 3;
const POINTS_OF_ONE: usize = 16;

/// A lattice with regions: as in `kernels.cu`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Lattice {
    affine: [f32; 12],
    warp_affine: [f32; 12],
    shape: [i32; 3],
    warp_shape: [i32; 3],
    bits_at: u32,
    warp_at: u32,
    bits_bytes: u32,
    unused: u32,
}

/// Regions and the ways to them, as kernels read them.
pub(super) struct RegionTables {
    pub(super) lattices: Vec<Lattice>,
    pub(super) bits: Vec<u32>,
    pub(super) warps: Vec<[f32; 4]>,
}

impl RegionTables {
    /// Those of a run, and last the way from the seeds to the orientations' voxels, of which there are so many, if there is one.
    pub(super) fn new(regions: &Lattices, seeds: Option<(&Way, [i32; 3])>) -> Self {
        let (mut bits, mut warps, mut lattices) = (Vec::new(), Vec::new(), Vec::new());
        let of_seeds = seeds.map(|(way, shape)| (way, shape, Vec::new()));
        let of_regions = regions.all.iter().map(|lattice| {
            let own = lattice.sets.par_iter().map(|&set| lattice.table[set as usize] as u32).collect();
            (&lattice.way, lattice.grid.shape().map(|n| n as i32), own)
        });
        for (way, shape, own) in of_regions.chain(of_seeds) {
            let mut lattice = Lattice {
                affine: way.affine,
                warp_affine: [0.0; 12],
                shape,
                warp_shape: [0; 3],
                bits_at: bits.len() as u32,
                warp_at: warps.len() as u32,
                bits_bytes: bytes_of(&own),
                unused: 0,
            };
            pack(&own, lattice.bits_bytes, &mut bits);
            if let Some(warp) = &way.warp {
                lattice.warp_affine = warp.affine;
                lattice.warp_shape = warp.shape.map(|n| n as i32);
                warps.par_extend(warp.values.par_iter().copied());
            }
            lattices.push(lattice);
        }
        Self { lattices, bits, warps }
    }
}

/// What each lane has: voxels of its streamline, steps to these, cells of the loop check; as far as they are needed.
pub(super) struct LaneRoom {
    pub(super) lists: Option<Buffer<u32>>,
    pub(super) list_steps: Option<Buffer<u32>>,
    pub(super) cells: Option<Buffer<f32>>,
}

impl LaneRoom {
    pub(super) fn new(
        gpu: &Gpu,
        lanes: usize,
        capacity: usize,
        [lists, steps, looped]: [bool; 3],
    ) -> CudaResult<Self> {
        let list = |wanted: bool| wanted.then(|| gpu.alloc(lanes * capacity)).transpose();
        Ok(Self {
            lists: list(lists)?,
            list_steps: list(steps)?,
            cells: looped.then(|| gpu.alloc(lanes * CELLS * CELL_NUMBERS)).transpose()?,
        })
    }
}

/// Bytes that the bits of a voxel need.
fn bytes_of(bits: &[u32]) -> u32 {
    match bits.par_iter().copied().reduce(|| 0, |a, b| a | b) {
        0 => 0,
        1..0x100 => 1,
        0x100..0x1_0000 => 2,
        _ => 4,
    }
}

/// Adds bits to words, so many bytes a voxel, from a whole word on.
fn pack(bits: &[u32], bytes: u32, words: &mut Vec<u32>) {
    match bytes {
        0 => {}
        1 => words.par_extend(
            bits.par_chunks(4).map(|four| four.iter().rev().fold(0, |word, bits| word << 8 | bits)),
        ),
        2 => words.par_extend(
            bits.par_chunks(2).map(|two| two.iter().rev().fold(0, |word, bits| word << 16 | bits)),
        ),
        _ => words.extend_from_slice(bits),
    }
}

/// Where accepted streamlines are put side by side.
pub(super) struct Pool {
    /// Where lanes keep the points of their streamlines until these are accepted.
    pub(super) rooms: Buffer<f32>,
    pub(super) points: Buffer<f32>,
    pub(super) spans: Buffer<StreamlineSpan>,
    /// Points and spans that are used, and how many may be before no other streamline begins.
    pub(super) used: Buffer<u64>,
    pub(super) most: [u64; 2],
}

impl Pool {
    /// For lanes whose streamlines have so many points at most.
    pub(super) fn new(gpu: &Gpu, lanes: usize, capacity: usize) -> CudaResult<Self> {
        let under_way = lanes * capacity;
        let most = [GATHERED * under_way, (GATHERED * under_way).div_ceil(POINTS_OF_ONE)];
        Ok(Self {
            rooms: gpu.alloc(3 * under_way)?,
            points: gpu.alloc(3 * (most[0] + under_way))?,
            spans: gpu.alloc(most[1] + lanes)?,
            used: gpu.alloc(2)?,
            most: most.map(|count| count as u64),
        })
    }
}
