//! The products on GPUs: voxels split between them, segments in their memory or, where that is too small, streamed
//! through it.
#![allow(unsafe_code)]

use super::bounds::bounds;
use super::device_tables::{Group, IMAGES, Resident, TILE};
use super::units::{BRICK, GroupShape, Slab, Slabs, Units};
use super::{Harmonics, Segment};
use arcuate_compute::cuda::{
    Argument, Buffer, BufferView, CudaError, CudaResult, Event, Gpu, Grid, Kernel, Kernels, Lots, Stream,
};
use arcuate_compute::{MemoryPlan, arguments};
use arcuate_core::{Error, Result};
use arcuate_solve::{Bounds, LinearOperator, Part, Products, Real, Sizes, solver_bytes, split_bricks};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// What messages begin with.
const NAME: &str = "COMMIT";
/// Warps of a block at most.
const WARPS: u32 = 4;
/// Rows of harmonics that a warp keeps at once, and numbers it keeps of each of 64 segments, as in `kernels.cu`.
const SLAB: usize = 64;
const WAITING: usize = 64;
/// What a synthesis does with the image, as in `kernels.cu`.
const CARRY: u32 = 1;
const KEEP: u32 = 2;

/// The voxels of one GPU.
pub(super) struct HarmonicsPart<T: Real> {
    voxels: Range<usize>,
    kernels: Kernels,
    resident: Resident<T>,
    /// For each group the first of its units of each voxel, and the end.
    unit_starts: Vec<Vec<u32>>,
    lots: Lots,
    /// Of each lot.
    slabs: Vec<Vec<Slab>>,
    scratch: Mutex<Scratch<T>>,
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

/// A slab whose segments are in the GPU, and what its products need.
struct Work<'a, T: Real> {
    operator: &'a Harmonics<T>,
    stream: &'a Stream,
    slab: &'a Slab,
    segments: BufferView<'a, Segment>,
    /// The number of the first of these among those of the GPU.
    first_segment: usize,
}

fn misuse() -> Error {
    let problem = "a buffer does not have the length that the operator's shape asks for".to_owned();
    CudaError::Misuse { about: NAME.to_owned(), problem }.into()
}

impl<T: Real> Part for HarmonicsPart<T> {
    type Real = T;
    type Operator = Harmonics<T>;
    type Options = ();

    fn name(_: &Harmonics<T>) -> &str {
        NAME
    }

    /// Whole bricks of voxels, about the same number of segments.
    fn split(operator: &Harmonics<T>, gpus: usize) -> Vec<Range<usize>> {
        // A voxel costs as much as some segments, even without any.
        const VOXEL: usize = 64;
        let voxel_of = |brick: usize| (brick * BRICK).min(operator.shape.voxels);
        let cost = |voxel: usize| operator.segments.voxel_starts[voxel] + VOXEL * voxel;
        split_bricks(operator.shape.voxels.div_ceil(BRICK), gpus, |brick| cost(voxel_of(brick)))
            .map(|bricks| voxel_of(bricks.start)..voxel_of(bricks.end))
            .collect()
    }

    fn place(operator: &Harmonics<T>, gpu: &Gpu, gpus: usize, voxels: Range<usize>, (): ()) -> Result<Self> {
        let starts = &operator.segments.voxel_starts[voxels.start..=voxels.end];
        // Kernels count in 32 bits: elements, segments, units, rows of the matrix.
        let counted = [operator.columns(), starts[voxels.len()] - starts[0], operator.tables.synthesis.len()];
        if counted.iter().any(|&count| u32::try_from(count).is_err()) {
            let problem = "the problem has more unknowns or segments on one GPU than its kernels count";
            return Err(Error::device(
                NAME,
                problem,
                "share the work between more GPUs, or use --device cpu",
            ));
        }
        let stream = gpu.stream()?;
        let groups = GroupShape::all(operator);
        let mut units = Units::new(operator, &voxels, &groups);
        let resident =
            |gpu: &Gpu, units: &Units| Resident::new(operator, gpu, &stream, &voxels, &groups, units);
        let reduced = |gpu: &Gpu| -> CudaResult<Vec<Buffer<T>>> {
            groups.iter().map(|group| gpu.alloc(group.len())).collect()
        };
        let (rows, samples) = (operator.tables.rows(), operator.shape.samples);
        let places = units.places.clone();
        let slabs = Slabs { places: &places, numbers: [rows, rows + samples], real: size_of::<T>() };
        let budget = gpu.budget()?;
        let scratch_bytes = slabs.scratch_bytes(budget);
        let sizes = Sizes {
            rows: voxels.len() * samples,
            columns: operator.columns(),
            norms: norms(voxels.len(), samples),
            raw_sums: Self::raw_sums(operator),
            gpus,
        };
        let always = gpu.bytes_of(|gpu| Ok((resident(gpu, &units)?, reduced(gpu)?)))?
            + solver_bytes::<T>(gpu, &sizes)?
            + scratch_bytes
            // Rounding of the three buffers of these.
            + 3 * 512
            + Lots::PADDING;
        let before = |brick: usize| starts[slabs.voxel_of(brick)] - starts[0];
        let bytes_before = |brick: usize| (before(brick) * size_of::<Segment>()) as u64;
        let chunks = MemoryPlan::new(NAME, always, slabs.bricks(), bytes_before).cut(budget)?;
        let (slabs_of_lots, between) = slabs.cut(chunks.lots(), scratch_bytes);
        units.sort_within(slabs_of_lots.iter().flatten());
        let scratch = Scratch {
            reduced: reduced(gpu)?,
            parts: gpu.alloc(between.units * rows)?,
            amplitudes: gpu.alloc(between.voxels * rows)?,
            image: gpu.alloc(between.voxels * samples)?,
            used: gpu.event()?,
        };
        let resident = resident(gpu, &units)?;
        let lots = Lots::place(gpu, &stream, &chunks, |bricks| of_bricks(operator, &voxels, &bricks))?;
        Ok(Self {
            voxels,
            kernels: gpu.kernels(&IMAGES)?,
            resident,
            unit_starts: units.starts,
            lots,
            slabs: slabs_of_lots,
            scratch: Mutex::new(scratch),
        })
    }

    fn rows(&self, operator: &Harmonics<T>) -> Range<usize> {
        self.voxels.start * operator.shape.samples..self.voxels.end * operator.shape.samples
    }

    fn norms(&self, operator: &Harmonics<T>) -> usize {
        norms(self.voxels.len(), operator.shape.samples)
    }

    fn bounds(operator: &Harmonics<T>) -> Bounds {
        bounds(operator)
    }

    fn raw_sums(operator: &Harmonics<T>) -> Option<usize> {
        let of_groups: usize = GroupShape::all(operator).iter().map(GroupShape::len).sum();
        Some(of_groups + operator.shape.voxels * operator.shape.isotropic)
    }

    fn expand(
        &self,
        operator: &Harmonics<T>,
        stream: &Stream,
        raw: &Buffer<u64>,
        sums: &mut Buffer<u64>,
    ) -> Result<()> {
        if Some(raw.len()) != Self::raw_sums(operator) || sums.len() != operator.columns() {
            return Err(misuse());
        }
        sums.zero(stream)?;
        let kernel = self.kernels.get("commit_expand")?;
        for group in &self.resident.groups {
            if group.shape.elements == 0 {
                continue;
            }
            let arguments = arguments![
                group.shape.elements as u32,
                group.responses as u32,
                group.rank_of_all as u32,
                group.shape.first_function as u32,
                group.shape.rank as u32,
                raw.range(group.raw.clone()),
                &group.wide_weights,
                sums.range_mut(group.unknowns.clone()),
            ];
            // SAFETY: arguments as the kernel has them; the parts have one entry for each element and function or
            // response.
            unsafe { stream.launch(&kernel, Grid::for_items(group.shape.elements, 256), &arguments) }?;
        }
        let isotropic = operator.shape.voxels * operator.shape.isotropic;
        if isotropic > 0 {
            let mut to = sums.range_mut(operator.shape.first_isotropic()..operator.columns());
            to.copy_from_device(stream, raw.range(raw.len() - isotropic..raw.len()))?;
        }
        Ok(())
    }

    fn products(&self, operator: &Harmonics<T>, stream: &Stream, mut what: Products<'_, T>) -> Result<()> {
        let raw_sums = Self::raw_sums(operator).unwrap_or(0);
        if !what.fit(self.rows(operator).len(), operator.columns(), raw_sums, self.norms(operator)) {
            return Err(misuse());
        }
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let scratch = &mut *scratch;
        // The product before may be in another stream.
        stream.wait(&scratch.used)?;
        if let Some(unknowns) = what.unknowns {
            self.reduce(stream, unknowns, scratch)?;
        }
        let of_bricks = |bricks| of_bricks(operator, &self.voxels, &bricks);
        self.lots.each(stream, of_bricks, |lot, staged| {
            let first_brick = self.lots.items()[lot].start;
            for slab in &self.slabs[lot] {
                let first = segments_before(operator, &self.voxels, first_brick);
                let segments = staged.part(0);
                let work = Work { operator, stream, slab, segments, first_segment: first };
                if let Some(unknowns) = what.unknowns {
                    self.image(&work, unknowns, scratch, &mut what)?;
                }
                if what.sums.is_some() {
                    self.adjoint(&work, scratch, &mut what)?;
                }
            }
            Ok(())
        })?;
        Ok(stream.record(&scratch.used)?)
    }

    fn streamed_from<'a>(&'a self, operator: &'a Harmonics<T>) -> Vec<&'a [u8]> {
        if self.lots.are_streamed() {
            vec![bytemuck::cast_slice(&operator.segments.pieces)]
        } else {
            Vec::new()
        }
    }

    fn describe(&self) -> String {
        match self.lots.len() {
            0 | 1 => "harmonics".to_owned(),
            lots => format!("harmonics in {lots} lots"),
        }
    }
}

/// Pairs of norms: one for each tile of voxels and samples.
fn norms(voxels: usize, samples: usize) -> usize {
    voxels.div_ceil(TILE) * samples.div_ceil(TILE)
}

/// The segments of `voxels` before one of their bricks.
fn segments_before<T: Real>(operator: &Harmonics<T>, voxels: &Range<usize>, brick: usize) -> usize {
    let starts = &operator.segments.voxel_starts;
    starts[(voxels.start + brick * BRICK).min(voxels.end)] - starts[voxels.start]
}

/// The segments of some bricks of `voxels` on the host.
fn of_bricks<'a, T: Real>(
    operator: &'a Harmonics<T>,
    voxels: &Range<usize>,
    bricks: &Range<usize>,
) -> Vec<&'a [u8]> {
    let first = operator.segments.voxel_starts[voxels.start];
    let [begin, end] = [bricks.start, bricks.end].map(|n| first + segments_before(operator, voxels, n));
    vec![bytemuck::cast_slice(&operator.segments.pieces[begin..end])]
}

impl<T: Real> HarmonicsPart<T> {
    /// The kernel of this precision.
    fn kernel(&self, name: &str) -> CudaResult<Kernel> {
        self.kernels.get(&format!("commit_{name}_{}", T::NAME))
    }

    fn reduce(&self, stream: &Stream, unknowns: &Buffer<T>, scratch: &mut Scratch<T>) -> Result<()> {
        let kernel = self.kernel("reduce")?;
        for (group, reduced) in self.resident.groups.iter().zip(&mut scratch.reduced) {
            let arguments = arguments![
                group.shape.elements as u32,
                group.responses as u32,
                group.rank_of_all as u32,
                group.shape.first_function as u32,
                group.shape.rank as u32,
                unknowns.range(group.unknowns.clone()),
                &group.weights,
                reduced,
            ];
            // SAFETY: arguments as the kernel has them; one entry for each element and response or function.
            unsafe { stream.launch(&kernel, Grid::for_items(group.shape.elements, 256), &arguments) }?;
        }
        Ok(())
    }

    /// The units of a group in a slab.
    fn units(&self, group: usize, slab: &Slab) -> Range<u32> {
        let starts = &self.unit_starts[group];
        starts[slab.voxels.start]..starts[slab.voxels.end]
    }

    /// The elements of a group that are there, and the number of the first among those of the GPU.
    fn elements<'a>(&'a self, group: &Group<T>, work: &Work<'a, T>) -> (BufferView<'a, Segment>, u32) {
        if group.shape.intra {
            (work.segments, work.first_segment as u32)
        } else {
            (self.resident.axes.view(), 0)
        }
    }

    /// What the rows of each voxel are multiplied with, or null.
    fn voxel_scale(&self) -> Argument<'_> {
        self.resident.voxel_scale.as_ref().map_or(Argument::null(), Argument::from)
    }

    /// The grid of a kernel that gives each unit to a warp, each with so many numbers of its own.
    fn grid_of_units(&self, gpu: &Gpu, units: usize, each: usize) -> Grid {
        let real = size_of::<T>();
        let common = self.resident.tables.steps.len() * size_of::<[T; 4]>();
        let bytes = |warps: u32| (common + warps as usize * each.next_multiple_of(16) * real) as u32;
        let mut warps = WARPS;
        while warps > 1 && bytes(warps) > gpu.shared_bytes() {
            warps /= 2;
        }
        Grid::row(units.div_ceil(warps as usize) as u32, warps * 32).shared(bytes(warps))
    }

    /// u = A x in a slab.
    fn image(
        &self,
        work: &Work<'_, T>,
        unknowns: &Buffer<T>,
        scratch: &mut Scratch<T>,
        what: &mut Products<'_, T>,
    ) -> Result<()> {
        let &Work { operator, stream, slab, .. } = work;
        let (tables, shape) = (&self.resident.tables, &operator.shape);
        let (rows, harmonics) = (operator.tables.rows(), operator.functions.count());
        let shells = operator.basis.orders.len();
        let voxels = slab.voxels.len();
        let pitch = 32 + 16 / size_of::<T>();
        for (n, (group, reduced)) in self.resident.groups.iter().zip(&scratch.reduced).enumerate() {
            let units = self.units(n, slab);
            if units.is_empty() {
                continue;
            }
            let (elements, first) = self.elements(group, work);
            let arguments = arguments![
                units.start,
                units.len() as u32,
                first,
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
                let rank = group.shape.rank;
                let each = SLAB * pitch + WAITING * (rank + 3) + harmonics * rank;
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
        let arguments = arguments![
            slab.voxels.start as u32,
            voxels as u32,
            slab.places.start as u32,
            rows as u32,
            shells as u32,
            shape.isotropic as u32,
            &self.resident.voxel_units,
            &scratch.parts,
            &tables.shell_of,
            &tables.isotropic,
            isotropic,
            self.voxel_scale(),
            &mut scratch.amplitudes,
        ];
        let grid = Grid::for_items(voxels * rows, 256);
        // SAFETY: as above; one amplitude for each voxel of the slab and row.
        unsafe { stream.launch(&self.kernel("amplitudes")?, grid, &arguments) }?;
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
        work: &Work<'_, T>,
        scratch: &mut Scratch<T>,
        what: &mut Products<'_, T>,
    ) -> Result<()> {
        let &Work { operator, stream, slab, .. } = work;
        let (tables, shape) = (&self.resident.tables, &operator.shape);
        let (rows, harmonics) = (operator.tables.rows(), operator.functions.count());
        let shells = operator.basis.orders.len();
        let voxels = slab.voxels.len();
        let image = if what.carry && what.unknowns.is_some() {
            scratch.image.view()
        } else {
            what.data.range(slab.voxels.start * shape.samples..slab.voxels.end * shape.samples)
        };
        let Some((sums, scale_of_sums)) = &mut what.sums else { return Ok(()) };
        let arguments = arguments![
            slab.voxels.start as u32,
            voxels as u32,
            rows as u32,
            shape.samples as u32,
            &tables.samples_of_rows,
            image,
            &tables.analysis,
            &tables.sample,
            self.voxel_scale(),
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
        for (n, group) in self.resident.groups.iter().enumerate() {
            let units = self.units(n, slab);
            if units.is_empty() {
                continue;
            }
            let (elements, first) = self.elements(group, work);
            let arguments = arguments![
                units.start,
                units.len() as u32,
                first,
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
                sums.range_mut(group.raw.clone()),
            ];
            let grid = match group.compiled {
                Some(compiled) => compiled.grid_of_adjoint(units.len(), group.shape.room()),
                None => self.grid_of_units(stream.gpu(), units.len(), harmonics * group.shape.room()),
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
