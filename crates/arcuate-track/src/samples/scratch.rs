//! Scratch memory of a GPU for tracking. Later calls with the same needs reuse it, because allocations cost
//! the CPU more time than a short call takes.

use super::constants;
use super::grid_parameters::GridParameters;
use super::kernels::SurfaceCells;
use super::memory::{LaneBuffers, LaneNeeds, Pool, RegionTables, SurfaceTables, Warps};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Plain, Stream, Transfer};
use arcuate_compute::surface_cells::ListedTriangle;
use arcuate_core::narrow;

/// Number of counters of a run.
const COUNTERS: usize = constants::COUNTERS as usize;

/// Tables of a tracking call, and the memory that kernels write during tracking.
pub(super) struct Scratch {
    pub(super) stream: Stream,
    pub(super) transfer: Transfer,
    pub(super) centres: Buffer<f32>,
    pub(super) region_grids: Buffer<GridParameters>,
    /// For each voxel, the set of its regions, or the number of this set.
    pub(super) bits: Buffer<u32>,
    /// Sets of regions, by their numbers, if voxels have the numbers of sets.
    pub(super) sets: Buffer<u32>,
    pub(super) warps: Warps,
    pub(super) surfaces: Option<PlacedSurfaces>,
    pub(super) queue: Buffer<u64>,
    pub(super) counters: Buffer<u64>,
    /// Number of streamlines in each voxel.
    pub(super) counts: Buffer<u32>,
    /// For each voxel, the number of steps from the seeds, summed over all streamlines, if requested.
    pub(super) sums: Option<Buffer<u64>>,
    /// Number of accepted streamlines for each pair of a seed and a target.
    pub(super) hits: Buffer<u32>,
    pub(super) lanes: Lanes,
}

/// Surface tables in GPU memory.
pub(super) struct PlacedSurfaces {
    pub(super) cells: SurfaceCells,
    pub(super) first: Buffer<u32>,
    pub(super) list: Buffer<ListedTriangle>,
    pub(super) triangles: Buffer<[u32; 4]>,
    inside: Buffer<u32>,
    seeds: Buffer<i32>,
}

impl PlacedSurfaces {
    /// Creates empty tables.
    fn none(gpu: &Gpu) -> CudaResult<Self> {
        Self::of(bytemuck::Zeroable::zeroed(), gpu)
    }

    fn of(cells: SurfaceCells, gpu: &Gpu) -> CudaResult<Self> {
        let (first, list, triangles) = (gpu.alloc(0)?, gpu.alloc(0)?, gpu.alloc(0)?);
        Ok(Self { cells, first, list, triangles, inside: gpu.alloc(0)?, seeds: gpu.alloc(0)? })
    }

    fn replace_with(
        &mut self,
        tables: &SurfaceTables,
        stream: &Stream,
        transfer: &mut Transfer,
    ) -> CudaResult<()> {
        self.cells = tables.cells;
        put(&mut self.first, &tables.first, stream, transfer)?;
        put(&mut self.list, &tables.list, stream, transfer)?;
        put(&mut self.triangles, &tables.triangles, stream, transfer)?;
        put(&mut self.inside, &tables.inside, stream, transfer)?;
        put(&mut self.seeds, &tables.seeds, stream, transfer)
    }

    /// Returns for each cell the set of regions that contain its centre, if a region is the inside of a
    /// surface.
    pub(super) fn inside(&self) -> Option<&Buffer<u32>> {
        Some(&self.inside).filter(|inside| !inside.is_empty())
    }

    /// Returns the exact positions of the seeds, if they are known.
    pub(super) fn seeds(&self) -> Option<&Buffer<i32>> {
        Some(&self.seeds).filter(|seeds| !seeds.is_empty())
    }
}

/// Inputs and memory needs of a call.
pub(super) struct Needs<'a> {
    /// Centres of the seeds.
    pub(super) centres: &'a [f32],
    pub(super) regions: &'a RegionTables,
    /// Number of voxels in which visits are counted, whether steps are summed, and number of pairs of a seed
    /// and a target.
    pub(super) counted: (usize, bool, usize),
    pub(super) lanes: LanesSize,
}

/// Working memory of the streamlines in progress.
#[derive(Default)]
pub(super) struct Lanes {
    size: Option<LanesSize>,
    pub(super) count: u32,
    pub(super) buffers: LaneBuffers,
    pub(super) pool: Option<Pool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LanesSize {
    /// Number of lanes if memory allows.
    pub(super) count: u32,
    /// Maximum number of points of a streamline.
    pub(super) capacity: usize,
    pub(super) needs: LaneNeeds,
    /// True if accepted streamlines are gathered in a pool.
    pub(super) gathers: bool,
}

impl Scratch {
    /// Creates empty scratch memory.
    fn new(gpu: &Gpu) -> CudaResult<Self> {
        Ok(Self {
            stream: gpu.stream()?,
            transfer: Transfer::new(gpu, usize::MAX)?,
            centres: gpu.alloc(0)?,
            region_grids: gpu.alloc(0)?,
            bits: gpu.alloc(0)?,
            sets: gpu.alloc(0)?,
            warps: Warps::none(gpu)?,
            surfaces: None,
            queue: gpu.alloc(1)?,
            counters: gpu.alloc(COUNTERS)?,
            counts: gpu.alloc(0)?,
            sums: None,
            hits: gpu.alloc(0)?,
            lanes: Lanes::default(),
        })
    }

    /// Prepares the memory for a tracking call. Reuses the memory of an earlier call if everything fits into
    /// the GPU memory.
    pub(super) fn of(gpu: &Gpu, left: Option<Self>, needs: &Needs<'_>) -> CudaResult<Self> {
        match left.map(|left| left.ready(needs)) {
            None => {}
            // The memory of the earlier call may occupy space that is needed for other data, so it is freed
            // and allocated again.
            Some(Err(error)) if error.is_out_of_memory() => {}
            Some(made) => return made,
        }
        Self::new(gpu)?.ready(needs)
    }

    fn ready(mut self, needs: &Needs<'_>) -> CudaResult<Self> {
        if !self.lanes.fit(&needs.lanes) {
            self.lanes = Lanes::default();
        }
        let (stream, transfer) = (&self.stream, &mut self.transfer);
        let regions = needs.regions;
        put(&mut self.centres, needs.centres, stream, transfer)?;
        put(&mut self.region_grids, &regions.region_grids, stream, transfer)?;
        put(&mut self.bits, &regions.bits, stream, transfer)?;
        put(&mut self.sets, &regions.sets, stream, transfer)?;
        self.warps.replace_with(&regions.warps, stream, transfer)?;
        match &regions.surfaces {
            Some(tables) => {
                let placed = match self.surfaces.take() {
                    Some(placed) => placed,
                    None => PlacedSurfaces::of(tables.cells, stream.gpu())?,
                };
                self.surfaces.insert(placed).replace_with(tables, stream, transfer)?;
            }
            // Kernels that test triangles of matrix elements test triangles of regions, too.
            None if needs.lanes.needs.met.is_some_and(|met| met.triangles) => {
                self.surfaces = Some(PlacedSurfaces::none(stream.gpu())?);
            }
            None => self.surfaces = None,
        }
        let (voxels, lengths, cells) = needs.counted;
        zeros(&mut self.counts, voxels, stream)?;
        if lengths {
            let sums = self.sums.get_or_insert(stream.gpu().alloc(0)?);
            zeros(sums, voxels, stream)?;
        } else {
            self.sums = None;
        }
        zeros(&mut self.hits, cells, stream)?;
        if !self.lanes.fit(&needs.lanes) {
            self.lanes = Lanes::new(stream.gpu(), needs.lanes)?;
        }
        stream.synchronize()?;
        Ok(self)
    }

    /// Returns the number of lanes (threads) to use for this number of streamlines.
    pub(super) fn lanes_for(&self, streamlines: u64) -> u32 {
        narrow::<u32>(u64::from(self.lanes.count).min(streamlines))
    }
}

/// Sets the length of a buffer. The values are undefined.
fn resize<T: Plain>(buffer: &mut Buffer<T>, len: usize, stream: &Stream) -> CudaResult<()> {
    if buffer.len() != len {
        // The old buffer is freed before the new one is allocated.
        *buffer = stream.gpu().alloc(0)?;
        *buffer = stream.gpu().alloc(len)?;
    }
    Ok(())
}

fn zeros<T: Plain>(buffer: &mut Buffer<T>, len: usize, stream: &Stream) -> CudaResult<()> {
    resize(buffer, len, stream)?;
    buffer.zero(stream)
}

fn put<T: Plain>(
    buffer: &mut Buffer<T>,
    values: &[T],
    stream: &Stream,
    transfer: &mut Transfer,
) -> CudaResult<()> {
    resize(buffer, values.len(), stream)?;
    transfer.fill(stream, buffer.view_mut(), 1, |start, out| {
        out.copy_from_slice(&values[start..start + out.len()]);
    })
}

/// Number of lanes (threads) in the smallest block. All numbers of lanes are multiples of this number.
pub(super) const MIN_LANES: u32 = constants::THREADS;

/// Returns about half as many lanes, rounded to whole blocks.
fn half(lanes: u32) -> u32 {
    (lanes / 2).next_multiple_of(MIN_LANES)
}

impl Lanes {
    /// Returns the working memory of the lanes and the pool of accepted streamlines. The pool is allocated
    /// when it is first needed. It has memory for as many lanes as fit into half of the free GPU memory.
    pub(super) fn with_pool(
        &mut self,
        gpu: &Gpu,
        capacity: usize,
    ) -> CudaResult<(&mut LaneBuffers, &mut Pool)> {
        let Self { count: maximum, buffers, pool, .. } = self;
        let pool = match pool {
            Some(pool) => pool,
            none => {
                let mut lanes = *maximum;
                while lanes > MIN_LANES
                    && gpu.bytes_of(|gpu| Pool::new(gpu, lanes, capacity))? > gpu.budget()? / 2
                {
                    lanes = half(lanes);
                }
                none.insert(Pool::new(gpu, lanes, capacity)?)
            }
        };
        Ok((buffers, pool))
    }

    /// Allocates the working memory for the maximum number of lanes. If this needs more than half of the free
    /// GPU memory, it allocates memory for fewer lanes.
    fn new(gpu: &Gpu, size: LanesSize) -> CudaResult<Self> {
        let LanesSize { mut count, capacity, needs, gathers } = size;
        let buffers = |gpu: &Gpu, count: u32| {
            let pool = gathers.then(|| Pool::new(gpu, count, capacity)).transpose()?;
            Ok((LaneBuffers::new(gpu, count as usize, capacity, needs)?, pool))
        };
        while count > MIN_LANES && gpu.bytes_of(|gpu| buffers(gpu, count))? > gpu.budget()? / 2 {
            count = half(count);
        }
        let (buffers, pool) = buffers(gpu, count)?;
        Ok(Self { size: Some(size), count, buffers, pool })
    }

    /// Returns true if this memory meets the needs of a call with the full number of lanes.
    fn fit(&self, size: &LanesSize) -> bool {
        self.size.as_ref() == Some(size) && self.count == size.count
    }
}
