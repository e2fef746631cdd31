//! Counts matrix rows on the GPU that generates the streamlines. Only non-zero entries are copied to the
//! host.
#![allow(unsafe_code)]

use super::counted_rows::CountedRows;
use super::elements::{Prepared, VoxelElements};
use super::entries_on_gpu::{DenseRows, EntriesOnGpu};
use super::kernels::{self, ElementCells, Meeting};
use super::seed_rows::SeedRows;
use arcuate_compute::StreamlineBatchOnGpu;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Grid, Stream, Transfer, counted};
use arcuate_compute::element_rows::{ElementGrid, ElementRows, ElementTriangle as Triangle};
use arcuate_compute::surface_cells::ListedTriangle;
use arcuate_compute::voxel_mapping::Warp;
use arcuate_core::narrow;
use std::ops::Range;
use std::sync::Arc;

/// Number of threads per block, and number of warps (32 threads) per block. Each warp processes one
/// streamline, as in `kernels.cu`.
const THREADS: u32 = super::constants::THREADS;
const WARPS: u32 = THREADS / 32;
/// Maximum number of blocks per GPU multiprocessor, in one launch of a kernel.
const BLOCKS_EACH: u32 = 16;
/// Maximum number of streamlines that are counted before the matrix rows are copied to the host. A single row
/// may have more streamlines.
const MAX_STREAMLINES: u64 = 1 << 26;
/// Maximum memory, in bytes, of the matrix rows that a GPU counts at the same time. Memory for two rows is
/// always allowed, even if it is larger.
const MAX_BYTES: u64 = 1 << 30;

/// The matrix rows that one GPU counts.
pub(super) struct RowsOnGpu {
    gpu: Gpu,
    transfer: Transfer,
    tables: Tables,
    meeting: Meeting,
    /// The matrix row of each seed. `None` if each seed has its own row.
    rows_of_seeds: Option<Buffer<u32>>,
    counts: Buffer<u32>,
    steps: Option<Buffer<u64>>,
    entries: EntriesOnGpu,
    /// Number of matrix rows that fit in the allocated memory.
    room: usize,
    /// Numbers of the streamlines of the current group of seeds. `None` between two groups.
    numbers: Option<Range<u64>>,
    /// Host memory of matrix rows that were already passed on. It is used again for the next rows.
    left: Option<CountedRows>,
}

/// Tables in GPU memory, with which a kernel finds the elements at a point or on a segment.
struct Tables {
    lattices: Buffer<ElementGrid>,
    voxels: Buffer<u32>,
    lists: Buffer<u32>,
    listed: Buffer<u32>,
    warps: Buffer<[f32; 4]>,
    cells: ElementCells,
    first: Buffer<u32>,
    list: Buffer<ListedTriangle>,
    triangles: Buffer<Triangle>,
}

impl RowsOnGpu {
    /// Allocates memory for matrix rows and their non-zero entries. The rows use at most half of the
    /// remaining GPU memory, and at most 1 GiB. There is memory for at least two rows.
    pub(super) fn new(
        gpu: &Gpu,
        columns: &Prepared<'_>,
        seeds: &SeedRows,
        rows: usize,
        is_square: bool,
        with_steps: bool,
    ) -> CudaResult<Self> {
        let stream = gpu.stream()?;
        let tables = Tables::new(gpu, columns)?;
        let rows_of_seeds = seeds.rows.as_ref().map(|rows| gpu.upload(&stream, rows)).transpose()?;
        stream.synchronize()?;
        let width = columns.elements.len();
        let bytes_of_column = size_of::<u32>() + if with_steps { size_of::<u64>() } else { 0 };
        let bytes_of_row = (width * bytes_of_column + EntriesOnGpu::bytes_of_row(width, with_steps)).max(1);
        // If a row is a region, its seeds may be any seeds, so that there must be memory for all rows.
        let room = if rows_of_seeds.is_some() {
            rows
        } else {
            let required = (MAX_STREAMLINES / seeds.each.max(1)) as usize + 2;
            let fitting = (gpu.budget()? / 2).min(MAX_BYTES) as usize / bytes_of_row;
            required.min(fitting).min(rows).max(rows.min(2))
        };
        let [lattices, width_in_all, rows_in_all] =
            counted("elements and rows", [columns.elements.lattices.len(), width, room])?;
        let meeting = Meeting {
            each: seeds.each.max(1),
            first_row: 0,
            rows: rows_in_all,
            columns: width_in_all,
            lattices,
            triangles: columns.cells.as_ref().map_or(0, |_| 1),
            is_square: u32::from(is_square),
            unused: 0,
        };
        Ok(Self {
            transfer: Transfer::new(gpu, usize::MAX)?,
            tables,
            meeting,
            rows_of_seeds,
            counts: gpu.alloc(room * width)?,
            steps: with_steps.then(|| gpu.alloc(room * width)).transpose()?,
            entries: EntriesOnGpu::new(gpu, room, width, with_steps)?,
            room,
            numbers: None,
            left: None,
            gpu: gpu.clone(),
        })
    }

    pub(super) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Returns a number of consecutive streamlines whose rows always fit in the memory, whichever streamline
    /// is the first.
    pub(super) fn most_streamlines(&self) -> u64 {
        match self.rows_of_seeds {
            Some(_) => MAX_STREAMLINES,
            None => (self.room as u64).saturating_sub(1).max(1).saturating_mul(self.meeting.each),
        }
    }

    /// Prepares the memory for the streamlines with these numbers. The seeds of these streamlines must come
    /// after all seeds that were counted before.
    fn begin(&mut self, stream: &Stream, numbers: Range<u64>, seeds: &SeedRows) -> CudaResult<()> {
        if let Some(counting) = &mut self.numbers {
            counting.end = numbers.end;
            return Ok(());
        }
        self.counts.zero(stream)?;
        if let Some(steps) = &mut self.steps {
            steps.zero(stream)?;
        }
        let first = if seeds.rows.is_some() { 0 } else { seeds.row(numbers.start).unwrap_or(0) };
        self.meeting.first_row = first as u64;
        self.numbers = Some(numbers);
        Ok(())
    }

    /// Returns the memory of the matrix rows in the form that tracking kernels use. The kernels add the
    /// streamlines with these numbers to the rows.
    pub(super) fn rows(
        &mut self,
        stream: &Stream,
        numbers: Range<u64>,
        seeds: &SeedRows,
    ) -> CudaResult<ElementRows<'_>> {
        self.begin(stream, numbers, seeds)?;
        let tables = &self.tables;
        Ok(ElementRows {
            meeting: bytemuck::cast(self.meeting),
            lattices: tables.lattices.view(),
            voxels: tables.voxels.view(),
            lists: tables.lists.view(),
            listed: tables.listed.view(),
            warps: tables.warps.view(),
            cells: bytemuck::cast(tables.cells),
            first: tables.first.view(),
            list: tables.list.view(),
            triangles: tables.triangles.view(),
            rows_of_seeds: self.rows_of_seeds.as_ref().map(Buffer::view),
            counts: &mut self.counts,
            steps: self.steps.as_mut(),
        })
    }

    /// Adds a batch of streamlines. The seeds of this batch must come after the seeds of the preceding batch.
    pub(super) fn count(&mut self, batch: &StreamlineBatchOnGpu<'_>, seeds: &SeedRows) -> CudaResult<()> {
        self.begin(batch.stream, batch.numbers.clone(), seeds)?;
        let streamlines = batch.spans.len();
        if streamlines == 0 {
            return Ok(());
        }
        let maximum = self.gpu.multiprocessors().max(1) * BLOCKS_EACH;
        let blocks = u32::try_from(streamlines.div_ceil(WARPS as usize)).unwrap_or(u32::MAX).min(maximum);
        let tables = &self.tables;
        // Each warp (32 threads) has a table of the elements that its streamline has passed. If lengths are
        // summed, the warp also has a table with the distance of each element from the seed.
        let tables_each = if self.steps.is_some() { 2 } else { 1 };
        let grid = Grid::row(blocks, THREADS).shared(4 * tables_each * WARPS * super::constants::ROOM);
        // SAFETY:
        // In `voxels`, all numbers are existing elements or lists. In the grid of cells, all numbers are
        // existing triangles. The kernel skips rows that do not fit in the memory, and each element is a
        // column. Each span is a range inside `positions`, as guaranteed by the creator of the batch.
        unsafe {
            kernels::met_rows(
                [self.meeting.triangles],
                batch.stream,
                grid,
                self.meeting,
                streamlines as u64,
                batch.spans,
                batch.positions,
                &tables.lattices,
                &tables.voxels,
                &tables.lists,
                &tables.listed,
                &tables.warps,
                tables.cells,
                &tables.first,
                &tables.list,
                &tables.triangles,
                self.rows_of_seeds.as_ref(),
                &mut self.counts,
                self.steps.as_mut(),
            )
        }
    }

    /// Fetches the matrix rows that the GPU has counted, and sets the sums on the GPU to zero. Returns `None`
    /// if there was no streamline.
    pub(super) fn bring(&mut self, seeds: &SeedRows) -> CudaResult<Option<CountedRows>> {
        let Some(numbers) = self.numbers.take() else { return Ok(None) };
        self.gpu.synchronize()?;
        let stream = self.gpu.stream()?;
        let first = self.meeting.first_row as usize;
        let end = match seeds.rows {
            Some(_) => self.room,
            None => (numbers.end.div_ceil(self.meeting.each) as usize).min(first + self.room),
        };
        let mut found = self.left.take().unwrap_or_default();
        let dense =
            DenseRows { columns: self.meeting.columns, counts: &self.counts, steps: self.steps.as_ref() };
        self.entries.bring(&mut self.transfer, &stream, dense, end - first, first, &mut found)?;
        Ok(Some(found))
    }

    /// Takes back the host memory of matrix rows that were passed on. It is used again for the next rows.
    pub(super) fn take_back(&mut self, rows: CountedRows) {
        self.left = Some(rows);
    }
}

impl Tables {
    fn new(gpu: &Gpu, columns: &Prepared<'_>) -> CudaResult<Self> {
        let stream = gpu.stream()?;
        let mut transfer = Transfer::new(gpu, usize::MAX)?;
        let elements = columns.elements;
        let (mut lattices, mut voxels, mut lists, mut listed) = (vec![], vec![], vec![0u32], vec![]);
        let mut warps = WarpTable::default();
        for lattice in &elements.lattices {
            lattices.push(lattice_of(lattice, [voxels.len(), lists.len() - 1], &mut warps)?);
            voxels.extend_from_slice(&lattice.voxels);
            for list in lattice.lists.iter().flatten() {
                listed.extend_from_slice(list);
                let [end] = counted("lists of regions", [listed.len()])?;
                lists.push(end);
            }
        }
        let mut cells = ElementCells { affine: columns.to_mm.affine, ..bytemuck::Zeroable::zeroed() };
        let (mut first, mut list): (&[u32], &[ListedTriangle]) = (&[], &[]);
        if let Some(of) = &columns.cells {
            (cells.warp_affine, cells.warp_shape, cells.warp_at) = warps.add(columns.to_mm.warp.as_ref())?;
            (cells.least, cells.shape, cells.edge, cells.near) = (of.least, of.shape, of.edge, of.near);
            cells.division = of.division;
            (first, list) = (&of.first, &of.list);
        }
        let triangles = elements.triangles.iter().zip(&elements.of_triangles);
        let triangles: Vec<Triangle> =
            triangles.map(|(triangle, &elements)| Triangle { corners: triangle.0, elements }).collect();
        let tables = Self {
            lattices: transfer.upload(&stream, &lattices)?,
            voxels: transfer.upload(&stream, &voxels)?,
            lists: transfer.upload(&stream, &lists)?,
            listed: transfer.upload(&stream, &listed)?,
            warps: transfer.upload(&stream, &warps.values)?,
            cells,
            first: transfer.upload(&stream, first)?,
            list: transfer.upload(&stream, list)?,
            triangles: transfer.upload(&stream, &triangles)?,
        };
        stream.synchronize()?;
        Ok(tables)
    }
}

fn lattice_of(lattice: &VoxelElements, at: [usize; 2], warps: &mut WarpTable) -> CudaResult<ElementGrid> {
    let [voxels_at, lists_at] = counted("voxels and lists of regions", at)?;
    let (warp_affine, warp_shape, warp_at) = warps.add(lattice.voxel_mapping.warp.as_ref())?;
    Ok(ElementGrid {
        affine: lattice.voxel_mapping.affine,
        warp_affine,
        shape: lattice.grid.shape().map(narrow::<i32>),
        warp_shape,
        warp_at,
        voxels_at,
        lists_at: if lattice.lists.is_some() { lists_at } else { super::elements::NONE },
        unused: 0,
    })
}

/// The displacement fields of all grids of elements, one after the other in one array.
#[derive(Default)]
struct WarpTable {
    values: Vec<[f32; 4]>,
}

impl WarpTable {
    /// Appends a displacement field to the array. Returns the affine mapping to the voxels of the field, the
    /// number of its voxels along each axis, and the index of its first value in the array.
    fn add(&mut self, warp: Option<&Arc<Warp>>) -> CudaResult<([f32; 12], [i32; 3], u32)> {
        let Some(warp) = warp else { return Ok(([0.0; 12], [0; 3], 0)) };
        let [at] = counted("fields of displacements", [self.values.len()])?;
        self.values.extend_from_slice(&warp.values);
        Ok((warp.affine, warp.shape.map(narrow::<i32>), at))
    }
}
