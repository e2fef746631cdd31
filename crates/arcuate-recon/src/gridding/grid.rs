//! The Cartesian k-space grid of a reconstruction by gridding, and the interpolation of samples to grid
//! points.

use super::interpolation::{Footprint, Footprints, Interpolation, Value, Window};
use crate::{Shape, fast_length};
use arcuate_core::{Error, Result, narrow};
use rayon::prelude::*;
use std::sync::Arc;

/// Maximum number of samples of a trajectory, because the indices of samples are stored with 32 bits.
const MAX_SAMPLES: usize = u32::MAX as usize;

/// A Cartesian grid in k-space, and the positions of the samples on this grid.
#[derive(Debug, Clone)]
pub struct Gridding {
    pub(super) shape: Shape,
    pub(super) lengths: [usize; 3],
    pub(super) samples: Arc<[[f64; 3]]>,
    /// The interpolation windows of axes with more than one grid point.
    pub(super) windows: [Option<Window>; 3],
    /// The footprints of the samples along these axes.
    footprints: [Option<Footprints>; 3],
    /// The slowest axis in memory with more than one grid point.
    slow: usize,
    /// The grid is processed in parallel bands of this number of planes perpendicular to the slowest axis.
    /// The last band can have fewer planes.
    planes: usize,
    /// For each band, the indices of the samples that contribute to its grid points, in ascending order. The
    /// order makes sums independent of the number of bands.
    bands: Vec<Vec<u32>>,
}

/// Number of bands of the grid per thread. Radial samples are dense in the middle of the grid, so a thread
/// that finishes early must find another band.
const BANDS_PER_THREAD: usize = 4;

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
        let voxels = shape.lengths();
        let ratio = |axis: usize| lengths[axis] as f64 / voxels[axis] as f64;
        let windows: [Option<Window>; 3] =
            std::array::from_fn(|axis| (lengths[axis] > 1).then(|| interpolation.window(ratio(axis))));
        let footprints: [Option<Footprints>; 3] = std::array::from_fn(|axis| {
            let place = |k: &[f64; 3]| k[axis] * lengths[axis] as f64 / voxels[axis] as f64;
            let places = samples.par_iter().map(place);
            windows[axis].as_ref().map(|window| Footprints::new(window, lengths[axis], places))
        });
        let slow = (0..3).rev().find(|&axis| lengths[axis] > 1).unwrap_or(0);
        let planes = lengths[slow].div_ceil(BANDS_PER_THREAD * rayon::current_num_threads());
        let mut bands: Vec<Vec<u32>> = vec![Vec::new(); lengths[slow].div_ceil(planes)];
        for n in 0..samples.len() {
            let index = narrow::<u32>(n);
            for (plane, _) in Footprint::along(footprints[slow].as_ref(), n).points() {
                let band = &mut bands[plane / planes];
                if band.last() != Some(&index) {
                    band.push(index);
                }
            }
        }
        Ok(Self { shape, lengths, samples, windows, footprints, slow, planes, bands })
    }

    /// Returns the grid points near sample `n` along an axis, and their interpolation weights.
    #[inline]
    fn footprint(&self, n: usize, axis: usize) -> Footprint<'_> {
        Footprint::along(self.footprints[axis].as_ref(), n)
    }

    /// Returns the volume of k-space that one grid point represents, in cycles per field of view to the power
    /// of the number of dimensions.
    pub(super) fn point_volume(&self) -> f64 {
        let (lengths, voxels) = (self.lengths, self.shape.lengths());
        (0..3).map(|axis| voxels[axis] as f64 / lengths[axis] as f64).product()
    }

    /// Returns the number of grid points.
    pub(super) fn points(&self) -> usize {
        self.lengths.iter().product()
    }

    /// Interpolates all samples to the grid: replaces each grid point by the sum of the values of nearby
    /// samples, times interpolation weights. In the grid, x is the fastest axis. Each grid point sums the
    /// samples in ascending order. Results are therefore bit-identical with any number of threads.
    pub(super) fn spread<V: Value>(&self, value: impl Fn(usize) -> V + Sync, grid: &mut [V]) {
        // The planes perpendicular to the slowest axis with several grid points are contiguous in memory,
        // because all later axes have a single grid point.
        let plane = grid.len() / self.lengths[self.slow];
        let row = if self.slow > 0 { self.lengths[0] } else { 1 };
        grid.par_chunks_mut(plane * self.planes).zip(&self.bands).enumerate().for_each(
            |(band, (grid, samples))| {
                grid.fill(V::zero());
                for &n in samples {
                    let n = n as usize;
                    let value = value(n);
                    let y = if self.slow > 1 { self.footprint(n, 1) } else { Footprint::single() };
                    let x = if self.slow > 0 { self.footprint(n, 0) } else { Footprint::single() };
                    for (at, of_slow) in self.footprint(n, self.slow).points() {
                        let here = at.checked_sub(band * self.planes).map(|here| here * plane);
                        let Some(grid) = here.and_then(|here| grid.get_mut(here..here + plane)) else {
                            continue;
                        };
                        let value = value.scaled(of_slow);
                        for (y, of_y) in y.points() {
                            x.add(value.scaled(of_y), &mut grid[y * row..][..row]);
                        }
                    }
                }
            },
        );
    }

    /// Returns the value of the grid at the position of sample `n`, by interpolation between grid points.
    pub(super) fn gathered(&self, grid: &[f64], n: usize) -> f64 {
        let [lx, ly, _] = self.lengths;
        let (x, y, z) = (self.footprint(n, 0), self.footprint(n, 1), self.footprint(n, 2));
        let mut sum = 0.0;
        for (z, of_z) in z.points() {
            for (y, of_y) in y.points() {
                sum = x.sum(sum, of_z * of_y, &grid[(z * ly + y) * lx..][..lx]);
            }
        }
        sum
    }
}
