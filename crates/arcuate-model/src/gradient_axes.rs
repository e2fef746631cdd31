//! Checks whether the axes of a gradient table are permuted or flipped, by the continuity of fibres from
//! voxel to voxel.

use arcuate_core::{Grid, Mask, Result, SignedAxes, Volume};
use arcuate_numbers::vector3::dot;
use rayon::prelude::*;

/// Minimum fractional anisotropy (FA) of a voxel whose principal direction is used.
const MIN_FA: f32 = 0.2;
/// Cosine of 45°, the largest angle between two consecutive steps of a path.
const STRAIGHT: f64 = 0.707;
/// Maximum number of steps of a path to each side of its first voxel. A step is the smallest voxel edge, so
/// that the longest path is about the size of a brain.
const STEPS: usize = 60;
/// Minimum number of voxels with a principal direction. With fewer voxels, the axes are not checked.
const ENOUGH: usize = 500;

/// Mean length of paths along fibres, for the gradient axes as given and for the best alternative axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxesCheck {
    /// Mean length of paths along the principal directions with the given gradient axes, as a number of
    /// steps.
    pub as_given: f64,
    /// Mean length of paths along the principal directions with the best other gradient axes, as a number of
    /// steps.
    pub best: f64,
    /// The permuted or flipped gradient axes that give the longest paths.
    pub axes: SignedAxes,
}

impl AxesCheck {
    /// Ratio of two path lengths. If other gradient axes give paths that are longer by more than this ratio,
    /// they count as clearly better.
    pub const LIMIT: f64 = 1.05;

    /// Returns the path length with the best other gradient axes, divided by the path length with the given
    /// axes. If the given axes are the best, returns 1.
    pub fn gain(&self) -> f64 {
        if self.axes.is_as_it_seems() || self.as_given <= 0.0 { 1.0 } else { self.best / self.as_given }
    }

    /// Returns whether other gradient axes are clearly better than the given axes.
    pub fn is_doubtful(&self) -> bool {
        !self.axes.is_as_it_seems() && self.best > Self::LIMIT * self.as_given
    }
}

/// Compares the lengths of paths along principal directions for the given axes of the gradient table and for
/// permuted or flipped axes. `directions` has the principal directions of tensors: three channels in scanner
/// axes. Paths start in the voxels of a mask. A change of the gradient axes turns the principal directions in
/// the same way. Because fibres are continuous, the correct axes give the longest paths (Jeurissen et al.
/// 2014, doi:10.1016/j.media.2014.05.012). Paths go to both sides of each voxel in steps of its smallest
/// edge, along the direction of the nearest voxel. They stop at low FA and at angles above 45°. Returns
/// `None` if there are too few voxels.
///
/// Returns an error if the image of directions, the FA image and the mask have different grids.
pub fn check_axes(directions: &Volume<f32>, fa: &Volume<f32>, mask: &Mask) -> Result<Option<AxesCheck>> {
    let grid = directions.grid();
    grid.require_match(fa.grid(), "fractional anisotropy", "the directions")?;
    grid.require_match(mask.grid(), "mask", "the directions")?;
    let counts = |voxel: usize| mask.contains(voxel) && fa.values()[voxel] >= MIN_FA;
    let voxels: Vec<usize> = (0..grid.len()).filter(|&voxel| counts(voxel)).collect();
    if voxels.len() < ENOUGH {
        return Ok(None);
    }
    let axes = grid.affine().axes();
    let along = |d: &[f32]| axes.map(|axis| (0..3).map(|n| axis[n] * f64::from(d[n])).sum::<f64>());
    let all = SignedAxes::all_of_lines();
    let lengths: Vec<u64> = all
        .par_iter()
        .map(|axes| {
            let mut turned = vec![[0.0; 3]; grid.len()];
            for &voxel in &voxels {
                turned[voxel] = axes.turn(along(directions.voxel(voxel)));
            }
            let paths = DirectionPaths { grid, turned: &turned };
            voxels.iter().map(|&voxel| paths.length(voxel)).sum()
        })
        .collect();
    let mean = |n: usize| lengths[n] as f64 / voxels.len() as f64;
    let best = (1..all.len()).fold(0, |best, n| if lengths[n] > lengths[best] { n } else { best });
    Ok(Some(AxesCheck { as_given: mean(0), best: mean(best), axes: all[best] }))
}

/// Paths from voxel to voxel along principal directions.
struct DirectionPaths<'a> {
    grid: &'a Grid,
    /// The principal direction of each voxel in voxel axes. It is 0 in voxels that stop a path.
    turned: &'a [[f64; 3]],
}

impl DirectionPaths<'_> {
    /// Returns the length of the path through a voxel, as a number of steps. The path goes to both sides of
    /// the voxel.
    fn length(&self, voxel: usize) -> u64 {
        let first = self.turned[voxel];
        self.steps(voxel, first) + self.steps(voxel, first.map(|c| -c))
    }

    fn steps(&self, voxel: usize, first: [f64; 3]) -> u64 {
        let sizes = self.grid.voxel_sizes();
        let smallest = sizes.into_iter().fold(f64::INFINITY, f64::min);
        let (mut at, mut before) = (self.grid.coordinates(voxel).map(|c| c as f64), first);
        for steps in 0..STEPS {
            at = std::array::from_fn(|axis| at[axis] + before[axis] * smallest / sizes[axis]);
            let Some(voxel) = self.grid.voxel_containing(at) else { return steps as u64 };
            let mut next = self.turned[voxel];
            let cosine = dot(next, before);
            if cosine.abs() < STRAIGHT {
                return steps as u64;
            }
            if cosine < 0.0 {
                next = next.map(|c| -c);
            }
            before = next;
        }
        STEPS as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;
    use arcuate_numbers::vector3::unit;

    /// Creates an image with straight fibre bundles in oblique directions. No bundle is a mirror image of
    /// another bundle. Voxels are anisotropic, and the affine is rotated.
    fn bundles() -> (Volume<f32>, Volume<f32>, Mask) {
        let rows = [[0.0, 2.0, 0.0, 0.0], [-1.5, 0.0, 0.0, 0.0], [0.0, 0.0, 2.5, 0.0]];
        let grid = Grid::new([30, 30, 20], Affine::from_rows(rows).unwrap()).unwrap();
        let mut directions = Volume::filled(grid, 3, 0f32);
        let mut fa = Volume::filled(grid, 1, 0f32);
        let bundles = [
            ([15.0, -10.0, 12.0], [0.8, 0.5, 0.33]),
            ([30.0, -25.0, 25.0], [0.3, 0.9, -0.3]),
            ([45.0, -32.0, 30.0], [0.75, -0.25, 0.6]),
            ([25.0, -20.0, 35.0], [0.2, 0.55, 0.8]),
        ];
        for voxel in 0..grid.len() {
            let p = grid.centre(voxel);
            for (through, d) in bundles {
                let d = unit(d);
                let from: [f64; 3] = std::array::from_fn(|n| p[n] - through[n]);
                let across = dot(from, from) - dot(from, d).powi(2);
                if across < 3.5 * 3.5 {
                    directions.voxel_mut(voxel).iter_mut().zip(d).for_each(|(out, c)| *out = c as f32);
                    fa.values_mut()[voxel] = 0.6;
                }
            }
        }
        (directions, fa, Mask::new(grid, vec![true; grid.len()]).unwrap())
    }

    #[test]
    fn correct_axes_have_the_best_score() {
        let (directions, fa, mask) = bundles();
        let check = check_axes(&directions, &fa, &mask).unwrap().unwrap();
        assert!(check.axes.is_as_it_seems() && !check.is_doubtful(), "{check:?}");
        assert_eq!(check.best, check.as_given);
    }

    #[test]
    fn wrong_axes_are_detected() {
        let (directions, fa, mask) = bundles();
        let affine = *directions.grid().affine();
        for wrong in SignedAxes::all_of_lines().into_iter().skip(1) {
            let mut turned = directions.clone();
            for d in turned.values_mut().chunks_exact_mut(3) {
                let v = wrong.turn_in_scanner_axes([0, 1, 2].map(|n| f64::from(d[n])), &affine);
                d.iter_mut().zip(v).for_each(|(out, c)| *out = c as f32);
            }
            let check = check_axes(&turned, &fa, &mask).unwrap().unwrap();
            assert!(check.is_doubtful(), "{wrong}: {check:?}");
            // If the wrong axes and then the found axes are applied to a vector, the result is the original
            // vector, except for its sign.
            let v = [0.3, 0.5, 0.8];
            let back = check.axes.turn(wrong.turn(v));
            assert!((dot(back, v).abs() - dot(v, v)).abs() < 1e-9, "{wrong}: {}", check.axes);
        }
    }

    #[test]
    fn too_few_voxels_give_no_result() {
        let (directions, fa, mask) = bundles();
        let few = Mask::new(*mask.grid(), (0..mask.grid().len()).map(|voxel| voxel < 400).collect()).unwrap();
        assert_eq!(check_axes(&directions, &fa, &few).unwrap(), None);
        let other = Mask::new(Grid::new([2; 3], Affine::identity()).unwrap(), vec![true; 8]).unwrap();
        assert!(check_axes(&directions, &fa, &other).is_err());
    }
}
