//! Whether the directions of measurements are those of the image's axes, by what the fibres they show look like.

use arcuate_core::{Grid, Mask, Result, SignedAxes, Volume};
use rayon::prelude::*;

/// FA from which on a direction is one.
const LEAST_FA: f32 = 0.25;
/// Cosine within which a direction leads to a neighbour: neighbours of a cube are 35° apart at most.
const TOWARDS: f64 = 0.866;
/// Voxels with a direction of which an answer can be had.
const ENOUGH: usize = 500;
/// By how much other axes must be better to be told. Of real scans and simulated ones right axes were better than all others by 8 % and more.
const BY_FAR: f64 = 1.05;

/// How well fibres go on from voxel to voxel, with the axes as they are and with the best of all others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxesCheck {
    /// As they are: the mean, over neighbours that are one behind the other, of how well directions point from one to the other.
    pub as_given: f64,
    /// The best.
    pub best: f64,
    /// With which it is.
    pub axes: SignedAxes,
}

impl AxesCheck {
    /// Whether other axes are better by far.
    pub fn is_doubtful(&self) -> bool {
        !self.axes.is_as_it_seems() && self.best > BY_FAR * self.as_given
    }
}

/// Compares how well the principal directions of tensors (three channels, scanner axes) run on from voxel to voxel, and how well
/// they would if axes of the gradient table had been taken for others: where gradients are turned so are the directions. Fibres
/// go on, so the right axes are those with which most voxels point at neighbours of the same direction (Schilling et al. 2019,
/// doi:10.1016/j.mri.2018.09.015). Nothing where there are too few voxels to tell.
///
/// Fails where images lie on different lattices.
pub fn check_axes(directions: &Volume<f32>, fa: &Volume<f32>, mask: &Mask) -> Result<Option<AxesCheck>> {
    let grid = directions.grid();
    grid.require_match(fa.grid(), "fractional anisotropy", "the directions")?;
    grid.require_match(mask.grid(), "mask", "the directions")?;
    let counts = |voxel: usize| mask.contains(voxel) && fa.values()[voxel] >= LEAST_FA;
    let voxels: Vec<usize> = (0..grid.len()).filter(|&voxel| counts(voxel)).collect();
    if voxels.len() < ENOUGH {
        return Ok(None);
    }
    let along = along_voxels(directions);
    let offsets = offsets(grid);
    let all = SignedAxes::all_of_lines();
    // Sums of a voxel in a fixed order, and of voxels in theirs.
    let sums: Vec<Vec<f64>> = voxels
        .par_chunks(1024)
        .map(|voxels| {
            let mut sums = vec![0.0; all.len()];
            for &voxel in voxels {
                for (offset, towards) in &offsets {
                    let Some(beside) = beside(grid, voxel, *offset).filter(|&beside| counts(beside)) else {
                        continue;
                    };
                    let (one, other) = (along[voxel], along[beside]);
                    if dot(one, other).abs() < TOWARDS {
                        continue;
                    }
                    for (sum, axes) in sums.iter_mut().zip(&all) {
                        let [one, other] = [one, other].map(|d| dot(axes.turn(d), *towards).abs());
                        if one > TOWARDS && other > TOWARDS {
                            *sum += one * other;
                        }
                    }
                }
            }
            sums
        })
        .collect();
    let total = |n: usize| sums.iter().map(|sums| sums[n]).sum::<f64>() / voxels.len() as f64;
    let totals: Vec<f64> = (0..all.len()).map(total).collect();
    let best = (1..all.len()).fold(0, |best, n| if totals[n] > totals[best] { n } else { best });
    Ok(Some(AxesCheck { as_given: totals[0], best: totals[best], axes: all[best] }))
}

/// Directions along the axes of voxels, of unit length.
fn along_voxels(directions: &Volume<f32>) -> Vec<[f64; 3]> {
    let axes = directions.grid().affine().axes();
    let of = |d: &[f32]| axes.map(|axis| (0..3).map(|n| axis[n] * f64::from(d[n])).sum::<f64>());
    directions.values().chunks_exact(3).map(of).collect()
}

/// One of each pair of opposite neighbours: steps in voxels, and the unit vector there along the axes of voxels.
fn offsets(grid: &Grid) -> Vec<([isize; 3], [f64; 3])> {
    let sizes = grid.voxel_sizes();
    let steps = (0..27isize).map(|n| [n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1]).filter(|step| *step > [0; 3]);
    steps
        .map(|step| {
            let v: [f64; 3] = std::array::from_fn(|axis| step[axis] as f64 * sizes[axis]);
            let length = dot(v, v).sqrt();
            (step, v.map(|c| c / length))
        })
        .collect()
}

fn beside(grid: &Grid, voxel: usize, offset: [isize; 3]) -> Option<usize> {
    let (at, shape) = (grid.coordinates(voxel), grid.shape());
    let mut there = [0; 3];
    for axis in 0..3 {
        there[axis] = at[axis].checked_add_signed(offset[axis]).filter(|c| *c < shape[axis])?;
    }
    Some(grid.index(there))
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    /// Fibres around an axis, that of the sagittal plane among others: no axis or sign looks like another. Voxels of unlike edges, and
    /// an affine that turns them.
    fn rings() -> (Volume<f32>, Volume<f32>, Mask) {
        let rows = [[0.0, 2.0, 0.0, 0.0], [-1.5, 0.0, 0.0, 0.0], [0.0, 0.0, 2.5, 0.0]];
        let grid = Grid::new([20, 22, 16], Affine::from_rows(rows).unwrap()).unwrap();
        let mut directions = Volume::filled(grid, 3, 0f32);
        for voxel in 0..grid.len() {
            let [x, y, z] = grid.centre(voxel);
            let [x, y, z] = [x - 21.0, y + 14.0, z - 18.0];
            // A spiral about an oblique axis.
            let d = [0.5 - 0.05 * y + 0.02 * z, 0.05 * x - 0.06 * z, 0.3 + 0.03 * y];
            let length = d.iter().map(|c| c * c).sum::<f64>().sqrt();
            let out = directions.voxel_mut(voxel);
            out.iter_mut().zip(d).for_each(|(out, c)| *out = (c / length) as f32);
        }
        (directions, Volume::filled(grid, 1, 0.6), Mask::new(grid, vec![true; grid.len()]).unwrap())
    }

    #[test]
    fn right_axes_are_the_best() {
        let (directions, fa, mask) = rings();
        let check = check_axes(&directions, &fa, &mask).unwrap().unwrap();
        assert!(check.axes.is_as_it_seems() && !check.is_doubtful(), "{check:?}");
        assert_eq!(check.best, check.as_given);
    }

    #[test]
    fn wrong_axes_are_found_out() {
        let (directions, fa, mask) = rings();
        let affine = *directions.grid().affine();
        for wrong in SignedAxes::all_of_lines().into_iter().skip(1) {
            let mut turned = directions.clone();
            for d in turned.values_mut().chunks_exact_mut(3) {
                let v = wrong.turn_in_scanner_axes([0, 1, 2].map(|n| f64::from(d[n])), &affine);
                d.iter_mut().zip(v).for_each(|(out, c)| *out = c as f32);
            }
            let check = check_axes(&turned, &fa, &mask).unwrap().unwrap();
            assert!(check.is_doubtful(), "{wrong}: {check:?}");
            // What was turned comes back, but for the sign of the whole.
            let v = [0.3, 0.5, 0.8];
            let back = check.axes.turn(wrong.turn(v));
            assert!((dot(back, v).abs() - dot(v, v)).abs() < 1e-9, "{wrong}: {}", check.axes);
        }
    }

    #[test]
    fn of_few_voxels_nothing_is_said() {
        let (directions, fa, mask) = rings();
        let few = Mask::new(*mask.grid(), (0..mask.grid().len()).map(|voxel| voxel < 400).collect()).unwrap();
        assert_eq!(check_axes(&directions, &fa, &few).unwrap(), None);
        let other = Mask::new(Grid::new([2; 3], Affine::identity()).unwrap(), vec![true; 8]).unwrap();
        assert!(check_axes(&directions, &fa, &other).is_err());
    }
}
