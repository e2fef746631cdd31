use arcuate_core::{Error, Result};
use rayon::prelude::*;

/// The number of an image's voxels along x, y and z, each 1 or more; along z it is 1 of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape([usize; 3]);

impl Shape {
    /// Fails where an axis has no voxel, or the image more than memory can hold.
    pub fn new(lengths: [usize; 3]) -> Result<Self> {
        let voxels = lengths.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        // Complex numbers on a grid of twice the size are counted too.
        match voxels {
            Some(voxels) if (1..1 << 40).contains(&voxels) => Ok(Self(lengths)),
            _ => {
                let [x, y, z] = lengths;
                let problem = format!("{x} × {y} × {z} voxels are no image");
                Err(Error::usage(
                    "image size",
                    problem,
                    "give one voxel or more along each axis, below 2⁴⁰ in all",
                ))
            }
        }
    }

    /// The lags of which Toeplitz products have need: all along x and z, and, as those opposite are conjugate, from 0 on along y.
    /// However large: an image of this shape was allowed.
    pub(crate) fn lags(self) -> Self {
        let [nx, ny, nz] = self.0;
        Self([2 * nx - 1, ny, 2 * nz - 1])
    }

    /// Along x, y and z.
    pub fn lengths(self) -> [usize; 3] {
        self.0
    }

    /// All of them.
    pub fn voxels(self) -> usize {
        self.0.iter().product()
    }

    /// Where voxel `i` of `axis` lies, in fields of view from the middle.
    pub fn position(self, axis: usize, i: usize) -> f64 {
        let n = self.0[axis];
        (i as f64 - (n / 2) as f64) / n as f64
    }

    /// Where all voxels lie, x fastest, in fields of view from the middle.
    pub fn positions(self) -> Vec<[f64; 3]> {
        let [nx, ny, _] = self.0;
        let of_voxel = |n: usize| {
            let at = [n % nx, n / nx % ny, n / nx / ny];
            [0, 1, 2].map(|axis| self.position(axis, at[axis]))
        };
        (0..self.voxels()).into_par_iter().map(of_voxel).collect()
    }

    /// The number of axes that have more than one voxel, but at least 2 where z has one.
    pub fn dimensions(self) -> usize {
        if self.0[2] > 1 { 3 } else { 2 }
    }
}
