use crate::{Error, Grid, Result, Volume, saturating};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A parcellation: the region number of every voxel. The number 0 means no region.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    grid: Grid,
    values: Vec<u32>,
    names: BTreeMap<u32, String>,
}

impl<'a> From<&'a Labels> for Cow<'a, Labels> {
    fn from(labels: &'a Labels) -> Self {
        Self::Borrowed(labels)
    }
}

impl Labels {
    /// Creates a parcellation from one region number per voxel, x fastest, and names of some or all regions.
    pub fn new(grid: Grid, values: Vec<u32>, names: BTreeMap<u32, String>) -> Result<Self> {
        if values.len() != grid.len() {
            let problem = format!("{} labels for {} voxels", values.len(), grid.len());
            return Err(Error::invalid("labels", problem, "give one label per voxel"));
        }
        Ok(Self { grid, values, names })
    }

    /// Creates a parcellation from an image of whole numbers. Returns an error for a value that is negative,
    /// fractional, or above 2²⁴.
    pub fn from_volume(volume: &Volume<f32>, names: BTreeMap<u32, String>) -> Result<Self> {
        let mut values = Vec::with_capacity(volume.grid().len());
        for &value in volume.values().iter().step_by(volume.channels()) {
            // Single precision represents region numbers exactly up to 2²⁴. No atlas in use has larger
            // numbers.
            let whole = value.fract() == 0.0 && (0.0..=16_777_216.0).contains(&value);
            if !whole {
                return Err(Error::invalid(
                    "labels",
                    format!("the value {value} is not a region number"),
                    "give an image of whole numbers of at least 0, with 0 for no region",
                ));
            }
            values.push(saturating::<u32>(value));
        }
        Self::new(*volume.grid(), values, names)
    }

    /// Sorts the voxels of the parcellation into the order of `grid`. Returns `None` if `grid` does not have
    /// the same voxels ([`Grid::order_in`]).
    pub fn reordered(&self, grid: &Grid) -> Option<Self> {
        let order = grid.order_in(&self.grid)?;
        let values = order.into_iter().map(|voxel| self.values[voxel]).collect();
        Some(Self { grid: *grid, values, names: self.names.clone() })
    }

    /// The voxel grid of the parcellation.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Region number of each voxel, x fastest; 0 for no region.
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// Names of the regions whose name is known. The key of each name is the region number.
    pub fn names(&self) -> &BTreeMap<u32, String> {
        &self.names
    }

    /// Sets all voxels to 0 whose region number is not in `regions`. The numbers in `regions` must be in
    /// ascending order.
    pub fn restricted_to(mut self, regions: &[u32]) -> Self {
        for label in &mut self.values {
            if regions.binary_search(label).is_err() {
                *label = 0;
            }
        }
        self.names.retain(|region, _| regions.binary_search(region).is_ok());
        self
    }

    /// The region numbers that occur in the parcellation, in ascending order, without 0.
    pub fn regions(&self) -> Vec<u32> {
        let mut present: Vec<u32> = self.values.iter().copied().filter(|&label| label != 0).collect();
        present.sort_unstable();
        present.dedup();
        present
    }
}
