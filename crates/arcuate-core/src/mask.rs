use crate::{Error, Grid, Result, Volume};

/// A set of voxels of a grid, stored as one flag (true or false) per voxel.
#[derive(Debug, Clone, PartialEq)]
pub struct Mask {
    grid: Grid,
    inside: Vec<bool>,
}

impl Mask {
    /// Creates a mask from one `bool` per voxel, x fastest. Returns an error if the number of flags is not
    /// the number of voxels.
    pub fn new(grid: Grid, inside: Vec<bool>) -> Result<Self> {
        if inside.len() != grid.len() {
            let problem = format!("{} flags for {} voxels", inside.len(), grid.len());
            return Err(Error::invalid("mask", problem, "give one flag per voxel"));
        }
        Ok(Self { grid, inside })
    }

    /// Creates a mask that contains every voxel of the grid.
    pub fn full(grid: Grid) -> Self {
        Self { grid, inside: vec![true; grid.len()] }
    }

    /// Creates a mask of the voxels of an image whose value is above 0.5; the first value counts if a voxel
    /// has several. With this threshold, resampled masks of zeros and ones are read correctly.
    pub fn from_volume(volume: &Volume<f32>) -> Self {
        let inside = volume.values().iter().step_by(volume.channels()).map(|&v| v > 0.5).collect();
        Self { grid: *volume.grid(), inside }
    }

    /// Sorts the voxels of the mask into the order of `grid`. Returns `None` if `grid` does not have the same
    /// voxels ([`Grid::order_in`]).
    pub fn reordered(&self, grid: &Grid) -> Option<Self> {
        let order = grid.order_in(&self.grid)?;
        Some(Self { grid: *grid, inside: order.into_iter().map(|voxel| self.inside[voxel]).collect() })
    }

    /// Converts the mask to an image of zeros and ones.
    pub fn to_volume(&self) -> Volume<u8> {
        let mut volume = Volume::filled(self.grid, 1, 0);
        for (value, &inside) in volume.values_mut().iter_mut().zip(&self.inside) {
            *value = u8::from(inside);
        }
        volume
    }

    /// The voxel grid of the mask.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns whether the voxel at an array index is inside the mask.
    pub fn contains(&self, index: usize) -> bool {
        self.inside[index]
    }

    /// One flag per voxel, x fastest; true for voxels inside the mask.
    pub fn flags(&self) -> &[bool] {
        &self.inside
    }

    /// Array indices of the voxels inside the mask, ascending.
    pub fn indices(&self) -> Vec<usize> {
        let mut indices = Vec::new();
        for (n, flags) in self.inside.chunks(TOGETHER).enumerate() {
            if any(flags) {
                let all = (n * TOGETHER..).zip(flags);
                indices.extend(all.filter(|(_, inside)| **inside).map(|(index, _)| index));
            }
        }
        indices
    }

    /// Returns whether no voxel is inside the mask.
    pub fn is_empty(&self) -> bool {
        !self.inside.chunks(TOGETHER).any(any)
    }

    /// Number of voxels inside the mask.
    pub fn count(&self) -> usize {
        self.inside.iter().filter(|&&inside| inside).count()
    }

    /// Dice overlap of two masks A and B on the same grid: 2|A ∩ B| / (|A| + |B|). The overlap of two empty
    /// masks is 1.
    pub fn dice(&self, other: &Mask) -> f64 {
        let common = self.inside.iter().zip(&other.inside).filter(|(a, b)| **a && **b).count();
        let total = self.count() + other.count();
        if total == 0 { 1.0 } else { 2.0 * common as f64 / total as f64 }
    }
}

/// Number of neighbouring mask flags that are tested together. In most masks, few voxels are near the border,
/// so the flags of such a group are usually all true or all false.
const TOGETHER: usize = 128;

fn any(flags: &[bool]) -> bool {
    flags.iter().fold(false, |any, &inside| any | inside)
}

impl<T: Copy + Default> Volume<T> {
    /// Sets all values of the image outside a mask to 0.
    ///
    /// # Panics
    /// Panics if the mask and the image have different numbers of voxels.
    pub fn clear_outside(&mut self, mask: &Mask) {
        assert_eq!(mask.flags().len(), self.grid().len(), "a mask of another image");
        let channels = self.channels();
        for (voxel, inside) in self.values_mut().chunks_exact_mut(channels).zip(mask.flags()) {
            if !inside {
                voxel.fill(T::default());
            }
        }
    }
}
