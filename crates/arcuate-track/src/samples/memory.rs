//! GPU memory for tracking, except that for the orientations: regions, working memory of the lanes (threads),
//! and accepted streamlines.

use super::constants;
use super::grid_parameters::GridParameters;
use super::kernels::SurfaceCells;
use crate::constraints::{Fixed, RegionGrids, RegionRoles, RegionSurfaces};
use crate::space::{VoxelMapping, Warp};
use arcuate_compute::StreamlineSpan;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Stream, Transfer};
use arcuate_compute::element_rows::ElementNeeds;
use arcuate_compute::surface_cells::ListedTriangle;
use arcuate_core::{Error, Result, high_half, low_half, narrow};
use rayon::prelude::*;
use std::sync::Arc;

/// Number of values that a lane stores per cell to detect loops, as in `kernels.cu`.
const CELL_NUMBERS: usize = 6;
/// Number of cells that a lane stores to detect loops, as in `kernels.cu`.
const CELLS: usize = constants::CELLS as usize;
/// Capacity of the pool of gathered points, as a multiple of the maximum number of points of all streamlines
/// in progress.
const GATHERED: usize = 3;
/// Expected mean number of points per streamline in a full pool. It determines the number of spans (one span
/// per streamline).
const POINTS_OF_ONE: usize = 16;

/// Maximum number of regions that fit as bits into one word, which kernels read directly for each voxel. If
/// there are more regions, each voxel has the number of a set of regions.
const BITS_OF_WORD: usize = 32;

/// Returns the number of 32-bit words that a set of regions has in GPU kernels.
pub(super) fn words_of(regions: &RegionGrids) -> u32 {
    narrow::<u32>(regions.bits.div_ceil(BITS_OF_WORD))
}

/// Returns true if a set of regions needs more than one 32-bit word.
pub(super) fn are_wide(regions: &RegionGrids) -> bool {
    regions.bits > BITS_OF_WORD
}

/// Region grids and the transforms to them, in the layout that GPU kernels read.
#[derive(Default)]
pub(super) struct RegionTables {
    pub(super) region_grids: Vec<GridParameters>,
    /// For each voxel, the set of regions that contain it or the number of this set, packed into words.
    pub(super) bits: Vec<u32>,
    /// Sets of regions that have more than one word: first the sets by effect on streamlines (avoid, stop and
    /// so on), then the sets of each grid.
    pub(super) sets: Vec<u32>,
    /// Displacement fields. Their cells are numbered consecutively.
    pub(super) warps: Vec<Arc<Warp>>,
    cells: usize,
    pub(super) surfaces: Option<SurfaceTables>,
}

/// Surfaces in the layout that kernels read.
pub(super) struct SurfaceTables {
    pub(super) cells: SurfaceCells,
    pub(super) first: Vec<u32>,
    pub(super) list: Vec<ListedTriangle>,
    /// Triangles with twelve words each.
    pub(super) triangles: Vec<[u32; 4]>,
    pub(super) inside: Vec<u32>,
    /// Exact positions of the seeds in the space of the surfaces, with three words each.
    pub(super) seeds: Vec<i32>,
}

impl RegionTables {
    /// Builds the tables of a run for GPU kernels. `seeds` is the transform from the space of the seeds to
    /// the voxels of the orientations, if there is one. It includes the shape of its displacement field. It
    /// is stored after all other transforms. `exact` contains the positions of the seeds in the space of the
    /// surfaces, if seeds and surfaces are in the same space. Returns an error if the tables are too large
    /// for the index type of the kernels.
    pub(super) fn new(
        regions: &RegionGrids,
        seeds: Option<(&VoxelMapping, [i32; 3])>,
        exact: &[Fixed],
    ) -> Result<Self> {
        let (is_wide, words) = (are_wide(regions), words_of(regions) as usize);
        let mut tables = Self::default();
        if is_wide {
            let RegionRoles { avoid, stop, exit, second, ways, targets } = &regions.kinds;
            for kind in [avoid, stop, exit, ways, targets, second] {
                tables.sets.extend(halves(kind, words));
            }
        }
        for lattice in &regions.all {
            let shape = lattice.grid.shape().map(narrow::<i32>);
            // For each voxel, the table has the set of its regions or, if sets need more than one word, the
            // number of the set.
            let own: Vec<u32> = if is_wide {
                (0..narrow::<u32>(lattice.table.len().checked_div(regions.words).unwrap_or(0))).collect()
            } else {
                lattice.table.iter().map(|&set| narrow::<u32>(set)).collect()
            };
            tables.push(&lattice.voxel_mapping, shape, &lattice.sets, &own)?;
            if is_wide {
                for set in lattice.table.chunks_exact(regions.words) {
                    tables.sets.extend(halves(set, words));
                }
            }
        }
        if let Some((voxel_mapping, shape)) = seeds {
            tables.push(voxel_mapping, shape, &[], &[])?;
        }
        if let Some(surfaces) = &regions.surfaces {
            tables.surfaces = Some(tables.of_surfaces(regions, surfaces, exact)?);
        }
        Ok(tables)
    }

    fn of_surfaces(
        &mut self,
        regions: &RegionGrids,
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
            space: number(self.region_grids.len())?,
            second: regions.kinds.second.first().map_or(0, |&bits| low_half(bits)),
            sets_at: number(self.sets.len())?,
        };
        self.push(&surfaces.voxel_mapping, surfaces.cells.shape, &[], &[])?;
        if is_wide {
            for set in surfaces.table.chunks_exact(regions.words) {
                self.sets.extend(halves(set, words));
            }
        }
        // For each triangle, the table has the sets of its regions or, if sets need more than one word, the
        // numbers of the sets.
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

    /// Adds a region grid to the tables. `sets` is the number of the set of regions of each voxel, and `own`
    /// is the value that kernels read for each set.
    fn push(
        &mut self,
        voxel_mapping: &VoxelMapping,
        shape: [i32; 3],
        sets: &[u32],
        own: &[u32],
    ) -> Result<()> {
        let mut lattice = GridParameters {
            affine: voxel_mapping.affine,
            warp_affine: [0.0; 12],
            shape,
            warp_shape: [0; 3],
            bits_at: number(self.bits.len())?,
            warp_at: number(self.cells)?,
            bits_bytes: bytes_of(own),
            sets_at: number(self.sets.len())?,
        };
        pack(sets, own, lattice.bits_bytes, &mut self.bits);
        if let Some(warp) = &voxel_mapping.warp {
            lattice.warp_affine = warp.affine;
            lattice.warp_shape = warp.shape.map(narrow::<i32>);
            self.warps.push(Arc::clone(warp));
            self.cells += warp.values.len();
            // Returns an error if the displacement fields together have more cells than the index type of the
            // kernels can number.
            number(self.cells)?;
        }
        self.region_grids.push(lattice);
        Ok(())
    }
}

/// Splits a set of regions into `words` 32-bit words, as GPU kernels read it.
fn halves(set: &[u64], words: usize) -> impl Iterator<Item = u32> {
    set.iter().flat_map(|&word| [low_half(word), high_half(word)]).take(words)
}

/// Converts an index into a table to the index type of the kernels.
fn number(place: usize) -> Result<u32> {
    u32::try_from(place).map_err(|_| {
        let problem = "the images of regions and the fields that lead to them are too large together";
        Error::device_too_small("regions", problem, "give fewer, or smaller ones")
    })
}

/// Working memory of the lanes (threads) that track streamlines. Only the required buffers exist. They hold
/// visited voxels and the numbers of steps to them, cells for detecting loops, and the regions and matrix
/// elements that the streamline of each lane met.
#[derive(Default)]
pub(super) struct LaneBuffers {
    pub(super) lists: Option<Buffer<u32>>,
    pub(super) list_steps: Option<Buffer<u32>>,
    pub(super) cells: Option<Buffer<f32>>,
    pub(super) passages: Option<Buffer<u32>>,
    pub(super) met: Option<PassedBuffers>,
}

/// Memory for the matrix elements that streamlines meet.
pub(super) struct PassedBuffers {
    pub(super) elements: Buffer<u32>,
    /// Rank of each matrix element: the number of steps from the seed, and the half of the streamline.
    /// Present if steps are summed.
    pub(super) ranks: Option<Buffer<u32>>,
    /// Maximum number of matrix elements that a lane can store.
    pub(super) each: u32,
    /// Numbers of the streamlines that met more matrix elements than a lane can store, and the number of
    /// these streamlines.
    pub(super) left: Buffer<u64>,
    pub(super) left_count: Buffer<u64>,
    /// Maximum number of streamlines of the next kernel launch.
    maximum: u64,
}

/// Maximum number of matrix elements of a streamline that a lane can store.
const MAX_PASSED_ELEMENTS: usize = 1 << 13;
/// Capacity per lane of the list of streamlines that met more matrix elements than a lane can store.
const LEFT_OF_LANE: usize = 16;

impl PassedBuffers {
    fn new(gpu: &Gpu, lanes: usize, capacity: usize, needs: ElementNeeds) -> CudaResult<Self> {
        let each = (capacity * needs.at_point).clamp(1, MAX_PASSED_ELEMENTS);
        Ok(Self {
            elements: gpu.alloc(lanes * each)?,
            ranks: needs.steps.then(|| gpu.alloc(lanes * each)).transpose()?,
            each: narrow::<u32>(each),
            left: gpu.alloc(lanes * LEFT_OF_LANE)?,
            left_count: gpu.alloc(1)?,
            maximum: (lanes * LEFT_OF_LANE) as u64,
        })
    }

    /// Sets the size of the next launch. In the last launch, `left` of `count` streamlines met more matrix
    /// elements than a lane can store and were listed. The next launch has up to eight times as many
    /// streamlines, if the list can hold four times the number that is expected to be listed. The next launch
    /// always has at least as many streamlines as the list can hold.
    pub(super) fn note(&mut self, left: u64, count: u64) {
        let list = self.left.len() as u64;
        let by_share = (u128::from(list) * u128::from(count) / (4 * u128::from(left).max(1))) as u64;
        self.maximum = list.max(by_share.min(count.max(self.maximum).saturating_mul(8)));
    }
}

/// Parts of the working memory of the lanes that a call needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LaneNeeds {
    pub(super) lists: bool,
    pub(super) list_steps: bool,
    pub(super) cells: bool,
    /// Number of 32-bit words per set of regions, if the lanes store sets.
    pub(super) words: Option<u32>,
    /// Matrix elements that are counted, if any.
    pub(super) met: Option<ElementNeeds>,
}

impl LaneBuffers {
    pub(super) fn new(gpu: &Gpu, lanes: usize, capacity: usize, needs: LaneNeeds) -> CudaResult<Self> {
        let list = |wanted: bool| wanted.then(|| gpu.alloc(lanes * capacity)).transpose();
        let sets = |words: u32| gpu.alloc(lanes * constants::LANE_SETS as usize * words as usize);
        Ok(Self {
            lists: list(needs.lists)?,
            list_steps: list(needs.list_steps)?,
            cells: needs.cells.then(|| gpu.alloc(lanes * CELLS * CELL_NUMBERS)).transpose()?,
            passages: needs.words.map(sets).transpose()?,
            met: needs.met.map(|needs| PassedBuffers::new(gpu, lanes, capacity, needs)).transpose()?,
        })
    }
}

impl LaneBuffers {
    /// Returns the maximum number of streamlines that the next launch can count in matrix rows.
    pub(super) fn most_counted(&self) -> u64 {
        self.met.as_ref().map_or(u64::MAX, |met| met.maximum)
    }
}

/// Returns the number of bytes that the largest of the voxels' values needs: 0, 1, 2 or 4.
fn bytes_of(own: &[u32]) -> u32 {
    match own.iter().fold(0, |a, b| a | b) {
        0 => 0,
        1..0x100 => 1,
        0x100..0x1_0000 => 2,
        _ => 4,
    }
}

/// Packs the values of all voxels into 32-bit words, with `bytes` bytes per voxel. The first value is at the
/// start of a word.
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

/// Displacement fields in GPU memory, stored one after the other.
pub(super) struct Warps {
    of: Vec<Arc<Warp>>,
    pub(super) values: Buffer<[f32; 4]>,
}

impl Warps {
    pub(super) fn none(gpu: &Gpu) -> CudaResult<Self> {
        Ok(Self { of: Vec::new(), values: gpu.alloc(0)? })
    }

    /// Replaces the displacement fields in GPU memory, unless they are the same.
    pub(super) fn replace_with(
        &mut self,
        of: &[Arc<Warp>],
        stream: &Stream,
        transfer: &mut Transfer,
    ) -> CudaResult<()> {
        if self.of.len() == of.len() && self.of.iter().zip(of).all(|(one, other)| Arc::ptr_eq(one, other)) {
            return Ok(());
        }
        // The old displacement fields are freed before memory for the new ones is allocated.
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

/// Pool in GPU memory of accepted streamlines, stored one after the other.
pub(super) struct Pool {
    /// Points of the streamlines in progress, four numbers per point. A lane stores the points of its
    /// streamline here until the streamline is accepted.
    pub(super) rooms: Buffer<f32>,
    pub(super) points: Buffer<f32>,
    pub(super) spans: Buffer<StreamlineSpan>,
    /// Number of points and spans in use.
    pub(super) used: Buffer<u64>,
    /// Number of points and number of spans in the pool up to which another streamline may start.
    pub(super) maximum: [u64; 2],
    /// Number of lanes that have memory for their points in the pool.
    pub(super) lanes: u32,
}

impl Pool {
    /// Allocates the pool for lanes whose streamlines have at most `capacity` points.
    pub(super) fn new(gpu: &Gpu, lanes: u32, capacity: usize) -> CudaResult<Self> {
        let under_way = lanes as usize * capacity;
        let maximum = [GATHERED * under_way, (GATHERED * under_way).div_ceil(POINTS_OF_ONE)];
        Ok(Self {
            rooms: gpu.alloc(4 * under_way)?,
            points: gpu.alloc(3 * (maximum[0] + under_way))?,
            spans: gpu.alloc(maximum[1] + lanes as usize)?,
            used: gpu.alloc(2)?,
            maximum: maximum.map(|count| count as u64),
            lanes,
        })
    }
}
