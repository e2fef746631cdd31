//! Computes the spectrum of the convolution kernel q on a GPU.
//!
//! A lag is the difference between two voxel positions. Let h be the values of q at lags of 0 and above along
//! y, with the values at the lag y = 0 halved. Then q(d) = h(d) + h(−d)*. The spectrum of q is therefore
//! twice the real part of the spectrum of h.
#![allow(unsafe_code)]

use super::constants;
use super::kernels::{self, SpectrumPlan};
use crate::transform::{AxisTransform, Lines, Maps};
use crate::{Element, Shape};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Grid, Stream, counted};
use arcuate_compute::{MemoryPlan, halve};
use arcuate_core::{Error, Result};

const THREADS: u32 = constants::THREADS;
/// Maximum number of bytes for the transforms of planes of constant x that are in memory at a time. At least
/// one plane is in memory.
const PLANES_BYTES: usize = 256 << 20;

/// The numbers of lags (differences between two voxel positions), the size of the doubled grid, and the
/// number of planes that are processed at a time.
#[derive(Clone, Copy)]
struct Size {
    /// Number of lags (differences between two voxel positions) along x, y and z. Along x and z, all lags are
    /// stored. Along y, only lags of 0 and above are stored.
    lags: [usize; 3],
    lengths: [usize; 3],
    /// Number of planes of constant x that are processed at a time.
    planes: usize,
}

struct Work<T: Element> {
    lags: Buffer<T>,
    /// The values of the Toeplitz kernel at all lags, transformed along x. Here, x is the slowest and y the
    /// fastest axis.
    along_x: Buffer<T>,
    /// Values in some planes of constant x. First, they are transformed along x and y, with y fastest. Then
    /// they are transformed along all axes, with z fastest. At the end, they contain their part of the
    /// spectrum.
    along_y: Buffer<T>,
    all: Buffer<T>,
    spectrum: Buffer<T>,
}

impl<T: Element> Work<T> {
    fn new(gpu: &Gpu, size: Size) -> CudaResult<Self> {
        let ([wx, ny, wz], [lx, ly, lz], planes) = (size.lags, size.lengths, size.planes);
        Ok(Self {
            lags: gpu.alloc(2 * wx * ny * wz)?,
            along_x: gpu.alloc(2 * lx * ny * wz)?,
            along_y: gpu.alloc(2 * planes * wz * ly)?,
            all: gpu.alloc(2 * planes * ly * lz)?,
            spectrum: gpu.alloc(planes * ly * lz)?,
        })
    }
}

/// Implements [`cpu::spectrum`](super::cpu::spectrum).
///
/// Returns an error if the GPU's memory does not suffice, or if the GPU fails.
pub(super) fn spectrum<T: Element>(
    gpu: &Gpu,
    shape: Shape,
    lengths: [usize; 3],
    lags: &[T],
) -> Result<Vec<T>> {
    let [lx, ly, lz] = lengths;
    let size = size_of_work::<T>(gpu, shape, lengths)?;
    let [wx, ny, wz] = size.lags;
    let stream = gpu.stream()?;
    let [x, y, z] = lengths.map(|length| AxisTransform::<T>::new(gpu, &stream, length));
    let (x, y, z) = (x?, y?, z?);
    let mut work = Work::<T>::new(gpu, size)?;
    work.lags.copy_from(&stream, lags)?;
    // SAFETY: for each z, the kernel changes only the first row along x.
    unsafe {
        let grid = Grid::for_items(wx * wz, THREADS);
        kernels::toeplitz_halve(&stream, grid, (wx * wz) as u64, wx as u64, (wx * ny) as u64, &mut work.lags)
    }?;
    let rows = ny * wz;
    let of_lags = Lines { count: wx, stride: 1, inner_stride: wx, outer_stride: 0 };
    let columns = Lines { count: lx, stride: rows, inner_stride: 1, outer_stride: 0 };
    // SAFETY: the transform reads rows of the array of lags, and writes columns of their transforms.
    unsafe {
        let to = (work.along_x.view_mut(), &columns);
        x.run(&stream, false, (rows, rows), (work.lags.view(), &of_lags), to, Maps::None)
    }?;
    let mut spectrum = vec![T::zero(); lx * ly * lz];
    let factor = T::of(2.0 / (lx * ly * lz) as f64);
    for (n, out) in spectrum.chunks_mut(size.planes * ly * lz).enumerate() {
        let (first, planes) = (n * size.planes, out.len() / (ly * lz));
        planes_of(&stream, &mut work, size, (first, planes), [&y, &z])?;
        let plan = plan(out.len(), first, size.lags, lengths)?;
        let grid = Grid::for_items(out.len(), THREADS);
        let Work { all, spectrum, .. } = &mut work;
        // SAFETY:
        // The kernel reads and writes `count` numbers of the planes, beginning with plane `first`. It also
        // reads the twiddle factors of the axes x and z.
        unsafe {
            kernels::toeplitz_spectrum(
                &stream,
                grid,
                plan,
                factor,
                x.twiddles(),
                z.twiddles(),
                &*all,
                &mut *spectrum,
            )
        }?;
        spectrum.range(0..out.len()).copy_to(&stream, out)?;
    }
    Ok(spectrum)
}

/// Returns the kernel's parameters for `count` numbers in planes of constant x, which begin at the plane
/// `first`.
fn plan(
    count: usize,
    first: usize,
    [wx, _, wz]: [usize; 3],
    lengths: [usize; 3],
) -> CudaResult<SpectrumPlan> {
    let [lx, ly, lz] = lengths;
    let counts = [lx, lz, ly.saturating_mul(lz), first, wx / 2, wz / 2];
    let [length_x, length_z, plane, first_x, lag_x, lag_z] = counted("lags of Q", counts)?;
    Ok(SpectrumPlan { count: count as u64, length_x, length_z, plane, first_x, lag_x, lag_z })
}

/// Transforms `planes` planes of constant x along y and z, beginning with the plane `first`.
fn planes_of<T: Element>(
    stream: &Stream,
    work: &mut Work<T>,
    size: Size,
    (first, planes): (usize, usize),
    [y, z]: [&AxisTransform<T>; 2],
) -> CudaResult<()> {
    let ([_, ny, wz], [_, ly, lz]) = (size.lags, size.lengths);
    let rows = planes * wz;
    let short = Lines { count: ny, stride: 1, inner_stride: ny, outer_stride: 0 };
    let long = Lines { count: ly, stride: 1, inner_stride: ly, outer_stride: 0 };
    let along_z = Lines { count: wz, stride: ly, inner_stride: 1, outer_stride: wz * ly };
    let turned = Lines { count: lz, stride: 1, inner_stride: lz, outer_stride: ly * lz };
    let Work { along_x, along_y, all, .. } = work;
    let from = along_x.range(2 * first * ny * wz..2 * (first + planes) * ny * wz);
    // SAFETY:
    // The transforms use only rows along y of these planes, and columns along z of the transformed planes.
    unsafe {
        y.run(stream, false, (rows, rows), (from, &short), (along_y.view_mut(), &long), Maps::None)?;
        let to = (all.view_mut(), &turned);
        z.run(stream, false, (planes * ly, ly), (along_y.view(), &along_z), to, Maps::None)
    }
}

/// Returns the sizes of the work for an image size and the lengths of the doubled grid. The maximum number of
/// planes that fit in memory are processed at a time.
fn size_of_work<T: Element>(gpu: &Gpu, shape: Shape, lengths: [usize; 3]) -> Result<Size> {
    let [nx, ny, nz] = shape.lengths();
    let [lx, ly, lz] = lengths;
    let lags = [2 * nx - 1, ny, 2 * nz - 1];
    if !are_counted(lags, lengths, MOST) {
        let problem = "a plane of Q has fewer than 2³¹ numbers there";
        return Err(Error::device_too_small(format_args!("{gpu}"), problem, "use ‘device’ cpu"));
    }
    let planes = (PLANES_BYTES / (2 * size_of::<T>() * ly * lz)).clamp(1, lx);
    let twiddles = (2 * size_of::<T>() * (lx + ly + lz)) as u64;
    let bytes = |size: &Size| gpu.bytes_of(|gpu| Work::<T>::new(gpu, *size));
    let plan = MemoryPlan::new("the transforms of Q need", twiddles);
    plan.first_fit(gpu.budget()?, Size { lags, lengths, planes }, bytes, |size| halve(&mut size.planes, 1))
}

/// Maximum number of rows, and of numbers in a plane, because kernels use 32-bit numbers.
const MOST: usize = u32::MAX as usize / 2;

/// Returns true if three numbers are at most `maximum`: the numbers in the planes, the rows of the planes, and
/// the rows of the array of lags.
fn are_counted([wx, ny, wz]: [usize; 3], [lx, ly, lz]: [usize; 3], maximum: usize) -> bool {
    [ly.saturating_mul(lz), wz.saturating_mul(ny), wx.max(lx)].into_iter().all(|count| count <= maximum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_that_exceed_kernel_counters_are_rejected() {
        // A plane has 4 × 8 numbers, and the array of lags has 15 × 3 rows.
        let (lags, lengths) = ([7, 3, 15], [8, 4, 8]);
        assert!(are_counted(lags, lengths, 45) && !are_counted(lags, lengths, 44));
        assert!(!are_counted(lags, [8, 5, 10], 49) && !are_counted([47, 3, 15], lengths, 46));
        assert!(!are_counted(lags, [8, usize::MAX, 2], usize::MAX - 1));
        let found = plan(64, 2, lags, lengths).unwrap();
        assert_eq!((found.plane, found.first_x, found.lag_z), (32, 2, 7));
        assert!(
            plan(64, 2, lags, [8, 1 << 20, 1 << 12]).is_err() && plan(64, 1 << 32, lags, lengths).is_err()
        );
    }
}
