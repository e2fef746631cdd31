//! Finds the voxels of an image that correspond to the pixels of its slices.

use arcuate_core::{Grid, Volume};

/// An image viewed along the scanner axes R (right), A (anterior) and S (superior). The image axes are
/// reordered and flipped so that they are nearest to R, A and S. Nothing is interpolated.
#[derive(Debug, Clone)]
pub(crate) struct Oriented<'a> {
    volume: &'a Volume<f32>,
    /// For each of the scanner axes R, A and S, the image axis that is nearest to it.
    axes: [usize; 3],
    /// For each of the scanner axes R, A and S, true if the nearest image axis runs in the opposite
    /// direction.
    flipped: [bool; 3],
    /// The box of voxels that slices show. For each of the scanner axes R, A and S, it has the first voxel
    /// and one past the last.
    bounds: [[usize; 2]; 3],
    /// The box of voxels from which slices are preferably taken. Its ends are counted from the first voxel of
    /// the box that is shown.
    focus: [[usize; 2]; 3],
}

/// A box of voxels in an image. For each image axis, it has the first voxel and one past the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VoxelBox {
    ends: [[usize; 2]; 3],
}

impl VoxelBox {
    /// Returns the smallest box that contains all voxels with a non-zero value in any channel. If there are
    /// no such voxels, returns the box of the whole image.
    pub(crate) fn of(volume: &Volume<f32>) -> Self {
        let mut ends = [[usize::MAX, 0]; 3];
        let (channels, [nx, ny, _]) = (volume.channels(), volume.grid().shape());
        let has_value = |value: &f32| *value != 0.0 && value.is_finite();
        for (row, values) in volume.values().chunks_exact(nx * channels).enumerate() {
            // Only the first and the last voxel of a row can change the box.
            let Some(first) = values.iter().position(has_value) else { continue };
            let last = values.iter().rposition(has_value).unwrap_or(first);
            let there = [[first / channels, last / channels], [row % ny; 2], [row / ny; 2]];
            for (end, [first, last]) in ends.iter_mut().zip(there) {
                *end = [end[0].min(first), end[1].max(last + 1)];
            }
        }
        if ends[0][1] == 0 {
            ends = volume.grid().shape().map(|size| [0, size]);
        }
        Self { ends }
    }

    /// Returns the smallest box that contains this box and another box.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let around = |axis: usize| {
            let ([a, b], [c, d]) = (self.ends[axis], other.ends[axis]);
            [a.min(c), b.max(d)]
        };
        Self { ends: std::array::from_fn(around) }
    }
}

/// The orientation of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plane {
    Axial,
    Coronal,
    Sagittal,
}

impl Plane {
    pub(crate) const ALL: [Self; 3] = [Self::Axial, Self::Coronal, Self::Sagittal];

    /// Returns the scanner axes (0 for R, 1 for A, 2 for S) that run across, down and through the picture of
    /// a slice.
    pub(crate) fn axes(self) -> [usize; 3] {
        match self {
            Self::Axial => [0, 1, 2],
            Self::Coronal => [0, 2, 1],
            Self::Sagittal => [1, 2, 0],
        }
    }

    /// Returns the letters for the left and right edges of the picture of a slice. Pictures are radiological:
    /// the subject's left is on the right. In sagittal slices, the front (anterior) is on the right.
    pub(crate) fn letters(self) -> [&'static str; 2] {
        match self {
            Self::Axial | Self::Coronal => ["R", "L"],
            Self::Sagittal => ["P", "A"],
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Axial => "axial",
            Self::Coronal => "coronal",
            Self::Sagittal => "sagittal",
        }
    }

    /// Returns the name of the scanner axis (x, y or z) that runs through the slices.
    pub(crate) fn through(self) -> &'static str {
        match self {
            Self::Axial => "z",
            Self::Coronal => "y",
            Self::Sagittal => "x",
        }
    }
}

impl<'a> Oriented<'a> {
    /// Creates a view of an image along the scanner axes. Pictures show only the box `shown` with a margin.
    /// Slices are preferably taken from the box `focus`.
    pub(crate) fn new(volume: &'a Volume<f32>, shown: &VoxelBox, focus: &VoxelBox) -> Self {
        let (axes, flipped) = closest_axes(volume.grid());
        let shape = volume.grid().shape();
        let turned = |ends: &VoxelBox, axis: usize| {
            let (size, [first, end]) = (shape[axes[axis]], ends.ends[axes[axis]]);
            if flipped[axis] { [size - end, size - first] } else { [first, end] }
        };
        let bounds: [[usize; 2]; 3] = std::array::from_fn(|axis| {
            let [first, end] = turned(shown, axis);
            // The box has no margin from bottom to top, because the margin would consist of empty slices.
            let margin = if axis == 2 { 0 } else { 2 };
            [first.saturating_sub(margin), (end + margin).min(shape[axes[axis]])]
        });
        let focus = std::array::from_fn(|axis| {
            let [first, end] = bounds[axis];
            turned(focus, axis).map(|n| n.clamp(first, end) - first)
        });
        Self { volume, axes, flipped, bounds, focus }
    }

    /// Returns true if the orientation and position of the image are known.
    pub(crate) fn is_placed(&self) -> bool {
        self.volume.grid().is_placed()
    }

    /// Returns three numbers of voxels for slices of one orientation: across a slice, down a slice, and
    /// through the slices. The third number is thus the number of slices.
    pub(crate) fn size(&self, plane: Plane) -> [usize; 3] {
        plane.axes().map(|axis| self.bounds[axis][1] - self.bounds[axis][0])
    }

    /// Returns three sizes of a voxel in mm for slices of one orientation: across a slice, down a slice, and
    /// through the slices.
    pub(crate) fn spacing(&self, plane: Plane) -> [f64; 3] {
        let sizes = self.volume.grid().voxel_sizes();
        plane.axes().map(|axis| sizes[self.axes[axis]])
    }

    /// Returns the array index of the voxel at a pixel of a slice. Pixels are counted from the upper left
    /// corner. Slices are counted from the inferior, posterior or left end.
    pub(crate) fn pixel(&self, plane: Plane, slice: usize, column: usize, row: usize) -> usize {
        self.volume.grid().index(self.voxel(plane, slice, column, row))
    }

    /// Returns the column, the row and the slice in which a voxel is shown, for slices of one orientation.
    /// Returns `None` if the voxel is outside the box that is shown.
    pub(crate) fn find(&self, plane: Plane, voxel: [usize; 3]) -> Option<[usize; 3]> {
        let shape = self.volume.grid().shape();
        let turned = |axis: usize| {
            let (n, size) = (voxel[self.axes[axis]], shape[self.axes[axis]]);
            let n = if self.flipped[axis] { size.checked_sub(n + 1)? } else { n };
            let [first, end] = self.bounds[axis];
            (first..end).contains(&n).then(|| [n - first, end - 1 - n])
        };
        let [across, down, through] = plane.axes().map(turned);
        let ([from_left, from_right], [_, from_top], [slice, _]) = (across?, down?, through?);
        let column = if plane == Plane::Sagittal { from_left } else { from_right };
        Some([column, from_top, slice])
    }

    /// Returns the position of a slice in mm. It is the scanner coordinate of the slice's centre, along the
    /// axis through the slices.
    pub(crate) fn position(&self, plane: Plane, slice: usize) -> f64 {
        let [width, height, _] = self.size(plane);
        let voxel = self.voxel(plane, slice, width / 2, height / 2);
        self.volume.grid().affine().apply(voxel.map(|n| n as f64))[plane.axes()[2]]
    }

    /// Returns the scanner coordinates of the centre of a voxel, in mm.
    pub(crate) fn centre(&self, voxel: usize) -> [f64; 3] {
        self.volume.grid().centre(voxel)
    }

    /// Returns the vector in mm from a voxel to its next voxel towards the right, anterior or superior side.
    pub(crate) fn step(&self, axis: usize) -> [f64; 3] {
        let column = self.axes[axis];
        let sign = if self.flipped[axis] { -1.0 } else { 1.0 };
        self.volume.grid().affine().rows().map(|row| sign * row[column])
    }

    /// Returns at most `maximum` slices. They are evenly distributed over the box from which slices are
    /// preferably taken, and are not at its ends.
    pub(crate) fn spread(&self, plane: Plane, maximum: usize) -> Vec<usize> {
        let [first, end] = self.focus[plane.axes()[2]];
        let depth = end - first;
        if depth <= maximum {
            return (first..end).collect();
        }
        (0..maximum).map(|n| first + ((n as f64 + 0.5) / maximum as f64 * depth as f64) as usize).collect()
    }

    /// Returns the slice at a position that is given as a fraction of the extent of the preferred box.
    pub(crate) fn at(&self, plane: Plane, part: f64) -> usize {
        let [first, end] = self.focus[plane.axes()[2]];
        first + ((end - first) as f64 * part) as usize
    }

    fn voxel(&self, plane: Plane, slice: usize, column: usize, row: usize) -> [usize; 3] {
        let [across, down, through] = plane.axes();
        let mut place = [0; 3];
        // In the pictures of slices, the scanner axis R runs to the left, and A and S run up. In sagittal
        // slices, A runs to the right.
        place[across] = match plane {
            Plane::Axial | Plane::Coronal => self.bounds[across][1] - 1 - column,
            Plane::Sagittal => self.bounds[across][0] + column,
        };
        place[down] = self.bounds[down][1] - 1 - row;
        place[through] = self.bounds[through][0] + slice;
        let shape = self.volume.grid().shape();
        let mut voxel = [0; 3];
        for axis in 0..3 {
            let n = place[axis];
            voxel[self.axes[axis]] = if self.flipped[axis] { shape[self.axes[axis]] - 1 - n } else { n };
        }
        voxel
    }
}

/// Returns the nearest image axis for each scanner axis, so that each image axis is used once. Also returns,
/// for each scanner axis, whether the image axis runs in the opposite direction.
fn closest_axes(grid: &Grid) -> ([usize; 3], [bool; 3]) {
    let directions = grid.affine().axes();
    let permutations = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let agreement = |p: &[usize; 3]| (0..3).map(|axis| directions[p[axis]][axis].abs()).sum::<f64>();
    let mut best = permutations[0];
    for candidate in &permutations[1..] {
        if agreement(candidate) > agreement(&best) + 1e-9 {
            best = *candidate;
        }
    }
    (best, std::array::from_fn(|axis| directions[best[axis]][axis] < 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    /// Returns an image of the same test object for any storage order of the voxels. The object has one
    /// bright voxel to the right of the centre, in front of it and above it.
    fn landmark(shape: [usize; 3], rows: [[f64; 4]; 3], place: [f64; 3]) -> Volume<f32> {
        let grid = Grid::new(shape, Affine::from_rows(rows).unwrap()).unwrap();
        let mut volume = Volume::filled(grid, 1, 0.1);
        let index = grid.voxel_at(place).unwrap();
        volume.values_mut()[index] = 1.0;
        volume
    }

    fn find(volume: &Volume<f32>, plane: Plane) -> (usize, usize, usize) {
        let view = Oriented::new(volume, &VoxelBox::of(volume), &VoxelBox::of(volume));
        let [width, height, depth] = view.size(plane);
        for slice in 0..depth {
            for row in 0..height {
                for column in 0..width {
                    if volume.values()[view.pixel(plane, slice, column, row)] == 1.0 {
                        return (column, row, slice);
                    }
                }
            }
        }
        panic!("the landmark is not in the picture");
    }

    #[test]
    fn left_is_on_the_right_for_any_storage_order() {
        // The tested storage orders are RAS, LAS, and sagittal with the axes (−P, S, L). Each image is also
        // slightly tilted.
        let stored = [
            ([9, 9, 9], [[2.0, 0.1, 0.0, -8.0], [-0.1, 2.0, 0.0, -8.0], [0.0, 0.0, 2.0, -8.0]]),
            ([9, 9, 9], [[-2.0, 0.1, 0.0, 8.0], [0.1, 2.0, 0.0, -8.0], [0.0, 0.0, 2.0, -8.0]]),
            ([9, 9, 9], [[0.0, 0.1, -2.0, 8.0], [2.0, 0.0, 0.1, -8.0], [0.0, 2.0, 0.0, -8.0]]),
        ];
        for (shape, rows) in stored {
            let volume = landmark(shape, rows, [4.0, 6.0, 2.0]);
            let landmark = volume.values().iter().position(|value| *value == 1.0).unwrap();
            let view = Oriented::new(&volume, &VoxelBox::of(&volume), &VoxelBox::of(&volume));
            for plane in [Plane::Axial, Plane::Coronal, Plane::Sagittal] {
                let (column, row, slice) = find(&volume, plane);
                let there = view.find(plane, volume.grid().coordinates(landmark));
                assert_eq!(there, Some([column, row, slice]), "{plane:?}");
            }
            let (column, row, slice) = find(&volume, Plane::Axial);
            assert!(column < 4, "the subject's right is on the left of the picture");
            assert!(row < 4, "the front is up");
            assert_eq!(slice, 5);
            let (column, row, _) = find(&volume, Plane::Coronal);
            assert!(column < 4 && row < 4);
            let (column, row, slice) = find(&volume, Plane::Sagittal);
            assert!(column > 4 && row < 4, "the front is on the right, above is up");
            assert!(slice > 4, "sagittal slices go from left to right");
            let view = Oriented::new(&volume, &VoxelBox::of(&volume), &VoxelBox::of(&volume));
            assert!((view.position(Plane::Axial, slice_of(&view)) - 2.0).abs() < 0.7);
        }
    }

    fn slice_of(view: &Oriented<'_>) -> usize {
        view.size(Plane::Axial)[2] / 2 + 1
    }

    #[test]
    fn empty_borders_are_cropped() {
        let grid = Grid::new([20, 30, 10], Affine::scaling([1.0, 1.0, 3.0], [0.0; 3])).unwrap();
        let mut volume = Volume::filled(grid, 1, 0.0);
        volume.values_mut()[grid.index([10, 12, 4])] = 5.0;
        volume.values_mut()[grid.index([0, 0, 0])] = f32::NAN;
        let view = Oriented::new(&volume, &VoxelBox::of(&volume), &VoxelBox::of(&volume));
        assert_eq!(view.size(Plane::Axial), [5, 5, 1]);
        assert_eq!(view.spacing(Plane::Coronal), [1.0, 3.0, 1.0]);
        assert_eq!(view.position(Plane::Axial, 0), 12.0);
        let nothing = Volume::filled(grid, 1, 0.0);
        assert_eq!(
            Oriented::new(&nothing, &VoxelBox::of(&nothing), &VoxelBox::of(&nothing)).size(Plane::Axial),
            [20, 30, 10]
        );
    }

    #[test]
    fn slices_are_spread_evenly() {
        let grid = Grid::new([2, 2, 32], Affine::identity()).unwrap();
        let volume = Volume::filled(grid, 1, 1.0);
        let view = Oriented::new(&volume, &VoxelBox::of(&volume), &VoxelBox::of(&volume));
        assert_eq!(view.spread(Plane::Axial, 4), [4, 12, 20, 28]);
        assert_eq!(view.spread(Plane::Axial, 40).len(), 32);
    }
}
