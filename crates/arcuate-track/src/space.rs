//! Spaces and the ways between them: points in RAS mm, and voxels of lattices in f32, as streamlines through samples have
//! them on every device.

use arcuate_core::{Affine, Grid, Volume};
use rayon::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// From points of one space to those of another, both RAS mm: y = A·x + u(x).
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping {
    /// A.
    pub affine: Affine,
    /// u, in mm along the axes of the space that is mapped to: three channels, on a lattice in the space that is mapped
    /// from. Between voxel centres it is trilinear, beyond the outermost ones the nearest value goes on.
    pub displacement: Option<Volume<f32>>,
}

impl Mapping {
    /// An affine map alone.
    pub fn affine(affine: Affine) -> Self {
        Self { affine, displacement: None }
    }

    /// Where a point in RAS mm goes.
    pub fn apply(&self, point: [f64; 3]) -> [f64; 3] {
        let mut mapped = self.affine.apply(point);
        if let Some(field) = &self.displacement {
            let at = field.grid().inverse().apply(point);
            for axis in 0..3 {
                mapped[axis] += field.trilinear(axis, at);
            }
        }
        mapped
    }
}

/// A displacement as streamlines use it.
#[derive(Debug, Clone)]
pub(crate) struct Warp {
    pub(crate) affine: [f32; 12],
    pub(crate) shape: [usize; 3],
    /// Of each voxel, and one number more, as GPUs read them.
    pub(crate) values: Vec<[f32; 4]>,
}

/// From voxels of one lattice to those of another.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    pub(crate) affine: [f32; 12],
    /// Voxels of the first lattice to those of a displacement, and its values in voxels of the second.
    pub(crate) warp: Option<Arc<Warp>>,
}

/// Whether both are the same way between spaces. Equal fields are long to compare.
pub(crate) fn same_mapping(one: Option<&Arc<Mapping>>, other: Option<&Arc<Mapping>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one == other,
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Displacements as streamlines use them, which are long to make: they stay from one run to the next ones.
#[derive(Debug, Default)]
pub(crate) struct Ways(Mutex<KeptWarps>);

#[derive(Debug, Default)]
struct KeptWarps {
    runs: u64,
    warps: Vec<KeptWarp>,
}

#[derive(Debug)]
struct KeptWarp {
    mapping: Arc<Mapping>,
    from: Grid,
    to: Grid,
    warp: Arc<Warp>,
    /// The run that used it last.
    last: u64,
}

/// Runs, some of them at the same time, after which a displacement that none has used is let go.
const RUNS_KEPT: u64 = 8;

impl Ways {
    /// Begins a run.
    pub(crate) fn begin(&self) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.runs += 1;
        let runs = kept.runs;
        kept.warps.retain(|warp| warp.last + RUNS_KEPT >= runs);
    }

    /// From voxels of `field` to those of `grid`, as [`Way::new`].
    pub(crate) fn way(&self, field: &Grid, grid: &Grid, mapping: Option<&Arc<Mapping>>) -> Way {
        let Some(mapping) = mapping.filter(|mapping| mapping.displacement.is_some()) else {
            return Way::new(field, grid, mapping.map(Arc::as_ref));
        };
        let affine = Way::affine_of(field, grid, Some(mapping));
        if let Some(warp) = self.kept(field, grid, mapping) {
            return Way { affine, warp: Some(warp) };
        }
        // Not behind the lock: threads that wait here may be those that this needs.
        let way = Way::new(field, grid, Some(mapping));
        if let Some(warp) = &way.warp {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let (mapping, warp, last) = (Arc::clone(mapping), Arc::clone(warp), kept.runs);
            kept.warps.push(KeptWarp { mapping, from: *field, to: *grid, warp, last });
        }
        way
    }

    fn kept(&self, field: &Grid, grid: &Grid, mapping: &Arc<Mapping>) -> Option<Arc<Warp>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let KeptWarps { runs, warps } = &mut *kept;
        let same = |kept: &&mut KeptWarp| {
            kept.from == *field && kept.to == *grid && same_mapping(Some(&kept.mapping), Some(mapping))
        };
        let found = warps.iter_mut().find(same)?;
        found.last = *runs;
        Some(Arc::clone(&found.warp))
    }
}

impl Way {
    /// From voxels of `field` to those of `grid`, where points of the one get to the other by `mapping`.
    pub(crate) fn new(field: &Grid, grid: &Grid, mapping: Option<&Mapping>) -> Self {
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

    fn affine_of(field: &Grid, grid: &Grid, mapping: Option<&Mapping>) -> [f32; 12] {
        let to_mm = field.affine();
        flat(&match mapping {
            Some(mapping) => grid.inverse().after(&mapping.affine.after(to_mm)),
            None => grid.inverse().after(to_mm),
        })
    }

    /// Where a point lies in another lattice.
    #[inline]
    pub(crate) fn apply(&self, p: [f32; 3]) -> [f32; 3] {
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
pub(crate) fn nearest(c: f32) -> f32 {
    (c + 0.5).floor()
}

#[inline]
pub(crate) fn inside(v: [f32; 3], shape: [i32; 3]) -> bool {
    let along = |axis: usize| v[axis] >= 0.0 && v[axis] < shape[axis] as f32;
    along(0) && along(1) && along(2)
}

#[inline]
pub(crate) fn index(v: [f32; 3], shape: [i32; 3]) -> usize {
    v[0] as usize + shape[0] as usize * (v[1] as usize + shape[1] as usize * v[2] as usize)
}

#[inline]
pub(crate) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(crate) fn affine(m: &[f32; 12], p: [f32; 3]) -> [f32; 3] {
    let row = |r: usize| m[4 * r] * p[0] + m[4 * r + 1] * p[1] + m[4 * r + 2] * p[2] + m[4 * r + 3];
    [row(0), row(1), row(2)]
}

/// The rows of an affine map, one after the other.
pub(crate) fn flat(affine: &Affine) -> [f32; 12] {
    let rows = affine.rows();
    std::array::from_fn(|n| rows[n / 4][n % 4] as f32)
}
