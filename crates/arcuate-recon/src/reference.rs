//! Resamples an anatomical reference image to the voxels of the reconstructed image.

use arcuate_core::{Affine, Grid, Volume};
use rayon::prelude::*;

/// Returns the first channel of the image `reference`, resampled to the voxels of `grid` by world coordinates
/// (RAS mm). Each value is the mean, over the volume of the voxel, of the trilinearly interpolated reference.
/// The mean is computed from evenly spaced points, one per reference voxel along each edge of the voxel. Fine
/// structures of the reference therefore do not alias. If the reference is not finer than the grid, the value
/// is that at the voxel's centre.
///
/// Points outside the reference image are ignored. If all points of a voxel are outside, the voxel has no
/// value. Any value would create an artificial edge between this voxel and its neighbours.
pub fn reference_on(grid: &Grid, reference: &Volume<f32>) -> Vec<Option<f32>> {
    let there = reference.grid();
    let points = Points::new(grid, there);
    let mean = |voxel: usize| {
        let (mut sum, mut count) = (0.0, 0_u32);
        points.visit(grid.coordinates(voxel), |at| {
            if there.voxel_containing(at).is_some() {
                sum += reference.trilinear(0, at);
                count += 1;
            }
        });
        (count > 0).then(|| (sum / f64::from(count)) as f32)
    };
    (0..grid.len()).into_par_iter().map(mean).collect()
}

/// Maximum number of points along an edge of a voxel at which the reference image is interpolated. If the
/// edge is longer than this number of reference voxels, some reference voxels are skipped. No reference image
/// of a head reaches this number, but a damaged header can state any voxel size.
const MOST: f64 = 32.0;
/// Maximum relative difference between two voxel sizes that count as equal. Headers of images round voxel
/// sizes.
const ROUNDING: f64 = 1e-3;

/// The points at which the reference image is interpolated for each image voxel, in voxel coordinates of the
/// reference.
struct Points {
    /// Transform from voxel coordinates of the image to voxel coordinates of the reference image.
    into_reference: Affine,
    /// Number of interpolation points along each edge of an image voxel.
    counts: [usize; 3],
    /// Maximum distance of the corners of an image voxel from its centre, along each axis of the reference
    /// image, in reference voxels.
    reach: [f64; 3],
    /// Number of voxels of the reference image along each axis.
    shape: [usize; 3],
}

impl Points {
    fn new(grid: &Grid, reference: &Grid) -> Self {
        let into_reference = reference.inverse().after(grid.affine());
        let edges: [[f64; 3]; 3] = std::array::from_fn(|axis| {
            into_reference.apply_vector(std::array::from_fn(|other| f64::from(u8::from(other == axis))))
        });
        let counts = edges.map(|edge| {
            let length = edge.iter().map(|part| part * part).sum::<f64>().sqrt();
            (length - ROUNDING).ceil().clamp(1.0, MOST) as usize
        });
        let reach = std::array::from_fn(|axis| edges.iter().map(|edge| 0.5 * edge[axis].abs()).sum());
        Self { into_reference, counts, reach, shape: reference.shape() }
    }

    /// Calls `each` for each point of an image voxel that is inside the reference image. If all points are
    /// outside, `each` is not called.
    fn visit(&self, voxel: [usize; 3], mut each: impl FnMut([f64; 3])) {
        let voxel = voxel.map(|at| at as f64);
        let centre = self.into_reference.apply(voxel);
        let may_meet = (0..3).all(|axis| {
            let end = self.shape[axis] as f64 - 0.5;
            centre[axis] + self.reach[axis] >= -0.5 && centre[axis] - self.reach[axis] <= end
        });
        if !may_meet {
            return;
        }
        // Each edge of an image voxel is divided into equal pieces. The points are at the centres of these
        // pieces.
        let along = |axis: usize, n: usize| voxel[axis] + (n as f64 + 0.5) / self.counts[axis] as f64 - 0.5;
        for z in 0..self.counts[2] {
            for y in 0..self.counts[1] {
                for x in 0..self.counts[0] {
                    each(self.into_reference.apply([along(0, x), along(1, y), along(2, z)]));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(grid: &Grid, value: impl Fn([f64; 3]) -> f64) -> Volume<f32> {
        let values = (0..grid.len()).map(|voxel| value(grid.centre(voxel)) as f32).collect();
        Volume::new(*grid, 1, values).unwrap()
    }

    fn grid(shape: [usize; 3], size: f64, first: f64) -> Grid {
        Grid::new(shape, Affine::scaling([size; 3], [first; 3])).unwrap()
    }

    /// Returns a value that differs strongly between neighbouring voxels.
    fn rough(point: [f64; 3]) -> f64 {
        (13.0 * point[0]).sin() + (7.0 * point[1] + 1.0).sin() * (5.0 * point[2]).cos()
    }

    #[test]
    fn references_on_the_same_grid_are_unchanged_in_any_voxel_order() {
        let here = grid([5, 4, 3], 2.0, -3.0);
        let reference = image(&here, rough);
        let values: Vec<f32> = reference_on(&here, &reference).into_iter().map(Option::unwrap).collect();
        assert_eq!(values, reference.values());
        // The reference image has the axes y, x, z, and its x axis is reversed.
        let rows = here.affine().rows().map(|[x, y, z, t]| [y, -x, z, t + 4.0 * x]);
        let turned = Grid::new([4, 5, 3], Affine::from_rows(rows).unwrap()).unwrap();
        for (voxel, value) in reference_on(&turned, &reference).into_iter().enumerate() {
            let there = here.voxel_at(turned.centre(voxel)).unwrap();
            assert!((value.unwrap() - reference.values()[there]).abs() < 1e-6);
        }
    }

    #[test]
    fn finer_references_are_averaged_over_voxels() {
        let fine = grid([12, 12, 12], 1.0, 0.0);
        let reference = image(&fine, rough);
        // Each image voxel contains exactly 4 × 4 × 4 reference voxels.
        let coarse = grid([3, 3, 3], 4.0, 1.5);
        for (voxel, value) in reference_on(&coarse, &reference).into_iter().enumerate() {
            let first = coarse.coordinates(voxel).map(|at| 4 * at);
            let block = (0..64).map(|n| [n % 4, n / 4 % 4, n / 16]);
            let sum: f64 = block
                .map(|at| fine.index(std::array::from_fn(|axis| first[axis] + at[axis])))
                .map(|there| f64::from(reference.values()[there]))
                .sum();
            assert!((f64::from(value.unwrap()) - sum / 64.0).abs() < 1e-6);
        }
        // The mean of a checkerboard of black and white voxels is grey.
        let checks = |[x, y, z]: [f64; 3]| (x + y + z).rem_euclid(2.0);
        let [shifted] = reference_on(&grid([1; 3], 8.0, 5.0), &image(&fine, checks))[..] else { panic!() };
        assert!((shifted.unwrap() - 0.5).abs() < 1e-6, "{shifted:?}");
    }

    #[test]
    fn linear_functions_are_interpolated_exactly_on_any_grid() {
        let affine =
            Affine::from_rows([[-1.9, 0.3, 0.2, 20.0], [0.25, 1.8, -0.5, -20.0], [0.15, 0.45, 2.4, -30.0]]);
        let oblique = Grid::new([24, 26, 24], affine.unwrap()).unwrap();
        let value = |[x, y, z]: [f64; 3]| 0.5 * x - 0.25 * y + z;
        let reference = image(&oblique, value);
        // The image voxels are finer than the reference voxels, equally large, or coarser.
        for size in [0.7, 2.0, 5.5] {
            let here = grid([3; 3], size, -size);
            for (voxel, found) in reference_on(&here, &reference).into_iter().enumerate() {
                let expected = value(here.centre(voxel));
                assert!((f64::from(found.unwrap()) - expected).abs() < 1e-4, "{size} {found:?} {expected}");
            }
        }
    }

    #[test]
    fn voxels_outside_the_reference_are_unknown() {
        // The reference image extends from −0.5 mm to 3.5 mm along each axis.
        let reference = image(&grid([4; 3], 1.0, 0.0), |_| 7.0);
        let along = |size: f64, first: f64| {
            let affine = Affine::scaling([size, 1.0, 1.0], [first, 1.0, 1.0]);
            reference_on(&Grid::new([6, 1, 1], affine).unwrap(), &reference)
        };
        assert_eq!(along(1.0, -1.0), [None, Some(7.0), Some(7.0), Some(7.0), Some(7.0), None]);
        // If an image voxel is partly outside the reference image, its value is the mean of the points
        // inside.
        assert_eq!(along(2.0, -3.0), [None, Some(7.0), Some(7.0), Some(7.0), None, None]);
        assert_eq!(along(1.0, 90.0), [None; 6]);
        // A damaged header can state any voxel size.
        let tiny = image(&grid([4; 3], 1e-12, 0.0), |_| 7.0);
        let found = reference_on(&grid([40; 3], 1.0, -20.25), &tiny);
        assert!(found.into_iter().flatten().all(|value| value == 7.0));
    }
}
