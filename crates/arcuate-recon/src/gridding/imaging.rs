//! The image of gridded samples.

use super::Gridding;
use crate::Element;
use arcuate_fourier::{Fft, Pair};
use num_complex::Complex;
use rayon::prelude::*;

/// Number of rows or columns of the grid that are transformed together. It is at least one cache line.
const GROUP: usize = 16;

/// Computes images by gridding, one channel after the other. The channels share the grid, the plans of the
/// Fourier transforms, and the correction for the interpolation.
pub(super) struct Imaging<'a, T: Element> {
    gridding: &'a Gridding,
    axes: [Pair<T>; 3],
    /// The factors of voxels along each axis. They divide the image by the Fourier transform of the
    /// interpolation window, and apply the scale factor that exact Fourier sums have.
    factors: [Vec<f64>; 3],
    /// The positions of the voxels in the transformed grid, along each axis. The centre of the image is at
    /// position 0.
    voxels: [Vec<usize>; 3],
    grid: Vec<Complex<T>>,
}

impl<'a, T: Element> Imaging<'a, T> {
    pub(super) fn new(gridding: &'a Gridding) -> Self {
        let (lengths, voxels) = (gridding.lengths, gridding.shape.lengths());
        let factors = std::array::from_fn(|axis| {
            let (n, length) = (voxels[axis], lengths[axis]);
            let of = |i: usize| {
                let from_middle = i as f64 - (n / 2) as f64;
                let spectrum = gridding.windows[axis]
                    .as_ref()
                    .map_or(1.0, |window| window.spectrum(from_middle / length as f64));
                1.0 / (spectrum * (n as f64).sqrt())
            };
            (0..n).map(of).collect()
        });
        let at = |axis: usize, i: usize| (i + lengths[axis] - voxels[axis] / 2) % lengths[axis];
        let voxels =
            std::array::from_fn(|axis| (0..voxels[axis]).map(|i| at(axis, i)).collect::<Vec<usize>>());
        let grid = vec![Complex::new(T::zero(), T::zero()); gridding.points()];
        Self { gridding, axes: T::plan(lengths), factors, voxels, grid }
    }

    /// Computes the image Fᴴ(weights · data) of one channel, up to the error of the interpolation.
    pub(super) fn image(&mut self, data: &[T], weights: &[f64], image: &mut [T]) {
        let data: &[Complex<T>] = bytemuck::cast_slice(data);
        let image: &mut [Complex<T>] = bytemuck::cast_slice_mut(image);
        self.gridding.spread(|n| data[n].scale(T::of(weights[n])), &mut self.grid);
        let [lx, _, lz] = self.gridding.lengths;
        let [nx, ny, nz] = self.gridding.shape.lengths();
        let [along_x, along_y, along_z] = &self.axes;
        let scratch = || vec![Complex::new(T::zero(), T::zero()); along_x.inverse.get_inplace_scratch_len()];
        self.grid.par_chunks_mut(GROUP * lx).for_each_init(scratch, |scratch, rows| {
            along_x.inverse.process_with_scratch(rows, scratch);
        });
        // Only rows and columns that contain voxels are transformed along y and z. The results are stored
        // with z or y as the fastest axis and x as the slowest axis.
        let [of_x, of_y, of_z] = &self.voxels;
        let mut columns = transformed(along_y.inverse.as_ref(), &self.grid, lx, of_x, of_y);
        if lz > 1 {
            let all: Vec<usize> = (0..nx * ny).collect();
            columns = transformed(along_z.inverse.as_ref(), &columns, nx * ny, &all, of_z);
        }
        let [factors_x, factors_y, factors_z] = &self.factors;
        image.par_chunks_mut(nx).enumerate().for_each(|(row, image)| {
            let (y, z) = (row % ny, row / ny);
            let of_row = factors_y[y] * factors_z[z];
            for (x, (value, of_x)) in image.iter_mut().zip(factors_x).enumerate() {
                *value = columns[(x * ny + y) * nz + z].scale(T::of(of_row * of_x));
            }
        });
    }
}

/// Transforms an array with three axes along its middle axis, and returns a part of the result. `inner` is
/// the length of the last axis, of which only the positions `columns` are transformed. Only the positions
/// `kept` along the middle axis are returned. In the result, the middle axis and the last axis have changed
/// places.
fn transformed<T: Element>(
    plan: &dyn Fft<T>,
    from: &[Complex<T>],
    inner: usize,
    columns: &[usize],
    kept: &[usize],
) -> Vec<Complex<T>> {
    let zero = Complex::new(T::zero(), T::zero());
    let length = plan.len();
    let planes = from.par_chunks_exact(length * inner);
    let mut to = vec![zero; planes.len() * columns.len() * kept.len()];
    let groups = to.par_chunks_exact_mut(columns.len() * kept.len()).zip(planes).flat_map(|(to, from)| {
        let groups = to.par_chunks_mut(GROUP * kept.len()).zip(columns.par_chunks(GROUP));
        groups.map(move |(to, columns)| (to, from, columns))
    });
    let buffers = || (vec![zero; GROUP * length], vec![zero; plan.get_inplace_scratch_len()]);
    groups.for_each_init(buffers, |(buffer, scratch), (to, from, columns)| {
        let buffer = &mut buffer[..columns.len() * length];
        for (n, row) in from.chunks_exact(inner).enumerate() {
            for (column, &at) in buffer.chunks_exact_mut(length).zip(columns) {
                column[n] = row[at];
            }
        }
        plan.process_with_scratch(buffer, scratch);
        for (to, column) in to.chunks_exact_mut(kept.len()).zip(buffer.chunks_exact(length)) {
            for (to, &at) in to.iter_mut().zip(kept) {
                *to = column[at];
            }
        }
    });
    to
}
