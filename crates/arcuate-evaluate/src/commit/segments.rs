use arcuate_core::{Error, Grid, Result};

/// A straight piece of a streamline inside one voxel. It occupies 16 bytes, in the memory layout of GPU
/// kernels.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Segment {
    /// The vector between the two ends of the segment, in mm and scanner axes. The order of the two ends does
    /// not matter.
    pub piece: [f32; 3],
    /// Number of the streamline that the segment belongs to.
    pub streamline: u32,
}

impl Segment {
    /// Returns the length in mm.
    pub fn length(&self) -> f64 {
        self.piece.iter().map(|&c| f64::from(c).powi(2)).sum::<f64>().sqrt()
    }
}

/// The segments of all streamlines. They are sorted by voxel, then by streamline, and then by their position
/// along the streamline.
#[derive(Debug, Clone, PartialEq)]
pub struct Segments {
    pub(crate) grid: Grid,
    pub(crate) streamlines: usize,
    pub(crate) voxels: Vec<u32>,
    pub(crate) voxel_starts: Vec<usize>,
    pub(crate) pieces: Vec<Segment>,
}

impl Segments {
    /// Creates segments from straight pieces of streamlines, sorted by voxel. The voxel with the grid index
    /// `voxels[n]` has the pieces from `voxel_starts[n]` to `voxel_starts[n + 1]` − 1. Grid indices ascend.
    /// Streamline numbers are below `streamlines`.
    ///
    /// Returns an error if the pieces are not sorted by voxel, if an index is out of range, or if a vector is
    /// not finite.
    pub fn new(
        grid: Grid,
        streamlines: usize,
        voxels: Vec<u32>,
        voxel_starts: Vec<usize>,
        segments: Vec<Segment>,
    ) -> Result<Self> {
        let fail = |problem: &str| {
            Err(Error::invalid(
                "segments",
                problem,
                "give streamline segments that are sorted by voxel and inside the voxel grid",
            ))
        };
        let covered = voxel_starts.len() == voxels.len() + 1
            && voxel_starts.first() == Some(&0)
            && voxel_starts.last() == Some(&segments.len())
            && voxel_starts.is_sorted();
        if !covered {
            return fail("their voxels do not cover them");
        }
        if !voxels.is_sorted_by(|a, b| a < b)
            || voxels.last().is_some_and(|&last| last as usize >= grid.len())
        {
            return fail("their voxels are not ascending grid positions");
        }
        if segments.iter().any(|segment| segment.streamline as usize >= streamlines) {
            return fail("one belongs to no streamline");
        }
        if !segments.iter().all(|segment| segment.piece.iter().all(|c| c.is_finite())) {
            return fail("one is not finite");
        }
        Ok(Self { grid, streamlines, voxels, voxel_starts, pieces: segments })
    }

    /// Returns the voxel grid of the image.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the number of streamlines of the tractogram. Streamlines without segments are included.
    pub fn streamlines(&self) -> usize {
        self.streamlines
    }

    /// Returns the grid indices of the voxels with segments, ascending.
    pub fn voxels(&self) -> &[u32] {
        &self.voxels
    }

    /// Returns the number of segments.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Returns whether there are no segments.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns the segments in the `n`-th voxel.
    pub fn of_voxel(&self, n: usize) -> &[Segment] {
        &self.pieces[self.voxel_starts[n]..self.voxel_starts[n + 1]]
    }
}

/// Axes of compartments in the voxels of a problem, for example the peaks of a voxel, along which its
/// extra-axonal compartments are. A voxel can have any number of axes. The voxels are those of the segments,
/// in the same order.
#[derive(Debug, Clone, PartialEq)]
pub struct Axes {
    pub(crate) voxel_starts: Vec<usize>,
    pub(crate) directions: Vec<[f32; 3]>,
}

impl Axes {
    /// Creates the axes of compartments. The `n`-th voxel has the axes (unit vectors in scanner axes) from
    /// `voxel_starts[n]` to `voxel_starts[n + 1]` − 1.
    ///
    /// Returns an error if `voxel_starts` does not cover all axes, or if an axis is not a unit vector.
    pub fn new(voxel_starts: Vec<usize>, directions: Vec<[f32; 3]>) -> Result<Self> {
        let fail = |problem: &str| {
            Err(Error::invalid("peaks", problem, "give the peaks of every voxel as unit vectors"))
        };
        let covered = voxel_starts.first() == Some(&0)
            && voxel_starts.last() == Some(&directions.len())
            && voxel_starts.is_sorted();
        if !covered {
            return fail("their voxels do not cover them");
        }
        let is_unit = |d: &[f32; 3]| (d.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-4;
        if !directions.iter().all(is_unit) {
            return fail("one of them is not a unit vector");
        }
        Ok(Self { voxel_starts, directions })
    }

    /// Creates an object without any axis, for a problem with this number of voxels.
    pub fn none(voxels: usize) -> Self {
        Self { voxel_starts: vec![0; voxels + 1], directions: Vec::new() }
    }

    /// Returns the number of voxels.
    pub fn voxels(&self) -> usize {
        self.voxel_starts.len() - 1
    }

    /// Returns the number of axes in all voxels.
    pub fn len(&self) -> usize {
        self.directions.len()
    }

    /// Returns whether there are no axes.
    pub fn is_empty(&self) -> bool {
        self.directions.is_empty()
    }

    /// Returns the number of voxels without an axis.
    pub fn bare_voxels(&self) -> usize {
        self.voxel_starts.windows(2).filter(|pair| pair[0] == pair[1]).count()
    }

    /// Returns the axes of the `n`-th voxel.
    pub fn of_voxel(&self, n: usize) -> &[[f32; 3]] {
        &self.directions[self.voxel_starts[n]..self.voxel_starts[n + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    #[test]
    fn inconsistent_parts_are_rejected() {
        let grid = Grid::new([2, 2, 2], Affine::identity()).unwrap();
        let segment = |streamline| Segment { piece: [1.0, 0.0, 0.0], streamline };
        let new = |voxels: &[u32], starts: &[usize], streamline| {
            Segments::new(grid, 3, voxels.to_vec(), starts.to_vec(), vec![segment(streamline); 2])
        };
        let good = new(&[1, 5], &[0, 1, 2], 2).unwrap();
        assert_eq!((good.len(), good.of_voxel(1)), (2, [segment(2)].as_slice()));
        for wrong in [
            new(&[1, 5], &[0, 2], 2),
            new(&[1, 5], &[0, 3, 2], 2),
            new(&[5, 1], &[0, 1, 2], 2),
            new(&[1, 8], &[0, 1, 2], 2),
            new(&[1, 5], &[0, 1, 2], 3),
        ] {
            assert!(wrong.is_err());
        }
        assert!(Axes::new(vec![0, 1, 1], vec![[0.0, 1.0, 0.0]]).is_ok());
        assert!(Axes::new(vec![0, 1, 2], vec![[0.0, 1.0, 0.0]]).is_err());
        assert!(Axes::new(vec![0, 1], vec![[0.0, 0.5, 0.0]]).is_err());
        assert_eq!((Axes::none(3).voxels(), Axes::none(3).len(), Axes::none(3).bare_voxels()), (3, 0, 3));
        assert_eq!(Axes::new(vec![0, 1, 1, 2], vec![[0.0, 1.0, 0.0]; 2]).unwrap().bare_voxels(), 1);
    }
}
