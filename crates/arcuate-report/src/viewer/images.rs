//! The images of a viewer scene. They are backgrounds, maps that are drawn over the backgrounds, and regions.

use crate::colours::colour_among;
use crate::picture::usable_window;
use arcuate_core::{Affine, Error, Grid, Mask, Result, Volume, saturating};
use arcuate_io::{WriteOptions, write_image};
use std::path::Path;

/// The number of levels to which the values of an image are rounded, between the two ends of the window (the
/// shown range of values).
const LEVELS: f32 = 1000.0;
/// The maximum number of voxels of an image in the scene. If an image has more voxels, only some of them are
/// kept.
const MAX_VOXELS: usize = 4_000_000;
/// The maximum number of regions of a scene. If there were more regions, some of them would have the same
/// colour.
const MAX_DRAWN_REGIONS: usize = 8;

/// An image that is embedded in the page for the viewer.
#[derive(Debug, Clone)]
pub(super) struct SceneImage {
    pub(super) name: String,
    pub(super) unit: String,
    /// The image itself. It has one channel, or three channels for colours with values from 0 to 1.
    pub(super) volume: Volume<f32>,
    pub(super) window: Option<[f32; 2]>,
}

impl SceneImage {
    /// Creates an image for the scene. Returns an error if the number of the image's channels is not one of
    /// the given numbers.
    pub(super) fn new(
        name: String,
        volume: &Volume<f32>,
        window: Option<[f32; 2]>,
        unit: String,
        channels: &[usize],
    ) -> Result<Self> {
        if !channels.contains(&volume.channels()) {
            let problem = format!("the image in the viewer has {} values per voxel", volume.channels());
            let advice = if channels.len() > 1 {
                "give one value, or three for red, green and blue"
            } else {
                "give one"
            };
            return Err(Error::invalid(format!("viewer image `{name}`"), problem, advice));
        }
        Ok(Self { name, unit, volume: thinned(volume)?, window })
    }

    pub(super) fn is_coloured(&self) -> bool {
        self.volume.channels() == 3
    }

    /// Returns the window of the image (the shown range of values). The ends of the window are shown black
    /// and white, or in the colours at the ends of the colour scale.
    pub(super) fn window(&self) -> [f32; 2] {
        usable_window(&self.volume, self.window)
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let options = WriteOptions::default();
        if self.is_coloured() {
            let bytes = self.volume.map(|value| saturating::<u8>((value.clamp(0.0, 1.0) * 255.0).round()));
            return write_image(path, &bytes, &options);
        }
        write_image(path, &rounded(&self.volume, self.window()), &options)
    }
}

/// The regions of a scene, stored as one image of region numbers.
#[derive(Debug, Clone)]
pub(super) struct SceneRegions {
    names: Vec<String>,
    /// For each voxel, the number of the first region that contains the voxel, counted from 1. The number is
    /// 0 if no region contains the voxel.
    numbers: Volume<f32>,
}

impl SceneRegions {
    /// Creates the image of region numbers for at most the first eight regions. Returns `None` if there are
    /// no regions. Returns an error if the voxel grids of the regions differ.
    pub(super) fn new(regions: &[(String, Mask)]) -> Result<Option<Self>> {
        let regions = &regions[..regions.len().min(MAX_DRAWN_REGIONS)];
        let Some((_, first)) = regions.first() else { return Ok(None) };
        let mut numbers = Volume::filled(*first.grid(), 1, 0.0f32);
        for (number, (name, mask)) in regions.iter().enumerate().rev() {
            if mask.grid() != first.grid() {
                let problem = "its voxels are not those of the region before it";
                return Err(Error::invalid(name, problem, "resample the regions to one grid"));
            }
            for voxel in mask.indices() {
                numbers.values_mut()[voxel] = (number + 1) as f32;
            }
        }
        let names = regions.iter().map(|(name, _)| name.clone()).collect();
        Ok(Some(Self { names, numbers: thinned(&numbers)? }))
    }

    /// Returns the names and colours of the regions, in the order of their numbers in the image.
    pub(super) fn key(&self) -> Vec<(String, [u8; 3])> {
        (0..).zip(&self.names).map(|(n, name)| (name.clone(), colour_among(n, self.names.len()))).collect()
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        write_image(path, &self.numbers.map(saturating::<u8>), &WriteOptions::default())
    }
}

/// Rounds the values of an image. The steps between rounded values are far below what the eye can
/// distinguish. The rounded image compresses to a third of the size. NaN becomes 0.
fn rounded(volume: &Volume<f32>, window: [f32; 2]) -> Volume<f32> {
    let step = (window[1] - window[0]) / LEVELS;
    volume.map(|value| {
        let rounded = (value / step).round() * step;
        if rounded.is_finite() { rounded } else { 0.0 }
    })
}

/// Reduces the number of voxels of an image that is too large. Every second (third, …) voxel is kept, with
/// its position.
fn thinned(volume: &Volume<f32>) -> Result<Volume<f32>> {
    let shape = volume.grid().shape();
    let mut stride = 1;
    while shape.iter().map(|n| n.div_ceil(stride)).product::<usize>() > MAX_VOXELS {
        stride += 1;
    }
    if stride == 1 {
        return Ok(volume.clone());
    }
    let scale = stride as f64;
    let rows = volume.grid().affine().rows().map(|[a, b, c, place]| [a * scale, b * scale, c * scale, place]);
    let small = Grid::new(shape.map(|n| n.div_ceil(stride)), Affine::from_rows(rows)?)?;
    let mut values = Vec::with_capacity(small.len() * volume.channels());
    for index in 0..small.len() {
        let voxel = small.coordinates(index).map(|n| n * stride);
        values.extend_from_slice(volume.voxel(volume.grid().index(voxel)));
    }
    Volume::new(small, volume.channels(), values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_images_are_thinned_in_place() {
        let affine =
            Affine::from_rows([[-1.0, 0.1, 0.0, 90.0], [0.1, 1.0, 0.0, -100.0], [0.0, 0.0, 1.0, 5.0]]);
        let grid = Grid::new([301, 200, 100], affine.unwrap()).unwrap();
        let volume = Volume::new(grid, 1, (0..grid.len()).map(|n| n as f32).collect()).unwrap();
        let small = thinned(&volume).unwrap();
        assert_eq!(small.grid().shape(), [151, 100, 50]);
        for index in [0, 7, small.grid().len() - 1] {
            let value = small.values()[index] as usize;
            let (there, here) = (volume.grid().centre(value), small.grid().centre(index));
            assert!((0..3).all(|axis| (there[axis] - here[axis]).abs() < 1e-9));
        }
    }

    #[test]
    fn rounding_is_invisible() {
        let grid = Grid::new([4, 1, 1], Affine::identity()).unwrap();
        let volume = Volume::new(grid, 1, vec![0.12345, f32::NAN, 7.0, -0.5]).unwrap();
        let rounded = rounded(&volume, [0.0, 1.0]);
        assert!((rounded.values()[0] - 0.12345).abs() <= 0.5 / LEVELS);
        assert_eq!(rounded.values()[1], 0.0);
    }

    #[test]
    fn voxels_are_assigned_to_the_first_of_their_regions() {
        let grid = Grid::new([4, 1, 1], Affine::identity()).unwrap();
        let region =
            |name: &str, voxels: [bool; 4]| (name.to_owned(), Mask::new(grid, voxels.to_vec()).unwrap());
        let two = [region("seeds", [true, true, false, false]), region("stop", [false, true, true, false])];
        let regions = SceneRegions::new(&two).unwrap().unwrap();
        assert_eq!(regions.numbers.values(), [1.0, 1.0, 2.0, 0.0]);
        assert_eq!(regions.key().len(), 2);
        assert!(SceneRegions::new(&[]).unwrap().is_none());
        let many: Vec<_> = (0..20).map(|n| region(&n.to_string(), [true; 4])).collect();
        assert_eq!(SceneRegions::new(&many).unwrap().unwrap().key().len(), MAX_DRAWN_REGIONS);
        let other = Grid::new([2, 1, 1], Affine::identity()).unwrap();
        let elsewhere = ("elsewhere".to_owned(), Mask::new(other, vec![true; 2]).unwrap());
        assert!(SceneRegions::new(&[two[0].clone(), elsewhere]).is_err());
    }
}
