//! Ways from one lattice to another in single precision, as streamlines take them on every device: change nothing here without
//! `ways.cuh`, which has the same operations.

use arcuate_core::{Affine, Grid, Mapping};
use rayon::prelude::*;
use std::sync::Arc;

/// A displacement as streamlines use it.
#[derive(Debug, Clone)]
pub struct Warp {
    /// From voxels of what it leads from to its own.
    pub affine: [f32; 12],
    /// Its voxels along each axis.
    pub shape: [usize; 3],
    /// Of each voxel, and one number more, as GPUs read them.
    pub values: Vec<[f32; 4]>,
}

/// From voxels of one lattice to those of another.
#[derive(Debug, Clone)]
pub struct Way {
    /// The rows of an affine map, one after the other.
    pub affine: [f32; 12],
    /// Voxels of the first lattice to those of a displacement, and its values in voxels of the second.
    pub warp: Option<Arc<Warp>>,
}

impl Way {
    /// From voxels of `field` to those of `grid`, where points of the one get to the other by `mapping`.
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

    /// The affine part of such a way.
    pub fn affine_of(field: &Grid, grid: &Grid, mapping: Option<&Mapping>) -> [f32; 12] {
        let to_mm = field.affine();
        flat(&match mapping {
            Some(mapping) => grid.inverse().after(&mapping.affine.after(to_mm)),
            None => grid.inverse().after(to_mm),
        })
    }

    /// Where a point lies in another lattice.
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

/// The voxel nearest to a place along an axis: a whole number, as a float so that none is too large.
#[inline]
pub fn nearest(c: f32) -> f32 {
    (c + 0.5).floor()
}

/// Whether a voxel, which `nearest` has found, is one of a lattice.
#[inline]
pub fn inside(v: [f32; 3], shape: [i32; 3]) -> bool {
    let along = |axis: usize| v[axis] >= 0.0 && v[axis] < shape[axis] as f32;
    along(0) && along(1) && along(2)
}

/// The number of a voxel that is inside.
#[inline]
pub fn index(v: [f32; 3], shape: [i32; 3]) -> usize {
    v[0] as usize + shape[0] as usize * (v[1] as usize + shape[1] as usize * v[2] as usize)
}

/// Where an affine map moves a point to.
#[inline]
pub fn affine(m: &[f32; 12], p: [f32; 3]) -> [f32; 3] {
    let row = |r: usize| m[4 * r] * p[0] + m[4 * r + 1] * p[1] + m[4 * r + 2] * p[2] + m[4 * r + 3];
    [row(0), row(1), row(2)]
}

/// The rows of an affine map, one after the other.
pub fn flat(affine: &Affine) -> [f32; 12] {
    let rows = affine.rows();
    std::array::from_fn(|n| rows[n / 4][n % 4] as f32)
}
