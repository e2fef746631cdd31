//! The standard space in which seeds and regions are defined, and the mappings between this space and the
//! simulated brain.

use super::brain::{Bundle, POINTS, RADIUS, in_brain};
use crate::outcome::Outcome;
use arcuate_core::{Affine, Grid, Labels, Mask, Volume, saturating};
use arcuate_track::{Constraints, Mapping, Region};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The mappings from the brain to the standard space (`there`) and back (`back`). They consist of a rotation,
/// a scaling, and a warp of up to 3 mm.
pub(super) struct Standard {
    pub(super) grid: Grid,
    pub(super) there: Arc<Mapping>,
    pub(super) back: Arc<Mapping>,
}

impl Standard {
    pub(super) fn new(field: &Grid) -> Outcome<Self> {
        let (sin, cos) = 0.06f64.sin_cos();
        let affine = Affine::from_rows([
            [1.04, 0.0, 0.0, 1.5],
            [0.0, 1.03 * cos, -1.03 * sin, -2.0],
            [0.0, 1.05 * sin, 1.05 * cos, 3.0],
        ])?;
        let shift = |p: [f64; 3]| {
            [3.0 * (p[1] / 30.0).sin(), 2.5 * (p[2] / 25.0).cos(), 2.0 * ((p[0] + p[1]) / 40.0).sin()]
        };
        let inverse = affine.inverse()?;
        let values =
            (0..field.len()).flat_map(|voxel| shift(field.centre(voxel)).map(|c| c as f32)).collect();
        let there = Mapping { affine, displacement: Some(Volume::new(*field, 3, values)?) };
        let grid = Grid::new([182, 218, 182], Affine::scaling([1.0; 3], [-90.0, -110.0, -90.0]))?;
        // The mapping from the brain is y = A x + u(x), with an affine matrix A and a warp u. Its inverse x =
        // A⁻¹(y − u(x)) is computed by iteration.
        let undo = |y: [f64; 3]| {
            let mut x = inverse.apply(y);
            for _ in 0..12 {
                let u = shift(x);
                x = inverse.apply(std::array::from_fn(|axis| y[axis] - u[axis]));
            }
            let plain = inverse.apply(y);
            std::array::from_fn::<f32, 3, _>(|axis| (x[axis] - plain[axis]) as f32)
        };
        let coarse = Grid::new([92, 110, 92], Affine::scaling([2.0; 3], [-91.0, -110.0, -91.0]))?;
        let values: Vec<f32> =
            (0..coarse.len()).into_par_iter().flat_map_iter(|voxel| undo(coarse.centre(voxel))).collect();
        let back = Mapping { affine: inverse, displacement: Some(Volume::new(coarse, 3, values)?) };
        Ok(Self { grid, there: Arc::new(there), back: Arc::new(back) })
    }

    /// Returns the voxels of the standard space for which `inside` is true at the corresponding position in
    /// the brain.
    fn mask(&self, inside: impl Fn([f64; 3]) -> bool + Sync) -> Outcome<Mask> {
        let inside: Vec<bool> = (0..self.grid.len())
            .into_par_iter()
            .map(|voxel| inside(self.back.apply(self.grid.centre(voxel))))
            .collect();
        Ok(Mask::new(self.grid, inside)?)
    }

    fn region(&self, name: &str, inside: impl Fn([f64; 3]) -> bool + Sync) -> Outcome<Region> {
        Ok(Region::of_mask(name, self.mask(inside)?, Some(&self.there)))
    }

    /// Returns the seed voxels of a tract: the requested number of voxels that are nearest to the middle of
    /// the tract.
    pub(super) fn seeds(&self, bundle: &Bundle) -> Outcome<Mask> {
        let middle = bundle.points[POINTS / 2];
        let mut near: Vec<(f64, usize)> = (0..self.grid.len())
            .into_par_iter()
            .filter_map(|voxel| {
                let p = self.back.apply(self.grid.centre(voxel));
                let square: f64 = (0..3).map(|axis| (p[axis] - middle[axis]).powi(2)).sum();
                (square < 30.0 * 30.0 && in_brain(p)).then_some((square, voxel))
            })
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut inside = vec![false; self.grid.len()];
        near.iter().take(bundle.tract.seeds).for_each(|&(_, voxel)| inside[voxel] = true);
        Ok(Mask::new(self.grid, inside)?)
    }

    pub(super) fn regions(&self, bundle: &Bundle) -> Outcome<Constraints> {
        let along = |p, from: usize, to: usize| {
            bundle.near(p, 2.0 * RADIUS).is_some_and(|(_, n)| (from..=to).contains(&n))
        };
        let crosses = !bundle.tract.both_sides;
        let side = bundle.points[POINTS / 2][0].signum();
        let room = if bundle.tract.tight { 1.6 * RADIUS } else { 6.0 * RADIUS };
        let avoid = |p: [f64; 3]| {
            // The exclusion mask contains the other side of the brain (unless the tract crosses the midline)
            // and all voxels far from the tract.
            (!crosses && p[0] * side < -2.0) || bundle.near(p, room).is_none()
        };
        Ok(Constraints {
            waypoints: vec![self.region("waypoint", |p| along(p, 10, 13))?],
            stop: vec![
                self.region("first end", |p| along(p, 0, 2))?,
                self.region("second end", |p| along(p, POINTS - 3, POINTS - 1))?,
            ],
            avoid: vec![self.region("avoid", |p| in_brain(p) && avoid(p))?],
            ..Constraints::default()
        })
    }
}

/// Returns regions of the brain in the space of the scan: the outer third of its radius, divided into 64
/// parts.
pub(super) fn parcellation(grid: &Grid) -> Outcome<Labels> {
    let region = |voxel: usize| {
        let p = grid.centre(voxel);
        if !in_brain(p) || in_brain(p.map(|c| c * 1.5)) {
            return 0;
        }
        let part = |c: f64, half: f64| saturating::<u32>(((c / half + 1.0) * 2.0).clamp(0.0, 3.0));
        1 + part(p[0], 68.0) + 4 * part(p[1], 88.0) + 16 * part(p[2], 62.0)
    };
    Ok(Labels::new(*grid, (0..grid.len()).map(region).collect(), BTreeMap::new())?)
}
