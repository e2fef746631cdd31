//! What a GPU follows streamlines with. It stays there from call to call, as far as the next one needs the same: what is made anew
//! costs the host more than a short call takes.

use super::constants;
use super::kernels::SurfaceCells;
use super::lattice::Lattice;
use super::memory::{LaneNeeds, LaneRoom, Pool, RegionTables, SurfaceTables, Warps};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Plain, Stream, Transfer};
use arcuate_compute::surface_cells::ListedTriangle;
use arcuate_core::narrow;

/// Counters of a run.
const COUNTERS: usize = constants::COUNTERS as usize;

/// Tables of a call, and what is written while streamlines are followed.
pub(super) struct Scratch {
    pub(super) stream: Stream,
    pub(super) transfer: Transfer,
    pub(super) centres: Buffer<f32>,
    pub(super) lattices: Buffer<Lattice>,
    /// Regions of voxels, and the sets that these number.
    pub(super) bits: Buffer<u32>,
    pub(super) sets: Buffer<u32>,
    pub(super) warps: Warps,
    pub(super) surfaces: Option<PlacedSurfaces>,
    pub(super) queue: Buffer<u64>,
    pub(super) counters: Buffer<u64>,
    /// Of each voxel that is counted, and of each seed and target.
    pub(super) counts: Buffer<u32>,
    pub(super) sums: Option<Buffer<u64>>,
    pub(super) hits: Buffer<u32>,
    pub(super) lanes: Lanes,
}

/// Surfaces, in a GPU.
pub(super) struct PlacedSurfaces {
    pub(super) cells: SurfaceCells,
    pub(super) first: Buffer<u32>,
    pub(super) list: Buffer<ListedTriangle>,
    pub(super) triangles: Buffer<[u32; 4]>,
    inside: Buffer<u32>,
    seeds: Buffer<i32>,
}

impl PlacedSurfaces {
    /// None.
    fn none(gpu: &Gpu) -> CudaResult<Self> {
        Self::of(bytemuck::Zeroable::zeroed(), gpu)
    }

    fn of(cells: SurfaceCells, gpu: &Gpu) -> CudaResult<Self> {
        let (first, list, triangles) = (gpu.alloc(0)?, gpu.alloc(0)?, gpu.alloc(0)?);
        Ok(Self { cells, first, list, triangles, inside: gpu.alloc(0)?, seeds: gpu.alloc(0)? })
    }

    fn become_those(
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

    /// Where any region is a volume.
    pub(super) fn inside(&self) -> Option<&Buffer<u32>> {
        Some(&self.inside).filter(|inside| !inside.is_empty())
    }

    /// Where seeds are known exactly.
    pub(super) fn seeds(&self) -> Option<&Buffer<i32>> {
        Some(&self.seeds).filter(|seeds| !seeds.is_empty())
    }
}

/// What a call puts into it, and needs of it.
pub(super) struct Needs<'a> {
    /// Where streamlines begin.
    pub(super) centres: &'a [f32],
    pub(super) regions: &'a RegionTables,
    /// Voxels that are counted, whether steps are summed, counts of seeds and targets.
    pub(super) counted: (usize, bool, usize),
    pub(super) lanes: LanesSize,
}

/// Room for the streamlines that are under way.
#[derive(Default)]
pub(super) struct Lanes {
    size: Option<LanesSize>,
    pub(super) count: u32,
    pub(super) room: LaneRoom,
    pub(super) pool: Option<Pool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LanesSize {
    /// As many as memory allows, at most.
    pub(super) count: u32,
    /// Points of a streamline, at most.
    pub(super) capacity: usize,
    pub(super) needs: LaneNeeds,
    /// Whether accepted streamlines are put side by side.
    pub(super) gathers: bool,
}

impl Scratch {
    /// Nothing yet.
    fn new(gpu: &Gpu) -> CudaResult<Self> {
        Ok(Self {
            stream: gpu.stream()?,
            transfer: Transfer::new(gpu, usize::MAX)?,
            centres: gpu.alloc(0)?,
            lattices: gpu.alloc(0)?,
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

    /// What a call needs, made of what an earlier one has left, if it fits in with the rest.
    pub(super) fn of(gpu: &Gpu, left: Option<Self>, needs: &Needs<'_>) -> CudaResult<Self> {
        match left.map(|left| left.ready(needs)) {
            None => {}
            // What was left may take the memory that is needed elsewhere now.
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
        put(&mut self.lattices, &regions.lattices, stream, transfer)?;
        put(&mut self.bits, &regions.bits, stream, transfer)?;
        put(&mut self.sets, &regions.sets, stream, transfer)?;
        self.warps.become_those(&regions.warps, stream, transfer)?;
        match &regions.surfaces {
            Some(tables) => {
                let placed = match self.surfaces.take() {
                    Some(placed) => placed,
                    None => PlacedSurfaces::of(tables.cells, stream.gpu())?,
                };
                self.surfaces.insert(placed).become_those(tables, stream, transfer)?;
            }
            // Kernels that look for triangles of elements look for those of regions, too.
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

    /// Lanes that follow so many streamlines.
    pub(super) fn lanes_for(&self, streamlines: u64) -> u32 {
        narrow::<u32>(u64::from(self.lanes.count).min(streamlines))
    }
}

/// Makes it so long, with any values.
fn resize<T: Plain>(buffer: &mut Buffer<T>, len: usize, stream: &Stream) -> CudaResult<()> {
    if buffer.len() != len {
        // What is there goes first.
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

/// Lanes of the smallest blocks, of which all lanes are a multiple.
pub(super) const LEAST_LANES: u32 = constants::THREADS;

/// About half as many lanes, in whole blocks.
fn half(lanes: u32) -> u32 {
    (lanes / 2).next_multiple_of(LEAST_LANES)
}

impl Lanes {
    /// What lanes have, and where streamlines are put side by side, which is made where it is needed for the first time: for as many
    /// lanes as half of the memory that is left holds.
    pub(super) fn with_pool(&mut self, gpu: &Gpu, capacity: usize) -> CudaResult<(&mut LaneRoom, &mut Pool)> {
        let Self { count: most, room, pool, .. } = self;
        let pool = match pool {
            Some(pool) => pool,
            none => {
                let mut lanes = *most;
                while lanes > LEAST_LANES
                    && gpu.bytes_of(|gpu| Pool::new(gpu, lanes, capacity))? > gpu.budget()? / 2
                {
                    lanes = half(lanes);
                }
                none.insert(Pool::new(gpu, lanes, capacity)?)
            }
        };
        Ok((room, pool))
    }

    /// As many as may be, or fewer where memory is short: half of what is left for them, half for points.
    fn new(gpu: &Gpu, size: LanesSize) -> CudaResult<Self> {
        let LanesSize { mut count, capacity, needs, gathers } = size;
        let room = |gpu: &Gpu, count: u32| {
            let pool = gathers.then(|| Pool::new(gpu, count, capacity)).transpose()?;
            Ok((LaneRoom::new(gpu, count as usize, capacity, needs)?, pool))
        };
        while count > LEAST_LANES && gpu.bytes_of(|gpu| room(gpu, count))? > gpu.budget()? / 2 {
            count = half(count);
        }
        let (room, pool) = room(gpu, count)?;
        Ok(Self { size: Some(size), count, room, pool })
    }

    /// Whether they are what a call needs, and as many as it can use.
    fn fit(&self, size: &LanesSize) -> bool {
        self.size.as_ref() == Some(size) && self.count == size.count
    }
}
