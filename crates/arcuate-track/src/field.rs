//! A tensor image that is prepared for interpolation at any point.

use crate::lanes::Vector;
use crate::summary::Termination;
use arcuate_core::{Error, Mask, Result, Volume, narrow, saturating};
use arcuate_numbers::{Lanes, Operations, Symmetric};

/// The six elements of a tensor in each lane of a SIMD register: D11 D22 D33 D12 D13 D23, in scanner axes.
pub(crate) type Elements<const W: usize> = Symmetric<f64, W>;

/// For each lane (streamline), the reason why its point has no tensor; `None` if it has one.
pub(crate) type Verdicts<const W: usize> = [Option<Termination>; W];

/// A tensor image, evaluated at points in RAS mm by trilinear interpolation of the tensor elements.
///
/// The image extends to the outer faces of its outermost voxels, half a voxel beyond their centres. Within
/// this half voxel, the tensor is constant along the axis that crosses the face.
pub(crate) struct TensorField {
    shape: [usize; 3],
    /// First three rows of the transform from RAS mm to voxel coordinates.
    to_voxel: [[f64; 4]; 3],
    to_scanner: [[f64; 4]; 3],
    /// Distance in `rows` from a voxel to the next voxel along each axis; 0 along an axis with one voxel.
    stride: [usize; 3],
    /// One row of eight numbers per voxel: six tensor elements, then 1 inside or 0 outside the mask, then 0.
    /// A row is half a cache line and can be loaded as whole SIMD vectors.
    rows: Vec<[f32; 8]>,
}

const INSIDE: usize = 6;

impl TensorField {
    pub(crate) fn new(tensor: &Volume<f32>, mask: Option<&Mask>) -> Result<Self> {
        if tensor.channels() != 6 {
            let problem = format!("the tensor image has {} values per voxel", tensor.channels());
            let advice = "give six values per voxel: D11 D22 D33 D12 D13 D23";
            return Err(Error::invalid("tensor image", problem, advice));
        }
        let grid = tensor.grid();
        let shape = grid.shape();
        let full = [1, shape[0], shape[0] * shape[1]];
        let stride = std::array::from_fn(|axis| if shape[axis] > 1 { full[axis] } else { 0 });
        let row = |voxel: usize| {
            let v = tensor.voxel(voxel);
            let inside = mask.is_none_or(|mask| mask.contains(voxel));
            [v[0], v[1], v[2], v[3], v[4], v[5], f32::from(u8::from(inside)), 0.0]
        };
        let rows = (0..grid.len()).map(row).collect();
        Ok(Self { shape, to_voxel: grid.inverse().rows(), to_scanner: grid.affine().rows(), stride, rows })
    }

    /// Returns the voxel coordinates of a point in RAS mm.
    #[inline]
    pub(crate) fn voxel_coordinates(&self, point: [f64; 3]) -> [f64; 3] {
        transform(&self.to_voxel, point, 1.0)
    }

    /// Returns the point in RAS mm of voxel coordinates.
    pub(crate) fn point(&self, voxel_coordinates: [f64; 3]) -> [f64; 3] {
        transform(&self.to_scanner, voxel_coordinates, 1.0)
    }

    /// Converts a displacement in mm along scanner axes to a displacement in voxels.
    pub(crate) fn voxel_displacement(&self, vector: [f64; 3]) -> [f64; 3] {
        transform(&self.to_voxel, vector, 0.0)
    }

    /// Converts a displacement in voxels to a displacement in mm along scanner axes.
    pub(crate) fn scanner_displacement(&self, vector: [f64; 3]) -> [f64; 3] {
        transform(&self.to_scanner, vector, 0.0)
    }

    /// Returns the voxel that contains a point in voxel coordinates; `None` if the point is outside the
    /// image.
    pub(crate) fn voxel_around(&self, at: [f64; 3]) -> Option<[usize; 3]> {
        let inside = (0..3).all(|axis| at[axis] >= -0.5 && at[axis] < self.shape[axis] as f64 - 0.5);
        // Truncation equals rounding down here, because c + ½ is never negative: the smallest c is −½.
        inside.then(|| at.map(|c| (c + 0.5) as usize))
    }

    /// Returns the neighbour of a voxel along an axis; `None` if the neighbour is outside the image.
    pub(crate) fn neighbour(&self, mut voxel: [usize; 3], axis: usize, forward: bool) -> Option<[usize; 3]> {
        voxel[axis] = if forward { voxel[axis].checked_add(1) } else { voxel[axis].checked_sub(1) }?;
        (voxel[axis] < self.shape[axis]).then_some(voxel)
    }

    /// Returns the tensor of one voxel without interpolation.
    pub(crate) fn in_voxel(&self, [i, j, k]: [usize; 3]) -> std::result::Result<Elements<1>, Termination> {
        let row = &self.rows[i + self.shape[0] * (j + self.shape[1] * k)];
        if row[INSIDE] == 0.0 {
            return Err(Termination::LeftMask);
        }
        Ok(std::array::from_fn(|n| Lanes([f64::from(row[n])])))
    }

    /// Returns the interpolated tensors at points in RAS mm, and for each lane the reason (verdict) if its
    /// tensor is not valid. A tensor is NaN if a voxel around the point is NaN. The tensor of a lane with a
    /// verdict is meaningless.
    #[inline(always)]
    pub(crate) fn at<const W: usize>(&self, points: Vector<W>) -> (Elements<W>, Verdicts<W>) {
        let mut outside = [false; W];
        let mut first = [0; W];
        let mut nearest = [0; W];
        let mut upper = [[0.0f32; W]; 3];
        for axis in 0..3 {
            let m = self.to_voxel[axis];
            let at = m[0] * points[0] + m[1] * points[1] + m[2] * points[2] + Lanes::all(m[3]);
            let last = (self.shape[axis] - 1) as f64;
            let clamped = at.within(0.0, last);
            for lane in 0..W {
                // The negated condition is true for NaN, so a NaN position counts as outside.
                outside[lane] |= !(at.0[lane] >= -0.5 && at.0[lane] < last + 0.5);
                // The conversion to i32 takes one instruction, and the conversion to usize takes several. An
                // axis in memory always has fewer than 2³¹ voxels.
                let below =
                    saturating::<i32>(clamped.0[lane]).min(narrow::<i32>(self.shape[axis]) - 2).max(0);
                let fraction = clamped.0[lane] - f64::from(below);
                upper[axis][lane] = fraction as f32;
                first[lane] += below as usize * self.stride[axis];
                nearest[lane] += (below + i32::from(fraction >= 0.5)) as usize * self.stride[axis];
            }
        }
        let mut weights = [[0.0f32; W]; 8];
        for lane in 0..W {
            let [x1, y1, z1] = upper.map(|axis| axis[lane]);
            let (x0, y0, z0) = (1.0 - x1, 1.0 - y1, 1.0 - z1);
            let (low, high) = ([x0 * y0, x1 * y0, x0 * y1, x1 * y1], [z0, z1]);
            for corner in 0..8 {
                weights[corner][lane] = low[corner & 3] * high[corner >> 2];
            }
        }
        let [dx, dy, dz] = self.stride;
        let places = [0, dx, dy, dx + dy, dz, dx + dz, dy + dz, dx + dy + dz];
        let mut verdicts = [None; W];
        // All eight values of a row are summed, although only the six tensor elements are needed. Eight
        // values fill one SIMD vector, six do not.
        let mut sums = [[0.0f64; 8]; W];
        for lane in 0..W {
            let mut sum = [0.0f32; 8];
            for corner in 0..8 {
                let row = &self.rows[first[lane] + places[corner]];
                let weight = weights[corner][lane];
                for n in 0..8 {
                    sum[n] += weight * row[n];
                }
            }
            sums[lane] = sum.map(f64::from);
            if outside[lane] {
                verdicts[lane] = Some(Termination::LeftImage);
            } else if self.rows[nearest[lane]][INSIDE] == 0.0 {
                verdicts[lane] = Some(Termination::LeftMask);
            }
        }
        (std::array::from_fn(|n| Lanes(std::array::from_fn(|lane| sums[lane][n]))), verdicts)
    }
}

#[inline]
fn transform(rows: &[[f64; 4]; 3], p: [f64; 3], translation: f64) -> [f64; 3] {
    rows.map(|m| m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3] * translation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::vector;
    use arcuate_core::{Affine, Grid};
    use proptest::prelude::*;

    fn oblique() -> Grid {
        let rows = [[-1.9, 0.3, 0.2, 90.0], [0.25, 1.8, -0.5, -120.0], [0.15, 0.45, 2.4, -60.0]];
        Grid::new([5, 4, 3], Affine::from_rows(rows).unwrap()).unwrap()
    }

    /// Interpolates at one point in voxel coordinates.
    fn at(field: &TensorField, grid: &Grid, voxel: [f64; 3]) -> std::result::Result<[f64; 6], Termination> {
        let (tensor, [verdict]) = field.at::<1>(vector(grid.affine().apply(voxel)));
        verdict.map_or(Ok(tensor.map(|element| element.0[0])), Err)
    }

    proptest! {
        #[test]
        fn a_linear_field_is_reproduced(x in 0.0..4.0f64, y in 0.0..3.0f64, z in 0.0..2.0f64) {
            let grid = oblique();
            let value = |p: [f64; 3], n: usize| (n as f64 + 1.0) * p[0] - 2.0 * p[1] + 0.5 * n as f64 * p[2] + 1.0;
            let values = (0..grid.len())
                .flat_map(|voxel| (0..6).map(move |n| value(grid.coordinates(voxel).map(|c| c as f64), n) as f32));
            let tensor = Volume::new(grid, 6, values.collect()).unwrap();
            let field = TensorField::new(&tensor, None).unwrap();
            let found = at(&field, &grid, [x, y, z]).unwrap();
            for n in 0..6 {
                // The interpolated values are at most 30. In single precision their errors are a few times 30
                // · 2⁻²³.
                prop_assert!((found[n] - value([x, y, z], n)).abs() < 2e-5);
            }
        }
    }

    #[test]
    fn the_image_extends_half_a_voxel_beyond_the_last_centre() {
        let grid = oblique();
        let tensor = Volume::filled(grid, 6, 1.0);
        let field = TensorField::new(&tensor, None).unwrap();
        let at = |voxel| at(&field, &grid, voxel);
        assert!(at([-0.49, -0.49, -0.49]).is_ok());
        assert!(at([4.49, 3.49, 2.49]).is_ok());
        for outside in [[-0.51, 1.0, 1.0], [1.0, 3.51, 1.0], [1.0, 1.0, 2.51], [f64::NAN, 1.0, 1.0]] {
            assert_eq!(at(outside), Err(Termination::LeftImage));
        }
    }

    #[test]
    fn a_mask_ends_at_the_faces_of_its_voxels() {
        let grid = oblique();
        let tensor = Volume::filled(grid, 6, 1.0);
        let mask =
            Mask::new(grid, (0..grid.len()).map(|v| grid.coordinates(v) == [2, 1, 1]).collect()).unwrap();
        let field = TensorField::new(&tensor, Some(&mask)).unwrap();
        let at = |voxel| at(&field, &grid, voxel);
        assert!(at([2.49, 0.51, 1.49]).is_ok());
        assert_eq!(at([2.51, 1.0, 1.0]), Err(Termination::LeftMask));
        assert_eq!(at([2.0, 0.49, 1.0]), Err(Termination::LeftMask));
        assert!(field.in_voxel([2, 1, 1]).is_ok());
        assert_eq!(field.in_voxel([1, 1, 1]), Err(Termination::LeftMask));
    }

    #[test]
    fn single_slice_images_are_supported() {
        let grid = Grid::new([3, 3, 1], Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
        let field = TensorField::new(&Volume::filled(grid, 6, 2.0), None).unwrap();
        assert_eq!(at(&field, &grid, [1.0, 1.0, 0.45]), Ok([2.0; 6]));
        assert_eq!(at(&field, &grid, [1.0, 1.0, 0.55]), Err(Termination::LeftImage));
    }

    #[test]
    fn images_without_six_channels_are_rejected() {
        let message = TensorField::new(&Volume::filled(oblique(), 7, 0.0), None).err().unwrap().to_string();
        assert!(message.starts_with("tensor image: the tensor image has 7 values per voxel"), "{message}");
    }
}
