use arcuate_core::{Error, Result};
use rayon::prelude::*;

/// The size of an image: numbers of voxels along x, y and z, each at least 1. A slice has one voxel along z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape([usize; 3]);

impl Shape {
    /// Creates an image size. Returns an error if an axis has no voxel, or if the image would exceed any
    /// memory.
    pub fn new(lengths: [usize; 3]) -> Result<Self> {
        let voxels = lengths.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        // The limit also holds for the doubled grid with complex numbers.
        match voxels {
            Some(voxels) if (1..1 << 40).contains(&voxels) => Ok(Self(lengths)),
            _ => {
                let [x, y, z] = lengths;
                let problem = format!("{x} × {y} × {z} voxels are not a possible image");
                Err(Error::usage(
                    "image size",
                    problem,
                    "give at least one voxel along each axis, below 2⁴⁰ in total",
                ))
            }
        }
    }

    /// Returns the size of the array of lags for Toeplitz products. It has all lags along x and z. Along y,
    /// it has only lags of 0 and above, because opposite lags are conjugate. The size is not limited, because
    /// an image of this shape was accepted.
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

    /// Returns the position of voxel `i` along `axis`, in fields of view from the centre.
    pub fn position(self, axis: usize, i: usize) -> f64 {
        let n = self.0[axis];
        (i as f64 - (n / 2) as f64) / n as f64
    }

    /// Returns the positions of all voxels, x fastest, in fields of view from the centre.
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
