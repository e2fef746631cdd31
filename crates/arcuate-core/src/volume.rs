use crate::{Error, Grid, Result};

/// An image: the same number of values (`channels`) in every voxel of a grid.
///
/// Values of one voxel lie together, voxels follow each other x fastest: element `voxel * channels + channel`.
/// A diffusion series has one channel per measurement, a scalar map has one.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume<T> {
    grid: Grid,
    channels: usize,
    values: Vec<T>,
}

impl<T> Volume<T> {
    /// Takes `grid.len() * channels` values; fails on any other number.
    pub fn new(grid: Grid, channels: usize, values: Vec<T>) -> Result<Self> {
        if channels == 0 || Some(values.len()) != grid.len().checked_mul(channels) {
            let problem =
                format!("{} values do not fill {} voxels × {channels} channels", values.len(), grid.len());
            return Err(Error::invalid("volume", problem, "give as many values as the grid has room for"));
        }
        Ok(Self { grid, channels, values })
    }

    /// The lattice.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Values per voxel; never 0.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// All values: element `voxel * channels + channel`.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All values, to change.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// All values, to keep.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }

    /// The values of one voxel.
    pub fn voxel(&self, index: usize) -> &[T] {
        &self.values[index * self.channels..(index + 1) * self.channels]
    }

    /// The values of one voxel, to change.
    pub fn voxel_mut(&mut self, index: usize) -> &mut [T] {
        &mut self.values[index * self.channels..(index + 1) * self.channels]
    }
}

impl<T: Copy> Volume<T> {
    /// Every value the same.
    pub fn filled(grid: Grid, channels: usize, value: T) -> Self {
        assert!(channels > 0, "a volume needs at least one channel");
        let values = vec![value; grid.len() * channels];
        Self { grid, channels, values }
    }

    /// One channel as an image of its own.
    pub fn channel(&self, channel: usize) -> Volume<T> {
        assert!(channel < self.channels, "channel {channel} of {}", self.channels);
        let values = self.values.iter().skip(channel).step_by(self.channels).copied().collect();
        Volume { grid: self.grid, channels: 1, values }
    }

    /// Every value through `f`.
    pub fn map<U>(&self, f: impl Fn(T) -> U) -> Volume<U> {
        let values = self.values.iter().map(|&value| f(value)).collect();
        Volume { grid: self.grid, channels: self.channels, values }
    }
}
