use crate::{Affine, Error, Result};

/// The voxel grid of an image: its shape and its transform to RAS mm.
///
/// A grid has an affine even if the image file stores no position; [`is_placed`](Self::is_placed) returns
/// whether the file stores one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    shape: [usize; 3],
    affine: Affine,
    inverse: Affine,
    placed: bool,
}

impl Grid {
    /// Maximum number of voxels of a grid. Voxel indices are stored in 32 bits.
    pub const MAX_VOXELS: usize = u32::MAX as usize;
    /// Maximum number of voxels along one axis. Voxel coordinates are stored in 32 bits with a sign.
    pub const MAX_AXIS_LENGTH: usize = i32::MAX as usize;

    /// Creates a grid of `shape` voxels; `affine` maps voxel coordinates to RAS mm.
    ///
    /// Returns an error if there are no voxels along an axis, or if the affine cannot be inverted.
    pub fn new(shape: [usize; 3], affine: Affine) -> Result<Self> {
        let cells = shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        if !matches!(cells, Some(n) if n > 0) {
            return Err(Error::invalid(
                "grid",
                format!("{} × {} × {} voxels is not a possible image size", shape[0], shape[1], shape[2]),
                "repair the image header",
            ));
        }
        Ok(Self { shape, affine, inverse: affine.inverse()?, placed: true })
    }

    /// Returns an error if the grid has more voxels than 32-bit indices allow; the limits are
    /// [`MAX_VOXELS`](Self::MAX_VOXELS) and [`MAX_AXIS_LENGTH`](Self::MAX_AXIS_LENGTH). This check is
    /// done only after the values of an image have been read. If a damaged header states more values than the
    /// file has, the error about missing values comes first, which is clearer for the user.
    pub(crate) fn require_numbered(&self) -> Result<()> {
        let [x, y, z] = self.shape;
        let maximum = if self.len() > Self::MAX_VOXELS {
            Self::MAX_VOXELS.to_string()
        } else if self.shape.iter().any(|&n| n > Self::MAX_AXIS_LENGTH) {
            format!("{} along an axis", Self::MAX_AXIS_LENGTH)
        } else {
            return Ok(());
        };
        let problem = format!("the image has {x} × {y} × {z} voxels, but at most {maximum} are possible");
        Err(Error::invalid("image", problem, "crop the image, or use larger voxels"))
    }

    /// Creates the grid of an image with voxel sizes (mm) but without a stored position. As in FSL and
    /// nibabel, x runs from right to left, y to the front and z up, and the centre of the image is at 0 mm.
    /// Returns an error if there are no voxels along an axis, or if a voxel size is invalid.
    pub fn unplaced(shape: [usize; 3], [x, y, z]: [f64; 3]) -> Result<Self> {
        Ok(Self::new(shape, Affine::centred([-x, y, z], shape)?)?.presumed())
    }

    /// Marks the grid as not placed: its file has no position, and the affine is the default of the format or
    /// of common programs.
    pub fn presumed(self) -> Self {
        Self { placed: false, ..self }
    }

    /// Returns whether the affine is the position that the file stores, in the scanner or another intended
    /// space. If it is, the left and right side of the image are known. Returns false for images [without a
    /// stored position](Self::unplaced).
    pub fn is_placed(&self) -> bool {
        self.placed
    }

    /// Number of voxels along each axis.
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Number of voxels of the grid; never 0.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The transform of the grid from voxel coordinates to RAS mm.
    pub fn affine(&self) -> &Affine {
        &self.affine
    }

    /// The inverse transform of the grid, from RAS mm to voxel coordinates.
    pub fn inverse(&self) -> &Affine {
        &self.inverse
    }

    /// Edge lengths of a voxel in mm.
    pub fn voxel_sizes(&self) -> [f64; 3] {
        self.affine.voxel_sizes()
    }

    /// Index of voxel (i, j, k) in arrays over the grid, in which i changes fastest.
    pub fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.shape[0] * (j + self.shape[1] * k)
    }

    /// Voxel coordinates (i, j, k) of an array index.
    pub fn coordinates(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.shape;
        [index % nx, index / nx % ny, index / (nx * ny)]
    }

    /// Index of the voxel that contains a point in voxel coordinates; `None` outside the image.
    pub fn voxel_containing(&self, voxel_coordinates: [f64; 3]) -> Option<usize> {
        let mut voxel = [0; 3];
        for axis in 0..3 {
            let rounded = (voxel_coordinates[axis] + 0.5).floor();
            if !(rounded >= 0.0 && rounded < self.shape[axis] as f64) {
                return None;
            }
            voxel[axis] = rounded as usize;
        }
        Some(self.index(voxel))
    }

    /// Index of the voxel that contains a point in RAS mm; `None` outside the image.
    pub fn voxel_at(&self, point: [f64; 3]) -> Option<usize> {
        self.voxel_containing(self.inverse.apply(point))
    }

    /// Length of the longest of the four diagonals of the image, in mm.
    pub fn diagonal(&self) -> f64 {
        let rows = self.affine.rows();
        let ends = [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0]];
        let length = |signs: [f64; 3]| {
            let along = |row: usize| {
                (0..3).fold(0.0, |sum, axis| sum + signs[axis] * self.shape[axis] as f64 * rows[row][axis])
            };
            (0..3).fold(0.0, |sum, row| sum + along(row) * along(row)).sqrt()
        };
        ends.map(length).into_iter().fold(0.0, f64::max)
    }

    /// Centre of a voxel in RAS mm.
    pub fn centre(&self, index: usize) -> [f64; 3] {
        self.affine.apply(self.coordinates(index).map(|c| c as f64))
    }

    /// Returns whether two grids have the same shape and the same position. Positions may differ by a tenth
    /// of the smallest voxel edge.
    pub fn matches(&self, other: &Grid) -> bool {
        let smallest = self.voxel_sizes().into_iter().fold(f64::INFINITY, f64::min);
        self.shape == other.shape && self.affine.distance(&other.affine, self.shape) <= 0.1 * smallest
    }

    /// Matches voxels by their centres: for each voxel of this grid, returns the array index of the voxel of
    /// `other` with the same centre. Centres may differ by a tenth of the smallest voxel edge. The axes of
    /// the two grids may be permuted or reversed, because some programs reorder an image so that its axes are
    /// nearest to those of the scanner. Returns `None` if the grids do not have the same voxels.
    pub fn order_in(&self, other: &Grid) -> Option<Vec<usize>> {
        if self.len() != other.len() {
            return None;
        }
        let smallest = self.voxel_sizes().into_iter().fold(f64::INFINITY, f64::min);
        let into_other = other.inverse.after(&self.affine);
        (0..self.len())
            .map(|voxel| {
                let there =
                    other.voxel_containing(into_other.apply(self.coordinates(voxel).map(|c| c as f64)))?;
                let (a, b) = (self.centre(voxel), other.centre(there));
                let apart = (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt();
                (apart <= 0.1 * smallest).then_some(there)
            })
            .collect()
    }

    /// Returns an error about `subject` if the grid `other` does not [match](Self::matches) this grid.
    /// `reference` is the name of the image with this grid, for the error message.
    pub fn require_match(
        &self,
        other: &Grid,
        subject: impl std::fmt::Display,
        reference: &str,
    ) -> Result<()> {
        if self.matches(other) {
            return Ok(());
        }
        let size = |s: [usize; 3]| format!("{} × {} × {}", s[0], s[1], s[2]);
        let problem = if self.shape == other.shape {
            format!("the image is at another place in space than {reference} (same size, different affine)")
        } else {
            format!(
                "the image size {} differs from the size {} of {reference}",
                size(other.shape),
                size(self.shape)
            )
        };
        Err(Error::invalid(subject, problem, format!("resample the image to the grid of {reference}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oblique() -> Grid {
        let affine =
            Affine::from_rows([[-1.9, 0.3, 0.2, 90.0], [0.25, 1.8, -0.5, -120.0], [0.15, 0.45, 2.4, -60.0]]);
        Grid::new([7, 5, 4], affine.unwrap()).unwrap()
    }

    #[test]
    fn grids_with_too_many_voxels_are_rejected() {
        let grid = |shape| Grid::new(shape, Affine::identity()).unwrap();
        let problem = |shape| grid(shape).require_numbered().unwrap_err().to_string();
        assert_eq!(
            problem([65_536, 65_536, 1]),
            "image: the image has 65536 × 65536 × 1 voxels, but at most 4294967295 are possible; crop the \
             image, or use larger voxels"
        );
        let along = problem([1, 1, 2_147_483_648]);
        assert!(along.contains("at most 2147483647 along an axis are possible"), "{along}");
        assert!(grid([65_535, 65_537, 1]).require_numbered().is_ok());
    }

    #[test]
    fn voxel_centres_map_to_their_voxels() {
        let grid = oblique();
        for index in 0..grid.len() {
            assert_eq!(grid.index(grid.coordinates(index)), index);
            assert_eq!(grid.voxel_at(grid.centre(index)), Some(index));
        }
    }

    #[test]
    fn voxels_extend_half_an_edge_around_their_centre() {
        let grid = oblique();
        assert_eq!(grid.voxel_containing([-0.5, 0.0, 0.0]), Some(0));
        assert_eq!(grid.voxel_containing([-0.501, 0.0, 0.0]), None);
        assert_eq!(grid.voxel_containing([6.499, 0.0, 0.0]), Some(6));
        assert_eq!(grid.voxel_containing([6.5, 0.0, 0.0]), None);
        assert_eq!(grid.voxel_containing([f64::NAN, 0.0, 0.0]), None);
    }

    #[test]
    fn grids_with_reordered_axes_are_recognised() {
        let grid = oblique();
        let [nx, ny, nz] = grid.shape();
        // The first, second and third axes of the turned grid are the axes y, x (reversed) and z of the first
        // grid.
        let rows = grid.affine().rows().map(|[x, y, z, t]| [y, -x, z, t + x * (nx - 1) as f64]);
        let turned = Grid::new([ny, nx, nz], Affine::from_rows(rows).unwrap()).unwrap();
        let order = grid.order_in(&turned).unwrap();
        for (voxel, &there) in order.iter().enumerate() {
            let [i, j, k] = grid.coordinates(voxel);
            assert_eq!(turned.coordinates(there), [j, nx - 1 - i, k]);
        }
        assert_eq!(grid.order_in(&grid).unwrap(), (0..grid.len()).collect::<Vec<_>>());
        let mut moved = grid.affine().rows();
        moved[0][3] += 0.5;
        let moved = Grid::new(grid.shape(), Affine::from_rows(moved).unwrap()).unwrap();
        assert_eq!(grid.order_in(&moved), None);
    }

    #[test]
    fn images_without_orientation_are_centred_and_run_right_to_left() {
        let grid = Grid::unplaced([5, 4, 1], [2.0, 3.0, 2.5]).unwrap();
        assert!(!grid.is_placed());
        assert_eq!(*grid.affine(), Affine::scaling([-2.0, 3.0, 2.5], [4.0, -4.5, 0.0]));
        assert!(grid.affine().determinant() < 0.0);
        // A grid with a stored position is not equal to a grid without one, even if both have the same affine
        // and the same voxels.
        let with_stated_affine = Grid::new(grid.shape(), *grid.affine()).unwrap();
        assert!(
            with_stated_affine.is_placed()
                && with_stated_affine.matches(&grid)
                && with_stated_affine.presumed() == grid
        );
        for sizes in [[0.0, 1.0, 1.0], [1.0, f64::NAN, 1.0], [1.0, 1.0, f64::INFINITY]] {
            assert!(Grid::unplaced([2, 2, 2], sizes).is_err());
        }
        assert!(Grid::unplaced([2, 0, 2], [1.0; 3]).is_err());
    }

    #[test]
    fn impossible_sizes_are_rejected() {
        assert!(Grid::new([0, 5, 5], Affine::identity()).is_err());
        assert!(Grid::new([usize::MAX, 2, 2], Affine::identity()).is_err());
    }
}
