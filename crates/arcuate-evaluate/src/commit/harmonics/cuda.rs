//! The products on GPUs: voxels split between them, segments in their memory or, where that is too small, streamed
//! through it.
#![allow(unsafe_code)]

use super::degrees::Compiled;
use super::functions::Step;
use super::{Harmonics, Segment};
use crate::column_sums::largest_column_sum;
use crate::failure::Failure;
use arcuate_compute::cuda::{
    Argument, Buffer, BufferView, CudaError, CudaResult, Event, Gpu, Gpus, Grid, Kernel, KernelImages,
    Kernels, Staging, Stream,
};
use arcuate_compute::{Device, MemoryPlan, arguments, fall_back, kernel_images, with_fallback};
use arcuate_core::{Error, Result};
use arcuate_solve::{Bounds, CudaOperator, LinearOperator, Products, Real, proximal_solver_bytes};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

static IMAGES: KernelImages = kernel_images!("kernels");

/// Voxels that are never cut apart: two tiles of the kernels.
const BRICK: usize = 128;
/// Voxels, and samples or rows, of a tile, as in `kernels.cu`.
const TILE: usize = 64;
/// Segments of a unit at most: crowded voxels are shared by many warps.
const UNIT: usize = 1024;
/// Warps of a block at most.
const WARPS: u32 = 4;
/// Rows of harmonics that a warp keeps at once, and numbers it keeps of each of 64 segments, as in `kernels.cu`.
const SLAB: usize = 64;
const WAITING: usize = 64;
/// Functions that one kernel does together.
const FUNCTIONS: usize = 4;
/// Bytes for what lies between the steps of a product, where nothing demands less: all units of many voxels.
const SCRATCH: u64 = 256 << 20;
/// What a synthesis does with the image, as in `kernels.cu`.
const CARRY: u32 = 1;
const KEEP: u32 = 2;

/// The operator on GPUs.
pub(super) struct OnGpus<T: Real> {
    gpus: Gpus,
    bounds: Bounds,
    raw_sums: usize,
    parts: Vec<Part<T>>,
    failure: Failure,
}

/// Segments of one voxel and one group of functions, as the kernels read them: `begin` and `end` among those of the
/// part, `place` among the units of all voxels of the part in order.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Unit {
    begin: u32,
    end: u32,
    place: u32,
    voxel: u32,
}

/// Up to four functions of one kind of compartment.
struct Group<T: Real> {
    /// Of streamlines, else of axes.
    intra: bool,
    elements: usize,
    responses: usize,
    rank_of_all: usize,
    first_function: usize,
    rank: usize,
    /// The first unknown, and the first raw sum.
    first_unknown: usize,
    first_raw: usize,
    weights: Buffer<T>,
    wide_weights: Buffer<f64>,
    mix: Buffer<T>,
    units: Buffer<Unit>,
    /// The first unit of each voxel of the part, and the end.
    unit_starts: Vec<u32>,
    moments: Kernel,
    adjoint: Kernel,
    /// The kernels are those compiled for the degree.
    compiled: Option<Compiled>,
}

impl<T: Real> Group<T> {
    /// Numbers that an element takes: three take the room of four.
    fn room(&self) -> usize {
        room(self.rank)
    }
}

fn room(rank: usize) -> usize {
    if rank == 3 { 4 } else { rank }
}

/// The tables of all voxels.
struct DeviceTables<T: Real> {
    steps: Buffer<[T; 4]>,
    harmonic: Buffer<u32>,
    row_of: Buffer<u32>,
    shell_of: Buffer<u32>,
    constant_row: Buffer<u32>,
    isotropic: Buffer<T>,
    sample: Buffer<u32>,
    synthesis: Buffer<T>,
    analysis: Buffer<T>,
    rows_of_samples: Buffer<u32>,
    samples_of_rows: Buffer<u32>,
}

/// The voxels of one GPU.
struct Part<T: Real> {
    stream: Stream,
    voxels: Range<usize>,
    kernels: Kernels,
    tables: DeviceTables<T>,
    groups: Vec<Group<T>>,
    voxel_units: Buffer<u32>,
    voxel_scale: Option<Buffer<T>>,
    axes: Buffer<Segment>,
    lots: Vec<Lot>,
    /// The segments of the first lot, where they stay.
    kept: Option<Buffer<Segment>>,
    staging: Option<Mutex<Staging>>,
    scratch: Mutex<Scratch<T>>,
}

/// Voxels whose segments are in the GPU at the same time.
#[derive(Debug, Clone)]
struct Lot {
    segments: Range<usize>,
    slabs: Vec<Slab>,
}

/// Voxels that are worked on at the same time, and their units.
#[derive(Debug, Clone)]
struct Slab {
    voxels: Range<usize>,
    places: Range<usize>,
}

/// What lies between the steps of a product.
struct Scratch<T: Real> {
    /// The reduced unknowns of each group.
    reduced: Vec<Buffer<T>>,
    parts: Buffer<T>,
    amplitudes: Buffer<T>,
    image: Buffer<T>,
    /// The product that used it last is done.
    used: Event,
}

impl<T: Real> std::fmt::Debug for OnGpus<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = self.parts.iter().map(|part| (part.voxels.clone(), part.lots.len()));
        f.debug_list().entries(parts).finish()
    }
}

impl<T: Real> OnGpus<T> {
    /// Puts the operator on the GPUs of `device`; nothing on the processor, where it also ends for want of memory, with
    /// a warning.
    pub(super) fn place(operator: &Harmonics<T>, device: &Device) -> Result<Option<Self>> {
        let Device::Cuda(_) = device else { return Ok(None) };
        let groups = groups_of(operator);
        if operator.shape.voxels == 0 || groups.is_empty() {
            return Ok(None);
        }
        // Kernels count in 32 bits: elements, segments, units, rows of the matrix.
        let counted = [operator.columns(), operator.segments.len(), operator.tables.synthesis.len()];
        if counted.iter().any(|&count| u32::try_from(count).is_err()) {
            let problem = "the problem is too large for the GPU's kernels, which count in 32 bits";
            let advice = "evaluate it in parts, or use --device cpu";
            fall_back(&Error::device("COMMIT", problem, advice), "doing it on the CPU");
            return Ok(None);
        }
        let raw_sums = groups.iter().map(|group| group.elements * room(group.rank)).sum::<usize>()
            + operator.shape.voxels * operator.shape.isotropic;
        let bounds = bounds(operator);
        with_fallback("COMMIT", device, |device| match device {
            Device::Cpu => Ok(None),
            Device::Cuda(gpus) => {
                let ranges = split(operator, gpus.len());
                let place = |(gpu, voxels)| Part::new(operator, gpu, voxels, &groups, raw_sums);
                let parts = gpus.iter().zip(ranges).map(place).collect::<Result<Vec<_>>>()?;
                Ok(Some(Self { gpus: gpus.clone(), bounds, raw_sums, parts, failure: Failure::default() }))
            }
        })
    }

    /// The kernels in use and the number of lots on each GPU.
    pub(super) fn describe(&self) -> String {
        let part = |part: &Part<T>| match part.lots.len() {
            0 | 1 => "harmonics".to_owned(),
            lots => format!("harmonics in {lots} lots"),
        };
        let parts = self.parts.iter().map(part).collect::<Vec<_>>().join(", ");
        if self.failure.has_happened() { format!("{parts}, then the CPU") } else { parts }
    }

    /// Whether they are still to be used.
    pub(super) fn failure(&self) -> &Failure {
        &self.failure
    }
}

impl<T: Real> CudaOperator<T> for Harmonics<T> {
    fn gpus(&self) -> &Gpus {
        &self.on_gpus().gpus
    }

    fn rows_on(&self, n: usize) -> Range<usize> {
        let voxels = &self.on_gpus().parts[n].voxels;
        voxels.start * self.shape.samples..voxels.end * self.shape.samples
    }

    fn bounds(&self) -> Bounds {
        self.on_gpus().bounds
    }

    fn raw_sums(&self) -> Option<usize> {
        Some(self.on_gpus().raw_sums)
    }

    fn expand(&self, n: usize, stream: &Stream, raw: &Buffer<u64>, sums: &mut Buffer<u64>) -> Result<()> {
        let part = &self.on_gpus().parts[n];
        if raw.len() != self.on_gpus().raw_sums || sums.len() != self.columns() {
            return Err(misuse());
        }
        sums.zero(stream)?;
        let kernel = part.kernels.get("commit_expand")?;
        for group in &part.groups {
            if group.elements == 0 {
                continue;
            }
            let from = raw.range(group.first_raw..group.first_raw + group.elements * group.room());
            let to =
                sums.range_mut(group.first_unknown..group.first_unknown + group.elements * group.responses);
            let arguments = arguments![
                group.elements as u32,
                group.responses as u32,
                group.rank_of_all as u32,
                group.first_function as u32,
                group.rank as u32,
                from,
                &group.wide_weights,
                to,
            ];
            // SAFETY: arguments as the kernel has them; the parts have one entry for each element and function or
            // response.
            unsafe { stream.launch(&kernel, Grid::for_items(group.elements, 256), &arguments) }?;
        }
        let isotropic = self.shape.voxels * self.shape.isotropic;
        if isotropic > 0 {
            let mut to = sums.range_mut(self.shape.first_isotropic()..self.columns());
            to.copy_from_device(stream, raw.range(raw.len() - isotropic..raw.len()))?;
        }
        Ok(())
    }

    fn norms_on(&self, n: usize) -> usize {
        self.on_gpus().parts[n].voxels.len().div_ceil(TILE) * self.shape.samples.div_ceil(TILE)
    }

    fn give_up(&self) {
        self.on_gpus().failure.note();
    }

    fn products(&self, n: usize, stream: &Stream, mut what: Products<'_, T>) -> Result<()> {
        let on_gpus = self.on_gpus();
        let part = &on_gpus.parts[n];
        let (rows, norms) = (self.rows_on(n).len(), 2 * self.norms_on(n));
        let fit = what.data.len() == rows
            && what.unknowns.is_none_or(|unknowns| unknowns.len() == self.columns())
            && what
                .sums
                .as_ref()
                .is_none_or(|(sums, scale)| sums.len() == on_gpus.raw_sums && !scale.is_empty())
            && what.norms.as_ref().is_none_or(|buffer| buffer.len() == norms && what.unknowns.is_some());
        if !fit {
            return Err(misuse());
        }
        let mut scratch = part.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let scratch = &mut *scratch;
        // The product before may be in another stream.
        stream.wait(&scratch.used)?;
        if let Some(unknowns) = what.unknowns {
            part.reduce(stream, unknowns, scratch)?;
        }
        let streamed = match &part.kept {
            Some(kept) => {
                part.work(self, stream, &part.lots[0], kept.view(), scratch, &mut what)?;
                &part.lots[1..]
            }
            None => &part.lots,
        };
        if let Some(staging) = &part.staging {
            let mut staging = staging.lock().unwrap_or_else(PoisonError::into_inner);
            let bytes = |lot: usize| vec![part.bytes_of(self, &streamed[lot])];
            staging.stream(stream, streamed.len(), bytes, |lot, staged| {
                part.work(self, stream, &streamed[lot], staged.part(0), scratch, &mut what)
            })?;
        }
        stream.record(&scratch.used)?;
        Ok(())
    }
}

fn misuse() -> arcuate_core::Error {
    let problem = "a buffer does not have the length that the operator's shape asks for".to_owned();
    CudaError::Misuse { about: "COMMIT's operator".to_owned(), problem }.into()
}

/// A group of functions before it lies on a GPU.
#[derive(Clone, Copy)]
struct GroupShape {
    intra: bool,
    elements: usize,
    first_function: usize,
    rank: usize,
}

/// Functions in groups of up to four, for both kinds of compartments with an axis.
fn groups_of<T: Real>(operator: &Harmonics<T>) -> Vec<GroupShape> {
    let kinds = [
        (true, operator.shape.streamlines, operator.basis.intra.rank),
        (false, operator.shape.axes, operator.basis.extra.rank),
    ];
    kinds
        .into_iter()
        .filter(|&(_, elements, _)| elements > 0)
        .flat_map(|(intra, elements, rank)| {
            (0..rank).step_by(FUNCTIONS).map(move |first_function| GroupShape {
                intra,
                elements,
                first_function,
                rank: (rank - first_function).min(FUNCTIONS),
            })
        })
        .collect()
}

impl<T: Real> Part<T> {
    fn new(
        operator: &Harmonics<T>,
        gpu: &Gpu,
        voxels: Range<usize>,
        shapes: &[GroupShape],
        raw_sums: usize,
    ) -> Result<Self> {
        let stream = gpu.stream()?;
        let starts = &operator.segments.voxel_starts;
        let axis_starts = &operator.axis_starts;
        let (first, first_axis) = (starts[voxels.start], axis_starts[voxels.start]);
        let rows = operator.tables.rows();
        let real = size_of::<T>();

        // Units, voxel after voxel, and in a voxel group after group.
        let mut voxel_units = vec![0u32];
        let mut units: Vec<Vec<Unit>> = vec![Vec::new(); shapes.len()];
        let mut unit_starts: Vec<Vec<u32>> = vec![vec![0]; shapes.len()];
        let mut place = 0;
        for voxel in voxels.clone() {
            for (n, shape) in shapes.iter().enumerate() {
                let range = if shape.intra {
                    starts[voxel] - first..starts[voxel + 1] - first
                } else {
                    axis_starts[voxel] - first_axis..axis_starts[voxel + 1] - first_axis
                };
                for begin in range.clone().step_by(UNIT) {
                    units[n].push(Unit {
                        begin: begin as u32,
                        end: (begin + UNIT).min(range.end) as u32,
                        place,
                        voxel: (voxel - voxels.start) as u32,
                    });
                    place += 1;
                }
                unit_starts[n].push(units[n].len() as u32);
            }
            voxel_units.push(place);
        }

        let bricks = voxels.len().div_ceil(BRICK);
        let voxel_of = |brick: usize| (brick * BRICK).min(voxels.len());
        // How many units and voxels a range of bricks has, and what so many need between the steps of a product.
        let counts = |begin: usize, end: usize| {
            let (begin, end) = (voxel_of(begin), voxel_of(end));
            ((voxel_units[end] - voxel_units[begin]) as usize, end - begin)
        };
        let most = |a: (usize, usize), b: (usize, usize)| (a.0.max(b.0), a.1.max(b.1));
        let between = |(units, voxels): (usize, usize)| {
            ((units + voxels) * rows + voxels * operator.shape.samples) as u64 * real as u64
        };
        let of_bricks = (0..bricks).map(|brick| counts(brick, brick + 1)).fold((0, 0), most);
        let largest_brick = between(of_bricks);
        let budget = gpu.budget()?;
        let scratch_bytes =
            SCRATCH.min(budget / 8).max(largest_brick).min(between(counts(0, bricks)).max(largest_brick));
        let tiles = voxels.len().div_ceil(TILE) * operator.shape.samples.div_ceil(TILE);
        let reduced: usize = shapes.iter().map(|shape| shape.elements * room(shape.rank)).sum();
        let rows_here = voxels.len() * operator.shape.samples;
        // The solver that keeps most, with a penalty on every streamline.
        let groups = operator.shape.streamlines;
        let always = proximal_solver_bytes::<T>(rows_here, operator.columns(), tiles, Some(raw_sums), groups)
                + scratch_bytes
                + (reduced * real
                    + place as usize * size_of::<Unit>()
                    + (axis_starts[voxels.end] - first_axis) * size_of::<Segment>()
                    + voxels.len() * (4 + real)
                    + (2 * operator.shape.samples + 3 * FUNCTIONS + 8) * rows * real) as u64
                // Each buffer is rounded up by the driver.
                + 64 * 512;
        let segment = size_of::<Segment>() as u64;
        let plan = MemoryPlan::new("COMMIT's operator", always, bricks, |brick| {
            (starts[voxels.start + voxel_of(brick)] - first) as u64 * segment
        });
        let chunks = plan.cut(budget)?;
        drop(plan);
        // The buffers are as long as any slab needs each of them.
        let mut needed = of_bricks;
        let lots: Vec<Lot> = chunks
            .lots()
            .map(|lot| {
                let mut slabs = Vec::new();
                let mut begin = lot.start;
                while begin < lot.end {
                    let mut end = begin + 1;
                    while end < lot.end && between(most(needed, counts(begin, end + 1))) <= scratch_bytes {
                        end += 1;
                    }
                    needed = most(needed, counts(begin, end));
                    let here = voxel_of(begin)..voxel_of(end);
                    let places = voxel_units[here.start] as usize..voxel_units[here.end] as usize;
                    slabs.push(Slab { voxels: here, places });
                    begin = end;
                }
                let of = |brick: usize| starts[voxels.start + voxel_of(brick)] - first;
                Lot { segments: of(lot.start)..of(lot.end), slabs }
            })
            .collect();
        // Warps of a block wait for the longest of its units: those of equal length go together, the longest first.
        for slab in lots.iter().flat_map(|lot: &Lot| &lot.slabs) {
            for (units, starts) in units.iter_mut().zip(&unit_starts) {
                let here = starts[slab.voxels.start] as usize..starts[slab.voxels.end] as usize;
                units[here].sort_by_key(|unit| std::cmp::Reverse(unit.end - unit.begin));
            }
        }
        let slabs = || lots.iter().flat_map(|lot| &lot.slabs);
        let most_places = slabs().map(|slab| slab.places.len()).max().unwrap_or(0);
        let most_voxels = slabs().map(|slab| slab.voxels.len()).max().unwrap_or(0);

        let kernels = gpu.kernels(&IMAGES)?;
        let leading = operator.functions.leading();
        let mut first_raw = 0;
        let groups = shapes
            .iter()
            .zip(units.into_iter().zip(unit_starts))
            .map(|(shape, (units, unit_starts))| {
                let family = if shape.intra { &operator.basis.intra } else { &operator.basis.extra };
                let all = if shape.intra { &operator.tables.intra } else { &operator.tables.extra };
                let functions = shape.first_function..shape.first_function + shape.rank;
                // Voxels have few axes: blocks of several warps would wait for their first ones.
                let compiled = shape.intra.then(|| Compiled::new::<T>(operator.basis.order(), shape.rank));
                let compiled = compiled.flatten();
                let factor = |row: usize| match compiled {
                    Some(_) => leading[operator.tables.harmonic[row] as usize],
                    None => 1.0,
                };
                let mix: Vec<T> = all
                    .chunks_exact(family.rank)
                    .enumerate()
                    .flat_map(|(row, all)| all[functions.clone()].iter().map(move |&c| (row, c)))
                    .map(|(row, coefficient)| T::of(factor(row) * coefficient.wide()))
                    .collect();
                let kernel = |product: &str| {
                    let general = format!("commit_{product}_{}_{}", T::NAME, shape.rank);
                    match compiled {
                        Some(compiled) => Compiled::kernels(gpu)?.get(&compiled.name(&general)),
                        None => kernels.get(&general),
                    }
                };
                let weights: Vec<T> = family.weights.iter().map(|&w| T::of(w)).collect();
                let group = Group {
                    intra: shape.intra,
                    elements: shape.elements,
                    responses: family.responses,
                    rank_of_all: family.rank,
                    first_function: shape.first_function,
                    rank: shape.rank,
                    first_unknown: if shape.intra { 0 } else { operator.shape.first_extra() },
                    first_raw,
                    weights: gpu.upload(&stream, &weights)?,
                    wide_weights: gpu.upload(&stream, &family.weights)?,
                    mix: gpu.upload(&stream, &mix)?,
                    units: gpu.upload(&stream, &units)?,
                    unit_starts,
                    moments: kernel("moments")?,
                    adjoint: kernel("adjoint")?,
                    compiled,
                };
                first_raw += group.elements * group.room();
                Ok(group)
            })
            .collect::<Result<Vec<_>>>()?;
        let scratch = Scratch {
            reduced: groups
                .iter()
                .map(|group| gpu.alloc(group.elements * group.room()))
                .collect::<CudaResult<_>>()?,
            parts: gpu.alloc(most_places * rows)?,
            amplitudes: gpu.alloc(most_voxels * rows)?,
            image: gpu.alloc(most_voxels * operator.shape.samples)?,
            used: gpu.event()?,
        };
        let mut part = Self {
            kernels,
            tables: DeviceTables::new(operator, gpu, &stream)?,
            groups,
            voxel_units: gpu.upload(&stream, &voxel_units)?,
            voxel_scale: operator
                .voxel_scale
                .as_ref()
                .map(|scale| gpu.upload(&stream, &scale[voxels.clone()]))
                .transpose()?,
            axes: gpu.upload(&stream, &operator.axes[first_axis..axis_starts[voxels.end]])?,
            lots,
            kept: None,
            staging: None,
            scratch: Mutex::new(scratch),
            stream,
            voxels,
        };
        if !chunks.kept.is_empty() {
            let bytes = part.bytes_of(operator, &part.lots[0]);
            part.kept = Some(gpu.upload(&part.stream, bytemuck::cast_slice(bytes))?);
        }
        if !chunks.all_stay() {
            let streamed = &part.lots[usize::from(part.kept.is_some())..];
            let need = |lot: &Lot| Staging::bytes_for([part.bytes_of(operator, lot).len() as u64]);
            let bytes = streamed.iter().map(need).max().unwrap_or(0);
            part.staging = Some(Mutex::new(Staging::new(gpu, bytes)?));
        }
        Ok(part)
    }

    /// The segments of a lot on the host.
    fn bytes_of<'a>(&self, operator: &'a Harmonics<T>, lot: &Lot) -> &'a [u8] {
        let first = operator.segments.voxel_starts[self.voxels.start];
        bytemuck::cast_slice(&operator.segments.pieces[first + lot.segments.start..first + lot.segments.end])
    }

    /// The kernel of this precision.
    fn kernel(&self, name: &str) -> CudaResult<arcuate_compute::cuda::Kernel> {
        self.kernels.get(&format!("commit_{name}_{}", T::NAME))
    }

    fn reduce(&self, stream: &Stream, unknowns: &Buffer<T>, scratch: &mut Scratch<T>) -> Result<()> {
        let kernel = self.kernel("reduce")?;
        for (group, reduced) in self.groups.iter().zip(&mut scratch.reduced) {
            let from =
                unknowns.range(group.first_unknown..group.first_unknown + group.elements * group.responses);
            let arguments = arguments![
                group.elements as u32,
                group.responses as u32,
                group.rank_of_all as u32,
                group.first_function as u32,
                group.rank as u32,
                from,
                &group.weights,
                reduced,
            ];
            // SAFETY: arguments as the kernel has them; one entry for each element and response or function.
            unsafe { stream.launch(&kernel, Grid::for_items(group.elements, 256), &arguments) }?;
        }
        Ok(())
    }

    /// The products of a lot whose segments are in the GPU.
    fn work(
        &self,
        operator: &Harmonics<T>,
        stream: &Stream,
        lot: &Lot,
        segments: BufferView<'_, Segment>,
        scratch: &mut Scratch<T>,
        what: &mut Products<'_, T>,
    ) -> Result<()> {
        for slab in &lot.slabs {
            if let Some(unknowns) = what.unknowns {
                self.image(operator, stream, (lot, slab), segments, unknowns, scratch, what)?;
            }
            if what.sums.is_some() {
                self.adjoint(operator, stream, (lot, slab), segments, scratch, what)?;
            }
        }
        Ok(())
    }

    /// The grid of a kernel that gives each unit to a warp, each with so many numbers of its own.
    fn grid_of_units(&self, gpu: &Gpu, units: usize, each: usize) -> Grid {
        let real = size_of::<T>();
        let common = self.tables.steps.len() * size_of::<[T; 4]>();
        let bytes = |warps: u32| (common + warps as usize * each.next_multiple_of(16) * real) as u32;
        let mut warps = WARPS;
        while warps > 1 && bytes(warps) > gpu.shared_bytes() {
            warps /= 2;
        }
        Grid::row(units.div_ceil(warps as usize) as u32, warps * 32).shared(bytes(warps))
    }

    /// u = A x in a slab.
    #[allow(clippy::too_many_arguments)]
    fn image(
        &self,
        operator: &Harmonics<T>,
        stream: &Stream,
        (lot, slab): (&Lot, &Slab),
        segments: BufferView<'_, Segment>,
        unknowns: &Buffer<T>,
        scratch: &mut Scratch<T>,
        what: &mut Products<'_, T>,
    ) -> Result<()> {
        let (tables, shape) = (&self.tables, &operator.shape);
        let (rows, harmonics) = (operator.tables.rows(), operator.functions.count());
        let shells = operator.basis.orders.len();
        let voxels = slab.voxels.len();
        let pitch = 32 + 16 / size_of::<T>();
        for (group, reduced) in self.groups.iter().zip(&scratch.reduced) {
            let units = group.unit_starts[slab.voxels.start]..group.unit_starts[slab.voxels.end];
            if units.is_empty() {
                continue;
            }
            let (elements, first) =
                if group.intra { (segments, lot.segments.start) } else { (self.axes.view(), 0) };
            let arguments = arguments![
                units.start,
                units.len() as u32,
                first as u32,
                slab.places.start as u32,
                operator.basis.order() as u32,
                tables.steps.len() as u32,
                harmonics as u32,
                rows as u32,
                &group.units,
                elements,
                reduced,
                &tables.steps,
                &tables.harmonic,
                &group.mix,
                &mut scratch.parts,
            ];
            let grid = if let Some(compiled) = group.compiled {
                compiled.grid_of_moments(units.len())
            } else {
                let each = SLAB * pitch + WAITING * (group.rank + 3) + harmonics * group.rank;
                self.grid_of_units(stream.gpu(), units.len(), each)
            };
            // SAFETY: arguments as the kernel has them; units lie within the segments of the lot, which begin at
            // `first`, elements within the reduced unknowns, places within the parts.
            unsafe { stream.launch(&group.moments, grid, &arguments) }?;
        }
        let isotropic = if shape.isotropic > 0 {
            let first = shape.first_isotropic() + self.voxels.start * shape.isotropic;
            Argument::from(unknowns.range(first..first + self.voxels.len() * shape.isotropic))
        } else {
            Argument::null()
        };
        let scale = self.voxel_scale.as_ref().map_or(Argument::null(), Argument::from);
        let arguments = arguments![
            slab.voxels.start as u32,
            voxels as u32,
            slab.places.start as u32,
            rows as u32,
            shells as u32,
            shape.isotropic as u32,
            &self.voxel_units,
            &scratch.parts,
            &tables.shell_of,
            &tables.isotropic,
            isotropic,
            scale,
            &mut scratch.amplitudes,
        ];
        // SAFETY: as above; one amplitude for each voxel of the slab and row.
        unsafe {
            stream.launch(&self.kernel("amplitudes")?, Grid::for_items(voxels * rows, 256), &arguments)
        }?;
        let keep = what.carry && what.sums.is_some();
        let mode = if what.carry { CARRY } else { 0 } | if keep { KEEP } else { 0 };
        let image = if keep { Argument::from(&mut scratch.image) } else { Argument::null() };
        let norms = what.norms.as_deref_mut().map_or(Argument::null(), Argument::from);
        let arguments = arguments![
            mode,
            slab.voxels.start as u32,
            voxels as u32,
            rows as u32,
            shape.samples as u32,
            &tables.rows_of_samples,
            &scratch.amplitudes,
            &tables.synthesis,
            &tables.sample,
            what.data.view_mut(),
            image,
            norms,
        ];
        let grid = tile_grid(voxels, shape.samples);
        // SAFETY: as above; `products` has checked the lengths of the buffers.
        unsafe { stream.launch(&self.kernel("synthesis")?, grid, &arguments) }?;
        Ok(())
    }

    /// Aᵀu in a slab, of the image computed before or of the data.
    fn adjoint(
        &self,
        operator: &Harmonics<T>,
        stream: &Stream,
        (lot, slab): (&Lot, &Slab),
        segments: BufferView<'_, Segment>,
        scratch: &mut Scratch<T>,
        what: &mut Products<'_, T>,
    ) -> Result<()> {
        let (tables, shape) = (&self.tables, &operator.shape);
        let (rows, harmonics) = (operator.tables.rows(), operator.functions.count());
        let shells = operator.basis.orders.len();
        let voxels = slab.voxels.len();
        let image = if what.carry && what.unknowns.is_some() {
            scratch.image.view()
        } else {
            what.data.range(slab.voxels.start * shape.samples..slab.voxels.end * shape.samples)
        };
        let Some((sums, scale_of_sums)) = &mut what.sums else { return Ok(()) };
        let scale = self.voxel_scale.as_ref().map_or(Argument::null(), Argument::from);
        let arguments = arguments![
            slab.voxels.start as u32,
            voxels as u32,
            rows as u32,
            shape.samples as u32,
            &tables.samples_of_rows,
            image,
            &tables.analysis,
            &tables.sample,
            scale,
            &mut scratch.amplitudes,
        ];
        // SAFETY: arguments as the kernel has them; the image has all samples of the slab.
        unsafe { stream.launch(&self.kernel("analysis")?, tile_grid(voxels, rows), &arguments) }?;
        if shape.isotropic > 0 {
            let first = sums.len() - (shape.voxels - self.voxels.start) * shape.isotropic;
            let arguments = arguments![
                slab.voxels.start as u32,
                voxels as u32,
                rows as u32,
                shells as u32,
                shape.isotropic as u32,
                &tables.constant_row,
                &tables.isotropic,
                &scratch.amplitudes,
                *scale_of_sums,
                sums.range_mut(first..first + self.voxels.len() * shape.isotropic),
            ];
            let grid = Grid::for_items(voxels * shape.isotropic, 256);
            // SAFETY: as above; one sum for each voxel of the part and response.
            unsafe { stream.launch(&self.kernel("isotropic")?, grid, &arguments) }?;
        }
        for group in &self.groups {
            let units = group.unit_starts[slab.voxels.start]..group.unit_starts[slab.voxels.end];
            if units.is_empty() {
                continue;
            }
            let (elements, first) =
                if group.intra { (segments, lot.segments.start) } else { (self.axes.view(), 0) };
            let raw = group.first_raw..group.first_raw + group.elements * group.room();
            let arguments = arguments![
                units.start,
                units.len() as u32,
                first as u32,
                slab.voxels.start as u32,
                operator.basis.order() as u32,
                tables.steps.len() as u32,
                harmonics as u32,
                rows as u32,
                shells as u32,
                &group.units,
                elements,
                &scratch.amplitudes,
                &tables.steps,
                &tables.row_of,
                &group.mix,
                *scale_of_sums,
                sums.range_mut(raw),
            ];
            let grid = match group.compiled {
                Some(compiled) => compiled.grid_of_adjoint(units.len(), group.room()),
                None => self.grid_of_units(stream.gpu(), units.len(), harmonics * group.room()),
            };
            // SAFETY: as for the image; elements have one sum for each function.
            unsafe { stream.launch(&group.adjoint, grid, &arguments) }?;
        }
        Ok(())
    }
}

/// Tiles of voxels × columns.
fn tile_grid(voxels: usize, columns: usize) -> Grid {
    let mut grid = Grid::row(voxels.div_ceil(TILE) as u32, 256);
    grid.blocks[1] = columns.div_ceil(TILE) as u32;
    grid
}

impl<T: Real> DeviceTables<T> {
    fn new(operator: &Harmonics<T>, gpu: &Gpu, stream: &Stream) -> Result<Self> {
        /// A row or shell that there is none of, as in `kernels.cu`.
        const NONE: u32 = u32::MAX;
        let tables = &operator.tables;
        let (rows, samples) = (tables.rows(), operator.shape.samples);
        let harmonics = operator.functions.count();
        let mut steps = Vec::new();
        for (_, first, of_order) in operator.functions.recurrences() {
            steps.push([first, 0.0, 0.0, 0.0].map(T::of));
            let next = |s: &Step| [s.square, s.constant, s.before, 0.0].map(T::of);
            steps.extend(of_order.iter().map(next));
        }
        let shells = tables.constant_row.len();
        let mut row_of = vec![NONE; shells * harmonics];
        let mut shell_of = vec![NONE; rows];
        let mut row = 0;
        for (shell, &order) in operator.basis.orders.iter().enumerate() {
            for _ in 0..super::EvenHarmonics::count_up_to(order) {
                row_of[shell * harmonics + tables.harmonic[row] as usize] = row as u32;
                row += 1;
            }
            shell_of[tables.constant_row[shell]] = shell as u32;
        }
        let mut analysis = vec![T::zero(); tables.synthesis.len()];
        for row in 0..rows {
            for sample in 0..samples {
                analysis[sample * rows + row] = tables.synthesis[row * samples + sample];
            }
        }
        let transposed: Vec<_> = tables.blocks.iter().map(|(s, r)| (r.clone(), s.clone())).collect();
        let constant_row: Vec<u32> = tables.constant_row.iter().map(|&row| row as u32).collect();
        Ok(Self {
            steps: gpu.upload(stream, &steps)?,
            harmonic: gpu.upload(stream, &tables.harmonic)?,
            row_of: gpu.upload(stream, &row_of)?,
            shell_of: gpu.upload(stream, &shell_of)?,
            constant_row: gpu.upload(stream, &constant_row)?,
            isotropic: gpu.upload(stream, &tables.isotropic)?,
            sample: gpu.upload(stream, &tables.sample)?,
            synthesis: gpu.upload(stream, &tables.synthesis)?,
            analysis: gpu.upload(stream, &analysis)?,
            rows_of_samples: gpu.upload(stream, &tile_ranges(samples, &tables.blocks))?,
            samples_of_rows: gpu.upload(stream, &tile_ranges(rows, &transposed))?,
        })
    }
}

/// For each tile of columns, where its inner indices begin and end that are not 0 in all of them. `blocks` are the
/// ranges of columns and inner indices in which the matrix is not 0.
fn tile_ranges(columns: usize, blocks: &[(Range<usize>, Range<usize>)]) -> Vec<u32> {
    let mut ranges = Vec::new();
    for first in (0..columns).step_by(TILE) {
        let touched = blocks.iter().filter(|(of, _)| of.start < first + TILE && of.end > first);
        let (begin, end) = touched
            .fold((usize::MAX, 0), |(begin, end), (_, inner)| (begin.min(inner.start), end.max(inner.end)));
        ranges.extend([begin.min(end) as u32, end as u32]);
    }
    ranges
}

/// The voxels of each of `parts` GPUs: whole bricks, about the same number of segments.
fn split<T: Real>(operator: &Harmonics<T>, parts: usize) -> Vec<Range<usize>> {
    // A voxel costs as much as some segments, even without any.
    const VOXEL: usize = 64;
    let voxels = operator.shape.voxels;
    let bricks = voxels.div_ceil(BRICK);
    let voxel_of = |brick: usize| (brick * BRICK).min(voxels);
    let cost = |voxel: usize| operator.segments.voxel_starts[voxel] + VOXEL * voxel;
    let mut ranges = Vec::with_capacity(parts);
    let mut begin = 0;
    for part in 1..=parts {
        let target = cost(voxels) * part / parts;
        let mut end = begin;
        while end < bricks && (part == parts || cost(voxel_of(end)) < target) {
            end += 1;
        }
        ranges.push(voxel_of(begin)..voxel_of(end));
        begin = end;
    }
    ranges
}

/// Bounds of the products from lengths and the largest values of responses, the same on any number of threads.
fn bounds<T: Real>(operator: &Harmonics<T>) -> Bounds {
    let (intra, extra) = (&operator.basis.intra, &operator.basis.extra);
    let isotropic: Vec<f64> = operator.tables.isotropic.iter().map(|v| v.wide().abs()).collect();
    let shells = operator.tables.constant_row.len().max(1);
    // A mean that is taken out can double a value.
    let demeaned = 2.0;
    let scale = |voxel: usize| operator.voxel_scale.as_ref().map_or(1.0, |scale| scale[voxel].wide().abs());
    let length =
        |segment: &Segment| segment.piece.iter().map(|&c| f64::from(c) * f64::from(c)).sum::<f64>().sqrt();
    let constant = (0..shells)
        .map(|shell| isotropic.iter().skip(shell).step_by(shells).sum::<f64>())
        .fold(0.0, f64::max);
    let image = (0..operator.shape.voxels)
        .into_par_iter()
        .map(|voxel| {
            let total: f64 = operator.segments.of_voxel(voxel).iter().map(length).sum();
            let axes = (operator.axis_starts[voxel + 1] - operator.axis_starts[voxel]) as f64;
            scale(voxel) * (total * intra.largest_sum() + axes * extra.largest_sum() + constant)
        })
        .reduce(|| 0.0, f64::max);
    let largest_scale = (0..operator.shape.voxels).map(scale).fold(0.0, f64::max);
    let column = largest_scale
        * largest_column_sum(
            operator.shape.streamlines,
            operator.segments.pieces.par_iter().map(|s| (s.streamline as usize, length(s))),
        );
    let samples = operator.shape.samples as f64;
    let of_family = |family: &super::basis::Family, amount: f64| {
        amount * samples * family.largest() * family.largest_row().max(1.0)
    };
    let of_voxel = largest_scale * samples * isotropic.iter().copied().fold(0.0, f64::max);
    let adjoint = of_family(intra, column).max(of_family(extra, largest_scale)).max(of_voxel);
    // A little above, for the rounding of these sums and of the products themselves.
    Bounds { image: 1.001 * demeaned * image, adjoint: 1.001 * demeaned * adjoint }
}
