//! The products on GPUs: voxels split between them, coefficients in their memory or, where that is too small, streamed
//! through it.
#![allow(unsafe_code)]

use super::tiles::{self, Fragments, Sorted, THREADS, TileLayout, TileShape};
use super::{Element, RUN_BEGINS, SparseTucker};
use crate::column_sums::largest_column_sum;
use crate::failure::Failure;
use arcuate_compute::cuda::{
    Argument, Buffer, BufferView, CudaError, Gpu, Gpus, Grid, Kernel, KernelImages, Staging, Stream,
};
use arcuate_compute::{Chunks, Device, MemoryPlan, arguments, kernel_images, with_fallback};
use arcuate_core::{Error, Result};
use arcuate_solve::{Bounds, CudaOperator, Products, solver_bytes};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

static IMAGES: KernelImages = kernel_images!("kernels");

/// Voxels that are never cut apart: a whole tile, so that a voxel's products have the same bits wherever it lies.
const BRICK: usize = tiles::VOXELS;
/// Voxels that one block of the row kernels does.
const VOXELS_OF_ROW_BLOCK: usize = 8;
/// What a launch does, as in `kernels.cu`.
const FORWARD: u32 = 1;
const CARRY: u32 = 2;
const ADJOINT: u32 = 4;

/// Which kernels compute the products on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProductKernels {
    /// Those that are expected to be faster for the problem: the choice depends on the problem and the kind of GPU
    /// alone, never on a measurement, so that results repeat to the bit.
    #[default]
    Auto,
    /// One row of the dictionary per run, from the caches: any dictionary, both precisions.
    Rows,
    /// Weights summed per (voxel, atom) in shared memory and multiplied with the dictionary on tensor cores: single
    /// precision, up to 96 directions, and best for dictionaries of up to about a thousand atoms with runs hardly
    /// longer than one coefficient.
    Tiles,
}

/// The operator on GPUs.
pub(super) struct OnGpus<T: Element> {
    gpus: Gpus,
    bounds: Bounds,
    parts: Vec<Part<T>>,
    failure: Failure,
}

/// The voxels of one GPU.
struct Part<T: Element> {
    stream: Stream,
    voxels: Range<usize>,
    kernel: Kernel,
    layout: Layout<T>,
    lots: Vec<Lot>,
    /// What stays in the GPU of the coefficients, where anything does.
    kept: Option<Kept<T>>,
    staging: Option<Mutex<Staging>>,
}

/// What is always there, by kernels.
enum Layout<T: Element> {
    Rows(Rows<T>),
    Tiles(Box<Tiles>),
}

/// Voxels as the row kernels want them.
struct Rows<T: Element> {
    order: Buffer<u32>,
    starts: Buffer<u32>,
    runs: Buffer<u32>,
    dictionary: Buffer<T>,
}

/// Tiles and dictionary as the tile kernels want them.
struct Tiles {
    shape: TileShape,
    order: Buffer<u32>,
    segments: Buffer<u32>,
    starts: Buffer<u32>,
    facts: Buffer<u32>,
    forward: Buffer<[u32; 4]>,
    adjoint: Buffer<[u32; 4]>,
    unit: f32,
    /// The coefficients on the host, where they are streamed.
    host: TileLayout,
}

/// Bricks that are worked on together.
#[derive(Debug, Clone)]
struct Lot {
    /// Entries of `order`: voxels or tiles.
    places: Range<u32>,
    /// Coefficients, within the part.
    coefficients: Range<usize>,
    /// Runs, within the part; only for rows.
    runs: Range<usize>,
}

/// The coefficients of a lot: atoms of runs or cells of coefficients, members and values.
struct Kept<T: Element> {
    atoms: Buffer<u16>,
    members: Buffer<u32>,
    values: Buffer<T>,
}

impl<T: Element> std::fmt::Debug for OnGpus<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = self.parts.iter().map(|part| (part.kernel.name(), part.voxels.clone(), part.lots.len()));
        f.debug_list().entries(parts).finish()
    }
}

impl<T: Element> OnGpus<T> {
    /// Puts the operator on the GPUs of `device`; nothing on the processor, where it also ends for want of memory, with
    /// a warning.
    pub(super) fn place(
        operator: &SparseTucker<T>,
        device: &Device,
        kernels: ProductKernels,
    ) -> Result<Option<Self>> {
        let Device::Cuda(_) = device else { return Ok(None) };
        if operator.coefficients() == 0 {
            return Ok(None);
        }
        // Kernels count in 32 bits; a voxel's share of the padding between segments is below 64 coefficients.
        let counted = operator.coefficients() + operator.voxels() * 64;
        if u32::try_from(counted.max(operator.dictionary.len())).is_err() {
            tracing::warn!("LiFE: the problem is too large for the GPU's kernels; doing it on the CPU");
            return Ok(None);
        }
        let bounds = bounds(operator);
        with_fallback("LiFE", device, |device| match device {
            Device::Cpu => Ok(None),
            Device::Cuda(gpus) => {
                let parts = split(operator, gpus.len());
                let place = |(gpu, voxels)| Part::new(operator, gpu, voxels, kernels);
                let parts = gpus.iter().zip(parts).map(place).collect::<Result<Vec<_>>>()?;
                Ok(Some(Self { gpus: gpus.clone(), bounds, parts, failure: Failure::default() }))
            }
        })
    }

    /// The kernels in use and the number of lots on each GPU.
    pub(super) fn describe(&self) -> String {
        let part = |part: &Part<T>| match part.lots.len() {
            0 | 1 => part.kernel.name().to_owned(),
            lots => format!("{} in {lots} lots", part.kernel.name()),
        };
        let kernels = self.parts.iter().map(part).collect::<Vec<_>>().join(", ");
        if self.failure.has_happened() { format!("{kernels}, then the CPU") } else { kernels }
    }

    /// Whether they are still to be used.
    pub(super) fn failure(&self) -> &Failure {
        &self.failure
    }
}

impl<T: Element> CudaOperator<T> for SparseTucker<T> {
    fn gpus(&self) -> &Gpus {
        &self.on_gpus().gpus
    }

    fn rows_on(&self, n: usize) -> Range<usize> {
        let voxels = &self.on_gpus().parts[n].voxels;
        voxels.start * self.directions..voxels.end * self.directions
    }

    fn bounds(&self) -> Bounds {
        self.on_gpus().bounds
    }

    fn norms_on(&self, n: usize) -> usize {
        let part = &self.on_gpus().parts[n];
        match &part.layout {
            Layout::Rows(_) => part.voxels.len(),
            Layout::Tiles(_) => part.voxels.len().div_ceil(tiles::VOXELS),
        }
    }

    fn give_up(&self) {
        self.on_gpus().failure.note();
    }

    fn products(&self, n: usize, stream: &Stream, mut what: Products<'_, T>) -> Result<()> {
        let part = &self.on_gpus().parts[n];
        let (rows, norms) = (self.rows_on(n).len(), 2 * self.norms_on(n));
        let fit = what.data.len() == rows
            && what.unknowns.is_none_or(|unknowns| unknowns.len() == self.columns)
            && what.sums.as_ref().is_none_or(|(sums, scale)| sums.len() == self.columns && !scale.is_empty())
            && what.norms.as_ref().is_none_or(|buffer| buffer.len() == norms && what.unknowns.is_some());
        if !fit {
            let problem = "a buffer does not have the length that the operator's shape asks for".to_owned();
            return Err(CudaError::Misuse { about: part.kernel.to_string(), problem }.into());
        }
        let streamed = match &part.kept {
            Some(Kept { atoms, members, values }) => {
                let views = (atoms.view(), members.view(), values.view());
                part.launch(self, stream, &part.lots[0], views, &mut what)?;
                &part.lots[1..]
            }
            None => &part.lots,
        };
        if let Some(staging) = &part.staging {
            let mut staging = staging.lock().unwrap_or_else(PoisonError::into_inner);
            let bytes = |lot: usize| part.bytes_of(self, &streamed[lot]).to_vec();
            staging.stream(stream, streamed.len(), bytes, |lot, staged| {
                let views = (staged.part(0), staged.part(1), staged.part(2));
                part.launch(self, stream, &streamed[lot], views, &mut what)
            })?;
        }
        Ok(())
    }
}

type Views<'a, T> = (BufferView<'a, u16>, BufferView<'a, u32>, BufferView<'a, T>);

impl<T: Element> Part<T> {
    fn new(
        operator: &SparseTucker<T>,
        gpu: &Gpu,
        voxels: Range<usize>,
        kernels: ProductKernels,
    ) -> Result<Self> {
        let stream = gpu.stream()?;
        match tile_shape(operator, gpu, kernels)? {
            Some(shape) => Self::of_tiles(operator, gpu, stream, voxels, shape),
            None => Self::of_rows(operator, gpu, stream, &voxels),
        }
    }

    fn of_rows(operator: &SparseTucker<T>, gpu: &Gpu, stream: Stream, voxels: &Range<usize>) -> Result<Self> {
        let (starts, runs) = (&operator.voxel_starts, &operator.voxel_runs);
        let (first, first_run) = (starts[voxels.start], runs[voxels.start]);
        let bricks = voxels.len().div_ceil(BRICK);
        let voxel_of = |brick: usize| (voxels.start + brick * BRICK).min(voxels.end);
        let always =
            solver_bytes::<T>(voxels.len() * operator.directions, operator.columns, voxels.len(), None)
                + (voxels.len() * 12 + operator.dictionary.len() * size_of::<T>()) as u64;
        let (coefficient, run) = ((4 + size_of::<T>()) as u64, 2);
        // Padding: each of the three arrays of a lot begins on a boundary of the driver's.
        let plan = MemoryPlan::new("LiFE's operator", always + 2048, bricks, |brick| {
            let voxel = voxel_of(brick);
            (starts[voxel] - first) as u64 * coefficient + (runs[voxel] - first_run) as u64 * run
        });
        let chunks = plan.cut(gpu.budget()?)?;
        let lots: Vec<Lot> = chunks
            .lots()
            .map(|lot| {
                let (begin, end) = (voxel_of(lot.start), voxel_of(lot.end));
                Lot {
                    places: (begin - voxels.start) as u32..(end - voxels.start) as u32,
                    coefficients: starts[begin] - first..starts[end] - first,
                    runs: runs[begin] - first_run..runs[end] - first_run,
                }
            })
            .collect();
        let mut order: Vec<u32> = (0..voxels.len() as u32).collect();
        let size =
            |voxel: u32| starts[voxels.start + voxel as usize + 1] - starts[voxels.start + voxel as usize];
        for lot in &lots {
            // Crowded voxels first, so that the last blocks are short ones.
            order[lot.places.start as usize..lot.places.end as usize]
                .sort_by_key(|&voxel| std::cmp::Reverse(size(voxel) / 128));
        }
        let relative = |all: &[usize], first: usize| -> Vec<u32> {
            all[voxels.start..=voxels.end].iter().map(|&at| (at - first) as u32).collect()
        };
        let layout = Layout::Rows(Rows {
            order: gpu.upload(&stream, &order)?,
            starts: gpu.upload(&stream, &relative(starts, first))?,
            runs: gpu.upload(&stream, &relative(runs, first_run))?,
            dictionary: gpu.upload(&stream, &operator.dictionary)?,
        });
        let kernel = gpu.kernels(&IMAGES)?.get(&row_kernel::<T>(operator.directions))?;
        drop(plan);
        let voxels = voxels.clone();
        Self { stream, voxels, kernel, layout, lots, kept: None, staging: None }.keep(operator, gpu, &chunks)
    }

    fn of_tiles(
        operator: &SparseTucker<T>,
        gpu: &Gpu,
        stream: Stream,
        voxels: Range<usize>,
        shape: TileShape,
    ) -> Result<Self> {
        // Chosen for single precision only, where these are the same type.
        let values: &[f32] = bytemuck::cast_slice(&operator.values);
        let dictionary: &[f32] = bytemuck::cast_slice(&operator.dictionary);
        let sorted = Sorted {
            voxel_starts: &operator.voxel_starts,
            voxel_runs: &operator.voxel_runs,
            run_atoms: &operator.run_atoms,
            members: &operator.members,
            values,
        };
        let atoms = operator.atoms();
        let host = TileLayout::new(atoms, &sorted, voxels.clone());
        let fragments = Fragments::new(shape, dictionary, operator.stride, operator.directions);
        let tiles = voxels.len().div_ceil(tiles::VOXELS);
        let coefficient_of = |tile: usize| host.segment_starts[host.tile_segments[tile] as usize] as usize;
        let always = solver_bytes::<T>(voxels.len() * operator.directions, operator.columns, tiles, None)
            + (tiles * 8 + host.segment_facts.len() * 8 + 32 * shape.fragments(atoms)) as u64;
        let plan =
            MemoryPlan::new("LiFE's operator", always + 2048, tiles, |tile| coefficient_of(tile) as u64 * 10);
        let chunks = plan.cut(gpu.budget()?)?;
        let lots: Vec<Lot> = chunks
            .lots()
            .map(|lot| {
                let (begin, end) = (lot.start, lot.end);
                Lot {
                    places: begin as u32..end as u32,
                    coefficients: coefficient_of(begin)..coefficient_of(end),
                    runs: 0..0,
                }
            })
            .collect();
        let mut order: Vec<u32> = (0..tiles as u32).collect();
        let size = |tile: u32| host.tile_segments[tile as usize + 1] - host.tile_segments[tile as usize];
        for lot in &lots {
            order[lot.places.start as usize..lot.places.end as usize]
                .sort_by_key(|&tile| std::cmp::Reverse(size(tile)));
        }
        let kernel = gpu.kernels(&IMAGES)?.get(shape.kernel)?;
        drop(plan);
        let layout = Layout::Tiles(Box::new(Tiles {
            shape,
            order: gpu.upload(&stream, &order)?,
            segments: gpu.upload(&stream, &host.tile_segments)?,
            starts: gpu.upload(&stream, &host.segment_starts)?,
            facts: gpu.upload(&stream, &host.segment_facts)?,
            forward: gpu.upload(&stream, &fragments.forward)?,
            adjoint: gpu.upload(&stream, &fragments.adjoint)?,
            unit: fragments.unit,
            host,
        }));
        let mut part = Self { stream, voxels, kernel, layout, lots, kept: None, staging: None }
            .keep(operator, gpu, &chunks)?;
        if let Layout::Tiles(tiles) = &mut part.layout
            && chunks.all_stay()
        {
            tiles.host = TileLayout::default();
        }
        Ok(part)
    }

    /// Uploads the lot that stays, and makes the places through which the others are streamed.
    fn keep(mut self, operator: &SparseTucker<T>, gpu: &Gpu, chunks: &Chunks) -> Result<Self> {
        if !chunks.kept.is_empty() {
            let [atoms, members, values] = self.bytes_of(operator, &self.lots[0]);
            self.kept = Some(Kept {
                atoms: gpu.upload(&self.stream, bytemuck::cast_slice(atoms))?,
                members: gpu.upload(&self.stream, bytemuck::cast_slice(members))?,
                values: gpu.upload(&self.stream, bytemuck::cast_slice(values))?,
            });
        }
        if !chunks.all_stay() {
            let streamed = &self.lots[usize::from(self.kept.is_some())..];
            let need = |lot: &Lot| {
                Staging::bytes_for(self.bytes_of(operator, lot).into_iter().map(|part| part.len() as u64))
            };
            let bytes = streamed.iter().map(need).max().unwrap_or(0);
            self.staging = Some(Mutex::new(Staging::new(gpu, bytes)?));
        }
        Ok(self)
    }

    /// The coefficients of a lot on the host: atoms or cells, members, values.
    fn bytes_of<'a>(&'a self, operator: &'a SparseTucker<T>, lot: &Lot) -> [&'a [u8]; 3] {
        let within = lot.coefficients.clone();
        match &self.layout {
            Layout::Rows(_) => {
                let first = operator.voxel_starts[self.voxels.start];
                let first_run = operator.voxel_runs[self.voxels.start];
                let coefficients = first + within.start..first + within.end;
                let runs = first_run + lot.runs.start..first_run + lot.runs.end;
                [
                    bytemuck::cast_slice(&operator.run_atoms[runs]),
                    bytemuck::cast_slice(&operator.members[coefficients.clone()]),
                    bytemuck::cast_slice(&operator.values[coefficients]),
                ]
            }
            Layout::Tiles(tiles) => [
                bytemuck::cast_slice(&tiles.host.cells[within.clone()]),
                bytemuck::cast_slice(&tiles.host.members[within.clone()]),
                bytemuck::cast_slice(&tiles.host.values[within]),
            ],
        }
    }

    fn launch(
        &self,
        operator: &SparseTucker<T>,
        stream: &Stream,
        lot: &Lot,
        (atoms, members, values): Views<'_, T>,
        what: &mut Products<'_, T>,
    ) -> Result<()> {
        if lot.places.is_empty() {
            return Ok(());
        }
        let mode = if what.unknowns.is_some() { FORWARD } else { 0 }
            | if what.carry { CARRY } else { 0 }
            | if what.sums.is_some() { ADJOINT } else { 0 };
        let unknowns = what.unknowns.map_or(Argument::null(), Argument::from);
        let data = Argument::from(what.data.view_mut());
        let (sums, scale) = match &mut what.sums {
            Some((sums, scale)) => (Argument::from(&mut **sums), Argument::from(*scale)),
            None => (Argument::null(), Argument::null()),
        };
        let norms = what.norms.as_deref_mut().map_or(Argument::null(), Argument::from);
        let directions = operator.directions as u32;
        let first = lot.coefficients.start as u32;
        let places = lot.places.len();
        match &self.layout {
            Layout::Rows(Rows { order, starts, runs, dictionary }) => {
                let arguments = arguments![
                    mode,
                    lot.places.start,
                    lot.places.end,
                    first,
                    lot.runs.start as u32,
                    directions,
                    operator.stride as u32,
                    order,
                    starts,
                    runs,
                    atoms,
                    members,
                    values,
                    dictionary,
                    unknowns,
                    data,
                    sums,
                    scale,
                    norms,
                ];
                let grid = Grid::row(places.div_ceil(VOXELS_OF_ROW_BLOCK) as u32, THREADS);
                // SAFETY: arguments as the kernel has them; indices were checked when the operator was made, the lot's
                // arrays begin at the offsets given, and `products` has checked the lengths of the buffers.
                unsafe { stream.launch(&self.kernel, grid, &arguments) }?;
            }
            Layout::Tiles(tiles) => {
                let Tiles { shape, order, segments, starts, facts, forward, adjoint, unit, .. } = &**tiles;
                let arguments = arguments![
                    mode,
                    lot.places.start,
                    first,
                    self.voxels.len() as u32,
                    directions,
                    operator.atoms() as u32,
                    order,
                    segments,
                    starts,
                    facts,
                    atoms,
                    members,
                    values,
                    forward,
                    adjoint,
                    *unit,
                    unknowns,
                    data,
                    sums,
                    scale,
                    norms,
                ];
                let grid = Grid::row(places as u32, THREADS).shared(shape.shared_bytes());
                // SAFETY: as above; cells lie in the tile that the shape describes.
                unsafe { stream.launch(&self.kernel, grid, &arguments) }?;
            }
        }
        Ok(())
    }
}

/// The voxels of each of `parts` GPUs: whole bricks, about the same number of coefficients.
fn split<T: Element>(operator: &SparseTucker<T>, parts: usize) -> Vec<Range<usize>> {
    let bricks = operator.voxels().div_ceil(BRICK);
    let voxel_of = |brick: usize| (brick * BRICK).min(operator.voxels());
    let mut ranges = Vec::with_capacity(parts);
    let mut begin = 0;
    for part in 1..=parts {
        let target = operator.coefficients() * part / parts;
        let mut end = begin;
        while end < bricks && (part == parts || operator.voxel_starts[voxel_of(end)] < target) {
            end += 1;
        }
        ranges.push(voxel_of(begin)..voxel_of(end));
        begin = end;
    }
    ranges
}

/// The row kernel for so many directions; those with more are done in passes.
fn row_kernel<T: Element>(directions: usize) -> String {
    let sizes: &[usize] = match T::NAME {
        "f32" => &[32, 64, 96, 128, 256, 384, 512],
        _ => &[32, 64, 96, 128, 256, 512],
    };
    let size = sizes.iter().find(|&&size| size >= directions).unwrap_or(&512);
    format!("sparse_tucker_rows_{}_{size}", T::NAME)
}

/// The shape of the tile kernel to use, or none for the row kernels.
fn tile_shape<T: Element>(
    operator: &SparseTucker<T>,
    gpu: &Gpu,
    kernels: ProductKernels,
) -> Result<Option<TileShape>> {
    let single = T::NAME == "f32";
    let shape = TileShape::for_directions(operator.directions)
        .filter(|shape| single && shape.shared_bytes() <= gpu.shared_bytes());
    match (kernels, shape) {
        (ProductKernels::Rows, _) | (ProductKernels::Auto, None) => Ok(None),
        (ProductKernels::Tiles, Some(shape)) => Ok(Some(shape)),
        (ProductKernels::Tiles, None) => Err(Error::invalid(
            "sparse Tucker operator",
            format!(
                "the tile kernels do not serve {} directions in {} precision on {gpu}",
                operator.directions,
                if single { "single" } else { "double" }
            ),
            "use the row kernels",
        )),
        (ProductKernels::Auto, Some(shape)) => {
            // Nanoseconds of M s and Mᵀ M s together on one H200, fitted to the measurements in docs/src/benchmarks.md.
            let (coefficients, runs) = (operator.coefficients() as f64, operator.runs() as f64);
            let cells = tiles::cells(operator.voxels(), operator.atoms()) as f64;
            let rows = 0.022 * coefficients + 0.032 * runs * operator.directions as f64 / 96.0;
            let tiles = 0.020 * coefficients + (0.0011 + 0.0035 * shape.directions as f64 / 96.0) * cells;
            Ok((tiles < rows).then_some(shape))
        }
    }
}

/// Bounds of the products from the sums of the coefficients' magnitudes, the same on any number of threads.
fn bounds<T: Element>(operator: &SparseTucker<T>) -> Bounds {
    let rows: Vec<(f64, f64)> = operator
        .dictionary
        .chunks_exact(operator.stride)
        .map(|row| {
            row.iter()
                .fold((0.0, 0.0), |(largest, sum), d| (d.wide().abs().max(largest), sum + d.wide().abs()))
        })
        .collect();
    let largest = rows.iter().fold(0.0, |all: f64, row| all.max(row.0));
    let longest = rows.iter().fold(0.0, |all: f64, row| all.max(row.1));
    let of_voxel =
        |pair: &[usize]| operator.values[pair[0]..pair[1]].iter().map(|v| v.wide().abs()).sum::<f64>();
    let voxel = operator.voxel_starts.par_windows(2).map(of_voxel).reduce(|| 0.0, f64::max);
    let entries = operator.members.par_iter().zip(&operator.values);
    let column = largest_column_sum(
        operator.columns,
        entries.map(|(&member, v)| ((member & !RUN_BEGINS) as usize, v.wide())),
    );
    // A little above, for the rounding of these sums and of the products themselves.
    Bounds { image: 1.001 * voxel * largest, adjoint: 1.001 * column * longest }
}
