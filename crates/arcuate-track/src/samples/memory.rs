//! What streamlines need in a GPU beside the orientations: the regions, room for the lanes, room for what is accepted.

use super::constants;
use super::kernels::SurfaceCells;
use super::lattice::Lattice;
use crate::constraints::{Fixed, Kinds, Lattices, RegionSurfaces};
use crate::space::{Warp, Way};
use arcuate_compute::StreamlineSpan;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Stream, Transfer};
use arcuate_compute::element_rows::ElementNeeds;
use arcuate_compute::surface_cells::ListedTriangle;
use arcuate_core::{Error, Result, high_half, low_half, narrow};
use rayon::prelude::*;
use std::sync::Arc;

/// Numbers that a lane keeps of a cell of the loop check and of how many cells: as in `kernels.cu`.
const CELL_NUMBERS: usize = 6;
const CELLS: usize = constants::CELLS as usize;
/// Points that are gathered before they are given away, in parts of those that streamlines under way may have, and points of
/// a streamline in a pool that is all full.
const GATHERED: usize = 3;
const POINTS_OF_ONE: usize = 16;

/// Regions of one word of bits, which kernels take as they are; more are sets with numbers.
const BITS_OF_WORD: usize = 32;

/// Words of a set of regions in kernels.
pub(super) fn words_of(regions: &Lattices) -> u32 {
    narrow::<u32>(regions.bits.div_ceil(BITS_OF_WORD))
}

/// Whether regions need more than one word.
pub(super) fn are_wide(regions: &Lattices) -> bool {
    regions.bits > BITS_OF_WORD
}

/// Regions and the ways to them, as kernels read them.
#[derive(Default)]
pub(super) struct RegionTables {
    pub(super) lattices: Vec<Lattice>,
    /// Of voxels.
    pub(super) bits: Vec<u32>,
    /// Of more than one word: the kinds of regions, then the sets of each lattice.
    pub(super) sets: Vec<u32>,
    /// Whose cells are numbered one after the other.
    pub(super) warps: Vec<Arc<Warp>>,
    cells: usize,
    pub(super) surfaces: Option<SurfaceTables>,
}

/// Surfaces as kernels read them.
pub(super) struct SurfaceTables {
    pub(super) cells: SurfaceCells,
    pub(super) first: Vec<u32>,
    pub(super) list: Vec<ListedTriangle>,
    /// Twelve words each.
    pub(super) triangles: Vec<[u32; 4]>,
    pub(super) inside: Vec<u32>,
    /// Three words each.
    pub(super) seeds: Vec<i32>,
}

impl RegionTables {
    /// Those of a run, and last the way from the seeds to the orientations' voxels, of which there are so many, if there is one.
    /// `exact` has the seeds in the space of the surfaces, where they are of that space. Fails where they are more than kernels
    /// have numbers for.
    pub(super) fn new(regions: &Lattices, seeds: Option<(&Way, [i32; 3])>, exact: &[Fixed]) -> Result<Self> {
        let (is_wide, words) = (are_wide(regions), words_of(regions) as usize);
        let mut tables = Self::default();
        if is_wide {
            let Kinds { avoid, stop, exit, second, ways, targets } = &regions.kinds;
            for kind in [avoid, stop, exit, ways, targets, second] {
                tables.sets.extend(halves(kind, words));
            }
        }
        for lattice in &regions.all {
            let shape = lattice.grid.shape().map(narrow::<i32>);
            // What a voxel has: the number of its set, or the set itself. There are few sets, each in others where it is in none.
            let own: Vec<u32> = if is_wide {
                (0..narrow::<u32>(lattice.table.len().checked_div(regions.words).unwrap_or(0))).collect()
            } else {
                lattice.table.iter().map(|&set| narrow::<u32>(set)).collect()
            };
            tables.push(&lattice.way, shape, &lattice.sets, &own)?;
            if is_wide {
                for set in lattice.table.chunks_exact(regions.words) {
                    tables.sets.extend(halves(set, words));
                }
            }
        }
        if let Some((way, shape)) = seeds {
            tables.push(way, shape, &[], &[])?;
        }
        if let Some(surfaces) = &regions.surfaces {
            tables.surfaces = Some(tables.of_surfaces(regions, surfaces, exact)?);
        }
        Ok(tables)
    }

    fn of_surfaces(
        &mut self,
        regions: &Lattices,
        surfaces: &RegionSurfaces,
        exact: &[Fixed],
    ) -> Result<SurfaceTables> {
        let (is_wide, words) = (are_wide(regions), words_of(regions) as usize);
        let cells = SurfaceCells {
            least: surfaces.cells.least,
            shape: surfaces.cells.shape,
            edge: surfaces.cells.edge,
            near: surfaces.cells.near,
            division: surfaces.cells.division,
            space: number(self.lattices.len())?,
            second: regions.kinds.second.first().map_or(0, |&bits| low_half(bits)),
            sets_at: number(self.sets.len())?,
        };
        self.push(&surfaces.way, surfaces.cells.shape, &[], &[])?;
        if is_wide {
            for set in surfaces.table.chunks_exact(regions.words) {
                self.sets.extend(halves(set, words));
            }
        }
        // Numbers of sets, or the sets themselves.
        let of_set = |set: u32| {
            if is_wide { set } else { narrow::<u32>(surfaces.table[set as usize * regions.words]) }
        };
        let triangles = surfaces.triangles.iter().flat_map(|triangle| {
            let [a, b, c] = triangle.corners.0.map(|corner| corner.map(i32::cast_unsigned));
            let (met, bounds) = (of_set(triangle.met), of_set(triangle.bounds));
            [[a[0], a[1], a[2], b[0]], [b[1], b[2], c[0], c[1]], [c[2], met, bounds, 0]]
        });
        Ok(SurfaceTables {
            cells,
            first: surfaces.cells.first.clone(),
            list: surfaces.cells.list.clone(),
            triangles: triangles.collect(),
            inside: surfaces.inside.iter().map(|&set| of_set(set)).collect(),
            seeds: exact.as_flattened().to_vec(),
        })
    }

    /// Adds a lattice and what its voxels have: of each the number of its set, and of each set what kernels read.
    fn push(&mut self, way: &Way, shape: [i32; 3], sets: &[u32], own: &[u32]) -> Result<()> {
        let mut lattice = Lattice {
            affine: way.affine,
            warp_affine: [0.0; 12],
            shape,
            warp_shape: [0; 3],
            bits_at: number(self.bits.len())?,
            warp_at: number(self.cells)?,
            bits_bytes: bytes_of(own),
            sets_at: number(self.sets.len())?,
        };
        pack(sets, own, lattice.bits_bytes, &mut self.bits);
        if let Some(warp) = &way.warp {
            lattice.warp_affine = warp.affine;
            lattice.warp_shape = warp.shape.map(narrow::<i32>);
            self.warps.push(Arc::clone(warp));
            self.cells += warp.values.len();
            // Kernels number the cells of all fields.
            number(self.cells)?;
        }
        self.lattices.push(lattice);
        Ok(())
    }
}

/// Words as kernels have them, so many.
fn halves(set: &[u64], words: usize) -> impl Iterator<Item = u32> {
    set.iter().flat_map(|&word| [low_half(word), high_half(word)]).take(words)
}

/// A place in a table as kernels number it.
fn number(place: usize) -> Result<u32> {
    u32::try_from(place).map_err(|_| {
        let problem = "the images of regions and the fields that lead to them are too large together";
        Error::device_too_small("regions", problem, "give fewer, or smaller ones")
    })
}

/// What each lane has: voxels of its streamline, steps to these, cells of the loop check, sets of regions that it has met, elements
/// that count in its row; as far as they are needed.
#[derive(Default)]
pub(super) struct LaneRoom {
    pub(super) lists: Option<Buffer<u32>>,
    pub(super) list_steps: Option<Buffer<u32>>,
    pub(super) cells: Option<Buffer<f32>>,
    pub(super) passages: Option<Buffer<u32>>,
    pub(super) met: Option<MetRoom>,
}

/// Elements that streamlines meet.
pub(super) struct MetRoom {
    pub(super) elements: Buffer<u32>,
    /// Where steps are summed.
    pub(super) ranks: Option<Buffer<u32>>,
    /// How many each lane has room for.
    pub(super) each: u32,
    /// Streamlines that met more, and how many they are.
    pub(super) left: Buffer<u64>,
    pub(super) left_count: Buffer<u64>,
    /// Streamlines that the next launch may count.
    most: u64,
}

/// Elements of a streamline that a lane has room for, at most, and how many streamlines of a launch may have more, for each lane.
const MOST_MET: usize = 1 << 13;
const LEFT_OF_LANE: usize = 16;

impl MetRoom {
    fn new(gpu: &Gpu, lanes: usize, capacity: usize, needs: ElementNeeds) -> CudaResult<Self> {
        let each = (capacity * needs.at_point).clamp(1, MOST_MET);
        Ok(Self {
            elements: gpu.alloc(lanes * each)?,
            ranks: needs.steps.then(|| gpu.alloc(lanes * each)).transpose()?,
            each: narrow::<u32>(each),
            left: gpu.alloc(lanes * LEFT_OF_LANE)?,
            left_count: gpu.alloc(1)?,
            most: (lanes * LEFT_OF_LANE) as u64,
        })
    }

    /// Notes how many streamlines of a launch met more than there is room for. The next one may have eight times as many streamlines,
    /// as long as four times as many of these are in the list, and in any case as many as are in it.
    pub(super) fn note(&mut self, left: u64, count: u64) {
        let list = self.left.len() as u64;
        let by_share = (u128::from(list) * u128::from(count) / (4 * u128::from(left).max(1))) as u64;
        self.most = list.max(by_share.min(count.max(self.most).saturating_mul(8)));
    }
}

/// What of it is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LaneNeeds {
    pub(super) lists: bool,
    pub(super) list_steps: bool,
    pub(super) cells: bool,
    /// Words of a set of regions, where these are kept there.
    pub(super) words: Option<u32>,
    /// What counts in rows.
    pub(super) met: Option<ElementNeeds>,
}

impl LaneRoom {
    pub(super) fn new(gpu: &Gpu, lanes: usize, capacity: usize, needs: LaneNeeds) -> CudaResult<Self> {
        let list = |wanted: bool| wanted.then(|| gpu.alloc(lanes * capacity)).transpose();
        let sets = |words: u32| gpu.alloc(lanes * constants::LANE_SETS as usize * words as usize);
        Ok(Self {
            lists: list(needs.lists)?,
            list_steps: list(needs.list_steps)?,
            cells: needs.cells.then(|| gpu.alloc(lanes * CELLS * CELL_NUMBERS)).transpose()?,
            passages: needs.words.map(sets).transpose()?,
            met: needs.met.map(|needs| MetRoom::new(gpu, lanes, capacity, needs)).transpose()?,
        })
    }
}

impl LaneRoom {
    /// Streamlines that the next launch may count in rows.
    pub(super) fn most_counted(&self) -> u64 {
        self.met.as_ref().map_or(u64::MAX, |met| met.most)
    }
}

/// Bytes that what a voxel has needs.
fn bytes_of(own: &[u32]) -> u32 {
    match own.iter().fold(0, |a, b| a | b) {
        0 => 0,
        1..0x100 => 1,
        0x100..0x1_0000 => 2,
        _ => 4,
    }
}

/// Adds what voxels have to words, so many bytes a voxel, from a whole word on.
fn pack(sets: &[u32], own: &[u32], bytes: u32, words: &mut Vec<u32>) {
    let of = |set: &u32| own[*set as usize];
    match bytes {
        0 => {}
        1 => words.par_extend(
            sets.par_chunks(4).map(|four| four.iter().rev().fold(0, |word, set| word << 8 | of(set))),
        ),
        2 => words.par_extend(
            sets.par_chunks(2).map(|two| two.iter().rev().fold(0, |word, set| word << 16 | of(set))),
        ),
        _ => words.par_extend(sets.par_iter().map(of)),
    }
}

/// Displacements in a GPU, one after the other.
pub(super) struct Warps {
    of: Vec<Arc<Warp>>,
    pub(super) values: Buffer<[f32; 4]>,
}

impl Warps {
    pub(super) fn none(gpu: &Gpu) -> CudaResult<Self> {
        Ok(Self { of: Vec::new(), values: gpu.alloc(0)? })
    }

    /// Takes these in the place of those that are there, unless they are the same.
    pub(super) fn become_those(
        &mut self,
        of: &[Arc<Warp>],
        stream: &Stream,
        transfer: &mut Transfer,
    ) -> CudaResult<()> {
        if self.of.len() == of.len() && self.of.iter().zip(of).all(|(one, other)| Arc::ptr_eq(one, other)) {
            return Ok(());
        }
        // Before there are new ones.
        *self = Self::none(stream.gpu())?;
        let len = of.iter().map(|warp| warp.values.len()).sum();
        let fill = |start: usize, out: &mut [[f32; 4]]| {
            let mut first = 0;
            for warp in of {
                let (begin, end) = (start.max(first), (start + out.len()).min(first + warp.values.len()));
                if begin < end {
                    out[begin - start..end - start].copy_from_slice(&warp.values[begin - first..end - first]);
                }
                first += warp.values.len();
            }
        };
        self.values = transfer.upload_with(stream, len, 1, fill)?;
        self.of = of.to_vec();
        Ok(())
    }
}

/// Where accepted streamlines are put side by side.
pub(super) struct Pool {
    /// Where lanes keep the points of their streamlines until these are accepted: four numbers a point.
    pub(super) rooms: Buffer<f32>,
    pub(super) points: Buffer<f32>,
    pub(super) spans: Buffer<StreamlineSpan>,
    /// Points and spans that are used, and how many may be before no other streamline begins.
    pub(super) used: Buffer<u64>,
    pub(super) most: [u64; 2],
    /// Lanes that have room.
    pub(super) lanes: u32,
}

impl Pool {
    /// For lanes whose streamlines have so many points at most.
    pub(super) fn new(gpu: &Gpu, lanes: u32, capacity: usize) -> CudaResult<Self> {
        let under_way = lanes as usize * capacity;
        let most = [GATHERED * under_way, (GATHERED * under_way).div_ceil(POINTS_OF_ONE)];
        Ok(Self {
            rooms: gpu.alloc(4 * under_way)?,
            points: gpu.alloc(3 * (most[0] + under_way))?,
            spans: gpu.alloc(most[1] + lanes as usize)?,
            used: gpu.alloc(2)?,
            most: most.map(|count| count as u64),
            lanes,
        })
    }
}
