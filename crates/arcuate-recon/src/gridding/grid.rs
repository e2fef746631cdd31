//! The Cartesian k-space grid of a reconstruction by gridding, and the interpolation of samples to grid
//! points.

use super::interpolation::{Footprint, Interpolation};
use crate::toeplitz::Transforms;
use crate::{Element, Shape, fast_length};
use arcuate_core::{Error, Result, narrow};
use num_complex::Complex;
use rayon::prelude::*;
use std::sync::Arc;

/// Maximum number of samples of a trajectory, because the indices of samples are stored with 32 bits.
const MAX_SAMPLES: usize = u32::MAX as usize;

/// A Cartesian grid in k-space, and the positions of the samples on this grid.
#[derive(Debug, Clone)]
pub struct Gridding {
    pub(super) shape: Shape,
    pub(super) lengths: [usize; 3],
    pub(super) interpolation: Interpolation,
    pub(super) samples: Arc<[[f64; 3]]>,
    /// The slowest axis in memory with more than one grid point. The planes perpendicular to this axis are
    /// processed in parallel.
    pub(super) slow: usize,
    /// For each plane, the indices of the samples that contribute to its grid points, in ascending order.
    pub(super) planes: Vec<Vec<u32>>,
}

impl Gridding {
    /// Creates the k-space grid for images of the size `shape`. Returns an error if `oversampling` is below 1
    /// or above 4, or if there are 2³² samples or more.
    pub fn new(
        shape: Shape,
        samples: Arc<[[f64; 3]]>,
        interpolation: Interpolation,
        oversampling: f64,
    ) -> Result<Self> {
        Self::of_at_most(MAX_SAMPLES, shape, samples, interpolation, oversampling)
    }

    pub(super) fn of_at_most(
        maximum: usize,
        shape: Shape,
        samples: Arc<[[f64; 3]]>,
        interpolation: Interpolation,
        oversampling: f64,
    ) -> Result<Self> {
        if samples.len() > maximum {
            let problem =
                format!("{} samples are more than the maximum of {maximum} for gridding", samples.len());
            return Err(Error::invalid(
                "trajectory",
                problem,
                "use ‘method’ cg or adjoint, or fewer samples",
            ));
        }
        if !(1.0..=4.0).contains(&oversampling) {
            let problem = format!("{oversampling} is not an oversampling factor");
            return Err(Error::usage("‘oversampling’", problem, "give a factor from 1 to 4"));
        }
        let lengths = shape
            .lengths()
            .map(|n| if n == 1 { 1 } else { fast_length((n as f64 * oversampling).ceil() as usize) });
        let slow = (0..3).rev().find(|&axis| lengths[axis] > 1).unwrap_or(0);
        let mut gridding =
            Self { shape, lengths, interpolation, samples, slow, planes: vec![Vec::new(); lengths[slow]] };
        let mut planes = std::mem::take(&mut gridding.planes);
        for n in 0..gridding.samples.len() {
            for (plane, _) in gridding.footprint(n, slow).points() {
                planes[plane].push(narrow::<u32>(n));
            }
        }
        gridding.planes = planes;
        Ok(gridding)
    }

    /// Returns the grid points near sample `n` along an axis, and their interpolation weights.
    pub(super) fn footprint(&self, n: usize, axis: usize) -> Footprint {
        let (length, voxels) = (self.lengths[axis], self.shape.lengths()[axis]);
        let place = self.samples[n][axis] * length as f64 / voxels as f64;
        self.interpolation.footprint(place, length, length as f64 / voxels as f64)
    }

    /// Returns the volume of k-space that one grid point represents, in cycles per field of view to the power
    /// of the number of dimensions.
    pub(super) fn point_volume(&self) -> f64 {
        let (lengths, voxels) = (self.lengths, self.shape.lengths());
        (0..3).map(|axis| voxels[axis] as f64 / lengths[axis] as f64).product()
    }

    /// Interpolates all samples to the grid: adds the value of each sample, times interpolation weights, to
    /// the grid points near the sample. In the result, x is the fastest axis.
    pub(super) fn spread<T: Element>(&self, value: impl Fn(usize) -> Complex<T> + Sync) -> Vec<Complex<T>> {
        let [lx, ly, lz] = self.lengths;
        let zero = Complex::new(T::zero(), T::zero());
        let mut grid = vec![zero; lx * ly * lz];
        // The planes perpendicular to the slowest axis with several grid points are contiguous in memory,
        // because all later axes have a single grid point.
        let plane = grid.len() / self.lengths[self.slow];
        grid.par_chunks_mut(plane).zip(&self.planes).enumerate().for_each(|(here, (grid, samples))| {
            for &n in samples {
                let n = n as usize;
                let Some((_, of_slow)) = self.footprint(n, self.slow).points().find(|(p, _)| *p == here)
                else {
                    continue;
                };
                let value = value(n).scale(T::of(of_slow));
                let y = if self.slow > 1 { self.footprint(n, 1) } else { Footprint::single() };
                let x = if self.slow > 0 { self.footprint(n, 0) } else { Footprint::single() };
                for (y, of_y) in y.points() {
                    let value = value.scale(T::of(of_y));
                    for (x, of_x) in x.points() {
                        grid[y * lx + x] += value.scale(T::of(of_x));
                    }
                }
            }
        });
        grid
    }

    /// Returns the value of the grid at the position of sample `n`, by interpolation between grid points.
    pub(super) fn gathered(&self, grid: &[Complex<f64>], n: usize) -> f64 {
        let [lx, ly, _] = self.lengths;
        let [x, y, z] = [0, 1, 2].map(|axis| self.footprint(n, axis));
        let mut sum = 0.0;
        for (z, of_z) in z.points() {
            for (y, of_y) in y.points() {
                for (x, of_x) in x.points() {
                    sum += of_z * of_y * of_x * grid[(z * ly + y) * lx + x].re;
                }
            }
        }
        sum
    }

    /// Returns the image Fᴴ(weights · data) of one channel, up to the error of the interpolation. If
    /// `weights` is empty, the data are not weighted.
    pub(super) fn image<T: Element>(&self, data: &[T], weights: &[f64]) -> Vec<T> {
        let zero = Complex::new(T::zero(), T::zero());
        let data: &[Complex<T>] = bytemuck::cast_slice(data);
        let mut grid = self.spread(|n| data[n].scale(T::of(weights.get(n).copied().unwrap_or(1.0))));
        let transforms = Transforms::<T>::new(self.lengths);
        transforms.inverse_in_place(&mut grid, self.lengths);
        let (lengths, voxels) = (self.lengths, self.shape.lengths());
        // Divides the image by the Fourier transform of the interpolation window, and applies the scale
        // factor that exact Fourier sums have.
        let factors: Vec<Vec<f64>> = (0..3)
            .map(|axis| {
                let (n, length) = (voxels[axis], lengths[axis]);
                let of = |i: usize| {
                    let from_middle = i as f64 - (n / 2) as f64;
                    let spectrum = self.interpolation.spectrum(
                        from_middle / length as f64,
                        length,
                        length as f64 / n as f64,
                    );
                    1.0 / (spectrum * (n as f64).sqrt())
                };
                (0..n).map(of).collect()
            })
            .collect();
        let at = |axis: usize, i: usize| (i + lengths[axis] - voxels[axis] / 2) % lengths[axis];
        let mut image = vec![zero; self.shape.voxels()];
        image.par_chunks_mut(voxels[0]).enumerate().for_each(|(row, image)| {
            let (y, z) = (row % voxels[1], row / voxels[1]);
            let from = (at(2, z) * lengths[1] + at(1, y)) * lengths[0];
            let of_row = factors[1][y] * factors[2][z];
            for (x, value) in image.iter_mut().enumerate() {
                *value = grid[from + at(0, x)].scale(T::of(of_row * factors[0][x]));
            }
        });
        bytemuck::cast_slice(&image).to_vec()
    }
}
