use arcuate_core::{Result, image_shape};
use rayon::prelude::*;

/// The size of an image: numbers of voxels along x, y and z, each at least 1. A slice has one voxel along z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape([usize; 3]);

impl Shape {
    /// Creates an image size. Returns an error if the number of voxels along an axis is 0, or if the image
    /// would be larger than any memory.
    pub fn new(lengths: [usize; 3]) -> Result<Self> {
        image_shape(lengths).map(Self)
    }

    /// Returns the size of the array of lags for Toeplitz products. A lag is the difference between two voxel
    /// positions. The array has all lags along x and z. Along y, it has only the lags of 0 and above, because
    /// opposite lags have conjugate values. This size needs no check, because [`Shape::new`] has checked the
    /// size of the image.
    pub(crate) fn lags(self) -> Self {
        let [nx, ny, nz] = self.0;
        Self([2 * nx - 1, ny, 2 * nz - 1])
    }

    /// Returns the numbers of voxels along x, y and z.
    pub fn lengths(self) -> [usize; 3] {
        self.0
    }

    /// Returns the number of voxels.
    pub fn voxels(self) -> usize {
        self.0.iter().product()
    }

    /// Returns the position of voxel `i` along `axis`, as a fraction of the field of view, relative to the
    /// centre.
    pub fn position(self, axis: usize, i: usize) -> f64 {
        let n = self.0[axis];
        (i as f64 - (n / 2) as f64) / n as f64
    }

    /// Returns the positions of all voxels, x fastest, as fractions of the field of view, relative to the
    /// centre.
    pub fn positions(self) -> Vec<[f64; 3]> {
        let [nx, ny, _] = self.0;
        let of_voxel = |n: usize| {
            let at = [n % nx, n / nx % ny, n / nx / ny];
            [0, 1, 2].map(|axis| self.position(axis, at[axis]))
        };
        (0..self.voxels()).into_par_iter().map(of_voxel).collect()
    }

    /// Returns the number of dimensions: 3 if the image has several voxels along z, and 2 if it has one.
    pub fn dimensions(self) -> usize {
        if self.0[2] > 1 { 3 } else { 2 }
    }
}
