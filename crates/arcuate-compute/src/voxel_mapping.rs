//! Mappings of points between voxel grids in single precision, which map streamlines on the CPU. `ways.cuh`
//! performs the same operations on GPUs; change both files together.

use arcuate_core::{Affine, Grid, Mapping};
use rayon::prelude::*;
use std::sync::Arc;

/// A displacement field in single precision, for mapping the points of streamlines.
#[derive(Debug, Clone)]
pub struct Warp {
    /// Affine transform from voxels of the source grid to voxels of the displacement field, row by row.
    pub affine: [f32; 12],
    /// Number of voxels of the displacement field along each axis.
    pub shape: [usize; 3],
    /// The displacement of each voxel of the field: x, y, z and a 0, because GPUs read four numbers at once.
    pub values: Vec<[f32; 4]>,
}

/// A mapping from the voxels of one grid to the voxels of another.
#[derive(Debug, Clone)]
pub struct VoxelMapping {
    /// The affine part of the mapping, row by row.
    pub affine: [f32; 12],
    /// The displacement field, whose values are in voxels of the target grid.
    pub warp: Option<Arc<Warp>>,
}

impl VoxelMapping {
    /// Creates the mapping from voxels of `field` to voxels of `grid`. `mapping` maps points (RAS mm) between
    /// the spaces of both grids.
    pub fn new(field: &Grid, grid: &Grid, mapping: Option<&Mapping>) -> Self {
        let to_mm = field.affine();
        let warp = mapping.and_then(|mapping| mapping.displacement.as_ref()).map(|field| {
            let turn = |u: &[f32]| {
                let u = [0, 1, 2].map(|axis| f64::from(u[axis]));
                let [x, y, z] = grid.inverse().apply_vector(u).map(|c| c as f32);
                [x, y, z, 0.0]
            };
            Arc::new(Warp {
                affine: flat(&field.grid().inverse().after(to_mm)),
                shape: field.grid().shape(),
                values: field.values().par_chunks_exact(3).map(turn).collect(),
            })
        });
        Self { affine: Self::affine_of(field, grid, mapping), warp }
    }

    /// Computes the affine part of the mapping from voxels of `field` to voxels of `grid`.
    pub fn affine_of(field: &Grid, grid: &Grid, mapping: Option<&Mapping>) -> [f32; 12] {
        let to_mm = field.affine();
        flat(&match mapping {
            Some(mapping) => grid.inverse().after(&mapping.affine.after(to_mm)),
            None => grid.inverse().after(to_mm),
        })
    }

    /// Maps a point to the target grid.
    #[inline]
    pub fn apply(&self, p: [f32; 3]) -> [f32; 3] {
        let mut s = affine(&self.affine, p);
        if let Some(warp) = &self.warp {
            let at = affine(&warp.affine, p);
            let mut below = [0usize; 3];
            let mut above = [0usize; 3];
            let mut part = [0.0f32; 3];
            for axis in 0..3 {
                let last = (warp.shape[axis] - 1) as f32;
                let clamped = at[axis].max(0.0).min(last);
                let floor = clamped.floor();
                below[axis] = floor as usize;
                above[axis] = (below[axis] + 1).min(warp.shape[axis] - 1);
                part[axis] = clamped - floor;
            }
            let value = |x: usize, y: usize, z: usize, c: usize| {
                warp.values[x + warp.shape[0] * (y + warp.shape[1] * z)][c]
            };
            for c in 0..3 {
                let along = |y: usize, z: usize| {
                    let (one, other) = (value(below[0], y, z, c), value(above[0], y, z, c));
                    one + part[0] * (other - one)
                };
                let plane = |z: usize| {
                    let (one, other) = (along(below[1], z), along(above[1], z));
                    one + part[1] * (other - one)
                };
                let (one, other) = (plane(below[2]), plane(above[2]));
                s[c] += one + part[2] * (other - one);
            }
        }
        s
    }
}

/// The voxel nearest to a coordinate along an axis. The integer is stored as a float, so that no coordinate
/// is too large.
#[inline]
pub fn nearest(c: f32) -> f32 {
    (c + 0.5).floor()
}

/// Returns whether a voxel that `nearest` has found is inside a grid.
#[inline]
pub fn inside(v: [f32; 3], shape: [i32; 3]) -> bool {
    let along = |axis: usize| v[axis] >= 0.0 && v[axis] < shape[axis] as f32;
    along(0) && along(1) && along(2)
}

/// Index of a voxel, which must be inside the grid, in an array over the voxels of the grid.
#[inline]
pub fn index(v: [f32; 3], shape: [i32; 3]) -> usize {
    v[0] as usize + shape[0] as usize * (v[1] as usize + shape[1] as usize * v[2] as usize)
}

/// Applies an affine transform to a point.
#[inline]
pub fn affine(m: &[f32; 12], p: [f32; 3]) -> [f32; 3] {
    let row = |r: usize| m[4 * r] * p[0] + m[4 * r + 1] * p[1] + m[4 * r + 2] * p[2] + m[4 * r + 3];
    [row(0), row(1), row(2)]
}

/// Returns the three rows of an affine transform one after the other.
pub fn flat(affine: &Affine) -> [f32; 12] {
    let rows = affine.rows();
    std::array::from_fn(|n| rows[n / 4][n % 4] as f32)
}
