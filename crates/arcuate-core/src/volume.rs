use crate::{Error, Grid, Result};

/// An image: the same number of values (`channels`) in every voxel of a grid.
///
/// The values of one voxel are adjacent, and voxels are ordered with x fastest. Channel `channel` of voxel
/// `voxel` is element `voxel * channels + channel`. A diffusion series has one channel per measurement; a
/// scalar map has one channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume<T> {
    grid: Grid,
    channels: usize,
    values: Vec<T>,
}

impl<T> Volume<T> {
    /// Creates an image from `grid.len() * channels` values. Returns an error if there is another number of
    /// values, or if the grid has more voxels than [`Grid::MAX_VOXELS`].
    pub fn new(grid: Grid, channels: usize, values: Vec<T>) -> Result<Self> {
        if channels == 0 || Some(values.len()) != grid.len().checked_mul(channels) {
            let problem = format!(
                "{} values do not fill an image of {} voxels × {channels} values per voxel",
                values.len(),
                grid.len()
            );
            return Err(Error::invalid(
                "volume",
                problem,
                "give as many values as the image has voxels times values per voxel",
            ));
        }
        grid.require_numbered()?;
        Ok(Self { grid, channels, values })
    }

    /// The voxel grid of the image.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Number of values per voxel; never 0.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// All values of the image. Channel `channel` of voxel `voxel` is element `voxel * channels + channel`.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All values of the image, mutable.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Consumes the image and returns its values.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }

    /// The values of the voxel at an array index, one per channel.
    pub fn voxel(&self, index: usize) -> &[T] {
        &self.values[index * self.channels..(index + 1) * self.channels]
    }

    /// The values of the voxel at an array index, one per channel, mutable.
    pub fn voxel_mut(&mut self, index: usize) -> &mut [T] {
        &mut self.values[index * self.channels..(index + 1) * self.channels]
    }
}

impl<T: Copy> Volume<T> {
    /// Creates an image with the same value everywhere.
    pub fn filled(grid: Grid, channels: usize, value: T) -> Self {
        assert!(channels > 0, "a volume needs at least one channel");
        let values = vec![value; grid.len() * channels];
        Self { grid, channels, values }
    }

    /// Creates an image from some channels of this image, in the given order.
    ///
    /// # Panics
    /// Panics if a channel is out of range.
    pub fn channels_at(&self, channels: &[usize]) -> Volume<T> {
        let voxels = self.values.chunks_exact(self.channels);
        let values = voxels.flat_map(|voxel| channels.iter().map(|&channel| voxel[channel])).collect();
        Volume { grid: self.grid, channels: channels.len(), values }
    }

    /// Creates an image from one channel of this image.
    pub fn channel(&self, channel: usize) -> Volume<T> {
        assert!(channel < self.channels, "channel {channel} of {}", self.channels);
        let values = self.values.iter().skip(channel).step_by(self.channels).copied().collect();
        Volume { grid: self.grid, channels: 1, values }
    }

    /// Applies `f` to every value of the image.
    pub fn map<U>(&self, f: impl Fn(T) -> U) -> Volume<U> {
        let values = self.values.iter().map(|&value| f(value)).collect();
        Volume { grid: self.grid, channels: self.channels, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Affine;
    use crate::Mask;

    #[test]
    fn channels_and_voxels_can_be_extracted() {
        let grid = Grid::new([3, 1, 1], Affine::identity()).unwrap();
        let mut image = Volume::new(grid, 3, (1..=9).collect::<Vec<i32>>()).unwrap();
        assert_eq!(image.channels_at(&[1, 2]).values(), [2, 3, 5, 6, 8, 9]);
        assert_eq!(image.channels_at(&[2]), image.channel(2));
        image.clear_outside(&Mask::new(grid, vec![true, false, true]).unwrap());
        assert_eq!(image.values(), [1, 2, 3, 0, 0, 0, 7, 8, 9]);
    }
}
