//! Interpolation between voxel centres.

use crate::Volume;

impl Volume<f32> {
    /// Interpolates a channel of the image at voxel coordinates, trilinearly between the eight nearest voxel
    /// centres. Outside the box of all voxel centres, the value at the nearest point of this box is used, at
    /// any distance; [`Grid::voxel_containing`](crate::Grid::voxel_containing) tests whether a point is in
    /// the image.
    ///
    /// # Panics
    /// Panics if `channel` is out of range.
    pub fn trilinear(&self, channel: usize, coordinates: [f64; 3]) -> f64 {
        assert!(channel < self.channels(), "channel {channel} of {}", self.channels());
        let grid = self.grid();
        let shape = grid.shape();
        // For each axis: the indices of the voxels below and above the point, and the distance of the point
        // from the lower voxel, in voxels.
        let axes: [([usize; 2], f64); 3] = std::array::from_fn(|axis| {
            let last = shape[axis] - 1;
            let at = coordinates[axis].clamp(0.0, last as f64);
            let below = at as usize;
            ([below, (below + 1).min(last)], at - below as f64)
        });
        let mut sum = 0.0;
        for corner in 0..8usize {
            let side: [usize; 3] = std::array::from_fn(|axis| corner >> axis & 1);
            let weight: f64 =
                (0..3).map(|axis| if side[axis] == 1 { axes[axis].1 } else { 1.0 - axes[axis].1 }).product();
            // A voxel with weight 0 is skipped, since it may hold NaN.
            if weight > 0.0 {
                let voxel = grid.index(std::array::from_fn(|axis| axes[axis].0[side[axis]]));
                sum += weight * f64::from(self.values()[voxel * self.channels() + channel]);
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use crate::{Affine, Grid, Volume};

    #[test]
    fn channels_are_interpolated_and_extended_beyond_the_last_centres() {
        let grid = Grid::new([3, 2, 1], Affine::identity()).unwrap();
        let values = (0..6).flat_map(|n| [n as f32, if n == 5 { f32::NAN } else { 10.0 }]).collect();
        let image = Volume::new(grid, 2, values).unwrap();
        // Voxel (i, j) of the test image has the value i + 3 j.
        for (at, expected) in [
            ([0.5, 0.25, 0.0], 1.25),
            ([1.5, 1.0, 0.3], 4.5),
            ([-0.4, 0.5, -0.5], 1.5),
            ([9.0, 9.0, 9.0], 5.0),
        ] {
            assert!((image.trilinear(0, at) - expected).abs() < 1e-15, "{at:?}");
        }
        assert_eq!(image.trilinear(1, [1.0, 0.5, 0.0]), 10.0);
        assert!(image.trilinear(1, [1.5, 0.5, 0.0]).is_nan());
    }
}
