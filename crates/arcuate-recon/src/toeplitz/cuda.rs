//! Computes products with FᴴF on a GPU, for one image or as a sum over coils.
//!
//! The Fourier transform along x writes one plane for each x, with rows along y. In each plane, five steps
//! follow: the transform along y, the transform along z, the multiplication by the spectrum, and the inverse
//! transforms along z and y. Several planes are processed at a time. The inverse transform along x also
//! computes the sum over coils.
#![allow(unsafe_code)]

use super::Kernel;
use crate::first_use::{Place, fits};
use crate::transform::{AxisTransform, Lines, Maps};
use crate::{CoilMaps, Element, FourierSums, Weights};
use arcuate_compute::cuda::{Buffer, CudaResult, Event, Gpu, Stream};
use arcuate_compute::{MemoryPlan, halve};
use arcuate_core::{Error, Result};
use arcuate_solve::{DeviceNormal, gradients_bytes};
use std::sync::{Mutex, PoisonError};

/// Maximum number of bytes for the planes that are processed at a time, including their transforms and their
/// part of the spectrum. If all these planes fitted in the second-level cache, they would need less memory
/// traffic. However, such short launches cost a fifth more time than this saves (128³ voxels on an H200).
const PLANES_BYTES: usize = 256 << 20;
/// Maximum number of bytes for the Fourier transforms along x of the coils that are processed together. At
/// least one coil is processed. If more coils are processed together, the spectrum is read less often.
const TOGETHER_BYTES: usize = 1 << 30;

/// Computes products with FᴴF, or with Σ_c S_cᴴ FᴴF S_c over coils with the sensitivities S_c, on a GPU.
pub(crate) struct ToeplitzOnGpu<T: Element> {
    place: Place,
    size: Size,
    axes: [AxisTransform<T>; 3],
    spectrum: Buffer<T>,
    maps: Option<Buffer<T>>,
    /// The Fourier sums and the weights of samples, if the adjoint of the operator is also computed on this
    /// GPU.
    adjoint: Option<(FourierSums<T>, Option<Weights>)>,
    cut: Cut,
    scratch: Mutex<Scratch<T>>,
}

#[derive(Debug, Clone, Copy)]
struct Size {
    voxels: [usize; 3],
    lengths: [usize; 3],
    coils: usize,
}

/// Number of coils, and number of planes of constant x, that are processed at a time. These numbers do not
/// affect the result.
#[derive(Debug, Clone, Copy)]
struct Cut {
    coils: usize,
    planes: usize,
}

struct Scratch<T: Element> {
    /// The Fourier transforms along x of the images, coil by coil, with x slowest and y fastest.
    along_x: Buffer<T>,
    /// Some planes of constant x, after the Fourier transforms along x and y.
    planes: Buffer<T>,
    /// A signal that the last product no longer uses the buffers `along_x` and `planes`. The next product may
    /// run in another stream and waits for this signal.
    used: Event,
}

impl Size {
    /// Returns the number of rows of the image along x.
    fn rows(self) -> usize {
        self.voxels[1] * self.voxels[2]
    }

    fn along_x(self) -> usize {
        self.lengths[0] * self.rows()
    }

    /// Returns the number of complex numbers in a plane of constant x after the transform along y.
    fn plane(self) -> usize {
        // If the image has only one slice, it is transformed in place.
        if self.is_slice() { 0 } else { self.lengths[1] * self.voxels[2] }
    }

    fn is_slice(self) -> bool {
        self.lengths[2] == 1
    }

    /// Returns the number of coils and the number of planes whose buffers fit in GPU memory. Memory for the
    /// vectors of conjugate gradients is kept free.
    fn cut<T: Element>(self, gpu: &Gpu, kernel: &Kernel<T>, maps: Option<&CoilMaps<T>>) -> Result<Cut> {
        // The number of planes is limited, because kernels count columns with 32-bit numbers.
        let columns = self.coils * self.lengths[0].max(self.voxels[2]) * self.lengths[1].max(self.voxels[1]);
        if columns > u32::MAX as usize / 2 {
            let problem = "a Toeplitz product there has fewer than 2³¹ rows";
            return Err(Error::device_too_small(format_args!("{gpu}"), problem, "use ‘device’ cpu"));
        }
        let number = 2 * size_of::<T>();
        let coils = (TOGETHER_BYTES / (number * self.along_x())).clamp(1, self.coils);
        let of_plane = number * coils * (self.plane() + self.rows())
            + size_of::<T>() * self.lengths[1] * self.lengths[2];
        let planes = if self.is_slice() {
            self.lengths[0]
        } else {
            // The planes of constant x are divided into parts of almost equal size.
            let parts = self.lengths[0].div_ceil((PLANES_BYTES / of_plane).clamp(1, self.lengths[0]));
            self.lengths[0].div_ceil(parts)
        };
        let twiddles = 2 * self.lengths.iter().sum::<usize>();
        let kept = kernel.spectrum.len() + maps.map_or(0, |maps| maps.values().len()) + twiddles;
        let solver = gradients_bytes::<T>(gpu, 2 * kernel.shape.voxels(), true)?;
        let others = (kept * size_of::<T>()) as u64 + solver;
        let bytes = |cut: &Cut| gpu.bytes_of(|gpu| Scratch::<T>::new(gpu, self, *cut));
        let smaller =
            |cut: &mut Cut| halve(&mut cut.coils, 1) || !self.is_slice() && halve(&mut cut.planes, 1);
        let plan = MemoryPlan::new("Toeplitz products need", others);
        plan.first_fit(gpu.budget()?, Cut { coils, planes }, bytes, smaller)
    }
}

impl<T: Element> Scratch<T> {
    fn new(gpu: &Gpu, size: Size, cut: Cut) -> CudaResult<Self> {
        let along_x = gpu.alloc(2 * cut.coils * size.along_x())?;
        let planes = gpu.alloc(2 * cut.coils * cut.planes * size.plane())?;
        Ok(Self { along_x, planes, used: gpu.event()? })
    }
}

impl<T: Element> ToeplitzOnGpu<T> {
    /// Copies the kernel of a trajectory to a GPU. If there are coil maps, copies them, too.
    ///
    /// Returns an error if the GPU memory does not suffice for the kernel, the coil maps, the buffers of a
    /// product, and the vectors of conjugate gradients.
    pub(crate) fn new(gpu: &Gpu, kernel: &Kernel<T>, maps: Option<&CoilMaps<T>>) -> Result<Self> {
        let size = Size {
            voxels: kernel.shape.lengths(),
            lengths: kernel.lengths,
            coils: maps.map_or(1, CoilMaps::coils),
        };
        let cut = size.cut::<T>(gpu, kernel, maps)?;
        let stream = gpu.stream()?;
        let [x, y, z] = size.lengths.map(|length| AxisTransform::new(gpu, &stream, length));
        Ok(Self {
            place: Place::new(gpu),
            size,
            axes: [x?, y?, z?],
            spectrum: gpu.upload(&stream, &kernel.spectrum)?,
            maps: maps.map(|maps| gpu.upload(&stream, maps.values())).transpose()?,
            adjoint: None,
            cut,
            scratch: Mutex::new(Scratch::new(gpu, size, cut)?),
        })
    }

    /// Adds the Fourier sums F and the weights W of samples to the operator, which computes products with
    /// FᴴWᴴWF. With them, it can also compute the adjoint.
    pub(crate) fn with_sums(self, sums: FourierSums<T>, weights: Option<Weights>) -> Self {
        Self { adjoint: Some((sums, weights)), ..self }
    }

    fn product(&self, stream: &Stream, image: &Buffer<T>, out: &mut Buffer<T>) -> CudaResult<()> {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        stream.wait(&scratch.used)?;
        let Scratch { along_x, planes, used } = &mut *scratch;
        let (size, rows) = (self.size, self.size.rows());
        let [nx, ny, _] = size.voxels;
        let lx = size.lengths[0];
        let image_rows = Lines { count: nx, stride: 1, inner_stride: nx, outer_stride: 0 };
        let columns = Lines { count: lx, stride: rows, inner_stride: 1, outer_stride: lx * rows };
        let of_planes = Lines { count: ny, stride: 1, inner_stride: ny, outer_stride: lx * rows };
        for first in (0..size.coils).step_by(self.cut.coils) {
            let coils = self.cut.coils.min(size.coils - first);
            let of_one = 2 * size.voxels.iter().product::<usize>();
            let maps = self.maps.as_ref().map(|maps| maps.range(first * of_one..(first + coils) * of_one));
            let there = along_x.range_mut(0..2 * coils * size.along_x());
            // SAFETY:
            // The transform reads rows of the image, and writes columns of the transforms of all coils. Both
            // arrays have the allocated sizes.
            unsafe {
                self.axes[0].run(
                    stream,
                    false,
                    (coils * rows, rows),
                    (image.view(), &image_rows),
                    (there, &columns),
                    maps.map_or(Maps::None, Maps::Before),
                )
            }?;
            for x in (0..lx).step_by(self.cut.planes) {
                let count = self.cut.planes.min(lx - x);
                let mut here = along_x.range_mut(2 * x * rows..2 * coils * size.along_x());
                self.planes(stream, (x, coils, count), &of_planes, &mut here, planes)?;
            }
            let back = match maps {
                None => Maps::None,
                Some(maps) => {
                    Maps::Behind { maps, volumes: coils, volume_stride: lx * rows, adds: first > 0 }
                }
            };
            // SAFETY:
            // The transform reads columns of the transforms of all coils, and writes rows of the image. The
            // output image has the size of the input image.
            unsafe {
                self.axes[0].run(
                    stream,
                    true,
                    (rows, rows),
                    (along_x.view(), &columns),
                    (out.view_mut(), &image_rows),
                    back,
                )
            }?;
        }
        stream.record(used)
    }

    /// Convolves `count` planes of each coil along y and z, in place, beginning with the plane `x`.
    fn planes(
        &self,
        stream: &Stream,
        (x, coils, count): (usize, usize, usize),
        of_planes: &Lines,
        here: &mut arcuate_compute::cuda::BufferViewMut<'_, T>,
        planes: &mut Buffer<T>,
    ) -> CudaResult<()> {
        let [_, _, nz] = self.size.voxels;
        let [_, ly, lz] = self.size.lengths;
        let spectrum = self.spectrum.range(x * ly * lz..(x + count) * ly * lz);
        let all = 0..here.len();
        if self.size.is_slice() {
            // SAFETY: the transform reads and writes each row along y of these planes once.
            return unsafe {
                let values = here.range_mut(all);
                self.axes[1].convolve(stream, (coils * count, count), of_planes, spectrum, values)
            };
        }
        let rows = count * nz;
        let longer = Lines { count: ly, stride: 1, inner_stride: ly, outer_stride: rows * ly };
        let along_z = Lines { count: nz, stride: ly, inner_stride: 1, outer_stride: nz * ly };
        // SAFETY:
        // The transforms read and write rows along y of these planes and of their longer copies, and columns
        // along z of the copies. Each row and each column is used once.
        unsafe {
            let to = (planes.view_mut(), &longer);
            let columns = (coils * rows, rows);
            self.axes[1].run(stream, false, columns, (here.view(), of_planes), to, Maps::None)?;
            let columns = (coils * count * ly, ly);
            self.axes[2].convolve(stream, columns, &along_z, spectrum, planes.view_mut())?;
            let to = (here.range_mut(all), of_planes);
            self.axes[1].run(stream, true, (coils * rows, rows), (planes.view(), &longer), to, Maps::None)
        }
    }
}

impl<T: Element> DeviceNormal<T> for ToeplitzOnGpu<T> {
    fn gpu(&self) -> &Gpu {
        self.place.gpu()
    }

    fn normal(&self, stream: &Stream, unknowns: &Buffer<T>, out: &mut Buffer<T>) -> Result<()> {
        fits("Toeplitz product", 2 * self.size.voxels.iter().product::<usize>(), unknowns, out)?;
        Ok(self.product(stream, unknowns, out)?)
    }

    fn adjoint(&self, stream: &Stream, data: &[T], out: &mut Buffer<T>) -> Option<Result<()>> {
        let (sums, weights) = self.adjoint.as_ref()?;
        let Some(weights) = weights else { return T::adjoint_in(sums, stream, data, out) };
        let mut data = data.to_vec();
        weights.apply_conjugated(&mut data);
        T::adjoint_in(sums, stream, &data, out)
    }

    fn retreat(&self, error: &Error) {
        self.place.retreat(error);
    }
}

impl<T: Element> AsRef<Place> for ToeplitzOnGpu<T> {
    fn as_ref(&self) -> &Place {
        &self.place
    }
}
