//! The products A x and Aᵀ y of COMMIT's linear operator on GPUs. The voxels are divided among the GPUs. The
//! segments of a GPU's voxels are in its memory. If the memory is too small, segments are copied to the GPU
//! chunk by chunk during each product.
#![allow(unsafe_code)]

use super::Segment;
use super::arrays::HarmonicArrays;
use super::bounds::bounds;
use super::constants;
use super::degrees::GroupUnits;
use super::device_tables::{Group, Resident, TILE};
use super::kernels::{self, Degree, Step, Voxels, Work};
use super::units::{BRICK, GroupShape, Slab, Slabs, Units};
use arcuate_compute::MemoryPlan;
use arcuate_compute::cuda::{
    Buffer, BufferView, CudaError, CudaResult, DeviceChunks, Event, Gpu, Grid, Stream,
};
use arcuate_core::{Error, Result, narrow};
use arcuate_solve::{Bounds, LinearOperator, Part, Products, Real, Sizes, solver_bytes, split_bricks};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The name of the linear operator at the start of messages.
const NAME: &str = "COMMIT";
/// Maximum number of warps per block.
const WARPS: u32 = 4;
/// Numbers from `kernels.cu`. They are the number of harmonics, and the number of waiting segments, that a
/// warp (32 threads of a GPU) keeps in shared memory at once.
const SLAB: usize = constants::SLAB as usize;
const WAITING: usize = 64;
/// Flags of the kernel that computes the image A x. `CARRY` adds the image to the data, instead of
/// overwriting them. `KEEP` also writes the image to a separate buffer.
const CARRY: u32 = constants::CARRY;
const KEEP: u32 = constants::KEEP;

/// One GPU's part of COMMIT's linear operator, with a range of voxels.
pub(super) struct HarmonicsPart<T: Real> {
    voxels: Range<usize>,
    resident: Resident<T>,
    /// For each group of basis functions: the index of the first work unit of each voxel, and at the end the
    /// number of work units. A work unit has up to 1024 segments of one voxel.
    unit_starts: Vec<Vec<u32>>,
    chunks: DeviceChunks,
    /// For each chunk of segments, its slabs. A slab is a range of voxels that are processed together.
    slabs: Vec<Vec<Slab>>,
    scratch: Mutex<Scratch<T>>,
}

/// Buffers for the intermediate results of the products A x and Aᵀ y on a GPU.
struct Scratch<T: Real> {
    /// For each group of basis functions, the reduced unknowns z (weights of the functions).
    reduced: Vec<Buffer<T>>,
    parts: Buffer<T>,
    amplitudes: Buffer<T>,
    image: Buffer<T>,
    /// The event that marks the end of the last product that used these buffers.
    used: Event,
}

/// A slab (range of voxels that are processed together) whose segments are in GPU memory. The struct also has
/// the other inputs of the products for this slab.
struct Loaded<'a, T: Real> {
    operator: &'a HarmonicArrays<T>,
    stream: &'a Stream,
    slab: &'a Slab,
    segments: BufferView<'a, Segment>,
    /// Index of the first segment that is in GPU memory, among all segments of this GPU.
    first_segment: usize,
}

fn misuse() -> Error {
    let problem = "a buffer does not have the length that the operator's shape asks for".to_owned();
    CudaError::Misuse { about: NAME.to_owned(), problem }.into()
}

impl<T: Real> Part for HarmonicsPart<T> {
    type Real = T;
    type Operator = HarmonicArrays<T>;
    type Options = ();

    fn name(_: &HarmonicArrays<T>) -> &str {
        NAME
    }

    /// Divides the voxels into one range per GPU, with similar numbers of segments. A range consists of whole
    /// bricks (128 successive voxels).
    fn split(operator: &HarmonicArrays<T>, gpus: usize) -> Vec<Range<usize>> {
        // The cost of processing a voxel in addition to the cost of its segments, expressed as the number of
        // segments that cost as much.
        const VOXEL: usize = 64;
        let voxel_of = |brick: usize| (brick * BRICK).min(operator.layout.voxels);
        let cost = |voxel: usize| operator.segments.voxel_starts[voxel] + VOXEL * voxel;
        split_bricks(operator.layout.voxels.div_ceil(BRICK), gpus, |brick| cost(voxel_of(brick)))
            .map(|bricks| voxel_of(bricks.start)..voxel_of(bricks.end))
            .collect()
    }

    fn place(
        operator: &HarmonicArrays<T>,
        gpu: &Gpu,
        gpus: usize,
        voxels: Range<usize>,
        (): (),
    ) -> Result<Self> {
        let starts = &operator.segments.voxel_starts[voxels.start..=voxels.end];
        // Kernels use 32-bit indices of streamlines, axes, segments, work units and table rows.
        let counted = [operator.columns(), starts[voxels.len()] - starts[0], operator.tables.synthesis.len()];
        if counted.iter().any(|&count| u32::try_from(count).is_err()) {
            let problem = "the problem has more unknowns or segments on one GPU than its kernels count";
            return Err(Error::device(NAME, problem, "use more GPUs, or ‘device’ cpu"));
        }
        let stream = gpu.stream()?;
        let groups = GroupShape::all(operator);
        let mut units = Units::new(operator, &voxels, &groups);
        let resident =
            |gpu: &Gpu, units: &Units| Resident::new(operator, gpu, &stream, &voxels, &groups, units);
        let reduced = |gpu: &Gpu| -> CudaResult<Vec<Buffer<T>>> {
            groups.iter().map(|group| gpu.alloc(group.len())).collect()
        };
        let (rows, samples) = (operator.tables.rows(), operator.samples);
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
            // The allocator rounds the sizes of the three buffers for intermediate results up, each by at
            // most 512 bytes.
            + 3 * 512
            + DeviceChunks::PADDING;
        let before = |brick: usize| starts[slabs.voxel_of(brick)] - starts[0];
        let bytes_before = |brick: usize| (before(brick) * size_of::<Segment>()) as u64;
        let plan = MemoryPlan::new("COMMIT needs", always);
        let chunks = plan.keep_most(budget, slabs.bricks(), bytes_before)?;
        let (slabs_of_chunks, between) = slabs.cut(chunks.all(), scratch_bytes);
        units.sort_within(slabs_of_chunks.iter().flatten());
        let scratch = Scratch {
            reduced: reduced(gpu)?,
            parts: gpu.alloc(between.units * rows)?,
            amplitudes: gpu.alloc(between.voxels * rows)?,
            image: gpu.alloc(between.voxels * samples)?,
            used: gpu.event()?,
        };
        let resident = resident(gpu, &units)?;
        let chunks =
            DeviceChunks::new(gpu, &stream, &chunks, |bricks| of_bricks(operator, &voxels, &bricks))?;
        Ok(Self {
            voxels,
            resident,
            unit_starts: units.starts,
            chunks,
            slabs: slabs_of_chunks,
            scratch: Mutex::new(scratch),
        })
    }

    fn rows(&self, operator: &HarmonicArrays<T>) -> Range<usize> {
        self.voxels.start * operator.samples..self.voxels.end * operator.samples
    }

    fn norms(&self, operator: &HarmonicArrays<T>) -> usize {
        norms(self.voxels.len(), operator.samples)
    }

    fn bounds(operator: &HarmonicArrays<T>) -> Bounds {
        bounds(operator)
    }

    fn raw_sums(operator: &HarmonicArrays<T>) -> Option<usize> {
        let of_groups: usize = GroupShape::all(operator).iter().map(GroupShape::len).sum();
        Some(of_groups + operator.layout.voxels * operator.layout.isotropic)
    }

    fn expand(
        &self,
        operator: &HarmonicArrays<T>,
        stream: &Stream,
        raw: &Buffer<u64>,
        sums: &mut Buffer<u64>,
    ) -> Result<()> {
        if Some(raw.len()) != Self::raw_sums(operator) || sums.len() != operator.columns() {
            return Err(misuse());
        }
        sums.zero(stream)?;
        for group in &self.resident.groups {
            let grid = Grid::for_items(group.shape.elements, 256);
            let (raw, sums) = (raw.range(group.raw.clone()), sums.range_mut(group.unknowns.clone()));
            // SAFETY: the buffer of raw sums has one entry for each element and function, and `sums` has one
            // for each element and response.
            unsafe {
                kernels::commit_expand(stream, grid, group.of_functions(), raw, &group.wide_weights, sums)
            }?;
        }
        let isotropic = operator.layout.voxels * operator.layout.isotropic;
        if isotropic > 0 {
            let mut to = sums.range_mut(operator.layout.isotropic_unknowns().start..operator.columns());
            to.copy_from_device(stream, raw.range(raw.len() - isotropic..raw.len()))?;
        }
        Ok(())
    }

    fn products(
        &self,
        operator: &HarmonicArrays<T>,
        stream: &Stream,
        mut what: Products<'_, T>,
    ) -> Result<()> {
        let raw_sums = Self::raw_sums(operator).unwrap_or(0);
        if !what.fit(self.rows(operator).len(), operator.columns(), raw_sums, self.norms(operator)) {
            return Err(misuse());
        }
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let scratch = &mut *scratch;
        // Waits for the preceding product, because it may run in another CUDA stream and use the same
        // buffers.
        stream.wait(&scratch.used)?;
        if let Some(unknowns) = what.unknowns {
            self.reduce(stream, unknowns, scratch)?;
        }
        let of_bricks = |bricks| of_bricks(operator, &self.voxels, &bricks);
        self.chunks.each(stream, of_bricks, |chunk, staged| {
            let first_brick = self.chunks.items()[chunk].start;
            for slab in &self.slabs[chunk] {
                let first = segments_before(operator, &self.voxels, first_brick);
                let segments = staged.part(0);
                let loaded = Loaded { operator, stream, slab, segments, first_segment: first };
                if let Some(unknowns) = what.unknowns {
                    self.image(&loaded, unknowns, scratch, &mut what)?;
                }
                if what.sums.is_some() {
                    self.adjoint(&loaded, scratch, &mut what)?;
                }
            }
            Ok(())
        })?;
        Ok(stream.record(&scratch.used)?)
    }

    fn streamed_from<'a>(&'a self, operator: &'a HarmonicArrays<T>) -> Vec<&'a [u8]> {
        if self.chunks.are_streamed() {
            vec![bytemuck::cast_slice(&operator.segments.pieces)]
        } else {
            Vec::new()
        }
    }

    fn describe(&self) -> String {
        match self.chunks.len() {
            0 | 1 => "harmonics".to_owned(),
            chunks => format!("harmonics in {chunks} chunks"),
        }
    }
}

/// Returns the number of pairs of squared norms that the kernels write. Each tile of voxels and samples has
/// one pair.
fn norms(voxels: usize, samples: usize) -> usize {
    voxels.div_ceil(TILE) * samples.div_ceil(TILE)
}

/// Returns the number of segments between the start of the voxel range `voxels` and the start of one of its
/// bricks (128 successive voxels).
fn segments_before<T: Real>(operator: &HarmonicArrays<T>, voxels: &Range<usize>, brick: usize) -> usize {
    let starts = &operator.segments.voxel_starts;
    starts[(voxels.start + brick * BRICK).min(voxels.end)] - starts[voxels.start]
}

/// Returns the segments in some bricks of the voxel range `voxels`, in CPU memory. A brick is 128 successive
/// voxels.
fn of_bricks<'a, T: Real>(
    operator: &'a HarmonicArrays<T>,
    voxels: &Range<usize>,
    bricks: &Range<usize>,
) -> Vec<&'a [u8]> {
    let first = operator.segments.voxel_starts[voxels.start];
    let [begin, end] = [bricks.start, bricks.end].map(|n| first + segments_before(operator, voxels, n));
    vec![bytemuck::cast_slice(&operator.segments.pieces[begin..end])]
}

impl<T: Real> HarmonicsPart<T> {
    fn reduce(&self, stream: &Stream, unknowns: &Buffer<T>, scratch: &mut Scratch<T>) -> Result<()> {
        for (group, reduced) in self.resident.groups.iter().zip(&mut scratch.reduced) {
            let grid = Grid::for_items(group.shape.elements, 256);
            let unknowns = unknowns.range(group.unknowns.clone());
            // SAFETY: `unknowns` has one entry for each element and response, and `reduced` has one for each
            // element and function.
            unsafe {
                kernels::commit_reduce(stream, grid, group.of_functions(), unknowns, &group.weights, reduced)
            }?;
        }
        Ok(())
    }

    /// Returns the description of the work units of one group of basis functions in one slab (range of
    /// voxels), as a kernel argument. Returns `None` if the group has no work unit in the slab.
    fn work(&self, group: usize, loaded: &Loaded<'_, T>) -> Option<Work> {
        let &Loaded { operator, slab, first_segment, .. } = loaded;
        let starts = &self.unit_starts[group];
        let [begin, end] = [starts[slab.voxels.start], starts[slab.voxels.end]];
        (begin < end).then(|| Work {
            first_unit: begin,
            units: end - begin,
            first_segment: if self.resident.groups[group].shape.intra {
                narrow::<u32>(first_segment)
            } else {
                0
            },
            first_place: narrow::<u32>(slab.places.start),
            first_voxel: narrow::<u32>(slab.voxels.start),
            rows: narrow::<u32>(operator.tables.rows()),
            shells: narrow::<u32>(operator.basis.orders.len()),
        })
    }

    /// Returns the elements of a group of basis functions in GPU memory. They are segments for intra-axonal
    /// responses, and axes for extra-axonal responses.
    fn elements<'a>(&'a self, group: &Group<T>, loaded: &Loaded<'a, T>) -> BufferView<'a, Segment> {
        if group.shape.intra { loaded.segments } else { self.resident.axes.view() }
    }

    /// Returns the description of the voxels of a slab (range of voxels), as a kernel argument.
    fn voxels(loaded: &Loaded<'_, T>) -> Voxels {
        let &Loaded { operator, slab, .. } = loaded;
        Voxels {
            first: narrow::<u32>(slab.voxels.start),
            count: narrow::<u32>(slab.voxels.len()),
            first_place: narrow::<u32>(slab.places.start),
            rows: narrow::<u32>(operator.tables.rows()),
            shells: narrow::<u32>(operator.basis.orders.len()),
            samples: narrow::<u32>(operator.samples),
            isotropic: narrow::<u32>(operator.layout.isotropic),
        }
    }

    /// Returns the maximum degree and the number of the spherical harmonics, as arguments of the kernels that
    /// support any degree.
    fn degree(&self, operator: &HarmonicArrays<T>) -> Degree {
        Degree {
            highest: narrow::<u32>(operator.basis.order()),
            harmonics: narrow::<u32>(operator.functions.count()),
            steps: narrow::<u32>(self.resident.tables.steps.len()),
        }
    }

    /// Returns the launch grid of a kernel in which one warp (32 threads) processes one work unit. Each warp
    /// uses `each` numbers of shared memory.
    fn grid_of_units(&self, gpu: &Gpu, units: u32, each: usize) -> Grid {
        let real = size_of::<T>();
        let common = self.resident.tables.steps.len() * size_of::<Step<T>>();
        let bytes = |warps: u32| narrow::<u32>(common + warps as usize * each.next_multiple_of(16) * real);
        let mut warps = WARPS;
        while warps > 1 && bytes(warps) > gpu.shared_bytes() {
            warps /= 2;
        }
        Grid::row(units.div_ceil(warps), warps * 32).shared(bytes(warps))
    }

    /// Computes u = A x for the voxels of a slab.
    fn image(
        &self,
        loaded: &Loaded<'_, T>,
        unknowns: &Buffer<T>,
        scratch: &mut Scratch<T>,
        what: &mut Products<'_, T>,
    ) -> Result<()> {
        let &Loaded { operator, stream, .. } = loaded;
        let (tables, layout) = (&self.resident.tables, &operator.layout);
        let Scratch { reduced, parts, amplitudes, image, .. } = scratch;
        for (n, (group, reduced)) in self.resident.groups.iter().zip(&*reduced).enumerate() {
            let Some(work) = self.work(n, loaded) else { continue };
            let segments = self.elements(group, loaded);
            // SAFETY: units contain only segments of the chunk, their elements are among the reduced
            // unknowns, and their places are within `parts`.
            unsafe {
                if let Some(compiled) = group.compiled {
                    let units = GroupUnits { work, group, segments };
                    compiled.moments(stream, units, reduced, &tables.harmonic, parts)
                } else {
                    let (rank, harmonics) = (group.shape.rank, operator.functions.count());
                    let pitch = 32 + 16 / size_of::<T>();
                    let each = SLAB * pitch + WAITING * (rank + 3) + harmonics * rank;
                    kernels::commit_moments(
                        [narrow::<u32>(rank)],
                        stream,
                        self.grid_of_units(stream.gpu(), work.units, each),
                        work,
                        self.degree(operator),
                        &group.units,
                        segments,
                        reduced,
                        &tables.steps,
                        &tables.harmonic,
                        &group.mix,
                        &mut *parts,
                    )
                }
            }?;
        }
        let voxels = Self::voxels(loaded);
        let first_isotropic = layout.isotropic_unknowns().start + self.voxels.start * layout.isotropic;
        let isotropic = (layout.isotropic > 0)
            .then(|| unknowns.range(first_isotropic..first_isotropic + self.voxels.len() * layout.isotropic));
        // SAFETY: the units' places are within `parts`, and there is one amplitude for each row of each voxel
        // of the slab.
        unsafe {
            kernels::commit_amplitudes(
                stream,
                Grid::for_items(voxels.count as usize * voxels.rows as usize, 256),
                voxels,
                &self.resident.voxel_units,
                &*parts,
                &tables.shell_of,
                &tables.isotropic,
                isotropic,
                self.resident.voxel_scale.as_ref(),
                &mut *amplitudes,
            )
        }?;
        let keep = what.carry && what.sums.is_some();
        let mode = if what.carry { CARRY } else { 0 } | if keep { KEEP } else { 0 };
        // SAFETY: there is one amplitude for each row of each voxel of the slab, and `products` has checked
        // the lengths of the other buffers.
        let launched = unsafe {
            kernels::commit_synthesis(
                stream,
                tile_grid(voxels.count, voxels.samples),
                mode,
                voxels,
                &tables.rows_of_samples,
                &*amplitudes,
                &tables.synthesis,
                &tables.sample,
                what.data.view_mut(),
                keep.then_some(image),
                what.norms.as_deref_mut(),
            )
        };
        Ok(launched?)
    }

    /// Computes Aᵀu for the voxels of a slab. If the same call has computed A x, u is this product. If not, u
    /// is the data.
    fn adjoint(
        &self,
        loaded: &Loaded<'_, T>,
        scratch: &mut Scratch<T>,
        what: &mut Products<'_, T>,
    ) -> Result<()> {
        let &Loaded { operator, stream, slab, .. } = loaded;
        let (tables, layout) = (&self.resident.tables, &operator.layout);
        let Some((sums, scale)) = &mut what.sums else { return Ok(()) };
        let voxels = Self::voxels(loaded);
        let Scratch { amplitudes, image, .. } = scratch;
        let image = if what.carry && what.unknowns.is_some() {
            image.view()
        } else {
            what.data.range(slab.voxels.start * operator.samples..slab.voxels.end * operator.samples)
        };
        // SAFETY: the image has all samples of the slab's voxels, and there is one amplitude for each row of
        // each voxel.
        unsafe {
            kernels::commit_analysis(
                stream,
                tile_grid(voxels.count, voxels.rows),
                voxels,
                &tables.samples_of_rows,
                image,
                &tables.analysis,
                &tables.sample,
                self.resident.voxel_scale.as_ref(),
                &mut *amplitudes,
            )
        }?;
        if layout.isotropic > 0 {
            let first = sums.len() - (layout.voxels - self.voxels.start) * layout.isotropic;
            // SAFETY: there is one amplitude for each row of each voxel of the slab.
            // The buffer of sums has one sum for each isotropic response of each voxel on this GPU.
            unsafe {
                kernels::commit_isotropic(
                    stream,
                    Grid::for_items(slab.voxels.len() * layout.isotropic, 256),
                    voxels,
                    &tables.constant_row,
                    &tables.isotropic,
                    &*amplitudes,
                    *scale,
                    sums.range_mut(first..first + self.voxels.len() * layout.isotropic),
                )
            }?;
        }
        for (n, group) in self.resident.groups.iter().enumerate() {
            let Some(work) = self.work(n, loaded) else { continue };
            let segments = self.elements(group, loaded);
            let raw = sums.range_mut(group.raw.clone());
            // SAFETY: units contain only segments of the chunk, and `raw` has one sum for each element and
            // function.
            unsafe {
                if let Some(compiled) = group.compiled {
                    let units = GroupUnits { work, group, segments };
                    compiled.adjoint(stream, units, amplitudes, &tables.row_of, scale, raw)
                } else {
                    let each = operator.functions.count() * group.shape.room();
                    kernels::commit_adjoint(
                        [narrow::<u32>(group.shape.rank)],
                        stream,
                        self.grid_of_units(stream.gpu(), work.units, each),
                        work,
                        self.degree(operator),
                        &group.units,
                        segments,
                        &*amplitudes,
                        &tables.steps,
                        &tables.row_of,
                        &group.mix,
                        *scale,
                        raw,
                    )
                }
            }?;
        }
        Ok(())
    }
}

/// Returns the launch grid of a matrix product whose result (voxels × columns) is divided into tiles.
fn tile_grid(voxels: u32, columns: u32) -> Grid {
    let mut grid = Grid::row(voxels.div_ceil(narrow::<u32>(TILE)), 256);
    grid.blocks[1] = columns.div_ceil(narrow::<u32>(TILE));
    grid
}
