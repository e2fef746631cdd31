//! Computes the metric field on GPUs from tensors in host memory. The field stays in GPU memory.
#![allow(unsafe_code)]

use super::repair::{CHUNK, Repair, SharpenedSide};
use super::values::{Counts, Recipe, Scale, VoxelValue};
use super::{Nodes, Plan, Repairs, Row, THESIS_ROWS, kernels, what};
use crate::geodesic::options::{Field, GeodesicOptions};
use arcuate_compute::cuda::{
    Buffer, Clock, CudaResult, Gpu, Gpus, Grid, Input, Output, Pinned, Stream, Transfer, on_each,
};
use arcuate_core::{Mask, Result, Volume, narrow};
use arcuate_numbers::Real;

/// Nodes of the metric field, in GPU memory. If they do not fit there, they are in page-locked host memory
/// that the GPU reads over the bus.
#[derive(Debug)]
pub(in crate::geodesic) enum Rows<T: Real> {
    There(Buffer<T>),
    Here(Pinned<T>),
}

impl<T: Real> Rows<T> {
    fn of(gpu: &Gpu, stream: &Stream, transfer: &mut Transfer, rows: &[Row<T>]) -> CudaResult<Self> {
        let numbers: &[T] = bytemuck::cast_slice(rows);
        let fits = size_of_val(numbers) as u64 <= gpu.budget()?.saturating_sub(WORK_BYTES);
        Ok(if fits { Self::There(transfer.upload(stream, numbers)?) } else { Self::Here(gpu.pin(numbers)?) })
    }

    pub(in crate::geodesic) fn input(&self) -> Input<'_, T> {
        match self {
            Self::There(buffer) => buffer.into(),
            Self::Here(pinned) => pinned.into(),
        }
    }
}

/// Number of bytes of GPU memory that are kept free for rays when the nodes of the field are placed there.
const WORK_BYTES: u64 = 1 << 26;

/// Number of threads in a block, as in `kernels.cu`.
const THREADS: u32 = 256;
const LINE_THREADS: u32 = 128;
const CHUNKS_OF_BLOCK: usize = 4;
const ROWS_OF_BLOCK: usize = 128;

/// The metric field on one GPU.
#[derive(Debug)]
pub(in crate::geodesic) struct OnGpu<T: Real> {
    pub(in crate::geodesic) gpu: Gpu,
    pub(in crate::geodesic) rows: Rows<T>,
    /// Metric field with which connectivity is measured, if it differs from the field of the rays.
    pub(in crate::geodesic) plain: Option<Rows<T>>,
    /// Time for the computation of the field; `None` if the GPU did not compute it.
    pub(in crate::geodesic) times: Option<PreparationTimes>,
}

/// Time for the computation of the field.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PreparationTimes {
    /// Duration of the upload of the tensors, in seconds.
    pub upload: f64,
    /// Duration of the kernels, in seconds.
    pub kernels: f64,
}

/// State of a GPU between the two parts of the computation of the metric field.
struct PartialResult {
    gpu: Gpu,
    stream: Stream,
    transfer: Transfer,
    tensors: Buffer<f32>,
    mask: Option<Buffer<u8>>,
    planes: Buffer<f64>,
    /// Durations of the upload of the tensors and of the first kernel, in seconds.
    spent: [f64; 2],
}

/// Returns true if every GPU has enough memory to compute the metric field.
pub(in crate::geodesic) fn fits<T: Real>(
    gpus: &Gpus,
    tensor: &Volume<f32>,
    options: &GeodesicOptions,
) -> CudaResult<bool> {
    let shape = tensor.grid().shape();
    let voxels = tensor.grid().len() as u64;
    let nodes: u64 = shape.iter().map(|&n| (n + 2 * super::MARGIN) as u64).product();
    // Bytes per voxel for tensors, mask, factors and planes. The sums of the mean diffusivities take
    // negligible memory.
    let of_voxels = voxels * (6 * 4 + 1 + 8 + 6 * 8);
    let rows = if options.field == Field::Thesis { THESIS_ROWS as u64 } else { 1 };
    let of_nodes = nodes * (rows + 1) * size_of::<Row<T>>() as u64;
    // The kernels count lines with 64-bit integers, and the voxels along an axis with 31-bit integers.
    let numbered = shape.iter().all(|&n| i32::try_from(n + 2 * super::MARGIN).is_ok());
    Ok(numbered && of_voxels + of_nodes + WORK_BYTES <= gpus.budget()?)
}

/// Computes the metric field on each GPU. Returns the plan of the field, the field of each GPU, and the
/// numbers of repaired tensors.
pub(in crate::geodesic) fn on_gpus<'a, T: Real>(
    tensor: &'a Volume<f32>,
    options: &'a GeodesicOptions,
    gpus: &Gpus,
) -> Result<(Plan<'a>, Vec<OnGpu<T>>, Repairs)> {
    let halves = on_each(gpus.iter(), |_, gpu| first_half(gpu, tensor, options.mask.as_ref()))?;
    let (repairs, halves): (Vec<Repair>, Vec<PartialResult>) = halves.into_iter().unzip();
    // Every GPU computes the same repair.
    let plan = Plan::new(tensor, options, repairs[0])?;
    let made = on_each(halves, |_, half| Ok(half.finish(&plan)?))?;
    let repairs = plan.repairs(made[0].1);
    Ok((plan, made.into_iter().map(|(field, _)| field).collect(), repairs))
}

/// Uploads nodes of the metric field that the CPU computed to each GPU.
pub(in crate::geodesic) fn of_nodes<T: Real>(gpus: &Gpus, nodes: &Nodes<T>) -> Result<Vec<OnGpu<T>>> {
    on_each(gpus.iter(), |_, gpu| {
        let stream = gpu.stream()?;
        let mut transfer = Transfer::new(gpu, usize::MAX)?;
        let rows = Rows::of(gpu, &stream, &mut transfer, &nodes.rows)?;
        let plain = nodes.plain.as_deref();
        let plain = plain.map(|rows| Rows::of(gpu, &stream, &mut transfer, rows)).transpose()?;
        stream.synchronize()?;
        Ok(OnGpu { gpu: gpu.clone(), rows, plain, times: None })
    })
}

/// Uploads the tensors of the image and computes their mean diffusivity.
fn first_half(gpu: &Gpu, tensor: &Volume<f32>, mask: Option<&Mask>) -> Result<(Repair, PartialResult)> {
    let voxels = tensor.grid().len();
    let chunks = voxels.div_ceil(CHUNK);
    let stream = gpu.stream()?;
    let mut transfer = Transfer::new(gpu, usize::MAX)?;
    let (mut sums, mut counts) = (gpu.alloc(chunks)?, gpu.alloc(chunks)?);
    let planes = gpu.alloc(6 * voxels)?;
    let clock = Clock::start(&stream)?;
    let tensors = transfer.upload(&stream, tensor.values())?;
    let flags = mask.map(|mask| bytemuck::cast_slice(mask.flags()));
    let mask = flags.map(|flags| transfer.upload(&stream, flags)).transpose()?;
    let upload = clock.stop(&stream)?;
    let clock = Clock::start(&stream)?;
    let blocks = narrow::<u32>(chunks.div_ceil(CHUNKS_OF_BLOCK));
    // SAFETY:
    // `tensors` has six numbers and `mask` one flag for each voxel, and `sums` and `counts` have one element
    // for each chunk of voxels.
    unsafe {
        kernels::geodesic_means(
            &stream,
            Grid::row(blocks, LINE_THREADS),
            voxels as u64,
            &tensors,
            mask.as_ref(),
            &mut sums,
            &mut counts,
        )
    }?;
    let spent = [upload, clock.stop(&stream)?];
    let repair = Repair::of_sums(&sums.to_vec(&stream)?, &counts.to_vec(&stream)?)?;
    Ok((repair, PartialResult { gpu: gpu.clone(), stream, transfer, tensors, mask, planes, spent }))
}

impl PartialResult {
    /// Computes the nodes of the metric field from the tensors.
    fn finish<T: Real>(mut self, plan: &Plan) -> CudaResult<(OnGpu<T>, Counts)> {
        let factors = plan.factors.as_deref();
        let factors = factors.map(|all| self.transfer.upload(&self.stream, all)).transpose()?;
        let nodes = plan.frame.nodes() * 8;
        let mut rows =
            self.gpu.alloc::<T>(if plan.field() == Field::Thesis { nodes * THESIS_ROWS } else { nodes })?;
        let mut plain = plan.plain.as_ref().map(|_| self.gpu.alloc::<T>(nodes)).transpose()?;
        let mut counts = self.gpu.alloc::<u32>(3)?;
        let clock = Clock::start(&self.stream)?;
        self.rows(plan, plan.field(), &plan.own, factors.as_ref(), (&mut counts).into(), &mut rows)?;
        if let (Some(rows), Some(recipe)) = (&mut plain, &plan.plain) {
            self.rows(plan, plan.plain_field(), recipe, None, Output::none(), rows)?;
        }
        let kernels = self.spent[1] + clock.stop(&self.stream)?;
        let times = Some(PreparationTimes { upload: self.spent[0], kernels });
        let counts = counts.to_vec(&self.stream)?;
        let counts = [0, 1, 2].map(|kind| u64::from(counts[kind]));
        Ok((OnGpu { gpu: self.gpu, rows: Rows::There(rows), plain: plain.map(Rows::There), times }, counts))
    }

    fn rows<T: Real>(
        &mut self,
        plan: &Plan,
        field: Field,
        recipe: &Recipe,
        factors: Option<&Buffer<f64>>,
        counts: Output<'_, u32>,
        rows: &mut Buffer<T>,
    ) -> CudaResult<()> {
        let shape = plan.frame.shape;
        let voxels = shape.iter().product::<usize>();
        let kind = u32::from(what(field) == VoxelValue::Logarithm);
        // SAFETY: `tensors` and `planes` have six numbers for each voxel, `mask` and `factors` have one element for
        // each voxel, and `counts` has three elements.
        unsafe {
            kernels::geodesic_values(
                [kind],
                &self.stream,
                Grid::for_items(voxels, THREADS),
                recipe.of_kernels(&plan.frame.to_mm),
                voxels as u64,
                &self.tensors,
                factors,
                self.mask.as_ref(),
                &mut self.planes,
                counts,
            )
        }?;
        if field == Field::Spline {
            self.prefilter(shape)?;
        }
        let grid = Grid::for_items(plan.frame.nodes(), THREADS);
        let lattice =
            kernels::Lattice { shape: shape.map(narrow::<u32>), mirrors: u32::from(field == Field::Spline) };
        // SAFETY: `planes` has six numbers for each voxel. `rows` has eight numbers for each node, or three rows of
        // eight with the thesis's field.
        unsafe {
            if field == Field::Thesis {
                kernels::geodesic_thesis_rows::<T>(&self.stream, grid, lattice, &self.planes, rows)
            } else {
                kernels::geodesic_rows::<T>(&self.stream, grid, lattice, &self.planes, rows)
            }
        }
    }

    /// Converts the values in the planes (six arrays with one value per voxel) to spline coefficients.
    fn prefilter(&mut self, [nx, ny, nz]: [usize; 3]) -> CudaResult<()> {
        let values = self.planes.len();
        if nx > 1 {
            let lines = values / nx;
            let grid = Grid::row(narrow::<u32>(lines.div_ceil(ROWS_OF_BLOCK)), LINE_THREADS);
            // SAFETY: `planes` consists of `lines` lines of `nx` numbers.
            unsafe {
                kernels::geodesic_prefilter_rows(
                    &self.stream,
                    grid,
                    lines as u64,
                    narrow::<u32>(nx),
                    &mut self.planes,
                )
            }?;
        }
        for (n, stride) in [(ny, nx), (nz, nx * ny)] {
            if n > 1 {
                let lines = values / n;
                let grid = Grid::for_items(lines, LINE_THREADS);
                // SAFETY: `planes` consists of `lines` lines of `n` numbers, with `stride` lines next to each other.
                unsafe {
                    kernels::geodesic_prefilter(
                        &self.stream,
                        grid,
                        lines as u64,
                        narrow::<u32>(n),
                        stride as u64,
                        &mut self.planes,
                    )
                }?;
            }
        }
        Ok(())
    }
}

impl Recipe {
    fn of_kernels(&self, to_mm: &[[f64; 3]; 3]) -> kernels::Recipe {
        let (sharpen, exponent, anisotropy) = match self.sharpening {
            None => (0, 1.0, 0.0),
            Some(s) if s.side == SharpenedSide::Below => (1, s.exponent, s.fa),
            Some(s) => (2, s.exponent, s.fa),
        };
        let scale = match self.scale {
            Scale::One => 0,
            Scale::Determinant => 1,
            Scale::Factors => 2,
        };
        kernels::Recipe {
            inverse_mean: self.repair.inverse_mean,
            gain: self.gain,
            exponent,
            anisotropy,
            to_mm: std::array::from_fn(|n| to_mm[n / 3][n % 3]),
            sharpen,
            scale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geodesic::field::SharpenedSide;
    use crate::geodesic::{Metric, Sharpening};
    use arcuate_compute::{Purpose, Random};
    use arcuate_core::{Affine, Grid as Space};

    /// Creates random tensors. Some of them need each type of repair (zero, indefinite, not finite).
    fn spoilt(shape: [usize; 3]) -> Volume<f32> {
        let rows = [[-1.9, 0.3, 0.2, 90.0], [0.25, 1.8, -0.5, -120.0], [0.15, 0.45, 2.4, -60.0]];
        let grid = Space::new(shape, Affine::from_rows(rows).unwrap()).unwrap();
        let mut tensor = Volume::filled(grid, 6, 0.0f32);
        for voxel in 0..grid.len() {
            let mut random = Random::new(3, Purpose::Resampling, voxel as u64);
            let numbers = tensor.voxel_mut(voxel);
            for (n, number) in numbers.iter_mut().enumerate() {
                let mean = if n < 3 { 1.0e-3 } else { 0.0 };
                *number = (mean + 4e-4 * random.normal()) as f32;
            }
            match voxel % 13 {
                5 => numbers.fill(0.0),
                7 => numbers[voxel % 6] = f32::NAN,
                8 => numbers[voxel % 6] = f32::INFINITY,
                9 => numbers[2] = -3e-4,
                _ => {}
            }
        }
        tensor
    }

    /// Checks that the field of a GPU is bit-identical to the field of the CPU.
    fn compare<T: Real>(gpus: &Gpus, tensor: &Volume<f32>, options: &GeodesicOptions) {
        let repair = Repair::of(tensor, options.mask.as_ref()).unwrap();
        let (nodes, repairs) = Plan::new(tensor, options, repair).unwrap().nodes::<T>();
        assert!(fits::<T>(gpus, tensor, options).unwrap());
        let (_, fields, same) = on_gpus::<T>(tensor, options, gpus).unwrap();
        assert_eq!(repairs, same);
        assert!(repairs.zero > 3 && repairs.indefinite > 3 && repairs.not_a_number > 3, "{repairs:?}");
        let bits = |numbers: &[T]| bytemuck::cast_slice::<T, u8>(numbers).to_vec();
        for field in fields {
            let stream = field.gpu.stream().unwrap();
            let there = |rows: Rows<T>| match rows {
                Rows::There(rows) => bits(&rows.to_vec(&stream).unwrap()),
                Rows::Here(_) => panic!("the field is not in the GPU"),
            };
            let GeodesicOptions { field: kind, metric, .. } = options;
            assert!(there(field.rows) == bits(bytemuck::cast_slice(&nodes.rows)), "{kind:?} {metric:?}");
            assert_eq!(field.plain.is_some(), nodes.plain.is_some());
            if let (Some(found), Some(expected)) = (field.plain, &nodes.plain) {
                assert!(there(found) == bits(bytemuck::cast_slice(expected)), "{kind:?} {metric:?}, plain");
            }
        }
    }

    #[test]
    fn gpu_fields_are_bit_identical_to_the_cpu() {
        if !arcuate_emulation::available("gpu_fields_are_bit_identical_to_the_cpu") {
            return;
        }
        let gpus = Gpus::open(&[0]).unwrap();
        // The images have lines of voxels that are shorter than the horizon of the spline filter, longer than
        // a tile of the kernel, or one voxel long.
        for shape in [[9, 8, 7], [70, 3, 4], [2, 41, 3], [33, 1, 50], [1, 30, 3], [3, 2, 31]] {
            let tensor = spoilt(shape);
            let grid = *tensor.grid();
            let mask = Mask::new(grid, (0..grid.len()).map(|voxel| voxel % 17 != 3).collect()).unwrap();
            let sharpening = |exponent, side| {
                Some(Sharpening { exponent, side, fa: if exponent > 2.0 { 0.3 } else { 0.5 } })
            };
            for field in [Field::Spline, Field::Trilinear, Field::Thesis] {
                for (metric, sharpening, gain) in [
                    (Metric::Inverse, None, 1.0),
                    (Metric::Adjugate, sharpening(2.5, SharpenedSide::Above), 3.0),
                    (Metric::Inverse, sharpening(-1.5, SharpenedSide::Below), 0.5),
                    (Metric::Conformal, None, 1.0),
                ] {
                    let mask = Some(mask.clone());
                    let options = GeodesicOptions {
                        field,
                        metric,
                        gain,
                        sharpening,
                        mask,
                        ..GeodesicOptions::default()
                    };
                    compare::<f32>(&gpus, &tensor, &options);
                    compare::<f64>(&gpus, &tensor, &GeodesicOptions { mask: None, ..options });
                }
            }
        }
    }
}
